/// A range that a number is compared with: `"> 500"`, `">= 5"`, `"< 10"`, `"= 0"` or `"10..20"`.
public struct Comparison: Sendable, Hashable {
    /// The comparison as it was written.
    public let source: String
    private var lower: Double?
    private var upper: Double?
    private var includesLower = true
    private var includesUpper = true

    /// The things that are counted.
    enum Unit: Sendable {
        case count
        case percent
        /// Seconds, written `30s`, `10m`, `24h`, `7d` or `2w`.
        case duration
    }

    /// True if the number is in the range.
    func holds(_ value: Double) -> Bool {
        if let lower, includesLower ? value < lower : value <= lower { return false }
        if let upper, includesUpper ? value > upper : value >= upper { return false }
        return true
    }

    init?(_ reader: NodeReader, unit: Unit) {
        guard let source = reader.nonEmptyString() else { return nil }
        self.init(source, unit: unit)
        guard (lower ?? 0) >= 0, (upper ?? 0) >= 0, lower != nil || upper != nil else {
            reader.report(.badValue, "\(reader.path) cannot be \"\(source.cut)\"", hint: Self.hint(unit))
            return nil
        }
        if let lower, let upper, lower > upper {
            reader.report(.badValue, "\(reader.path): no number is in \(source.cut)", hint: "write the smaller number first")
            return nil
        }
        if upper == 0, !includesUpper {
            reader.report(.badValue, "\(reader.path): no number is below 0")
            return nil
        }
    }

    /// A comparison of a number, as a part of another value; nil for another text.
    init?(_ source: String) {
        self.init(source, unit: .count)
        guard lower != nil || upper != nil else { return nil }
        if let lower, let upper, lower > upper { return nil }
        if upper == 0, !includesUpper { return nil }
    }

    private init(_ source: String, unit: Unit) {
        self.source = source
        let text = String(source.trimmed)
        let signs: KeyValuePairs<String, (inout Comparison, Double) -> Void> = [
            ">=": { $0.lower = $1 }, "<=": { $0.upper = $1 }, ">": { ($0.lower, $0.includesLower) = ($1, false) },
            "<": { ($0.upper, $0.includesUpper) = ($1, false) }, "=": { ($0.lower, $0.upper) = ($1, $1) },
        ]
        if let sign = signs.first(where: { text.hasPrefix($0.key) }) {
            if let value = Self.number(text.dropFirst(sign.key.count), unit) { sign.value(&self, value) }
        } else if let dots = text.firstRange(of: "..") {
            if let low = Self.number(text[..<dots.lowerBound], unit), let high = Self.number(text[dots.upperBound...], unit) { (lower, upper) = (low, high) }
        }
    }

    private static func number(_ text: Substring, _ unit: Unit) -> Double? {
        let text = text.trimmed
        switch unit {
        case .count: return text.digits(Int32.self).map(Double.init)
        case .percent:
            let digits = text.last == "%" ? text.dropLast().trimmed : text
            return digits.digits(Int32.self).flatMap { $0 <= 100 ? Double($0) : nil }
        case .duration: return TimeSpan.seconds(text)
        }
    }

    private static func hint(_ unit: Unit) -> String {
        switch unit {
        case .count: "write a comparison in quotes: \"> 500\", \">= 5\", \"< 10\", \"= 0\" or \"10..20\""
        case .percent: "write a comparison in quotes: \"> 70%\" or \"50%..80%\""
        case .duration: "write a comparison in quotes: \"< 24h\" or \"> 7d\"; units are s, m, h, d and w"
        }
    }
}
