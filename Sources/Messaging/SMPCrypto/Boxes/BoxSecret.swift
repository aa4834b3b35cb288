internal import CSodium
package import SMPWire

/// A shared secret that messages are boxed with: XSalsa20 and Poly1305, as NaCl's `crypto_box`.
///
/// The secret is what two X25519 keys agree on, a symmetric key, or a hybrid of X25519 and KEM. All of them go through HSalsa20
/// first; for a symmetric key this differs from NaCl's `crypto_secretbox`, whose key is used as it is. A sealed
/// message is a 16-byte tag and then as many bytes as the message has.
package struct BoxSecret: Sendable, Equatable {
    package static let size = 32
    package static let tagSize = 16

    private static let zeros = Bytes(repeating: 0, count: tagSize)

    /// The 32 bytes before HSalsa20: what is stored and sent.
    package let secret: SecretBytes
    /// The key of XSalsa20.
    let key: SecretBytes

    /// - Throws: ``CryptoError`` `invalidKey` unless there are 32 bytes.
    package init(_ secret: SecretBytes) throws(CryptoError) {
        guard secret.count == BoxSecret.size else { throw CryptoError(.invalidKey, "a box secret has 32 bytes") }
        self.init(derived: secret)
    }

    /// The secret on which the two keys agree.
    ///
    /// - Throws: ``CryptoError`` `invalidKey` if the public key is of small order.
    package init(_ privateKey: X25519.PrivateKey, with publicKey: X25519.PublicKey) throws(CryptoError) {
        self.init(derived: try privateKey.sharedSecret(with: publicKey))
    }

    /// A new symmetric key.
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

    /// Pads what `write` writes to `length` bytes (``Padding``) and encrypts it in place: a block has one place in memory from its
    /// encoding to the wire. The result has 16 bytes more.
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

    /// Decrypts.
    ///
    /// - Throws: ``CryptoError`` `decryptionFailed`.
    package func open(_ box: Bytes, nonce: BoxNonce) throws(CryptoError) -> Bytes {
        guard box.count >= BoxSecret.tagSize else { throw CryptoError(.decryptionFailed, "a box has at least 16 bytes") }
        var isValid = false
        let message = Bytes(unsafeUninitializedCapacity: box.count - BoxSecret.tagSize) { output, written in
            isValid = key.withPointer { crypto_secretbox_open_easy(output.baseAddress, box, UInt64(box.count), nonce.bytes, $0) == 0 }
            // What does not open leaves nothing behind.
            written = isValid ? box.count - BoxSecret.tagSize : 0
        }
        guard isValid else { throw CryptoError(.decryptionFailed, "the box does not open with this secret and nonce") }
        return message
    }

    /// Decrypts and takes the padding off.
    ///
    /// - Throws: ``CryptoError`` `decryptionFailed`, or `invalidPadding` if the declared length is above what was decrypted.
    package func openPadded(_ box: Bytes, nonce: BoxNonce) throws(CryptoError) -> Bytes {
        try MessagePadding.unpad(try open(box, nonce: nonce))
    }
}
