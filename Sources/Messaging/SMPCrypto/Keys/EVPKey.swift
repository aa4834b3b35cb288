import COpenSSL
import SMPWire

/// A key as an OpenSSL object, for the time of one operation.
///
/// OpenSSL only refuses keys of a wrong size, which the key types rule out; a nil pointer makes every operation fail.
struct EVPKey: ~Copyable {
    // EVP_PKEY_KEYPAIR is a macro that is not imported: the bits of the private and the public key.
    private static let wholePair = OSSL_KEYMGMT_SELECT_PRIVATE_KEY | OSSL_KEYMGMT_SELECT_PUBLIC_KEY

    private let pointer: OpaquePointer?

    init(public key: Bytes, _ algorithm: String) {
        OpenSSLLibrary.prepare()
        pointer = EVP_PKEY_new_raw_public_key_ex(nil, algorithm, nil, key, key.count)
    }

    /// Creates a key for an agreement, with zeros as its public key: the agreement does not use the public key, but OpenSSL would
    /// compute a missing one, at the cost of the agreement itself.
    init(private key: SecretBytes, _ algorithm: String, publicSize: Int) {
        self.init(private: key, algorithm, public: Bytes(repeating: 0, count: publicSize))
    }

    init(private key: SecretBytes, _ algorithm: String, public publicKey: Bytes) {
        OpenSSLLibrary.prepare()
        var made: OpaquePointer?
        var publicCopy = publicKey
        let context = EVP_PKEY_CTX_new_from_name(nil, algorithm, nil)
        defer { EVP_PKEY_CTX_free(context) }
        key.withBytes { key in
            publicCopy.withUnsafeMutableBytes { publicKey in
                var parameters = [
                    EVPKey.parameter("priv", UnsafeMutableRawBufferPointer(mutating: key)),
                    EVPKey.parameter("pub", publicKey),
                    OSSL_PARAM_construct_end(),
                ]
                if EVP_PKEY_fromdata_init(context) == 1 {
                    EVP_PKEY_fromdata(context, &made, EVPKey.wholePair, &parameters)
                }
            }
        }
        pointer = made
    }

    deinit { EVP_PKEY_free(pointer) }

    /// Creates a parameter. It holds the address of its name, so the name must be static.
    private static func parameter(_ name: StaticString, _ value: UnsafeMutableRawBufferPointer) -> OSSL_PARAM {
        name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
            OSSL_PARAM_construct_octet_string($0, value.baseAddress, value.count)
        }
    }

    static func publicKey(of privateKey: SecretBytes, _ algorithm: String, size: Int) -> Bytes {
        OpenSSLLibrary.prepare()
        let key = privateKey.withBytes { key in
            EVP_PKEY_new_raw_private_key_ex(
                nil, algorithm, nil, key.bindMemory(to: UInt8.self).baseAddress, key.count)
        }
        defer { EVP_PKEY_free(key) }
        var publicKey = Bytes(repeating: 0, count: size)
        var count = size
        precondition(
            EVP_PKEY_get_raw_public_key(key, &publicKey, &count) == 1 && count == size, "OpenSSL has no \(algorithm)")
        return publicKey
    }

    func agree(_ peer: borrowing EVPKey, size: Int) -> SecretBytes? {
        let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var agreed = false
        let secret = SecretBytes(count: size) { output in
            var count = size
            agreed =
                EVP_PKEY_derive_init(context) == 1
                && EVP_PKEY_derive_set_peer_ex(context, peer.pointer, 0) == 1
                && EVP_PKEY_derive(context, output, &count) == 1
                && count == size
        }
        if !agreed { ERR_clear_error() }
        return agreed ? secret : nil
    }

    func sign(_ message: Bytes, size: Int) -> Bytes {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var signature = Bytes(repeating: 0, count: size)
        var count = size
        precondition(
            EVP_DigestSignInit_ex(context, nil, nil, nil, nil, pointer, nil) == 1
                && EVP_DigestSign(context, &signature, &count, message, message.count) == 1 && count == size,
            "OpenSSL could not sign")
        return signature
    }

    func verify(_ signature: Bytes, _ message: Bytes) -> Bool {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        let isValid =
            EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, pointer, nil) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        if !isValid { ERR_clear_error() }
        return isValid
    }
}
