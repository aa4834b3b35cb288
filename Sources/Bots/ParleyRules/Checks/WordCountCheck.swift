/// The words of a text: `word-count: "> 100"`.
struct WordCountCheck: TextMeasureCheck {
    static let key = "word-count"
    static let summary = "Words of the text."

    let range: Comparison

    static func measure(_ text: String) -> Double? { Double(TextMeasures.words(text)) }
    static func description(_ number: Double?) -> String { "\(Int(number ?? 0)) words" }
}
