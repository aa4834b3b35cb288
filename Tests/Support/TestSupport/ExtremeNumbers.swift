/// Numbers at the ends of what types hold, and beyond.
package enum ExtremeNumbers {
    /// As JSON has them, but those that ``isDecimal`` are also whole numbers for anything else that reads digits.
    package static let texts: [String] = {
        let bounds = [8, 16, 31, 32, 53, 63, 64].flatMap { power -> [String] in
            // The sums of powers of two fit 128 bits.
            let bound = UInt128(1) << UInt128(power)
            return [bound - 1, bound, bound + 1].flatMap { ["\($0)", "-\($0)"] }
        }
        let others = [
            "0", "-0", "1", "-1", "0.5", "-0.5", "1.0", "99999999999999999999", "-99999999999999999999", String(repeating: "9", count: 400),
            "1" + String(repeating: "0", count: 400), "0." + String(repeating: "0", count: 400) + "1", "1e400", "-1e400", "1e-400",
            "1e-9223372036854775808", "1e9223372036854775807", "1e-9223372036854775809", "1e99999999999999999999", "0e-9223372036854775808",
            "9223372036854775807e0", "922337203685477580.7e1", "-9.223372036854775808e18", "1.8446744073709551615E+19", "253402300799",
            "253402300800", "-62167219201", "3155760001", "10001",
        ]
        return bounds + others
    }()

    /// Whether a text is digits, with or without a sign.
    package static func isDecimal(_ text: String) -> Bool { text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || ($0 >= 48 && $0 <= 57) } }

    /// Where numbers stand in a text: digits with what JSON may have around them, and no letters beside them.
    package static func ranges(in text: [UInt8]) -> [Range<Int>] {
        func isDigit(_ byte: UInt8) -> Bool { byte >= 48 && byte <= 57 }
        func isWord(_ byte: UInt8) -> Bool { isDigit(byte) || byte == 95 || (byte | 32 >= 97 && byte | 32 <= 122) }
        var ranges: [Range<Int>] = []
        var index = 0
        while index < text.count {
            guard isDigit(text[index]), index == 0 || !isWord(text[index - 1]) else {
                index += 1
                continue
            }
            var start = index
            while index < text.count, isDigit(text[index]) { index += 1 }
            if index + 1 < text.count, text[index] == UInt8(ascii: "."), isDigit(text[index + 1]) {
                index += 1
                while index < text.count, isDigit(text[index]) { index += 1 }
            }
            guard index == text.count || !isWord(text[index]) else { continue }
            if start > 0, text[start - 1] == UInt8(ascii: "-"), start == 1 || !isWord(text[start - 2]) { start -= 1 }
            ranges.append(start..<index)
        }
        return ranges
    }

    /// The text with one of its numbers replaced, for each number and each replacement.
    package static func replacements(in text: String, by numbers: [String] = texts) -> [String] {
        let bytes = Array(text.utf8)
        return ranges(in: bytes).flatMap { range in
            numbers.map { number in
                String(decoding: bytes[..<range.lowerBound] + number.utf8 + bytes[range.upperBound...], as: UTF8.self)
            }
        }
    }
}
