/// Base64 with the URL-safe alphabet (RFC 4648 §5), padded unless asked otherwise.
public enum Base64URL {
    private static let alphabet = Bytes("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }()

    /// Encodes bytes. Short links leave out the padding; everything else has it.
    public static func encode(_ bytes: Bytes, padded: Bool = true) -> String {
        var text = Bytes()
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let count = min(3, bytes.count - index)
            var group = UInt32(bytes[index]) << 16
            if count > 1 { group |= UInt32(bytes[index + 1]) << 8 }
            if count > 2 { group |= UInt32(bytes[index + 2]) }
            for position in 0...count { text.append(alphabet[Int(group >> (18 - 6 * UInt32(position)) & 63)]) }
            if padded { text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - count)) }
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes text with or without padding; nil if a character, the length or the unused bits are wrong.
    public static func decode(_ text: some StringProtocol) -> Bytes? { decode(Bytes(text.utf8)) }

    /// Decodes the bytes of text with or without padding.
    public static func decode(_ text: Bytes) -> Bytes? {
        var digits = text[...]
        if text.count % 4 == 0 {
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        guard digits.count % 4 != 1 else { return nil }
        var bytes = Bytes()
        bytes.reserveCapacity(digits.count * 3 / 4)
        var group: UInt32 = 0
        var bits: UInt32 = 0
        for digit in digits {
            let value = values[Int(digit)]
            guard value != 0xFF else { return nil }
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> bits))
            }
        }
        guard group & ((1 << bits) - 1) == 0 else { return nil }
        return bytes
    }

    static func isDigit(_ byte: UInt8) -> Bool { values[Int(byte)] != 0xFF }
}

extension WireParser {
    /// Reads base64url digits and their padding; at least one digit.
    public mutating func base64URL() throws(WireError) -> Bytes {
        let start = offset
        var text = take(while: Base64URL.isDigit)
        guard !text.isEmpty else { throw error(isAtEnd ? .truncated : .invalidValue, "base64url text") }
        text += take { $0 == UInt8(ascii: "=") }
        guard let bytes = Base64URL.decode(text) else { throw WireError(.invalidValue, "base64url text", at: start) }
        return bytes
    }
}
