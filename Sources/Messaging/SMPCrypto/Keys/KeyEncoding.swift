import SMPWire

/// The DER forms of keys (RFC 8410). Each algorithm has one length, so both forms are a constant prefix and the raw key.
enum KeyEncoding {
    /// Returns the SubjectPublicKeyInfo without the key.
    static func publicPrefix(_ identifier: UInt8, size: Int) -> Bytes {
        [0x30, UInt8(size + 10), 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, identifier, 0x03, UInt8(size + 1), 0x00]
    }

    /// Returns the byte of SubjectPublicKeyInfo that identifies the algorithm; nil if the bytes end before it. Other bytes are not checked.
    static func identifier(inPublic der: Bytes) -> UInt8? { der.count > 8 ? der[8] : nil }

    /// Returns the PrivateKeyInfo, version 0, without the key.
    static func privatePrefix(_ identifier: UInt8, size: Int) -> Bytes {
        [
            0x30, UInt8(size + 14), 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, identifier,
            0x04, UInt8(size + 2), 0x04, UInt8(size),
        ]
    }

    /// Returns the raw key after a prefix; nil if the prefix or the size differs.
    static func strip(_ prefix: Bytes, size: Int, from der: Bytes) -> Bytes? {
        guard der.count == prefix.count + size, der.starts(with: prefix) else { return nil }
        return Bytes(der[prefix.count...])
    }
}

extension KeyAlgorithm {
    static var publicPrefix: Bytes { KeyEncoding.publicPrefix(identifier, size: publicSize) }
    static var privatePrefix: Bytes { KeyEncoding.privatePrefix(identifier, size: privateSize) }
}
