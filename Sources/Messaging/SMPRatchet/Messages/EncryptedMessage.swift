import SMPCrypto
import SMPWire

/// A header as it is sent: version, IV, tag and ciphertext.
struct EncryptedHeader {
    /// The sender's current version: the form of what is encrypted.
    let version: UInt16
    let iv: Bytes
    let tag: Bytes
    let ciphertext: Bytes

    static func seal(
        _ header: MessageHeader, version: UInt16, paddedTo length: Int, key: SecretBytes, iv: Bytes, associatedData: Bytes
    ) throws(RatchetError) -> Bytes {
        let sealed = try mapping { () throws(CryptoError) in
            let padded = try MessagePadding.pad(header.encoded(version: version), to: length)
            return try AESGCM.seal(padded, key: key, iv: iv, authenticating: associatedData)
        }
        var writer = WireWriter(reservingCapacity: length + 36)
        writer.write(version)
        writer.write(raw: iv)
        writer.write(raw: sealed.tag)
        writer.write(sized: sealed.ciphertext, version: version)
        return writer.bytes
    }

    init(_ bytes: Bytes) throws(WireError) {
        var parser = WireParser(bytes)
        version = try parser.read()
        iv = try parser.take(16)
        tag = try parser.take(AESGCM.tagSize)
        ciphertext = try parser.sized()
        try parser.finish()
    }

    /// - Returns: nil if the key is not that of the header.
    /// - Throws: ``RatchetError`` `malformedMessage` if it is, but the header cannot be read.
    func open(_ key: SecretBytes, associatedData: Bytes) throws(RatchetError) -> MessageHeader? {
        let plaintext: Bytes
        do {
            let padded = try AESGCM.open(ciphertext, tag: tag, key: key, iv: iv, authenticating: associatedData)
            plaintext = try MessagePadding.unpad(padded)
        } catch {
            guard error.code != .libraryFailure else { throw RatchetError(error) }
            return nil
        }
        do {
            return try MessageHeader(plaintext, version: version)
        } catch {
            throw RatchetError(.malformedMessage, "the header cannot be read: \(error)")
        }
    }
}

/// A message as it is sent: the encrypted header, the body's tag and the body.
struct EncryptedMessage {
    /// As it is sent: the body's authentication covers it.
    let headerBytes: Bytes
    let header: EncryptedHeader
    let tag: Bytes
    let body: Bytes

    static func encode(header: Bytes, version: UInt16, body: AESGCM.Sealed) -> Bytes {
        var writer = WireWriter(reservingCapacity: header.count + body.ciphertext.count + 18)
        writer.write(sized: header, version: version)
        writer.write(raw: body.tag)
        writer.write(raw: body.ciphertext)
        return writer.bytes
    }

    init(_ bytes: Bytes) throws(RatchetError) {
        do {
            var parser = WireParser(bytes)
            headerBytes = try parser.sized()
            tag = try parser.take(AESGCM.tagSize)
            body = parser.rest()
            header = try EncryptedHeader(headerBytes)
        } catch {
            throw RatchetError(.malformedMessage, "the message cannot be read: \(error)")
        }
    }

    func openBody(_ key: MessageKey, associatedData: Bytes) throws(RatchetError) -> Bytes {
        try mapping { () throws(CryptoError) in
            let padded = try AESGCM.open(
                body, tag: tag, key: key.key, iv: key.iv, authenticating: associatedData + headerBytes)
            return try MessagePadding.unpad(padded)
        }
    }
}

// The length of a header has one byte in version 2 and two bytes from version 3 on. Both can be read whatever the version, because a
// header is longer than 31 bytes and shorter than 8192: a first byte below 32 can only begin a two-byte length.

extension WireWriter {
    fileprivate mutating func write(sized bytes: Bytes, version: UInt16) {
        if version >= RatchetVersion.kem { write(large: bytes) } else { write(short: bytes) }
    }
}

extension WireParser {
    fileprivate mutating func sized() throws(WireError) -> Bytes {
        if let next, next < 32 { try large() } else { try short() }
    }
}
