extension MessageContent {
    /// The text that represents the content in lists, notifications and searches. Voice messages and reports name
    /// themselves, as the official clients store them: `voice message (00:07)`, `report spam: …`.
    public var summary: String {
        switch kind {
        case .voice(let text, let duration): Self.join("voice message \(Self.durationText(duration))", "; ", text)
        case .report(let text, let reason): Self.join("report \(reason.code)", ": ", text)
        default: text
        }
    }

    /// True if the content has something to read: for voice messages only what was typed counts.
    public var hasText: Bool {
        if case .voice(let text, _) = kind { return !text.isEmpty }
        return !summary.isEmpty
    }

    /// True if it is a voice message.
    public var isVoice: Bool { type == .voice }
    /// True if it is a report to moderators.
    public var isReport: Bool { type == .report }

    /// A duration in seconds as `(mm:ss)`; minutes are not bounded.
    public static func durationText(_ seconds: Int) -> String {
        func twoDigits(_ number: Int) -> String { number <= 9 ? "0\(number)" : String(number) }
        var (minutes, rest) = seconds.quotientAndRemainder(dividingBy: 60)
        if rest < 0 {
            rest += 60
            minutes -= 1
        }
        return "(\(twoDigits(minutes)):\(twoDigits(rest)))"
    }

    private static func join(_ label: String, _ separator: String, _ text: String) -> String {
        text.isEmpty ? label : label + separator + text
    }
}
