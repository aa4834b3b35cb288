import SMPCrypto
import SMPRatchet
import SMPWire

/// Operations of the cryptography alone, one at a time on one core.
enum Primitives {
    static func measure(effort: Double) throws -> [Figure] {
        let random = SystemRandomSource()
        let count = max(1, Int(300 * effort))
        let pair = SNTRUP761.generateKeyPair(random)
        let sealed = SNTRUP761.encapsulate(to: pair.publicKey, random)
        return [
            Figure("sntrup761 key pairs, one at a time", rate(count) { _ = SNTRUP761.generateKeyPair(random) }, .perSecond),
            Figure(
                "sntrup761 key pairs, 32 at a time",
                rate(max(1, count / 32)) { _ = SNTRUP761.generateKeyPairs(count: 32, random) } * 32, .perSecond),
            Figure("sntrup761 encapsulations", rate(count * 10) { _ = SNTRUP761.encapsulate(to: pair.publicKey, random) }, .perSecond),
            Figure(
                "sntrup761 decapsulations", rate(count * 10) { _ = SNTRUP761.decapsulate(sealed.ciphertext, with: pair.secretKey) }, .perSecond),
            try Figure("ratchet: messages sealed, full size", sealing(count * 10, random), .perSecond),
            try Figure("ratchet: messages sealed and opened, one way", oneWay(count * 10, random), .perSecond),
            try Figure("ratchet: messages sealed and opened, in turns with the KEM", inTurns(count, random), .perSecond),
        ]
    }

    private static func rate(_ count: Int, _ work: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        for _ in 0..<count { try work() }
        return Double(count) / (ContinuousClock.now - start).seconds
    }

    private struct Side {
        var ratchet: Ratchet
        var skipped = SkippedMessageKeys()

        mutating func seal() throws -> Bytes { try ratchet.sealHeader(pqEncryption: nil).sealMessage(Bytes(repeating: 7, count: 100), paddedTo: 13_618) }

        mutating func open(_ message: Bytes, _ random: any RandomSource) throws {
            _ = try ratchet.open(message, skipped: &skipped, random: random).plaintext.get()
        }
    }

    /// Two sides that use the KEM.
    private static func established(_ random: any RandomSource) throws -> (Side, Side) {
        let keys = AgreementKeys(proposingKEM: true, random: random)
        let (joiner, answer) = try Ratchet.answer(keys.offer(version: RatchetVersion.current), pqSupport: true, random: random)
        var first = Side(ratchet: try Ratchet(receivingFrom: answer, keys: keys, pqSupport: true)), second = Side(ratchet: joiner)
        for _ in 0..<3 {
            try first.open(second.seal(), random)
            try second.open(first.seal(), random)
        }
        return (first, second)
    }

    private static func sealing(_ count: Int, _ random: any RandomSource) throws -> Double {
        var (first, _) = try established(random)
        return try rate(count) { _ = try first.seal() }
    }

    private static func oneWay(_ count: Int, _ random: any RandomSource) throws -> Double {
        var (first, second) = try established(random)
        return try rate(count) { try second.open(first.seal(), random) }
    }

    private static func inTurns(_ count: Int, _ random: any RandomSource) throws -> Double {
        var (first, second) = try established(random)
        return try 2
            * rate(count) {
                try second.open(first.seal(), random)
                try first.open(second.seal(), random)
            }
    }
}
