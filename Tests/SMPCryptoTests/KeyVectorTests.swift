import SMPCrypto
import SMPWire
import Testing
import VectorSupport

@Suite struct KeyVectorTests {
    /// Everything that a recorded key of one algorithm must do.
    private func check<Algorithm: KeyAlgorithm>(_ item: VectorCase, _: Algorithm.Type) throws {
        let raw = try #require(item["private_raw"].hex)
        let spki = try #require(item["public_spki_der"].hex)
        let key = try Algorithm.PrivateKey(raw: raw)
        let publicKey = try Algorithm.PublicKey(spki: spki)
        #expect(key.publicKey == publicKey)
        #expect(key.publicKey.raw == item["public_raw"].hex)
        #expect(try Algorithm.PublicKey(raw: publicKey.raw) == publicKey)
        #expect(publicKey.spki == spki)
        #expect(publicKey.wireBytes == item["public_smp_encoding"].hex)
        #expect(try Algorithm.PublicKey(wireBytes: publicKey.wireBytes) == publicKey)
        #expect(publicKey.wireString == Base64URL.encode(spki))
        #expect(try Algorithm.PublicKey(wireString: publicKey.wireString) == publicKey)
        #expect(key.pkcs8.bytes == item["private_pkcs8_der"].hex)
        #expect(Base64URL.encode(key.pkcs8.bytes) == item["private_pkcs8_base64url"].string)
        #expect(try Algorithm.PrivateKey(pkcs8: key.pkcs8) == key)
        #expect(item["private_input"].hex == raw)
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "key"))
    func keysEncodeAndDeriveAsRecorded(_ item: VectorCase) throws {
        switch item["alg"].string {
        case "X25519": try check(item, X25519.self)
        case "X448": try check(item, X448.self)
        case "Ed25519": try check(item, Ed25519.self)
        case "Ed448": try check(item, Ed448.self)
        default: Issue.record("unknown algorithm")
        }
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "key-decode-error"))
    func malformedKeysAreRefused(_ item: VectorCase) throws {
        let der = try #require(item["der"].hex)
        try #require(item["expected_alg"].string == "X25519")
        #expect { try X25519.PublicKey(spki: der) } throws: { ($0 as? CryptoError)?.code == .invalidKey }
        #expect(throws: WireError.self) { try X25519.PublicKey(wireBytes: ShortBytes(der).wireBytes) }
        #expect(throws: WireError.self) { try X25519.PublicKey(wireString: Base64URL.encode(der)) }
    }

    private func agree<Algorithm: AgreementAlgorithm>(_ item: VectorCase, _: Algorithm.Type) throws {
        let first = try Algorithm.PrivateKey(raw: try #require(item["private_a_raw"].hex))
        let second = try Algorithm.PrivateKey(raw: try #require(item["private_b_raw"].hex))
        #expect(first.publicKey.raw == item["public_a_raw"].hex)
        #expect(second.publicKey.raw == item["public_b_raw"].hex)
        #expect(try first.sharedSecret(with: second.publicKey).bytes == item["secret"].hex)
        #expect(try second.sharedSecret(with: first.publicKey).bytes == item["secret_check"].hex)
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "dh"))
    func agreementsGiveTheRecordedSecretFromBothSides(_ item: VectorCase) throws {
        switch item["alg"].string {
        case "X25519": try agree(item, X25519.self)
        case "X448": try agree(item, X448.self)
        default: Issue.record("unknown algorithm")
        }
    }

    private func sign<Algorithm: SignatureAlgorithm>(_ item: VectorCase, _: Algorithm.Type) throws {
        let key = try Algorithm.PrivateKey(raw: try #require(item["private_raw"].hex))
        let message = try #require(item["message"].hex)
        let signature = try #require(item["signature"].hex)
        #expect(key.publicKey.raw == item["public_raw"].hex)
        #expect(key.signature(for: message) == signature)
        #expect(key.publicKey.isValidSignature(signature, for: message) == item["valid"].bool)
        #expect(!key.publicKey.isValidSignature(signature, for: message + [0]))
        for index in [0, signature.count / 2, signature.count - 1] {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.publicKey.isValidSignature(changed, for: message))
        }
        for length in 0..<signature.count {
            #expect(!key.publicKey.isValidSignature(Bytes(signature.prefix(length)), for: message))
        }
        #expect(!key.publicKey.isValidSignature(signature + [0], for: message))
    }

    @Test(arguments: try Vectors.cases("crypto", kinds: "sign"))
    func signaturesAreTheRecordedOnesAndNothingElseVerifies(_ item: VectorCase) throws {
        switch item["alg"].string {
        case "Ed25519": try sign(item, Ed25519.self)
        case "Ed448": try sign(item, Ed448.self)
        default: Issue.record("unknown algorithm")
        }
    }
}
