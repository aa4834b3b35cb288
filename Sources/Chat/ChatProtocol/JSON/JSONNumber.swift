/// A JSON number with the text that it was written with. Numbers are equal when their values are: `1`, `1.0` and `10e-1`.
///
/// Reading, comparing and hashing take time and memory linear in the text: an exponent is reckoned with, never written out.
public struct JSONNumber: Sendable, Hashable {
    /// The largest exponent, up or down, with which a number is compared by value. One with a larger exponent equals only the number of the
    /// same text.
    public static let maximumExponent = 1 << 40

    /// The number as JSON text.
    public let text: String

    /// The number with this value.
    public init(_ value: some BinaryInteger) { text = String(value) }

    /// A decimal number in its shortest spelling; nil for infinities and NaN, which JSON does not have.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        var text = "\(value)"
        if text.hasSuffix(".0") { text.removeLast(2) }
        self.text = text
    }

    /// - Precondition: `text` is a JSON number; only the parser, which has checked it, calls this.
    init(checked text: String) { self.text = text }

    /// The value if it is whole and fits the type, however it is spelled.
    public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Int64.self) -> Integer? {
        if let value = Integer(text) { return value }
        guard let decimal = Decimal(text), decimal.exponent >= 0 else { return nil }
        // More digits than the type's longest number has are not written out.
        let longest = String(Integer.max).utf8.count
        guard decimal.exponent <= longest, decimal.digits.utf8.count <= longest else { return nil }
        let digits = decimal.digits + String(repeating: "0", count: decimal.exponent)
        return Integer((decimal.isNegative ? "-" : "") + digits)
    }

    /// The nearest binary number; infinite if it is out of range.
    public var double: Double { Double(text) ?? .nan }

    /// Compares two values.
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        // Most numbers are spelled alike, and have the same value then.
        if left.text == right.text { return true }
        guard let left = Decimal(left.text), let right = Decimal(right.text) else { return false }
        return left == right
    }

    /// Feeds the value to a hasher.
    public func hash(into hasher: inout Hasher) {
        // As `==` compares: by value, or else by text.
        if let decimal = Decimal(text) { hasher.combine(decimal) } else { hasher.combine(text) }
    }

    /// The value as sign, digits without zeros at either end, and a power of ten.
    private struct Decimal: Hashable {
        var isNegative = false
        var digits = "0"
        var exponent = 0

        /// - Returns: nil for an exponent beyond ``JSONNumber/maximumExponent``.
        init?(_ text: String) {
            var digits: [UInt8] = []
            var exponentText = ""
            var fraction = false
            var inExponent = false
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "."): fraction = true
                case UInt8(ascii: "e"), UInt8(ascii: "E"): inExponent = true
                case UInt8(ascii: "-") where !inExponent: isNegative = true
                case _ where inExponent: exponentText.unicodeScalars.append(Unicode.Scalar(byte))
                default:
                    digits.append(byte)
                    if fraction { exponent -= 1 }
                }
            }
            guard let first = digits.firstIndex(where: { $0 != UInt8(ascii: "0") }) else {
                // Zero has no sign and no exponent.
                isNegative = false
                exponent = 0
                return
            }
            if inExponent {
                // The magnitude, as the least integer has no opposite.
                guard let power = Int(exponentText), power.magnitude <= JSONNumber.maximumExponent.magnitude else { return nil }
                exponent += power
            }
            while digits.last == UInt8(ascii: "0") {
                digits.removeLast()
                exponent += 1
            }
            self.digits = String(decoding: digits[first...], as: UTF8.self)
        }
    }
}
