import COpenSSL
import SMPWire

/// The long-term identity of a server: a self-signed certificate and its key, which issues the certificates used on the wire.
package struct CertificateAuthority: Sendable {
    /// The self-signed certificate; its fingerprint is the key hash of the server's address.
    package let certificate: Certificate
    let key: SigningKey

    /// Makes a new identity from the system's random source.
    ///
    /// - Parameters:
    ///   - commonName: the name in the certificate, at most 64 bytes of UTF-8.
    ///   - algorithm: the kind of key; official servers have Ed448.
    ///   - lifetime: from when until when it is valid.
    /// - Throws: ``ConnectionError`` `invalidCredential`.
    package static func generate(
        commonName: String = "SMP server CA", algorithm: CertificateAlgorithm = .ed448, lifetime: CertificateLifetime = .unlimited
    ) throws(ConnectionError) -> CertificateAuthority {
        let key = try SigningKey.generate(algorithm)
        let certificate = try CertificateBuilder(
            commonName: commonName, lifetime: lifetime, key: key, issuer: nil, issuerKey: key, kind: .authority
        ).build()
        return CertificateAuthority(certificate: certificate, key: key)
    }

    /// Issues a certificate for use in handshakes, with a new key.
    ///
    /// - Throws: ``ConnectionError`` `invalidCredential`.
    package func issue(
        commonName: String = "localhost", algorithm: CertificateAlgorithm? = nil, lifetime: CertificateLifetime = .unlimited
    ) throws(ConnectionError) -> ServerCredential {
        let leafKey = try SigningKey.generate(algorithm ?? key.algorithm)
        let leaf = try CertificateBuilder(
            commonName: commonName, lifetime: lifetime, key: leafKey, issuer: certificate, issuerKey: key, kind: .leaf
        ).build()
        return try ServerCredential(certificates: [leaf, certificate], key: leafKey)
    }

    /// Issues an authority below this one: an operator's certificate that signs servers' identities.
    ///
    /// - Throws: ``ConnectionError`` `invalidCredential`.
    package func issueAuthority(
        commonName: String, algorithm: CertificateAlgorithm? = nil, lifetime: CertificateLifetime = .unlimited
    ) throws(ConnectionError) -> CertificateAuthority {
        let subordinate = try SigningKey.generate(algorithm ?? key.algorithm)
        let issued = try CertificateBuilder(
            commonName: commonName, lifetime: lifetime, key: subordinate, issuer: certificate, issuerKey: key, kind: .authority
        ).build()
        return CertificateAuthority(certificate: issued, key: subordinate)
    }
}

/// From when until when a certificate is valid, in seconds from now.
package struct CertificateLifetime: Sendable, Hashable {
    package var secondsBefore: Int
    package var secondsAfter: Int

    package init(secondsBefore: Int, secondsAfter: Int) {
        self.secondsBefore = secondsBefore
        self.secondsAfter = secondsAfter
    }

    /// A lifetime from yesterday, for clocks that are slow, for so many days.
    package static func days(_ count: Int) -> CertificateLifetime {
        CertificateLifetime(secondsBefore: 86_400, secondsAfter: count * 86_400)
    }

    /// A lifetime from yesterday, for as long as that of official servers' certificates: 999,999 days.
    package static let unlimited = CertificateLifetime(secondsBefore: 86_400, secondsAfter: 999_999 * 86_400)
}
