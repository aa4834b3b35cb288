/// The emoji of a text: `emoji: "> 10"`.
struct EmojiCheck: TextMeasureCheck {
    static let key = "emoji"
    static let summary = "Emoji in the text."

    let range: Comparison

    static func measure(_ text: String) -> Double? { Double(TextMeasures.emoji(text)) }
    static func description(_ number: Double?) -> String { "\(Int(number ?? 0)) emoji" }
}
