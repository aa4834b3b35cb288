internal import COpenSSL
package import SMPWire

/// AES-256-GCM with a tag apart from the ciphertext.
///
/// The double ratchet uses 16-byte IVs; calls and local files use 12-byte IVs. GCM hashes an IV of any other size than 12 bytes
/// (NIST SP 800-38D §7.1), so the two are not interchangeable.
package enum AESGCM {
    /// The result of an encryption.
    package struct Sealed: Sendable, Hashable {
        /// The ciphertext, as long as the plaintext.
        package let ciphertext: Bytes
        /// The tag of 16 bytes.
        package let tag: Bytes
    }

    package static let keySize = 32
    package static let tagSize = 16

    private struct Cipher: @unchecked Sendable {
        // An EVP_CIPHER is immutable and counted; this one lives as long as the process.
        let pointer: OpaquePointer?

        init() {
            OpenSSLLibrary.prepare()
            pointer = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
        }
    }
    private static let cipher = Cipher()

    /// Encrypts and authenticates bytes.
    ///
    /// - Throws: ``CryptoError`` `invalidSize` unless the key has 32 bytes and the IV 12 or 16.
    package static func seal(
        _ plaintext: Bytes, key: SecretBytes, iv: Bytes, authenticating associatedData: Bytes = []
    ) throws(CryptoError) -> Sealed {
        let context = try start(key: key, iv: iv, encrypting: true)
        defer { EVP_CIPHER_CTX_free(context) }
        var ciphertext = Bytes(repeating: 0, count: plaintext.count)
        var tag = Bytes(repeating: 0, count: tagSize)
        var count: Int32 = 0
        guard authenticate(context, associatedData),
            plaintext.isEmpty
                || EVP_CipherUpdate(context, &ciphertext, &count, plaintext, Int32(plaintext.count)) == 1,
            finish(context),
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagSize), &tag) == 1
        else { throw CryptoError(.libraryFailure, "AES-GCM encryption") }
        return Sealed(ciphertext: ciphertext, tag: tag)
    }

    /// Decrypts bytes.
    ///
    /// - Throws: ``CryptoError`` `invalidSize` for a wrong size of key, IV or tag; `decryptionFailed` if the key, the IV, the
    ///   associated data or the ciphertext are not those of the encryption.
    package static func open(
        _ ciphertext: Bytes, tag: Bytes, key: SecretBytes, iv: Bytes, authenticating associatedData: Bytes = []
    ) throws(CryptoError) -> Bytes {
        guard tag.count == tagSize else { throw CryptoError(.invalidSize, "an AES-GCM tag has 16 bytes") }
        let context = try start(key: key, iv: iv, encrypting: false)
        defer { EVP_CIPHER_CTX_free(context) }
        var plaintext = Bytes(repeating: 0, count: ciphertext.count)
        var expected = tag
        var count: Int32 = 0
        guard authenticate(context, associatedData),
            ciphertext.isEmpty
                || EVP_CipherUpdate(context, &plaintext, &count, ciphertext, Int32(ciphertext.count)) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagSize), &expected) == 1
        else { throw CryptoError(.libraryFailure, "AES-GCM decryption") }
        guard finish(context) else { throw CryptoError(.decryptionFailed, "the AES-GCM tag does not match") }
        return plaintext
    }

    private static func start(
        key: SecretBytes, iv: Bytes, encrypting: Bool
    ) throws(CryptoError) -> OpaquePointer {
        guard key.count == keySize else { throw CryptoError(.invalidSize, "an AES-256 key has 32 bytes") }
        guard iv.count == 12 || iv.count == 16 else { throw CryptoError(.invalidSize, "the IV has 12 or 16 bytes") }
        guard let context = EVP_CIPHER_CTX_new() else { throw CryptoError(.libraryFailure, "no memory for AES-GCM") }
        let ready =
            EVP_CipherInit_ex(context, cipher.pointer, nil, nil, nil, encrypting ? 1 : 0) == 1
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(iv.count), nil) == 1
            && key.withBytes { key in
                EVP_CipherInit_ex(
                    context, nil, nil, key.bindMemory(to: UInt8.self).baseAddress, iv, encrypting ? 1 : 0) == 1
            }
        guard ready else {
            EVP_CIPHER_CTX_free(context)
            throw CryptoError(.libraryFailure, "AES-GCM could not be set up")
        }
        return context
    }

    private static func authenticate(_ context: OpaquePointer, _ data: Bytes) -> Bool {
        var count: Int32 = 0
        return data.isEmpty || EVP_CipherUpdate(context, nil, &count, data, Int32(data.count)) == 1
    }

    private static func finish(_ context: OpaquePointer) -> Bool {
        var count: Int32 = 0
        var none: UInt8 = 0
        return EVP_CipherFinal_ex(context, &none, &count) == 1
    }
}
