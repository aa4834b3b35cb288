import SMPWire

/// The little of DER that keys and certificates need: nested values of one-byte tags and definite lengths.
struct DERReader {
    enum Tag {
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let sequence: UInt8 = 0x30
        /// `[0]`, the version of a certificate.
        static let context0: UInt8 = 0xA0
    }

    private var parser: WireParser

    init(_ bytes: Bytes) { parser = WireParser(bytes) }

    var isAtEnd: Bool { parser.isAtEnd }
    var nextTag: UInt8? { parser.next }

    /// The next value with its tag and length, and its content.
    mutating func value() throws(WireError) -> (tag: UInt8, whole: Bytes, content: Bytes) {
        var header = WireWriter()
        let tag = try parser.byte()
        header.write(byte: tag)
        let first = try parser.byte()
        header.write(byte: first)
        var length = Int(first)
        if first & 0x80 != 0 {
            let count = Int(first & 0x7F)
            guard count >= 1, count <= 3 else { throw parser.error(.invalidValue, "a DER length of at most 3 bytes") }
            let digits = try parser.take(count)
            header.write(raw: digits)
            length = digits.reduce(0) { $0 << 8 | Int($1) }
        }
        let content = try parser.take(length)
        return (tag, header.bytes + content, content)
    }

    /// The next value, which must have this tag.
    mutating func value(_ tag: UInt8) throws(WireError) -> (whole: Bytes, content: Bytes) {
        guard nextTag == tag else { throw parser.error(parser.isAtEnd ? .truncated : .invalidValue, "DER tag \(tag)") }
        let value = try value()
        return (value.whole, value.content)
    }

    /// The bytes of a bit string without unused bits.
    mutating func bitString() throws(WireError) -> Bytes {
        let content = try value(Tag.bitString).content
        guard content.first == 0 else { throw parser.error(.invalidValue, "a bit string of whole bytes") }
        return Bytes(content.dropFirst())
    }

    static func sequence(_ content: Bytes) -> Bytes { value(Tag.sequence, content) }

    static func value(_ tag: UInt8, _ content: Bytes) -> Bytes {
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        if content.count < 0x100 { return [tag, 0x81, UInt8(content.count)] + content }
        return [tag, 0x82, UInt8(truncatingIfNeeded: content.count >> 8), UInt8(truncatingIfNeeded: content.count)] + content
    }
}

extension PublicKeyOfCertificate {
    /// SubjectPublicKeyInfo out of a certificate: after the optional version, serial number, signature algorithm, issuer,
    /// validity and subject (RFC 5280 §4.1).
    static func subjectPublicKeyInfo(_ certificate: Bytes) throws(WireError) -> Bytes {
        var outer = DERReader(certificate)
        var body = DERReader(try outer.value(DERReader.Tag.sequence).content)
        var fields = DERReader(try body.value(DERReader.Tag.sequence).content)
        if fields.nextTag == DERReader.Tag.context0 { _ = try fields.value() }
        _ = try fields.value(DERReader.Tag.integer)
        for _ in 0..<4 { _ = try fields.value(DERReader.Tag.sequence) }
        return try fields.value(DERReader.Tag.sequence).whole
    }
}

enum PublicKeyOfCertificate {}
