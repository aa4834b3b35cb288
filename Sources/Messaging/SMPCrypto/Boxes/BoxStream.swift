internal import CSodium
package import SMPWire

/// A box that is sealed or opened in pieces, with the tag at the end: files and their chunks (xftp.md).
///
/// The cipher and the tag are those of ``BoxSecret``. Decrypted pieces are not authentic before the tag has been checked.
package struct BoxStream: ~Copyable {
    package static let tagSize = 16

    // The key stream counts in blocks of 64 bytes and its first 32 bytes are the key of the authenticator.
    private static let blockSize = 64
    private var position = 32
    private let key: SecretBytes
    private let nonce: Bytes
    private let authenticator: OneTimeAuthenticator

    package init(_ secret: BoxSecret, nonce: BoxNonce) {
        Sodium.start()
        self.nonce = Bytes(nonce.bytes[16...])
        key = SecretBytes(count: 32) { output in
            _ = secret.key.withPointer { crypto_core_hsalsa20(output, nonce.bytes, $0, nil) }
        }
        let first = SecretBytes(count: 32) { [nonce = self.nonce, key] output in
            _ = key.withPointer { crypto_stream_salsa20(output, 32, nonce, $0) }
        }
        authenticator = OneTimeAuthenticator(key: first)
    }

    /// Encrypts the next piece.
    package mutating func encrypt(_ piece: Bytes) -> Bytes {
        let ciphertext = applyKeyStream(piece)
        authenticator.update(ciphertext)
        return ciphertext
    }

    /// Decrypts the next piece. The result must not be acted on before ``verify(_:)``.
    package mutating func decrypt(_ piece: Bytes) -> Bytes {
        authenticator.update(piece)
        return applyKeyStream(piece)
    }

    /// The 16-byte tag of all pieces.
    package consuming func tag() -> Bytes { authenticator.tag() }

    /// Checks the tag of all pieces.
    ///
    /// - Throws: ``CryptoError`` `decryptionFailed`.
    package consuming func verify(_ expected: Bytes) throws(CryptoError) {
        guard SecretBytes.areEqual(tag(), expected) else {
            throw CryptoError(.decryptionFailed, "the tag at the end of the stream does not match")
        }
    }

    private mutating func applyKeyStream(_ piece: Bytes) -> Bytes {
        guard !piece.isEmpty else { return [] }
        let skipped = position % BoxStream.blockSize
        var bytes = skipped == 0 ? piece : Bytes(repeating: 0, count: skipped) + piece
        let block = UInt64(position / BoxStream.blockSize)
        bytes.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            _ = key.withPointer { crypto_stream_salsa20_xor_ic(start, start, UInt64(buffer.count), nonce, block, $0) }
        }
        position += piece.count
        if skipped > 0 { bytes.removeFirst(skipped) }
        return bytes
    }
}

/// Poly1305. A class, since its key is wiped where it stands: the `deinit` of a struct has no more than a copy to change.
private final class OneTimeAuthenticator {
    private var state = crypto_onetimeauth_state()

    init(key: SecretBytes) { _ = key.withPointer { crypto_onetimeauth_init(&state, $0) } }

    func update(_ piece: Bytes) { crypto_onetimeauth_update(&state, piece, UInt64(piece.count)) }

    func tag() -> Bytes {
        var tag = Bytes(repeating: 0, count: BoxStream.tagSize)
        crypto_onetimeauth_final(&state, &tag)
        return tag
    }

    deinit { sodium_memzero(&state, MemoryLayout<crypto_onetimeauth_state>.size) }
}

extension BoxSecret {
    /// Seals a message in one piece with the tag at the end.
    package func sealWithTagAtEnd(_ message: Bytes, nonce: BoxNonce) -> Bytes {
        var stream = BoxStream(self, nonce: nonce)
        let ciphertext = stream.encrypt(message)
        return ciphertext + stream.tag()
    }

    /// Opens a message that has its tag at the end.
    ///
    /// - Throws: ``CryptoError`` `decryptionFailed`.
    package func openWithTagAtEnd(_ box: Bytes, nonce: BoxNonce) throws(CryptoError) -> Bytes {
        guard box.count >= BoxStream.tagSize else {
            throw CryptoError(.decryptionFailed, "a box has at least 16 bytes")
        }
        var stream = BoxStream(self, nonce: nonce)
        let message = stream.decrypt(box.dropLast(BoxStream.tagSize))
        try stream.verify(box.suffix(BoxStream.tagSize))
        return message
    }
}

extension Bytes {
    fileprivate func dropLast(_ count: Int) -> Bytes { Bytes(prefix(self.count - count)) }
    fileprivate func suffix(_ count: Int) -> Bytes { Bytes(self[(self.count - count)...]) }
}
