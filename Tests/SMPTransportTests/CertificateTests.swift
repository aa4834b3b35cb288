import Foundation
import SMPCrypto
import SMPTransport
import SMPWire
import TestSupport
import Testing

@Suite("Certificates")
struct CertificateTests {
    @Test("A new credential has a leaf and an identity, whose hash is the fingerprint", arguments: CertificateAlgorithm.allCases)
    func newCredential(_ algorithm: CertificateAlgorithm) throws {
        let authority = try CertificateAuthority.generate(algorithm: algorithm)
        let credential = try authority.issue()
        #expect(credential.certificates.count == 2)
        #expect(credential.certificates[1] == authority.certificate)
        #expect(credential.fingerprint == authority.certificate.fingerprint)
        #expect(credential.fingerprint.count == 32)
        #expect(credential.algorithm == algorithm)
        #expect(try credential.signature(for: [1, 2, 3]).count == (algorithm == .ed448 ? 114 : 64))
        #expect(try credential.signature(for: [1, 2, 3]) == credential.signature(for: [1, 2, 3]))
        #expect(try credential.signature(for: [1, 2, 3]) != credential.signature(for: [1, 2, 4]))
        let publicKey = try PublicAuthKey(spki: credential.publicKeySPKI())
        #expect(try publicKey.isValidSignature(credential.signature(for: [1, 2, 3]), for: [1, 2, 3]))
        #expect(try credential.leafKey().publicKey == publicKey)
    }

    @Test("Two credentials share nothing")
    func distinct() throws {
        let (first, second) = (try ServerCredential.generate(), try ServerCredential.generate())
        #expect(first.fingerprint != second.fingerprint)
        #expect(try first.publicKeySPKI() != second.publicKeySPKI())
        #expect(Set(first.certificates + second.certificates).count == 4)
    }

    @Test("A public key is read as the SubjectPublicKeyInfo of its algorithm")
    func publicKeys() throws {
        let ed448 = try ServerCredential.generate(algorithm: .ed448).publicKeySPKI()
        #expect(ed448.starts(with: [0x30, 0x43, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x71]) && ed448.count == 69)
        let ed25519 = try ServerCredential.generate(algorithm: .ed25519).publicKeySPKI()
        #expect(ed25519.starts(with: [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70]) && ed25519.count == 44)
    }

    @Test("Bytes that are not exactly one certificate are refused")
    func malformed() throws {
        let der = try ServerCredential.generate().chain[0]
        #expect(throws: ConnectionError.self) { try Certificate(der: []) }
        #expect(throws: ConnectionError.self) { try Certificate(der: [0x30]) }
        #expect(throws: ConnectionError.self) { try Certificate(der: Bytes(der.dropLast())) }
        #expect(throws: ConnectionError.self) { try Certificate(der: der + [0]) }
        #expect(throws: ConnectionError.self) { try Certificate(der: Bytes(repeating: 0x30, count: 100_000)) }
        #expect(try Certificate(der: der).der == der)
    }

    @Test("A damaged certificate is refused or read without harm, whatever byte is wrong")
    func damaged() throws {
        let der = try ServerCredential.generate().chain[0]
        var readable = 0
        for position in der.indices {
            var copy = der
            copy[position] ^= 0x55
            guard let certificate = try? Certificate(der: copy) else { continue }
            readable += 1
            #expect(certificate.fingerprint.count == 32)
            _ = try? certificate.publicKeySPKI()
        }
        #expect(readable < der.count)
    }

    @Test("A chain has two to four certificates")
    func chainLengths() throws {
        let credential = try ServerCredential.generate()
        let der = credential.chain[0]
        for count in [0, 1, 5, 40] {
            #expect(throws: ConnectionError.self) { try CertificateChain(der: Array(repeating: der, count: count)) }
        }
        for count in 2...4 {
            let chain = try CertificateChain(der: Array(repeating: der, count: count - 1) + [credential.chain[1]])
            #expect(chain.leaf.der == der)
            #expect(chain.anchor.der == credential.chain[1])
        }
        #expect(throws: ConnectionError.self) { try CertificateChain(der: [der, [1, 2, 3]]) }
        #expect(throws: ConnectionError.self) { try credential.appending(credential.certificates + [credential.certificates[0]]) }
    }
}

@Suite("Credentials on disk")
struct CredentialFileTests {
    @Test("A credential is made once and read with the same fingerprint and key from then on", arguments: CertificateAlgorithm.allCases)
    func reload(_ algorithm: CertificateAlgorithm) throws {
        let temporary = try TemporaryFolder(), folder = temporary.path
        let made = try ServerCredential.loadOrGenerate(in: folder, algorithm: algorithm)
        let read = try ServerCredential.loadOrGenerate(in: folder)
        #expect(read.fingerprint == made.fingerprint)
        #expect(read.chain == made.chain)
        #expect(read.algorithm == algorithm)
        #expect(try read.signature(for: [7]) == made.signature(for: [7]))
        for name in ["ca.key", "ca.crt", "server.key", "server.crt"] {
            #expect(permissions(of: folder + "/" + name) == 0o600)
        }
    }

    @Test("The authority's key is not needed to run")
    func withoutAuthorityKey() throws {
        let temporary = try TemporaryFolder(), folder = temporary.path
        let made = try ServerCredential.loadOrGenerate(in: folder)
        try writeFile(folder + "/ca.key", [])
        #expect(try ServerCredential.loadOrGenerate(in: folder).fingerprint == made.fingerprint)
    }

    @Test("A folder with a part of a credential is refused instead of getting a new identity")
    func partial() throws {
        let temporary = try TemporaryFolder(), folder = temporary.path
        try writeFile(folder + "/ca.crt", Bytes("anything".utf8))
        let error = #expect(throws: ConnectionError.self) { try ServerCredential.loadOrGenerate(in: folder) }
        #expect(error?.code == .invalidCredential)
        #expect(error?.message.contains("server.key") == true)
    }

    @Test("The making of a credential that was interrupted is finished, and the key of an identity alone is refused")
    func interrupted() throws {
        let names = ["server.crt", "server.key", "ca.crt", "ca.key"]
        for moved in 0...names.count {
            let temporary = try TemporaryFolder(), folder = temporary.path
            let made = try ServerCredential.loadOrGenerate(in: folder)
            for name in names[moved...] { try FileManager.default.moveItem(atPath: temporary(name), toPath: temporary(name + ".new")) }
            let read = try ServerCredential.loadOrGenerate(in: folder)
            // Nobody has seen the identity before the first file has its name.
            #expect((read.fingerprint == made.fingerprint) == (moved > 0))
            #expect(try ServerCredential.loadOrGenerate(in: folder).fingerprint == read.fingerprint)
        }
        let temporary = try TemporaryFolder(), folder = temporary.path
        _ = try ServerCredential.loadOrGenerate(in: folder)
        let key = try readFile(temporary("ca.key"))
        for name in names.dropLast() { try FileManager.default.removeItem(atPath: temporary(name)) }
        #expect(throws: ConnectionError.self) { try ServerCredential.loadOrGenerate(in: folder) }
        #expect(try readFile(temporary("ca.key")) == key)
        try FileManager.default.removeItem(atPath: temporary("ca.key"))
        #expect(throws: ConnectionError.self) { try ServerCredential.loadOrGenerate(in: folder, mayGenerate: false) }
    }

    @Test("Garbled, empty, oversized and exchanged files are refused", arguments: ["server.crt", "server.key", "ca.crt"])
    func damaged(_ name: String) throws {
        let temporary = try TemporaryFolder(), folder = temporary.path
        _ = try ServerCredential.loadOrGenerate(in: folder)
        let path = folder + "/" + name
        let good = try readFile(path)
        let second = try TemporaryFolder()
        _ = try ServerCredential.loadOrGenerate(in: second.path)
        let other = try readFile(second(name))
        for bad in [[], Bytes(good.prefix(good.count / 2)), Bytes(repeating: 65, count: 70_000), other] {
            try writeFile(path, bad)
            #expect(throws: ConnectionError.self) { try ServerCredential.loadOrGenerate(in: folder) }
        }
    }

    @Test("A folder that cannot be made is reported with its path")
    func noFolder() throws {
        let error = #expect(throws: ConnectionError.self) {
            try ServerCredential.loadOrGenerate(in: "/proc/nothing/here")
        }
        #expect(error?.description.contains("/proc/nothing/here") == true)
    }
}
