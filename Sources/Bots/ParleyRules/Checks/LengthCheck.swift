internal import UnicodeText

/// The characters of a text: `length: "> 500"`.
struct LengthCheck: TextMeasureCheck {
    static let key = "length"
    static let summary = "Characters of the text."

    let range: Comparison

    static func measure(_ text: String) -> Double? { Double(TextLength.characters(text)) }
    static func description(_ number: Double?) -> String { "\(Int(number ?? 0)) characters" }
}
