internal import SMPWire

/// E-mail addresses (RFC 5322 `addr-spec`, with comments and quoted names; domains by RFC 1123).
enum EmailAddress {
    /// Tells whether all the bytes are one address.
    static func isValid(_ bytes: Bytes) -> Bool {
        var reader = EmailReader(bytes: bytes)
        guard reader.words() != nil, reader.skip("@"), reader.domain() else { return false }
        return reader.isAtEnd
    }
}

private struct EmailReader {
    let bytes: Bytes
    var position = 0

    init(bytes: Bytes) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func take(while predicate: (UInt8) -> Bool) -> Bytes {
        let start = position
        while let byte = next, predicate(byte) { position += 1 }
        return Bytes(bytes[start..<position])
    }

    /// Atoms and quoted strings with points between them; without the comments around them.
    mutating func words() -> Bytes? {
        var result = Bytes()
        while true {
            commentsAndSpace()
            if next == UInt8(ascii: "\"") {
                guard let text = quotedString() else { return nil }
                result += text
            } else {
                let atom = take(while: Self.isAtomText)
                guard !atom.isEmpty else { return nil }
                result += atom
            }
            commentsAndSpace()
            // A point without a word after it is left to the caller.
            let point = position
            guard skip(".") else { return result }
            var ahead = self
            ahead.commentsAndSpace()
            guard let byte = ahead.next, byte == UInt8(ascii: "\"") || Self.isAtomText(byte) else {
                position = point
                return result
            }
            result.append(UInt8(ascii: "."))
        }
    }

    mutating func domain() -> Bool {
        let start = position
        if let name = words() {
            _ = skip(".")
            if Self.isDomainName(name) { return true }
        }
        position = start
        return domainLiteral()
    }

    private mutating func domainLiteral() -> Bool {
        commentsAndSpace()
        guard skip("[") else { return false }
        while let byte = next, Self.isDomainText(byte) || Self.isSpace(byte) { position += 1 }
        guard skip("]") else { return false }
        commentsAndSpace()
        return true
    }

    private mutating func quotedString() -> Bytes? {
        let start = position
        position += 1
        while let byte = next {
            if byte == UInt8(ascii: "\"") {
                position += 1
                return Bytes(bytes[start..<position])
            }
            if byte == UInt8(ascii: "\\") {
                guard quotedPair() else { return nil }
            } else if Self.isQuotedText(byte) || Self.isSpace(byte) {
                position += 1
            } else {
                return nil
            }
        }
        return nil
    }

    private mutating func quotedPair() -> Bool {
        guard position + 1 < bytes.count, bytes[position + 1] < 0x80 else { return false }
        position += 2
        return true
    }

    /// Moves past white space and comments. An unclosed comment does not count.
    private mutating func commentsAndSpace() {
        while let byte = next {
            if Self.isSpace(byte) {
                position += 1
            } else if byte != UInt8(ascii: "(") || !comment() {
                return
            }
        }
    }

    private mutating func comment() -> Bool {
        let start = position
        var depth = 0
        while let byte = next {
            switch byte {
            case UInt8(ascii: "("):
                depth += 1
                position += 1
            case UInt8(ascii: ")"):
                depth -= 1
                position += 1
                if depth == 0 { return true }
            case UInt8(ascii: "\\"):
                guard quotedPair() else {
                    position = start
                    return false
                }
            default:
                guard Self.isCommentText(byte) || Self.isSpace(byte) else {
                    position = start
                    return false
                }
                position += 1
            }
        }
        position = start
        return false
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }

    private static let atomPunctuation = ASCIISet("!#$%&'*+/=?^_`{|}~-")

    private static func isAtomText(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || atomPunctuation.contains(byte) }

    /// Control characters that old addresses may hold.
    private static func isObsoleteControl(_ byte: UInt8) -> Bool {
        switch byte {
        case 1...8, 11, 12, 14...31, 127: true
        default: false
        }
    }

    private static func isDomainText(_ byte: UInt8) -> Bool {
        (33...90).contains(byte) || (94...126).contains(byte) || isObsoleteControl(byte)
    }

    private static func isQuotedText(_ byte: UInt8) -> Bool {
        byte == 33 || (35...91).contains(byte) || (93...126).contains(byte) || isObsoleteControl(byte)
    }

    private static func isCommentText(_ byte: UInt8) -> Bool {
        (33...39).contains(byte) || (42...91).contains(byte) || (93...126).contains(byte) || isObsoleteControl(byte)
    }

    /// Labels of letters, digits and inner dashes: at most 63 bytes each, 253 together.
    private static func isDomainName(_ name: Bytes) -> Bool {
        name.count <= 253
            && name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                guard let first = label.first, let last = label.last, label.count <= 63 else { return false }
                return isAlphanumeric(first) && last != UInt8(ascii: "-")
                    && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
            }
    }
}
