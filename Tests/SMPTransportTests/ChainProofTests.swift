import SMPCrypto
import SMPWire
import Testing
import VectorSupport

@testable import SMPTransport

/// Chains that are checked outside of a TLS handshake, as those that a router passes on of another.
@Suite struct ChainProofTests {
    private static let network = Result { try CertificateAuthority.generate(commonName: "network", algorithm: .ed25519) }

    private func code(_ der: [Bytes], _ fingerprint: Bytes) -> ConnectionError.Code? {
        do throws(ConnectionError) {
            try CertificateChain(der: der).verify(identity: fingerprint)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func aChainIsProvedByItsIdentityAndByEachSignature() throws {
        let network = try Self.network.get()
        let `operator` = try network.issueAuthority(commonName: "operator", algorithm: .ed25519)
        let identity = try `operator`.issueAuthority(commonName: "identity", algorithm: .ed25519)
        let leaf = try identity.issue(algorithm: .ed25519).certificates[0].der
        let (identityDER, operatorDER, networkDER) = (identity.certificate.der, `operator`.certificate.der, network.certificate.der)
        let fingerprint = identity.certificate.fingerprint
        for chain in [[leaf, identityDER], [leaf, identityDER, operatorDER], [leaf, identityDER, operatorDER, networkDER]] {
            #expect(code(chain, fingerprint) == nil)
            // Neither a fingerprint of another certificate of the chain, nor a part of the right one.
            for other in chain.indices where other != 1 {
                let fingerprint = try Certificate(der: chain[other]).fingerprint
                #expect(code(chain, fingerprint) == .wrongIdentity)
            }
            for other in [[], Bytes(fingerprint.dropLast()), fingerprint + [0]] as [Bytes] { #expect(code(chain, other) == .wrongIdentity) }
        }
        let stranger = try CertificateAuthority.generate(commonName: "stranger", algorithm: .ed25519)
        for chain in [
            [leaf, identityDER, networkDER], [leaf, identityDER, networkDER, operatorDER], [leaf, identityDER, stranger.certificate.der],
            [try stranger.issue().certificates[0].der, identityDER], [leaf, identityDER, operatorDER, stranger.certificate.der],
            [identityDER, identityDER], [leaf, identityDER, identityDER], [operatorDER, identityDER, operatorDER],
        ] {
            #expect(code(chain, fingerprint) == .wrongIdentity, "\(chain.count) certificates")
        }
    }

    @Test func aLeafIssuesNoCertificateInTheMiddleOfAChain() throws {
        let identity = try CertificateAuthority.generate(algorithm: .ed25519)
        let first = try identity.issue(algorithm: .ed25519), second = try identity.issue(algorithm: .ed25519)
        let ders = [first.certificates[0].der, second.certificates[0].der, identity.certificate.der]
        #expect(code(ders, second.certificates[0].fingerprint) == .wrongIdentity)
        #expect(code([first.certificates[0].der, identity.certificate.der], identity.certificate.fingerprint) == nil)
    }

    @Test func aCertificateThatIsNoAuthoritySignsNothingBelowAnother() throws {
        let identity = try CertificateAuthority.generate(algorithm: .ed25519)
        let leaf = try identity.issue(algorithm: .ed25519)
        // The leaf's key does sign the next one; its certificate does not allow it.
        let below = try CertificateAuthority(certificate: leaf.certificates[0], key: leaf.key).issue(algorithm: .ed25519)
        let ders = below.chain + [identity.certificate.der]
        #expect(code(ders, leaf.certificates[0].fingerprint) == .wrongIdentity)
        #expect(code(below.chain, leaf.certificates[0].fingerprint) == .wrongIdentity)
    }

    /// The recorded certificates say nothing of what they may be used for, as those of official services.
    @Test func aCertificateThatDoesNotSayWhatItIsForIsAnAuthorityWhereItIsPinnedOnly() throws {
        let recorded = try #require(try Vectors.cases("smp_transport", kinds: "certificates").first)["certs"]
        let root = try #require(recorded["server_ca_der"].hex), middle = try Certificate(der: try #require(recorded["server_leaf_der"].hex))
        let key = try Ed25519.PrivateKey(raw: try #require(recorded["server_leaf_private_raw"].hex))
        let text = Base64URL.encode(key.pkcs8.bytes).replacing("-", with: "+").replacing("_", with: "/")
        let signer = try SigningKey.read(pem: Bytes("-----BEGIN PRIVATE KEY-----\n\(text)\n-----END PRIVATE KEY-----\n".utf8))
        let leaf = try CertificateAuthority(certificate: middle, key: signer).issue(algorithm: .ed25519).certificates[0].der
        #expect(code([middle.der, root], try Certificate(der: root).fingerprint) == nil)
        #expect(code([leaf, middle.der], middle.fingerprint) == nil)
        #expect(code([leaf, middle.der, root], middle.fingerprint) == .wrongIdentity)
    }

    /// Certificates each signed by the next, leaf first.
    private func path(_ count: Int) throws -> [X509Handle] {
        var authorities = [try CertificateAuthority.generate(algorithm: .ed25519)]
        for number in 2..<max(2, count) {
            let next = try #require(authorities.first).issueAuthority(commonName: "\(number)", algorithm: .ed25519)
            authorities.insert(next, at: 0)
        }
        let leaf = try #require(authorities.first).issue(algorithm: .ed25519).certificates[0]
        return try ([leaf] + authorities.map(\.certificate)).prefix(count).map { try #require(X509Handle(der: $0.der)) }
    }

    @Test(arguments: 0...6) func aPeerShowsNoMoreThanFourCertificates(_ count: Int) throws {
        let handles = try path(count), chain = handles.map(\.pointer)
        let identity = count > 1 ? Certificate.fingerprint(ofDER: handles[1].der) : []
        let server = PeerVerification(.server(fingerprint: identity)), client = PeerVerification(.client)
        withExtendedLifetime(handles) {
            #expect(server.accepts(chain) == (2...4).contains(count))
            #expect(client.accepts(chain) == (count <= 4))
        }
        #expect(server.failure?.code == ((2...4).contains(count) ? nil : .wrongIdentity))
    }

    @Test func aChangedByteOfAnyCertificateBreaksTheChain() throws {
        let identity = try CertificateAuthority.generate(algorithm: .ed25519), leaf = try identity.issue(algorithm: .ed25519)
        let chain = leaf.chain
        for index in stride(from: 8, to: chain[0].count, by: 3) {
            var changed = chain
            changed[0][index] ^= 0x10
            #expect(code(changed, identity.certificate.fingerprint) == .wrongIdentity, "byte \(index)")
        }
        for index in stride(from: 8, to: chain[1].count, by: 7) {
            var changed = chain
            changed[1][index] ^= 0x10
            #expect(code(changed, identity.certificate.fingerprint) == .wrongIdentity, "byte \(index)")
        }
    }

    @Test func aChainIsValidWhileItsCertificatesAre() throws {
        let hour = 3_600, identity = try CertificateAuthority.generate(algorithm: .ed25519)
        for (before, after, isValid) in [(hour, hour, true), (48 * hour, -hour, false), (-hour, 48 * hour, false)] {
            let lifetime = CertificateLifetime(secondsBefore: before, secondsAfter: after)
            let leaf = try identity.issue(lifetime: lifetime)
            #expect((code(leaf.chain, identity.certificate.fingerprint) == nil) == isValid)
            let remaining = try #require(leaf.certificates[0].remainingLifetime)
            #expect(abs(remaining - after) < 600)
        }
    }
}
