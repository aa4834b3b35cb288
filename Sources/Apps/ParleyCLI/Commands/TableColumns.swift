internal import Hosting

/// The cells of tables, and of lines of figures, in the terminal.
enum TableColumns {
    /// A text at the left of a column of a width, shortened if it does not fit.
    static func left(_ text: String, _ width: Int) -> String {
        let shown = VisibleText.fitted(text, to: width - 1)
        return shown + String(repeating: " ", count: max(1, width - VisibleText.width(of: shown)))
    }

    /// A text at the right of a column of a width, with a space before it at least.
    static func right(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(1, width - VisibleText.width(of: text))) + text }

    /// A number of things: `1 rule`, `2 rules`, `0 bodies`.
    static func counted(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
        "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
    }

    /// A number of events a second; a dash for none.
    static func rate(_ rate: Double?) -> String {
        guard let rate else { return "–" }
        return rate >= 100 ? Int64(exactly: rate.rounded()).map { "\($0)" } ?? "\(rate)" : "\((rate * 10).rounded() / 10)"
    }

    /// Events a second between two counts; none if the count began anew.
    ///
    /// - Parameter seconds: the time between the two.
    static func rate(from first: Int64, to second: Int64, in seconds: Double) -> Double { max(0, Double(second) - Double(first)) / max(0.001, seconds) }

    /// The sum of two numbers that a process reports, or the largest number that there is.
    static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, isTooLarge) = left.addingReportingOverflow(right)
        return isTooLarge ? (left < 0 ? .min : .max) : sum
    }
}
