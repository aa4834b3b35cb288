/// The share of capitals among the letters: `capitals: "> 70%"`.
struct CapitalsCheck: TextMeasureCheck {
    static let key = "capitals"
    static let summary = "Percent of the letters that are capitals."
    static let unit = Comparison.Unit.percent

    let range: Comparison

    static func measure(_ text: String) -> Double? { TextMeasures.capitals(text) }
    static func description(_ number: Double?) -> String { number.map { "\(Int($0)) %" } ?? "fewer than \(TextMeasures.minimumLetters) letters" }
}
