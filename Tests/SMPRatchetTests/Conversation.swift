import SMPCrypto
import SMPWire

@testable import SMPRatchet

/// One side of a conversation, as an agent holds it.
struct Side {
    var ratchet: Ratchet
    var skipped = SkippedMessageKeys()

    /// Encrypts at once.
    mutating func seal(_ text: String, pq: Bool? = nil, paddedTo length: Int = 200) throws -> Bytes {
        try ratchet.sealHeader(pqEncryption: pq).sealMessage(Bytes(text.utf8), paddedTo: length)
    }

    /// Decrypts, and stores everything as bytes and rows in between.
    mutating func open(_ message: Bytes, _ random: any RandomSource) throws -> String {
        let opened = ratchet.open(message, skipped: &skipped, random: random)
        ratchet = try Ratchet(encoded: ratchet.encoded)
        skipped = SkippedMessageKeys(
            try skipped.keys.map { try SkippedMessageKey(headerKey: $0.headerKey, number: $0.number, key: $0.key) })
        return String(decoding: try opened.plaintext.get(), as: UTF8.self)
    }
}

/// What the agreement has of the KEM.
enum Agreement: CaseIterable, Sendable {
    case version2, withoutKEM, accepted, proposedByJoiner, declined

    var version: UInt16 { self == .version2 ? 2 : 3 }
    var initiatorOffersKEM: Bool { self == .accepted || self == .declined }
    var joinerWantsKEM: Bool { self == .accepted || self == .proposedByJoiner }
    var initiatorWantsKEM: Bool { self == .accepted || self == .proposedByJoiner }

    /// The side that made the offer, and the side that joined.
    func begin(_ random: any RandomSource) throws -> (initiator: Side, joiner: Side) {
        let keys = AgreementKeys(proposingKEM: initiatorOffersKEM, random: random)
        let offer = try RatchetParameters(wireBytes: keys.offer(version: version).wireBytes)
        let (joiner, answer) = try Ratchet.answer(offer, pqSupport: joinerWantsKEM, random: random)
        let initiator = try Ratchet(
            receivingFrom: try RatchetParameters(wireBytes: answer.wireBytes), keys: keys, pqSupport: initiatorWantsKEM)
        return (Side(ratchet: initiator), Side(ratchet: joiner))
    }

    /// Both sides after each has received a message.
    func established(_ random: any RandomSource) throws -> (initiator: Side, joiner: Side) {
        var (initiator, joiner) = try begin(random)
        _ = try initiator.open(try joiner.seal("hello"), random)
        _ = try joiner.open(try initiator.seal("hello to you"), random)
        return (initiator, joiner)
    }
}
