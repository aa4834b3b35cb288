import SMPCrypto
public import SMPWire

/// What is left to do for a message whose header is sealed: the key of its body, and the encrypted header.
///
/// It can be stored until the message is sent. Sealing the same message again gives the same bytes; the key must not be used for
/// another message.
public struct RatchetMessageKey: Sendable, Equatable {
    private static let format: UInt8 = 1

    /// The version that the message is sent in.
    public let version: UInt16
    let key: MessageKey
    let associatedData: Bytes
    let header: Bytes

    init(version: UInt16, key: MessageKey, associatedData: Bytes, header: Bytes) {
        self.version = version
        self.key = key
        self.associatedData = associatedData
        self.header = header
    }

    /// Encrypts the body and puts the header before it. The result is longer than `length` by ``overhead``.
    ///
    /// - Parameter length: what the message is padded to, in bytes, so that its length does not show.
    /// - Throws: ``RatchetError`` `messageTooLong` unless the message has at least 2 bytes less than `length`.
    public func sealMessage(_ message: Bytes, paddedTo length: Int) throws(RatchetError) -> Bytes {
        let sealed = try mapping { () throws(CryptoError) in
            try AESGCM.seal(
                try MessagePadding.pad(message, to: length), key: key.key, iv: key.iv, authenticating: associatedData + header)
        }
        return EncryptedMessage.encode(header: header, version: version, body: sealed)
    }

    /// Bytes that a sealed message has beyond its padded length.
    public var overhead: Int { header.count + (version >= RatchetVersion.kem ? 2 : 1) + AESGCM.tagSize }

    /// For a store. It holds the key: keep it as safe as other secrets.
    public var encoded: Bytes {
        var writer = WireWriter(reservingCapacity: header.count + associatedData.count + MessageKey.size + 8)
        writer.write(byte: Self.format)
        writer.write(version)
        key.bytes.withBytes { writer.write(raw: $0) }
        writer.write(large: associatedData)
        writer.write(large: header)
        return writer.bytes
    }

    /// - Throws: ``RatchetError`` `malformedState`.
    public init(encoded bytes: Bytes) throws(RatchetError) {
        do {
            var parser = WireParser(bytes)
            try parser.expect(Self.format)
            version = try parser.read()
            key = MessageKey(unchecked: SecretBytes(wiping: try parser.take(MessageKey.size)))
            associatedData = try parser.large()
            header = try parser.large()
            try parser.finish()
        } catch {
            throw RatchetError(.malformedState, "a stored message key cannot be read: \(error)")
        }
    }
}
