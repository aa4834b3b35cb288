import SMPTransport
import SMPWire
import Testing

@Suite("Certificates")
struct CertificateTests {
    @Test("A new credential has a leaf and an identity, whose hash is the fingerprint", arguments: SignatureAlgorithm.allCases)
    func newCredential(_ algorithm: SignatureAlgorithm) throws {
        let authority = try CertificateAuthority.generate(algorithm: algorithm)
        let credential = try authority.issue()
        #expect(credential.certificates.count == 2)
        #expect(credential.certificates[1] == authority.certificate)
        #expect(credential.fingerprint == authority.certificate.fingerprint)
        #expect(credential.fingerprint.count == 32)
        #expect(credential.algorithm == algorithm)
        #expect(try credential.signature(for: [1, 2, 3]).count == (algorithm == .ed448 ? 114 : 64))
    }
}
