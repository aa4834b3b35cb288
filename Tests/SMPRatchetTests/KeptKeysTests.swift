import SMPCrypto
import SMPRatchet
import SMPWire
import Testing

@Suite struct KeptKeysTests {
    /// A ratchet of each side, after one message each way.
    private func pair(_ random: any RandomSource) throws -> (first: Ratchet, second: Ratchet) {
        let keys = AgreementKeys(proposingKEM: false, random: random)
        let (joined, answer) = try Ratchet.answer(keys.offer(version: 2), pqSupport: false, maximumVersion: 2, random: random)
        var first = joined
        var second = try Ratchet(receivingFrom: answer, keys: keys, pqSupport: false, maximumVersion: 2)
        var none = SkippedMessageKeys()
        let hello = try first.sealHeader(maximumVersion: 2).sealMessage([1], paddedTo: 10)
        _ = try second.open(hello, skipped: &none, random: random).plaintext.get()
        return (first, second)
    }

    @Test("A peer that loses messages in every chain makes us keep a bounded number of keys, those of the latest chains")
    func bounded() throws {
        let random = SeededRandomSource(seed: [31])
        var (hostile, ours) = try pair(random)
        var skipped = SkippedMessageKeys()
        var other = SkippedMessageKeys()
        var stored: [SkippedMessageKey] = []
        var firstLost: Bytes?
        var lastLost = Bytes()
        for _ in 0..<13 {
            let answer = try ours.sealHeader(maximumVersion: 2).sealMessage([2], paddedTo: 10)
            _ = try hostile.open(answer, skipped: &other, random: random).plaintext.get()
            for _ in 0..<511 {
                lastLost = try hostile.sealHeader(maximumVersion: 2).sealMessage([3], paddedTo: 10)
                firstLost = firstLost ?? lastLost
            }
            let message = try hostile.sealHeader(maximumVersion: 2).sealMessage([4], paddedTo: 10)
            let opened = ours.open(message, skipped: &skipped, random: random)
            #expect(try opened.plaintext.get() == [4])
            // What a store makes of the changes is what is kept.
            stored += opened.addedKeys
            stored.removeAll { opened.droppedKeys.contains($0) }
            #expect(skipped.count <= Ratchet.maximumKept)
            #expect(stored.count == skipped.count)
        }
        #expect(skipped.count == 10 * 511)
        #expect(try ours.open(lastLost, skipped: &skipped, random: random).plaintext.get() == [3])
        let before = ours
        let late = ours.open(try #require(firstLost), skipped: &skipped, random: random)
        #expect(throws: RatchetError.self) { try late.plaintext.get() }
        #expect(!late.isChanged)
        #expect(ours == before)
    }

    @Test("Of chains with a message lost in each so many are kept, which are tried for a message that nobody can decrypt")
    func boundedChains() throws {
        let random = SeededRandomSource(seed: [32])
        var (hostile, ours) = try pair(random)
        var skipped = SkippedMessageKeys()
        var other = SkippedMessageKeys()
        var stored: [SkippedMessageKey] = []
        var lost: [Bytes] = []
        for turn in 0..<Ratchet.maximumKeptChains + 10 {
            let answer = try ours.sealHeader(maximumVersion: 2).sealMessage([2], paddedTo: 10)
            _ = try hostile.open(answer, skipped: &other, random: random).plaintext.get()
            lost.append(try hostile.sealHeader(maximumVersion: 2).sealMessage([3], paddedTo: 10))
            let message = try hostile.sealHeader(maximumVersion: 2).sealMessage([4], paddedTo: 10)
            let opened = ours.open(message, skipped: &skipped, random: random)
            #expect(try opened.plaintext.get() == [4])
            stored += opened.addedKeys
            stored.removeAll { opened.droppedKeys.contains($0) }
            #expect(skipped.count == min(turn + 1, Ratchet.maximumKeptChains))
        }
        #expect(stored.count == skipped.count)
        // The oldest are given up, in the store too, and the latest can be read.
        #expect(throws: RatchetError.self) { try ours.open(lost[9], skipped: &skipped, random: random).plaintext.get() }
        #expect(try ours.open(lost[10], skipped: &skipped, random: random).plaintext.get() == [3])
        var reloaded = SkippedMessageKeys(stored)
        #expect(try ours.open(lost[11], skipped: &reloaded, random: random).plaintext.get() == [3])
    }
}
