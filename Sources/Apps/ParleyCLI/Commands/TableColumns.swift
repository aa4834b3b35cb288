/// The cells of tables, and of lines of figures, in the terminal.
enum TableColumns {
    /// A text at the left of a column of a width, shortened if it does not fit.
    static func left(_ text: String, _ width: Int) -> String {
        text.count > width - 1 ? text.prefix(width - 2) + "… " : text + String(repeating: " ", count: width - text.count)
    }

    /// A text at the right of a column of a width, with a space before it at least.
    static func right(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(1, width - text.count)) + text }

    /// A number of things: `1 rule`, `2 rules`, `0 bodies`.
    static func counted(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
        "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
    }

    /// A number of events a second; a dash for none.
    static func rate(_ rate: Double?) -> String {
        guard let rate else { return "–" }
        return rate >= 100 ? "\(Int64(rate.rounded()))" : "\((rate * 10).rounded() / 10)"
    }
}
