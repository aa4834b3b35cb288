/// A length of time as files hold it.
enum TimeSpan {
    /// The longest time: a hundred years.
    static let maximum = 100 * 365 * 86_400.0
    private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]

    /// Seconds of a text such as `90s`, `10m`, `24h`, `7d` or `2w`; nil for another text.
    static func seconds(_ text: Substring) -> Double? {
        let text = text.trimmed
        guard let unit = text.last.flatMap({ units[$0] }), let number = text.dropLast().trimmed.digits(Int32.self) else { return nil }
        let seconds = Double(number) * unit
        return seconds <= maximum ? seconds : nil
    }

    /// The time in the largest unit of which it has two or more.
    static func text(_ seconds: Double) -> String {
        let unit: (name: Character, seconds: Double) = [("d", 86_400), ("h", 3_600), ("m", 60)].first { seconds >= 2 * $0.1 } ?? ("s", 1)
        return "\(Int(min(seconds, maximum) / unit.seconds))\(unit.name)"
    }

    /// Reads a time that is not nothing.
    static func positive(_ reader: NodeReader) -> Double? {
        guard let seconds = read(reader) else { return nil }
        if seconds > 0 { return seconds }
        reader.report(.badValue, "\(reader.path) must be more than nothing", hint: "a time is written 90s, 10m, 24h, 7d or 2w")
        return nil
    }

    static func read(_ reader: NodeReader) -> Double? {
        guard let text = reader.string() else { return nil }
        if let seconds = seconds(text[...]) { return seconds }
        reader.report(.badValue, "\(reader.path) cannot be \"\(text.cut)\"", hint: "a time is written 90s, 10m, 24h, 7d or 2w")
        return nil
    }
}
