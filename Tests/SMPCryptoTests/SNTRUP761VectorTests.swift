import Foundation
import SMPCrypto
import SMPWire
import Synchronization
import Testing
import VectorSupport

/// The stream of the recorded cases, after a prefix, counting what is taken.
final class RecordedRandomSource: RandomSource {
    private let rest: SeededRandomSource
    private let prefix: Mutex<Bytes>
    private let count = Mutex(0)

    init(seed: Bytes, prefixWords: Int) {
        rest = SeededRandomSource(seed: seed)
        prefix = Mutex(Array([Bytes](repeating: [0, 0, 0, 0x20], count: prefixWords).joined()))
    }

    var taken: Int { count.withLock { $0 } }

    func bytes(_ count: Int) -> Bytes {
        self.count.withLock { $0 += count }
        let first = prefix.withLock { prefix in
            defer { prefix.removeFirst(min(count, prefix.count)) }
            return Bytes(prefix.prefix(count))
        }
        return first + rest.bytes(count - first.count)
    }
}

@Suite struct SNTRUP761VectorTests {
    private func check(
        _ item: VectorValue, random: RecordedRandomSource, keyBytes: Int64?, encapsulationBytes: Int64?, change: UInt8
    ) throws {
        let pair = SNTRUP761.generateKeyPair(random)
        #expect(pair.publicKey.bytes == item["pk"].hex)
        #expect(pair.secretKey.bytes.bytes == item["sk"].hex)
        let taken = random.taken
        if let keyBytes { #expect(taken == Int(keyBytes)) }
        let encapsulation = SNTRUP761.encapsulate(to: pair.publicKey, random)
        #expect(encapsulation.ciphertext.bytes == item["ct"].hex)
        #expect(encapsulation.sharedSecret.bytes == item["ss"].hex)
        if let encapsulationBytes { #expect(random.taken - taken == Int(encapsulationBytes)) }
        #expect(SNTRUP761.decapsulate(encapsulation.ciphertext, with: pair.secretKey) == encapsulation.sharedSecret)
        var changed = encapsulation.ciphertext.bytes
        let index = Int(try #require(item["ct_bad_index"].int))
        changed[index] = change == 0 ? changed[index] ^ 1 : changed[index] &+ change
        let rejected = SNTRUP761.decapsulate(try SNTRUP761.Ciphertext(changed), with: pair.secretKey)
        #expect(rejected.bytes == item["ss_bad"].hex)
    }

    @Test(arguments: try Vectors.cases("sntrup761", kinds: "deterministic"))
    func keysCiphertextsAndSecretsFollowFromTheSeed(_ item: VectorCase) throws {
        let random = RecordedRandomSource(
            seed: try #require(item["seed"].hex), prefixWords: Int(item["stream_prefix_words"].int ?? 0))
        try check(
            item.value, random: random, keyBytes: nil, encapsulationBytes: nil,
            change: UInt8(try #require(item["ct_bad_add"].int)))
    }

    @Test(arguments: try Vectors.cases("sntrup761", kinds: "decapsulation"))
    func ciphertextsGiveTheRecordedSecretEvenWhenInvalid(_ item: VectorCase) throws {
        let key = try SNTRUP761.SecretKey(SecretBytes(try #require(item["sk"].hex)))
        let ciphertext = try SNTRUP761.Ciphertext(try #require(item["ct"].hex))
        #expect(SNTRUP761.decapsulate(ciphertext, with: key).bytes == item["ss"].hex)
        for invalid in try #require(item["invalid"].array) {
            let ciphertext = try SNTRUP761.Ciphertext(invalid["ct"].hex ?? Bytes(repeating: 0, count: 1039))
            #expect(SNTRUP761.decapsulate(ciphertext, with: key).bytes == invalid["ss"].hex)
        }
    }

    @Test(arguments: 0..<6)
    func knownAnswersOfTheOtherRecording(_ index: Int) throws {
        let data = try Data(contentsOf: Vectors.folder.appendingPathComponent("sntrup761_kat.json"))
        let item = try VectorValue(json: data)["cases"][index]
        #expect(item["index"].int == Int64(index))
        let random = RecordedRandomSource(
            seed: try #require(item["seed"].hex), prefixWords: item["retry_prefix"].bool == true ? 761 : 0)
        try check(
            item, random: random, keyBytes: item["keypair_rng_bytes"].int, encapsulationBytes: item["enc_rng_bytes"].int,
            change: 0)
    }
}
