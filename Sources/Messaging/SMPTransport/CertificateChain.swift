package import SMPWire

/// The certificates that a peer presents, leaf first, sorted by what each is for (simplex-messaging.md, "Transport protocol").
///
/// A chain of two is leaf and identity; a third certificate is the operator's that signed the identity, and of four the third
/// one is the network's. The identity certificate is the one whose fingerprint an address carries.
package struct CertificateChain: Sendable, Hashable {
    /// All certificates, leaf first; two to four of them.
    package let certificates: [Certificate]

    /// The certificate whose key signs in the handshake.
    package var leaf: Certificate { certificates[0] }
    /// The long-term certificate that identifies the server or service.
    package var identity: Certificate { certificates[1] }
    /// The last certificate, which is trusted once the identity's fingerprint is.
    package var anchor: Certificate { certificates[certificates.count - 1] }

    /// - Parameter der: the DER encodings, leaf first.
    /// - Throws: ``ConnectionError`` `wrongIdentity` unless there are two, three or four readable certificates.
    package init(der: [Bytes]) throws(ConnectionError) {
        guard (2...4).contains(der.count) else {
            throw ConnectionError(.wrongIdentity, "a chain has 2 to 4 certificates, not \(der.count)")
        }
        var certificates: [Certificate] = []
        for bytes in der {
            do {
                certificates.append(try Certificate(der: bytes))
            } catch {
                throw ConnectionError(.wrongIdentity, "the chain contains something other than a certificate", cause: error)
            }
        }
        self.certificates = certificates
    }

    /// Checks whether an address with this key hash names this chain.
    package func isIdentified(by fingerprint: Bytes) -> Bool { identity.fingerprint == fingerprint }

    /// Checks a chain that did not come in a TLS handshake as if it had: that an address with this key hash names it and that each
    /// certificate is signed by the next and valid now. That the peer has the leaf's key remains to be proved.
    ///
    /// - Throws: ``ConnectionError`` `wrongIdentity`.
    package func verify(identity fingerprint: Bytes) throws(ConnectionError) {
        guard isIdentified(by: fingerprint) else {
            throw ConnectionError(.wrongIdentity, "the identity certificate does not have the fingerprint of the address")
        }
        if let reason = PeerVerification.refusal(of: certificates) { throw ConnectionError(.wrongIdentity, reason) }
    }
}
