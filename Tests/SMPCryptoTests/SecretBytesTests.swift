import Foundation
import SMPCrypto
import SMPWire
import Testing

@Suite struct SecretBytesTests {
    @Test func secretsCompareByContentAndSize() {
        #expect(SecretBytes([1, 2, 3]) == SecretBytes([1, 2, 3]))
        #expect(SecretBytes([1, 2, 3]) != SecretBytes([1, 2, 4]))
        #expect(SecretBytes([1, 2, 3]) != SecretBytes([1, 2]))
        #expect(SecretBytes([]) == SecretBytes([]))
    }

    @Test func secretsAreJoinedAndCut() {
        let both = SecretBytes([1, 2]) + SecretBytes([]) + SecretBytes([3])
        #expect(both.bytes == [1, 2, 3])
        #expect(both.count == 3)
        #expect(both[1..<3].bytes == [2, 3])
        #expect(both[1..<1].bytes == [])
    }

    @Test func noDescriptionShowsTheBytes() throws {
        let secret = SecretBytes(Bytes("attack at dawn".utf8))
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped] {
            #expect(!text.contains("97"))
            #expect(text.contains("14 secret bytes"))
        }
        let key = try Ed25519.PrivateKey(raw: Bytes(repeating: 0xAB, count: 32))
        #expect("\(key)" == "(private Ed25519 key)")
    }

    @Test func wipedArraysHoldZeros() {
        var bytes: Bytes = [1, 2, 3]
        SecretBytes.wipe(&bytes)
        #expect(bytes == [0, 0, 0])
    }

    @Test func aSeedGivesTheSameStreamHoweverItIsTaken() {
        let whole = SeededRandomSource(seed: 5).bytes(300)
        let pieces = SeededRandomSource(seed: 5)
        #expect([1, 63, 64, 0, 100, 72].flatMap { pieces.bytes($0) } == whole)
        #expect(SeededRandomSource(seed: 6).bytes(300) != whole)
        #expect(SeededRandomSource(seed: 5).secret(300).bytes == whole)
    }

    @Test func theSystemGivesOtherBytesEveryTime() {
        let source = SystemRandomSource()
        #expect(source.bytes(0).isEmpty)
        #expect(Set((0..<100).map { _ in source.bytes(16) }).count == 100)
        #expect(source.bytes(100_000).filter { $0 == 0 }.count < 1000)
    }

    @Test func publicKeysAreStringsInJSON() throws {
        let key = X25519.generateKeyPair(SeededRandomSource(seed: 7)).publicKey
        let data = try JSONEncoder().encode([key])
        #expect(String(decoding: data, as: UTF8.self) == "[\"\(key.wireString)\"]")
        #expect(try JSONDecoder().decode([X25519.PublicKey].self, from: data) == [key])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([X448.PublicKey].self, from: data) }
    }

    @Test func longestDerivationsAreWholeAndShortOnesTheirBeginnings() {
        let secret = SecretBytes([1])
        let longest = HKDF.derive(from: secret, salt: [2], info: "x", count: 16_320).bytes
        #expect(longest.count == 16_320)
        for count in [0, 1, 64, 65, 128] {
            #expect(HKDF.derive(from: secret, salt: [2], info: "x", count: count).bytes == Bytes(longest.prefix(count)))
        }
    }
}
