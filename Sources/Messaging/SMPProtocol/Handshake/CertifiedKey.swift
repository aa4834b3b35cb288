package import SMPCrypto
package import SMPWire

/// A session key signed with the leaf of a certificate chain, so that it can be traced to the router's or service's identity:
/// DER `SEQUENCE { SEQUENCE { SubjectPublicKeyInfo }, algorithm, BIT STRING signature }`, the signature being over the inner
/// sequence.
package struct CertifiedKey: WireCodable, Hashable, Sendable {
    /// DER certificates, the leaf first; one to four.
    package let certificateChain: [Bytes]
    /// DER.
    package let signedKey: Bytes

    package init(certificateChain: [Bytes], signedKey: Bytes) {
        self.certificateChain = certificateChain
        self.signedKey = signedKey
    }

    /// Signs a key's SubjectPublicKeyInfo.
    ///
    /// - Parameter signingKey: the leaf's private key, which must be a signature key.
    /// - Returns: nil for an X25519 signing key.
    package init?(certificateChain: [Bytes], signing spki: Bytes, with signingKey: PrivateAuthKey) {
        let wrapped = DERReader.sequence(spki)
        let signature: Bytes
        let algorithm: UInt8
        switch signingKey {
        case .ed25519(let key): (signature, algorithm) = (key.signature(for: wrapped), Ed25519.identifier)
        case .ed448(let key): (signature, algorithm) = (key.signature(for: wrapped), Ed448.identifier)
        case .x25519: return nil
        }
        let identifier = DERReader.sequence([0x06, 0x03, 0x2B, 0x65, algorithm])
        self.certificateChain = certificateChain
        signedKey = DERReader.sequence(wrapped + identifier + DERReader.value(DERReader.Tag.bitString, [0] + signature))
    }

    /// SHA-256 of the certificate that the router is known by: the one after the leaf in a chain of two to four.
    package var identityFingerprint: KeyHash? {
        guard (2...4).contains(certificateChain.count) else { return nil }
        return KeyHash(Hash.sha256(certificateChain[1]))
    }

    /// The public key of the leaf.
    ///
    /// - Throws: ``WireError`` if the chain is empty, the leaf malformed or its key no signature key.
    package func leafKey() throws(WireError) -> PublicAuthKey {
        guard let leaf = certificateChain.first else { throw WireError(.truncated, "an empty certificate chain") }
        let spki = try PublicKeyOfCertificate.subjectPublicKeyInfo(leaf)
        switch try? PublicAuthKey(spki: spki) {
        case .ed25519(let key): return .ed25519(key)
        case .ed448(let key): return .ed448(key)
        case .x25519, nil: throw WireError(.invalidValue, "a certificate with an Ed25519 or Ed448 key")
        }
    }

    /// The SubjectPublicKeyInfo that was signed, once the signature by `key` is found valid.
    ///
    /// - Throws: ``HandshakeError`` `badAuth`.
    package func verifiedKey(signedBy key: PublicAuthKey) throws(HandshakeError) -> Bytes {
        do {
            var outer = DERReader(signedKey)
            var parts = DERReader(try outer.value(DERReader.Tag.sequence).content)
            let wrapped = try parts.value(DERReader.Tag.sequence)
            _ = try parts.value(DERReader.Tag.sequence)
            let signature = try parts.bitString()
            guard outer.isAtEnd, parts.isAtEnd, key.isValidSignature(signature, for: wrapped.whole) else {
                throw HandshakeError.badAuth
            }
            var inner = DERReader(wrapped.content)
            return try inner.value(DERReader.Tag.sequence).whole
        } catch {
            throw .badAuth
        }
    }

    /// The X25519 session key, signed by the leaf.
    package func verifiedX25519Key() throws(HandshakeError) -> X25519.PublicKey {
        guard let leafKey = try? leafKey(), let key = try? X25519.PublicKey(spki: try verifiedKey(signedBy: leafKey)) else {
            throw .badAuth
        }
        return key
    }

    /// The Ed25519 session key of a service, signed by the leaf.
    package func verifiedEd25519Key() throws(HandshakeError) -> Ed25519.PublicKey {
        guard let leafKey = try? leafKey(), let key = try? Ed25519.PublicKey(spki: try verifiedKey(signedBy: leafKey)) else {
            throw .badAuth
        }
        return key
    }

    package func encode(to writer: inout WireWriter) {
        writer.write(list: certificateChain.map(LargeBytes.init))
        writer.write(large: signedKey)
    }

    package init(from parser: inout WireParser) throws(WireError) {
        certificateChain = try parser.nonEmptyList(of: LargeBytes.self).map(\.bytes)
        signedKey = try parser.large()
    }
}
