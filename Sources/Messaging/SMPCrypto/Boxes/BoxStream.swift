internal import COpenSSL
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

    /// Decrypts the next piece. The result must not be used before ``verify(_:)`` has succeeded.
    package mutating func decrypt(_ piece: Bytes) -> Bytes {
        authenticator.update(piece)
        return applyKeyStream(piece)
    }

    /// Returns the 16-byte tag of all pieces.
    package consuming func tag() -> Bytes { authenticator.tag() }

    /// Checks the tag of all pieces.
    ///
    /// - Throws: ``CryptoError`` `decryptionFailed`.
    package consuming func verify(_ expected: Bytes) throws(CryptoError) {
        guard SecretBytes.areEqual(tag(), expected) else {
            throw CryptoError(.decryptionFailed, "the tag at the end of the stream does not match")
        }
    }

    /// Encrypts the next piece in place.
    package mutating func encrypt(inPlace piece: UnsafeMutableRawBufferPointer) {
        applyKeyStream(piece)
        authenticator.update(UnsafeRawBufferPointer(piece))
    }

    /// Decrypts the next piece in place. The result must not be used before ``verify(_:)`` has succeeded.
    package mutating func decrypt(inPlace piece: UnsafeMutableRawBufferPointer) {
        authenticator.update(UnsafeRawBufferPointer(piece))
        applyKeyStream(piece)
    }

    private mutating func applyKeyStream(_ piece: Bytes) -> Bytes {
        var bytes = piece
        bytes.withUnsafeMutableBytes { applyKeyStream($0) }
        return bytes
    }

    private mutating func applyKeyStream(_ piece: UnsafeMutableRawBufferPointer) {
        guard let start = piece.baseAddress?.assumingMemoryBound(to: UInt8.self), !piece.isEmpty else { return }
        var done = 0
        let skipped = position % BoxStream.blockSize
        if skipped > 0 {
            // The rest of a partly used block of the key stream.
            done = min(piece.count, BoxStream.blockSize - skipped)
            var block = Bytes(repeating: 0, count: BoxStream.blockSize)
            applyWholeBlocks(&block, block.count, at: position / BoxStream.blockSize)
            for index in 0..<done { start[index] ^= block[skipped + index] }
            SecretBytes.wipe(&block)
        }
        if done < piece.count {
            applyWholeBlocks(start + done, piece.count - done, at: (position + done) / BoxStream.blockSize)
        }
        position += piece.count
    }

    private func applyWholeBlocks(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, at block: Int) {
        _ = key.withPointer { crypto_stream_salsa20_xor_ic(bytes, bytes, UInt64(count), nonce, UInt64(block), $0) }
    }
}

/// Poly1305 of OpenSSL, which takes a third of the time of libsodium's.
private final class OneTimeAuthenticator {
    private let context: OpaquePointer?
    private var isFinished = false

    init(key: SecretBytes) {
        context = EVP_MAC_CTX_new(Poly1305.shared.algorithm)
        let done = key.withPointer { EVP_MAC_init(context, $0, key.count, nil) }
        precondition(done == 1, "OpenSSL has no Poly1305 in its default provider, or no memory")
    }

    func update(_ piece: Bytes) { piece.withUnsafeBytes { update($0) } }

    func update(_ piece: UnsafeRawBufferPointer) {
        EVP_MAC_update(context, piece.baseAddress?.assumingMemoryBound(to: UInt8.self), piece.count)
    }

    /// Returns the tag. To be called once, at the end.
    func tag() -> Bytes {
        isFinished = true
        return Bytes(unsafeUninitializedCapacity: BoxStream.tagSize) { output, written in
            let done = EVP_MAC_final(context, output.baseAddress, &written, BoxStream.tagSize)
            precondition(done == 1 && written == BoxStream.tagSize, "a tag can be made only once")
        }
    }

    deinit {
        // OpenSSL wipes the key with the tag, and only then.
        if !isFinished { _ = tag() }
        EVP_MAC_CTX_free(context)
    }
}

/// The algorithm of OpenSSL, fetched once for the process and never freed.
private final class Poly1305: @unchecked Sendable {
    static let shared = Poly1305()
    let algorithm: OpaquePointer?

    private init() {
        OpenSSLLibrary.prepare()
        algorithm = EVP_MAC_fetch(nil, "POLY1305", nil)
    }
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
