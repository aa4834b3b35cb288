import COpenSSL
import SMPCrypto
import SMPWire

/// The signature schemes of the network's certificates.
package enum CertificateAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// The default of official servers.
    case ed448
    case ed25519

    var nid: Int32 {
        switch self {
        case .ed448: NID_ED448
        case .ed25519: NID_ED25519
        }
    }
}

/// A private key that signs certificates and handshakes. The key material stays inside OpenSSL, which clears it at the end.
final class SigningKey: @unchecked Sendable {
    // Sendable because the key is never changed and OpenSSL counts its references atomically.
    let pointer: OpaquePointer
    let algorithm: CertificateAlgorithm

    private init(owning pointer: OpaquePointer, _ algorithm: CertificateAlgorithm) {
        self.pointer = pointer
        self.algorithm = algorithm
    }

    deinit { EVP_PKEY_free(pointer) }

    /// Makes a new key from the system's random source.
    static func generate(_ algorithm: CertificateAlgorithm) throws(ConnectionError) -> SigningKey {
        OpenSSLLibrary.prepare()
        guard let context = EVP_PKEY_CTX_new_id(algorithm.nid, nil) else {
            throw ConnectionError(.invalidCredential, "no \(algorithm.rawValue) keys here", cause: OpenSSLError.take())
        }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_keygen(context, &key) == 1, let key else {
            throw ConnectionError(.invalidCredential, "the key could not be made", cause: OpenSSLError.take())
        }
        return SigningKey(owning: key, algorithm)
    }

    /// Reads the PEM of a PKCS #8 private key.
    static func read(pem: Bytes) throws(ConnectionError) -> SigningKey {
        OpenSSLLibrary.prepare()
        defer { OpenSSLError.clear() }
        guard pem.count <= PEM.maximumSize, let bio = BIO_new_mem_buf(pem, Int32(pem.count)) else {
            throw ConnectionError(.invalidCredential, "not a PEM private key")
        }
        defer { BIO_free(bio) }
        guard let key = PEM_read_bio_PrivateKey(bio, nil, PEM.refusePassword, nil) else {
            throw ConnectionError(.invalidCredential, "not a PEM private key", cause: OpenSSLError.take())
        }
        guard let algorithm = CertificateAlgorithm.allCases.first(where: { EVP_PKEY_get_id(key) == $0.nid }) else {
            EVP_PKEY_free(key)
            throw ConnectionError(.invalidCredential, "the private key is neither Ed448 nor Ed25519")
        }
        return SigningKey(owning: key, algorithm)
    }

    /// The PEM of the PKCS #8 private key.
    func pem() throws(ConnectionError) -> Bytes {
        try PEM.write { PEM_write_bio_PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }

    /// Signs a message: 114 bytes with Ed448, 64 with Ed25519.
    func signature(for message: Bytes) throws(ConnectionError) -> Bytes {
        OpenSSLError.clear()
        guard let context = EVP_MD_CTX_new() else {
            throw ConnectionError(.invalidCredential, "no memory to sign", cause: OpenSSLError.take())
        }
        defer { EVP_MD_CTX_free(context) }
        var signature = Bytes(repeating: 0, count: 128)
        var length = signature.count
        guard EVP_DigestSignInit(context, nil, nil, nil, pointer) == 1,
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1
        else { throw ConnectionError(.invalidCredential, "the key cannot sign", cause: OpenSSLError.take()) }
        return Bytes(signature.prefix(length))
    }

    /// The same key outside OpenSSL.
    func privateAuthKey() throws(ConnectionError) -> PrivateAuthKey {
        OpenSSLError.clear()
        do {
            let raw = try SecretBytes(count: algorithm == .ed448 ? Ed448.privateSize : Ed25519.privateSize) { buffer in
                var length = buffer.count
                let destination = buffer.bindMemory(to: UInt8.self).baseAddress
                guard EVP_PKEY_get_raw_private_key(pointer, destination, &length) == 1, length == buffer.count else {
                    throw OpenSSLError.take()
                }
            }
            switch algorithm {
            case .ed448: return .ed448(try Ed448.PrivateKey(raw: raw))
            case .ed25519: return .ed25519(try Ed25519.PrivateKey(raw: raw))
            }
        } catch {
            throw ConnectionError(.invalidCredential, "the private key cannot be read", cause: error)
        }
    }

    /// Checks whether a certificate holds the public half.
    func belongs(to certificate: X509Handle) -> Bool {
        defer { OpenSSLError.clear() }
        return X509_check_private_key(certificate.pointer, pointer) == 1
    }
}

/// Reading and writing of OpenSSL's textual key and certificate files.
enum PEM {
    /// Bytes of the longest file that is read.
    static let maximumSize = 65_536

    /// Keeps OpenSSL from asking the terminal for the password of an encrypted key.
    static let refusePassword: @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 = {
        _, _, _, _ in -1
    }

    static func write(_ body: (OpaquePointer) -> Int32) throws(ConnectionError) -> Bytes {
        OpenSSLError.clear()
        guard let bio = BIO_new(BIO_s_mem()) else {
            throw ConnectionError(.invalidCredential, "no memory for PEM", cause: OpenSSLError.take())
        }
        defer { BIO_free(bio) }
        guard body(bio) == 1 else {
            throw ConnectionError(.invalidCredential, "PEM cannot be written", cause: OpenSSLError.take())
        }
        var bytes = Bytes(repeating: 0, count: BIO_ctrl_pending(bio))
        let count = BIO_read(bio, &bytes, Int32(bytes.count))
        guard count == bytes.count else {
            throw ConnectionError(.invalidCredential, "PEM cannot be written", cause: OpenSSLError.take())
        }
        return bytes
    }

    /// The certificates of a PEM text, in order.
    static func certificates(in text: Bytes) throws(ConnectionError) -> [Certificate] {
        OpenSSLLibrary.prepare()
        defer { OpenSSLError.clear() }
        guard text.count <= maximumSize, let bio = BIO_new_mem_buf(text, Int32(text.count)) else {
            throw ConnectionError(.invalidCredential, "not PEM certificates")
        }
        defer { BIO_free(bio) }
        var certificates: [Certificate] = []
        while let pointer = PEM_read_bio_X509(bio, nil, refusePassword, nil) {
            certificates.append(Certificate(X509Handle(owning: pointer)))
        }
        guard !certificates.isEmpty else {
            throw ConnectionError(.invalidCredential, "no certificate in the PEM text", cause: OpenSSLError.take())
        }
        return certificates
    }

    static func text(of certificate: Certificate) throws(ConnectionError) -> Bytes {
        guard let handle = X509Handle(der: certificate.der) else {
            throw ConnectionError(.invalidCredential, "not an X.509 certificate")
        }
        return try write { PEM_write_bio_X509($0, handle.pointer) }
    }
}
