import COpenSSL
package import SMPCrypto
package import SMPWire

/// The certificates that a server or service presents and the key that proves they are its own.
package struct ServerCredential: Sendable {
    /// Leaf first; one to four.
    package let certificates: [Certificate]
    let key: SigningKey

    init(certificates: [Certificate], key: SigningKey) throws(ConnectionError) {
        guard (1...4).contains(certificates.count), let leaf = X509Handle(der: certificates[0].der), key.belongs(to: leaf)
        else {
            throw ConnectionError(.invalidCredential, "the first certificate and the private key do not belong together")
        }
        self.certificates = certificates
        self.key = key
    }

    /// Makes a new identity and a leaf below it.
    ///
    /// - Throws: ``ConnectionError`` `invalidCredential`.
    package static func generate(algorithm: CertificateAlgorithm = .ed448) throws(ConnectionError) -> ServerCredential {
        try CertificateAuthority.generate(algorithm: algorithm).issue()
    }

    /// Reads PEM: the leaf's certificate and any that follow it, the further certificates, and the leaf's PKCS #8 key.
    ///
    /// - Throws: ``ConnectionError`` `invalidCredential`.
    package init(certificatePEM: Bytes, authorityPEM: Bytes = [], keyPEM: Bytes) throws(ConnectionError) {
        var certificates = try PEM.certificates(in: certificatePEM)
        if !authorityPEM.isEmpty { certificates += try PEM.certificates(in: authorityPEM) }
        try self.init(certificates: certificates, key: try SigningKey.read(pem: keyPEM))
    }

    /// The same leaf with more certificates after the chain: an operator's, or an operator's and a network's.
    ///
    /// - Throws: ``ConnectionError`` `invalidCredential` when there would be more than four.
    package func appending(_ authorities: [Certificate]) throws(ConnectionError) -> ServerCredential {
        try ServerCredential(certificates: certificates + authorities, key: key)
    }

    /// The DER encodings, leaf first, as the server's hello carries them.
    package var chain: [Bytes] { certificates.map(\.der) }

    /// The SHA-256 hash of the identity certificate, 32 bytes: the key hash of the server's address.
    package var fingerprint: Bytes { certificates[min(1, certificates.count - 1)].fingerprint }

    /// The certificates as PEM, leaf first, and the leaf's PKCS #8 key: what ``init(certificatePEM:authorityPEM:keyPEM:)`` reads.
    ///
    /// - Throws: ``ConnectionError`` `invalidCredential` when OpenSSL is out of memory.
    package func pem() throws(ConnectionError) -> (certificates: Bytes, key: Bytes) {
        var texts: Bytes = []
        for certificate in certificates { texts += try PEM.text(of: certificate) }
        return (texts, try key.pem())
    }

    /// The kind of the leaf's key.
    package var algorithm: CertificateAlgorithm { key.algorithm }

    /// Signs with the leaf's key, as the session key in the server's hello is: 114 bytes with Ed448, 64 with Ed25519.
    ///
    /// - Throws: ``ConnectionError`` `invalidCredential` when OpenSSL is out of memory.
    package func signature(for message: Bytes) throws(ConnectionError) -> Bytes { try key.signature(for: message) }

    /// The leaf's private key, with which a router's hello is signed.
    ///
    /// - Throws: ``ConnectionError`` `invalidCredential` when OpenSSL is out of memory.
    package func leafKey() throws(ConnectionError) -> PrivateAuthKey { try key.privateAuthKey() }

    /// The leaf's public key as SubjectPublicKeyInfo DER.
    package func publicKeySPKI() throws(ConnectionError) -> Bytes { try certificates[0].publicKeySPKI() }
}
