internal import CSodium
package import SMPWire

/// A shared secret for encrypting messages in boxes: XSalsa20 and Poly1305, as in NaCl's `crypto_box`.
///
/// The secret is the result of an agreement of two X25519 keys, a symmetric key, or a hybrid of X25519 and KEM. HSalsa20 is applied
/// to all of them; for a symmetric key, this differs from NaCl's `crypto_secretbox`, which uses the key unchanged. A sealed
/// message is a 16-byte tag and as many bytes as the message has.
package struct BoxSecret: Sendable, Equatable {
    package static let size = 32
    package static let tagSize = 16

    private static let zeros = Bytes(repeating: 0, count: tagSize)

    /// The 32 bytes before HSalsa20, which are stored and sent.
    package let secret: SecretBytes
    /// The key of XSalsa20.
    let key: SecretBytes

    /// - Throws: ``CryptoError`` `invalidKey` unless there are 32 bytes.
    package init(_ secret: SecretBytes) throws(CryptoError) {
        guard secret.count == BoxSecret.size else { throw CryptoError(.invalidKey, "a box secret has 32 bytes") }
        self.init(derived: secret)
    }

    /// Creates the secret on which two keys agree.
    ///
    /// - Throws: ``CryptoError`` `invalidKey` if the public key is of small order.
    package init(_ privateKey: X25519.PrivateKey, with publicKey: X25519.PublicKey) throws(CryptoError) {
        self.init(derived: try privateKey.sharedSecret(with: publicKey))
    }

    /// Creates a symmetric key.
    package static func random(_ source: any RandomSource) -> BoxSecret { BoxSecret(derived: source.secret(size)) }

    /// - Precondition: 32 bytes.
    init(derived secret: SecretBytes) {
        Sodium.start()
        self.secret = secret
        key = SecretBytes(count: BoxSecret.size) { output in
            _ = secret.withPointer { crypto_core_hsalsa20(output, BoxSecret.zeros, $0, nil) }
        }
    }

    package static func == (left: BoxSecret, right: BoxSecret) -> Bool { left.secret == right.secret }

    /// Encrypts a message of any length.
    package func seal(_ message: Bytes, nonce: BoxNonce) -> Bytes {
        Bytes(count: message.count + BoxSecret.tagSize) { output in
            _ = key.withPointer { crypto_secretbox_easy(output, message, UInt64(message.count), nonce.bytes, $0) }
        }
    }

    /// Pads a message to `length` bytes (``Padding``) and encrypts it; the result has 16 bytes more.
    ///
    /// - Throws: ``CryptoError`` `messageTooLong` if the message does not fit.
    package func seal(_ message: Bytes, nonce: BoxNonce, paddedTo length: Int) throws(CryptoError) -> Bytes {
        try seal(nonce: nonce, paddedTo: length) { $0.write(raw: message) }
    }

    /// Pads the bytes that `write` writes to `length` bytes (``Padding``) and encrypts them in place: a block has one place in memory
    /// from its encoding to the wire. The result has 16 bytes more.
    ///
    /// - Throws: ``CryptoError`` `messageTooLong` if the message does not fit.
    package func seal(nonce: BoxNonce, paddedTo length: Int, _ write: (inout WireWriter) -> Void) throws(CryptoError) -> Bytes {
        var writer = WireWriter(reservingCapacity: BoxSecret.tagSize + length)
        writer.write(raw: BoxSecret.zeros)
        try MessagePadding.write(to: &writer, paddedTo: length, write)
        var box = writer.finish()
        box.withUnsafeMutableBufferPointer { box in
            guard let tag = box.baseAddress else { return }
            let message = tag + BoxSecret.tagSize
            _ = key.withPointer { crypto_secretbox_detached(message, tag, message, UInt64(length), nonce.bytes, $0) }
        }
        return box
    }

    /// Decrypts a box.
    ///
    /// - Throws: ``CryptoError`` `decryptionFailed`.
    package func open(_ box: Bytes, nonce: BoxNonce) throws(CryptoError) -> Bytes {
        guard box.count >= BoxSecret.tagSize else { throw CryptoError(.decryptionFailed, "a box has at least 16 bytes") }
        var isValid = false
        let message = Bytes(unsafeUninitializedCapacity: box.count - BoxSecret.tagSize) { output, written in
            isValid = key.withPointer { crypto_secretbox_open_easy(output.baseAddress, box, UInt64(box.count), nonce.bytes, $0) == 0 }
            // A box that cannot be opened leaves no bytes.
            written = isValid ? box.count - BoxSecret.tagSize : 0
        }
        guard isValid else { throw CryptoError(.decryptionFailed, "the box cannot be opened with this secret and nonce") }
        return message
    }

    /// Decrypts a box and removes the padding.
    ///
    /// - Throws: ``CryptoError`` `decryptionFailed`, or `invalidPadding` if the declared length exceeds the decrypted bytes.
    package func openPadded(_ box: Bytes, nonce: BoxNonce) throws(CryptoError) -> Bytes {
        try MessagePadding.unpad(try open(box, nonce: nonce))
    }
}
