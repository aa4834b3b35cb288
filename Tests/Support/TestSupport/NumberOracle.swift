#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What JSON numbers are worth, found by moving digits about: slow, and another way than any that the product goes.
package enum NumberOracle {
    /// The value if it is whole and fits the type.
    ///
    /// - Parameter text: a number of RFC 8259, of less than a million bytes.
    package static func integer<Integer: FixedWidthInteger>(_ text: String, _ type: Integer.Type = Integer.self) -> Integer? {
        let isNegative = text.hasPrefix("-")
        let parts = text.drop { $0 == "-" }.lowercased().split(separator: "e")
        let mantissa = parts[0].split(separator: ".")
        let digits = mantissa.joined()
        guard digits.contains(where: { $0 != "0" }) else { return 0 }
        guard let exponent = exponent(parts.count > 1 ? String(parts[1]) : "0") else { return nil }
        let point = mantissa[0].count + exponent
        let longest = 45
        guard point > 0 else { return nil }
        let leading = digits.prefix { $0 == "0" }.count
        guard point - leading <= longest else { return nil }
        let padded = digits + String(repeating: "0", count: max(0, point - digits.count))
        guard padded.dropFirst(point).allSatisfy({ $0 == "0" }) else { return nil }
        let whole = padded.prefix(point).drop { $0 == "0" }
        let limit = String(isNegative ? Integer.min.magnitude : Integer.max.magnitude)
        guard whole.count < limit.count || whole.count == limit.count && whole <= limit[...] else { return nil }
        var value: Integer = 0
        for digit in whole {
            let unit = Integer(truncatingIfNeeded: digit.wholeNumberValue ?? 0)
            value = value &* 10
            value = isNegative ? value &- unit : value &+ unit
        }
        return value
    }

    /// The exponent if it is below a million; nil for others, with which no number of less than a million bytes is whole and fits anything.
    private static func exponent(_ text: String) -> Int? {
        let isNegative = text.hasPrefix("-")
        let digits = text.drop { $0 == "-" || $0 == "+" }.drop { $0 == "0" }
        guard digits.count < 7 else { return nil }
        let value = digits.reduce(0) { $0 * 10 + ($1.wholeNumberValue ?? 0) }
        return isNegative ? -value : value
    }

    /// The nearest binary number, as C has it.
    package static func double(_ text: String) -> Double { strtod(text, nil) }
}
