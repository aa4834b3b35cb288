package import SMPCrypto
package import SMPWire

/// The prepared encryption of a message whose header is sealed: the key of its body, and the encrypted header.
///
/// It can be stored until the message is sent. Sealing the same message again gives the same bytes; the key must not be used for
/// another message.
package struct RatchetMessageKey: Sendable, Equatable {
    private static let format: UInt8 = 1

    /// The version that the message is sent in.
    package let version: UInt16
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
    package func sealMessage(_ message: Bytes, paddedTo length: Int) throws(RatchetError) -> Bytes {
        let sealed = try mapping { () throws(CryptoError) in
            try AESGCM.seal(
                try MessagePadding.pad(message, to: length), key: key.key, iv: key.iv, authenticating: associatedData + header)
        }
        return EncryptedMessage.encode(header: header, version: version, body: sealed)
    }

    /// Bytes that a sealed message has beyond its padded length.
    package var overhead: Int { header.count + (version >= RatchetVersion.kem ? 2 : 1) + AESGCM.tagSize }

    /// For a store.
    package var encoded: SecretBytes {
        SecretBytes(reservingCapacity: header.count + associatedData.count + MessageKey.size + 8) { writer in
            writer.write(byte: Self.format)
            writer.write(version)
            writer.write(secret: key.bytes)
            writer.write(large: associatedData)
            writer.write(large: header)
        }
    }

    /// - Throws: ``RatchetError`` `malformedState`.
    package init(encoded secret: SecretBytes) throws(RatchetError) {
        do throws(WireError) {
            self = try secret.decode { parser throws(WireError) in
                try parser.expect(Self.format)
                let version: UInt16 = try parser.read()
                let key = RatchetMessageKey(
                    version: version, key: MessageKey(unchecked: try parser.secret(MessageKey.size)), associatedData: try parser.large(),
                    header: try parser.large())
                try parser.finish()
                return key
            }
        } catch {
            throw RatchetError(.malformedState, "a stored message key cannot be read: \(error)")
        }
    }
}
