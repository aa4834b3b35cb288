import SMPTransport
import SMPWire
import TestSupport
import Testing

@Suite("Certificate chains in the handshake")
struct ChainTests {
    /// The outcome of connecting to a server with these certificates.
    func outcome(_ credential: ServerCredential, keyHash: Bytes) async throws -> ConnectionError.Code? {
        var code: ConnectionError.Code?
        try await withListener(credential) { listener, _ in
            code = await connectionErrorCode {
                _ = try await SMPTransportClient().connect(host: "127.0.0.1", port: listener.port, keyHash: keyHash)
            }
        }
        return code
    }

    @Test("Chains with an operator's and a network's certificate are accepted by the identity's fingerprint")
    func longChains() async throws {
        let network = try CertificateAuthority.generate(commonName: "network")
        let `operator` = try network.issueAuthority(commonName: "operator")
        let identity = try `operator`.issueAuthority(commonName: "identity", algorithm: .ed25519)
        let leaf = try identity.issue(algorithm: .ed448)
        let four = try leaf.appending([`operator`.certificate, network.certificate])
        #expect(try await outcome(four, keyHash: identity.certificate.fingerprint) == nil)
        #expect(try await outcome(four, keyHash: network.certificate.fingerprint) == .wrongIdentity)

        let root = try CertificateAuthority.generate(commonName: "root")
        let below = try root.issueAuthority(commonName: "identity")
        let three = try below.issue().appending([root.certificate])
        #expect(try await outcome(three, keyHash: below.certificate.fingerprint) == nil)
        #expect(try await outcome(three, keyHash: root.certificate.fingerprint) == .wrongIdentity)
    }

    @Test("An authority that did not sign the one before it is refused")
    func unrelatedAuthority() async throws {
        let identity = try CertificateAuthority.generate()
        let stranger = try CertificateAuthority.generate(commonName: "stranger")
        let credential = try identity.issue().appending([stranger.certificate])
        #expect(try await outcome(credential, keyHash: identity.certificate.fingerprint) == .wrongIdentity)
    }

    @Test("Somebody else's identity certificate between a leaf and an anchor of one's own is refused")
    func splicedIdentity() async throws {
        try await withFiles { genuine, attacker in
            let spliced = try ServerCredential(
                certificatePEM: readFile(attacker + "/server.crt"),
                authorityPEM: readFile(genuine + "/ca.crt") + readFile(attacker + "/ca.crt"),
                keyPEM: readFile(attacker + "/server.key"))
            let pinned = try ServerCredential.load(from: genuine).fingerprint
            #expect(spliced.fingerprint == pinned)
            #expect(try await outcome(spliced, keyHash: pinned) == .wrongIdentity)
        }
    }

    @Test("A leaf with somebody else's identity certificate after it is refused")
    func borrowedIdentity() async throws {
        try await withFiles { genuine, attacker in
            let borrowed = try ServerCredential(
                certificatePEM: readFile(attacker + "/server.crt"), authorityPEM: readFile(genuine + "/ca.crt"),
                keyPEM: readFile(attacker + "/server.key"))
            #expect(try await outcome(borrowed, keyHash: borrowed.fingerprint) == .wrongIdentity)
        }
    }

    @Test("A lone certificate is refused even with the right fingerprint")
    func loneCertificate() async throws {
        try await withFiles { genuine, _ in
            let lone = try ServerCredential(
                certificatePEM: readFile(genuine + "/server.crt"), keyPEM: readFile(genuine + "/server.key"))
            #expect(try await outcome(lone, keyHash: lone.fingerprint) == .wrongIdentity)
        }
    }

    @Test("Certificates that have expired or are not valid yet are refused")
    func validity() async throws {
        let hour = 3_600
        let past = CertificateLifetime(secondsBefore: 48 * hour, secondsAfter: -hour)
        let future = CertificateLifetime(secondsBefore: -hour, secondsAfter: 48 * hour)
        for lifetime in [past, future] {
            let authority = try CertificateAuthority.generate()
            let leaf = try authority.issue(lifetime: lifetime)
            #expect(try await outcome(leaf, keyHash: leaf.fingerprint) == .wrongIdentity)
            let expired = try CertificateAuthority.generate(lifetime: lifetime).issue()
            #expect(try await outcome(expired, keyHash: expired.fingerprint) == .wrongIdentity)
        }
    }

    @Test("A leaf cannot stand in for an authority")
    func leafAsAuthority() async throws {
        try await withFiles { genuine, attacker in
            // The genuine leaf's key signs nothing here: what is tried is a path through a certificate that is no authority.
            let credential = try ServerCredential(
                certificatePEM: readFile(attacker + "/server.crt"),
                authorityPEM: readFile(attacker + "/ca.crt") + readFile(genuine + "/server.crt"),
                keyPEM: readFile(attacker + "/server.key"))
            #expect(try await outcome(credential, keyHash: credential.fingerprint) == .wrongIdentity)
        }
    }

    /// Two folders with a credential each.
    private func withFiles(_ body: (String, String) async throws -> Void) async throws {
        let first = try TemporaryFolder(), second = try TemporaryFolder()
        for folder in [first, second] { _ = try ServerCredential.loadOrGenerate(in: folder.path) }
        try await body(first.path, second.path)
    }
}
