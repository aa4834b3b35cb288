import SMPCrypto
import SMPWire
import Testing

@Suite struct SNTRUP761Tests {
    private func works(_ pair: SNTRUP761.KeyPair, _ random: any RandomSource) -> Bool {
        let encapsulation = SNTRUP761.encapsulate(to: pair.publicKey, random)
        return SNTRUP761.decapsulate(encapsulation.ciphertext, with: pair.secretKey) == encapsulation.sharedSecret
    }

    @Test(arguments: [0, 1, 2, 33])
    func keyPairsMadeTogetherAreDifferentAndWork(_ count: Int) {
        let random = SeededRandomSource(seed: 11)
        let pairs = SNTRUP761.generateKeyPairs(count: count, random)
        #expect(pairs.count == count)
        #expect(Set(pairs.map(\.publicKey)).count == count)
        #expect(pairs.allSatisfy { works($0, random) })
        #expect(SNTRUP761.generateKeyPairs(count: count, SeededRandomSource(seed: 11)) == pairs)
    }

    @Test func aPolynomialWithoutInverseIsMadeAgainAmongKeyPairsMadeTogether() {
        // The first polynomial of the batch is 0.
        let random = RecordedRandomSource(seed: [1, 2, 3], prefixWords: 761)
        let pairs = SNTRUP761.generateKeyPairs(count: 3, random)
        #expect(random.taken == 3 * 6279 + 3044)
        #expect(pairs.allSatisfy { works($0, random) })
    }

    @Test func anyChangeOfACiphertextGivesAnotherSecretAndAlwaysTheSame() throws {
        let random = SeededRandomSource(seed: 12)
        let pair = SNTRUP761.generateKeyPair(random)
        let encapsulation = SNTRUP761.encapsulate(to: pair.publicKey, random)
        for index in stride(from: 0, to: SNTRUP761.ciphertextSize, by: 101) {
            var changed = encapsulation.ciphertext.bytes
            changed[index] ^= 0x40
            let ciphertext = try SNTRUP761.Ciphertext(changed)
            let secret = SNTRUP761.decapsulate(ciphertext, with: pair.secretKey)
            #expect(secret != encapsulation.sharedSecret)
            #expect(SNTRUP761.decapsulate(ciphertext, with: pair.secretKey) == secret)
        }
    }

    @Test func aCiphertextForAnotherKeyGivesNoCommonSecret() {
        let random = SeededRandomSource(seed: 13)
        let pairs = SNTRUP761.generateKeyPairs(count: 2, random)
        let encapsulation = SNTRUP761.encapsulate(to: pairs[0].publicKey, random)
        #expect(SNTRUP761.decapsulate(encapsulation.ciphertext, with: pairs[1].secretKey) != encapsulation.sharedSecret)
    }

    @Test func keysAndCiphertextsOfAnyBytesAreTakenWithoutHarm() throws {
        let random = SeededRandomSource(seed: 14)
        for fill in [0x00, 0xff, 0x55] as [UInt8] {
            let key = try SNTRUP761.PublicKey(Bytes(repeating: fill, count: 1158))
            let encapsulation = SNTRUP761.encapsulate(to: key, random)
            let secretKey = try SNTRUP761.SecretKey(SecretBytes(Bytes(repeating: fill, count: 1763)))
            #expect(SNTRUP761.decapsulate(encapsulation.ciphertext, with: secretKey).count == 32)
        }
    }

    @Test func wrongSizesAreRefused() {
        for size in [0, 1157, 1159] {
            #expect(throws: CryptoError.self) { try SNTRUP761.PublicKey(Bytes(repeating: 1, count: size)) }
            let bytes = LargeBytes(Bytes(repeating: 1, count: size)).wireBytes
            #expect(throws: WireError.self) { try SNTRUP761.PublicKey(wireBytes: bytes) }
        }
        for size in [0, 1038, 1040] {
            #expect(throws: CryptoError.self) { try SNTRUP761.Ciphertext(Bytes(repeating: 1, count: size)) }
            let bytes = LargeBytes(Bytes(repeating: 1, count: size)).wireBytes
            #expect(throws: WireError.self) { try SNTRUP761.Ciphertext(wireBytes: bytes) }
        }
        #expect(throws: CryptoError.self) { try SNTRUP761.SecretKey(SecretBytes(Bytes(repeating: 1, count: 1762))) }
    }

    @Test func keysAndCiphertextsComeBackFromTheirEncodings() throws {
        let random = SeededRandomSource(seed: 15)
        let key = try SNTRUP761.PublicKey(random.bytes(1158))
        let ciphertext = try SNTRUP761.Ciphertext(random.bytes(1039))
        #expect(try SNTRUP761.PublicKey(wireBytes: key.wireBytes) == key)
        #expect(try SNTRUP761.PublicKey(wireString: key.wireString) == key)
        #expect(try SNTRUP761.Ciphertext(wireBytes: ciphertext.wireBytes) == ciphertext)
        #expect(try SNTRUP761.Ciphertext(wireString: ciphertext.wireString) == ciphertext)
    }
}
