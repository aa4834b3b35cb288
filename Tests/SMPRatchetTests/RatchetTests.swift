import SMPCrypto
import SMPWire
import Synchronization
import Testing

@testable import SMPRatchet

/// Counts the key pairs that it gives out.
private final class CountingKEMKeys: RatchetKeySource {
    private let given = Mutex(0)
    private let random: any RandomSource

    init(_ random: any RandomSource) { self.random = random }

    var count: Int { given.withLock { $0 } }

    func kemKeyPair() -> SNTRUP761.KeyPair {
        given.withLock { $0 += 1 }
        return SNTRUP761.generateKeyPair(random)
    }
}

@Suite struct RatchetTests {
    private let random = SeededRandomSource(seed: [11])

    @Test("Both sides agree, and talk in turns", arguments: Agreement.allCases)
    func conversation(agreement: Agreement) throws {
        var (initiator, joiner) = try agreement.begin(random)
        #expect(initiator.ratchet.associatedData == joiner.ratchet.associatedData)
        #expect(!initiator.ratchet.canSend && joiner.ratchet.canSend)
        for turn in 0..<5 {
            #expect(try initiator.open(try joiner.seal("ping \(turn)"), random) == "ping \(turn)")
            #expect(try joiner.open(try initiator.seal("pong \(turn)"), random) == "pong \(turn)")
        }
        for side in [initiator, joiner] {
            #expect(side.ratchet.isSendingPQ == agreement.joinerWantsKEM)
            #expect(side.ratchet.isReceivingPQ == agreement.joinerWantsKEM)
            #expect(side.ratchet.versions.current == 3)
            #expect(side.skipped.isEmpty)
        }
    }

    @Test("Who waits for the first message cannot send")
    func cannotSend() throws {
        var (initiator, _) = try Agreement.accepted.begin(random)
        let before = initiator.ratchet
        let error = #expect(throws: RatchetError.self) { try initiator.ratchet.sealHeader() }
        #expect(error?.code == .cannotSend)
        #expect(initiator.ratchet == before)
    }

    @Test("The progress of a step tells all that messages change, and nothing of another step", arguments: Agreement.allCases)
    func progress(agreement: Agreement) throws {
        var (initiator, joiner) = try agreement.begin(random)
        _ = try initiator.open(try joiner.seal("first"), random)
        _ = try joiner.open(try initiator.seal("second"), random)
        let step = (initiator: initiator.ratchet, joiner: joiner.ratchet)
        // Both directions move, in turns of one side only, with one lost message and post-quantum encryption asked for.
        for number in 0..<4 { _ = try initiator.open(try joiner.seal("message \(number)", pq: true), random) }
        _ = try joiner.seal("lost")
        let received = try joiner.seal("after it")
        let before = initiator.ratchet
        _ = try initiator.open(received, random)
        #expect(joiner.ratchet.isSameStep(as: step.joiner) && step.joiner.isSameStep(as: joiner.ratchet))
        #expect(try Ratchet(encoded: step.joiner.encoded, progress: joiner.ratchet.progress) == joiner.ratchet)
        // The first of the joiner's messages after the initiator's brought a step.
        #expect(!initiator.ratchet.isSameStep(as: step.initiator))
        #expect(initiator.ratchet.isSameStep(as: before))
        #expect(try Ratchet(encoded: before.encoded, progress: initiator.ratchet.progress) == initiator.ratchet)
        #expect(joiner.ratchet.progress.count < 100)
        #expect(!joiner.ratchet.isSameStep(as: initiator.ratchet))

        let bytes = joiner.ratchet.progress.bytes
        for count in 0..<bytes.count {
            let error = #expect(throws: RatchetError.self) { try Ratchet(encoded: step.joiner.encoded, progress: SecretBytes(Bytes(bytes[..<count]))) }
            #expect(error?.code == .malformedState)
        }
        for damaged in [bytes + [0], [9] + bytes.dropFirst(), bytes[..<5] + [0xFF] + bytes[6...]] as [Bytes] {
            #expect(throws: RatchetError.self) { try Ratchet(encoded: step.joiner.encoded, progress: SecretBytes(damaged)) }
        }
        // The progress of a ratchet that only sends is not that of one that does both.
        let (fresh, _) = try agreement.begin(random)
        #expect(throws: RatchetError.self) { try Ratchet(encoded: fresh.ratchet.encoded, progress: SecretBytes(bytes)) }
    }

    @Test("The KEM is used once both sides want it, until one of them does not")
    func switching() throws {
        var (initiator, joiner) = try Agreement.withoutKEM.established(random)
        func turns(joiner first: Bool?, initiator second: Bool?) throws {
            _ = try initiator.open(try joiner.seal("turn", pq: first), random)
            _ = try joiner.open(try initiator.seal("turn", pq: second), random)
            for _ in 0..<4 {
                _ = try initiator.open(try joiner.seal("turn"), random)
                _ = try joiner.open(try initiator.seal("turn"), random)
            }
        }
        func usesKEM() -> Set<Bool> {
            [
                joiner.ratchet.isSendingPQ, joiner.ratchet.isReceivingPQ, initiator.ratchet.isSendingPQ,
                initiator.ratchet.isReceivingPQ,
            ]
        }
        #expect(!joiner.ratchet.supportsPQ && !initiator.ratchet.supportsPQ)
        try turns(joiner: true, initiator: nil)
        #expect(usesKEM() == [false])
        try turns(joiner: true, initiator: true)
        #expect(usesKEM() == [true])
        try turns(joiner: false, initiator: nil)
        #expect(usesKEM() == [false])
        #expect(joiner.ratchet.supportsPQ && initiator.ratchet.supportsPQ, "headers stay long")
        try turns(joiner: true, initiator: true)
        #expect(usesKEM() == [true])
        try turns(joiner: nil, initiator: false)
        #expect(usesKEM() == [false])
    }

    @Test("A chain can be read from any of its messages on when the KEM is turned off in its middle")
    func switchedOffInTheMiddle() throws {
        var (initiator, joiner) = try Agreement.accepted.established(random)
        let messages = try [nil, false, nil, nil].map { try joiner.seal("message", pq: $0) }
        #expect(try initiator.open(messages[3], random) == "message")
        #expect(initiator.ratchet.isReceivingPQ)
        for message in messages[..<3] { #expect(try initiator.open(message, random) == "message") }
    }

    @Test("Version 3 begins once a side of version 2 learns that the peer has it")
    func upgrade() throws {
        var (initiator, joiner) = try Agreement.version2.begin(random)
        #expect(joiner.ratchet.versions.current == 2)
        let first = try joiner.ratchet.sealHeader(maximumVersion: 2)
        #expect(first.version == 2)
        _ = try initiator.open(try first.sealMessage([1], paddedTo: 50), random)
        #expect(initiator.ratchet.versions == RatchetVersions(current: 2, maximum: 3))
        _ = try joiner.open(try initiator.seal("I have version 3"), random)
        #expect(joiner.ratchet.versions.current == 2, "it announced version 2 only")
        let second = try joiner.ratchet.sealHeader(maximumVersion: 3)
        _ = try initiator.open(try second.sealMessage([1], paddedTo: 50), random)
        #expect(initiator.ratchet.versions.current == 3)
    }

    @Test("A message sealed twice is the same bytes, also after storing its key")
    func sealedTwice() throws {
        var (_, joiner) = try Agreement.accepted.begin(random)
        let key = try joiner.ratchet.sealHeader()
        let once = try key.sealMessage([1, 2, 3], paddedTo: 100)
        #expect(try key.sealMessage([1, 2, 3], paddedTo: 100) == once)
        #expect(try RatchetMessageKey(encoded: key.encoded).sealMessage([1, 2, 3], paddedTo: 100) == once)
        #expect(once.count == 100 + key.overhead)
    }

    @Test("A message that does not fit its padding is refused, and the key can be used for one that does")
    func tooLong() throws {
        var (_, joiner) = try Agreement.withoutKEM.begin(random)
        let key = try joiner.ratchet.sealHeader()
        let error = #expect(throws: RatchetError.self) { try key.sealMessage(Bytes(repeating: 1, count: 99), paddedTo: 100) }
        #expect(error?.code == .messageTooLong)
        #expect(try key.sealMessage(Bytes(repeating: 1, count: 98), paddedTo: 100).count == 100 + key.overhead)
    }

    @Test("KEM key pairs come from the given source: one for an agreement, one for each step")
    func keySource() throws {
        let keys = CountingKEMKeys(random)
        let own = AgreementKeys(proposingKEM: true, keySource: keys, random: random)
        #expect(keys.count == 1)
        var (joiner, answer) = try Ratchet.answer(own.offer(version: 3), pqSupport: true, keySource: keys, random: random)
        #expect(keys.count == 2)
        var initiator = try Ratchet(receivingFrom: answer, keys: own, pqSupport: true)
        var skipped = SkippedMessageKeys()
        for _ in 0..<3 {
            let message = try joiner.sealHeader().sealMessage([7], paddedTo: 50)
            let opened = initiator.open(message, skipped: &skipped, keySource: keys, random: random)
            #expect(try opened.plaintext.get() == [7])
        }
        #expect(keys.count == 3, "only the first message of a chain makes a step")
    }

    @Test("Both sides that offered keys start a new ratchet, with and without the KEM", arguments: [true, false], [true, false])
    func renewed(senderOffersKEM: Bool, receiverOffersKEM: Bool) throws {
        let sending = AgreementKeys(proposingKEM: senderOffersKEM, random: random)
        let receiving = AgreementKeys(proposingKEM: receiverOffersKEM, random: random)
        var sender = Side(ratchet: try Ratchet(sendingTo: receiving.offer(version: 3), keys: sending, random: random))
        var receiver = Side(
            ratchet: try Ratchet(receivingFrom: sending.offer(version: 3), keys: receiving, pqSupport: receiverOffersKEM))
        #expect(sender.ratchet.associatedData == receiver.ratchet.associatedData)
        for _ in 0..<3 {
            #expect(try receiver.open(try sender.seal("to"), random) == "to")
            #expect(try sender.open(try receiver.seal("fro"), random) == "fro")
        }
        for side in [sender, receiver] {
            #expect(side.ratchet.isSendingPQ == (senderOffersKEM && receiverOffersKEM))
            #expect(side.ratchet.isReceivingPQ == (senderOffersKEM && receiverOffersKEM))
        }
    }

    @Test("An offer that accepts a KEM, or an answer that accepts what was not offered, is refused")
    func wrongAgreement() throws {
        let own = AgreementKeys(proposingKEM: true, random: random)
        let (_, answer) = try Ratchet.answer(own.offer(version: 3), pqSupport: true, random: random)
        #expect(!answer.isOffer && own.offer(version: 3).isOffer)
        #expect(throws: RatchetError.self) { try Ratchet.answer(answer, pqSupport: true, random: random) }
        #expect(throws: RatchetError.self) { try Ratchet(sendingTo: answer, keys: own, random: random) }
        let without = AgreementKeys(proposingKEM: false, random: random)
        let error = #expect(throws: RatchetError.self) { try Ratchet(receivingFrom: answer, keys: without, pqSupport: true) }
        #expect(error?.code == .kemState)
    }

    @Test("Parameters with a key of small order are refused")
    func smallOrder() throws {
        let own = AgreementKeys(proposingKEM: false, random: random)
        let zero = try X448.PublicKey(raw: Bytes(repeating: 0, count: 56))
        for change: WritableKeyPath<RatchetParameters, X448.PublicKey> in [\.key1, \.key2] {
            var offer = own.offer(version: 3)
            offer[keyPath: change] = zero
            let joining = #expect(throws: RatchetError.self) { try Ratchet.answer(offer, pqSupport: true, random: random) }
            #expect(joining?.code == .invalidKey)
            let receiving = #expect(throws: RatchetError.self) { try Ratchet(receivingFrom: offer, keys: own, pqSupport: true) }
            #expect(receiving?.code == .invalidKey)
        }
    }

    @Test("A wrong KEM ciphertext in an answer makes the first message undecryptable")
    func wrongCiphertext() throws {
        let own = AgreementKeys(proposingKEM: true, random: random)
        let (joiner, answer) = try Ratchet.answer(own.offer(version: 3), pqSupport: true, random: random)
        guard case .accepted(let ciphertext, let key)? = answer.kem else { throw RatchetError(.kemState, "not accepted") }
        var bytes = ciphertext.bytes
        bytes[100] ^= 1
        var garbled = answer
        garbled.kem = .accepted(try SNTRUP761.Ciphertext(bytes), key)
        var sides = (Side(ratchet: try Ratchet(receivingFrom: garbled, keys: own, pqSupport: true)), Side(ratchet: joiner))
        let message = try sides.1.seal("hello")
        let error = #expect(throws: RatchetError.self) { try sides.0.open(message, random) }
        #expect(error?.code == .header)
    }

    @Test("Parameters that are cut off, have another tag or other sizes are refused")
    func malformedParameters() throws {
        let own = AgreementKeys(proposingKEM: true, random: random)
        let bytes = try Ratchet.answer(own.offer(version: 3), pqSupport: true, random: random).answer.wireBytes
        for length in stride(from: 0, to: bytes.count, by: 13) {
            #expect(throws: WireError.self) { try RatchetParameters(wireBytes: Bytes(bytes[..<length])) }
        }
        #expect(throws: WireError.self) { try RatchetParameters(wireBytes: bytes + [0]) }
        for offset in [2, 10, 140, 141, 142] {
            var garbled = bytes
            garbled[offset] = UInt8(ascii: "x")
            #expect(throws: WireError.self) { try RatchetParameters(wireBytes: garbled) }
        }
        var version2 = own.offer(version: 3)
        version2.version = 2
        #expect(try RatchetParameters(wireBytes: version2.wireBytes).kem == nil)
    }

    @Test("Stored values that are cut off, longer or of another format are refused")
    func malformedStores() throws {
        var (initiator, _) = try Agreement.accepted.established(random)
        let key = try initiator.ratchet.sealHeader().encoded.bytes
        let state = initiator.ratchet.encoded.bytes
        func refused(_ bytes: Bytes, _ read: (Bytes) throws(RatchetError) -> Void) {
            do throws(RatchetError) {
                try read(bytes)
                Issue.record("a malformed value was read")
            } catch {
                #expect(error.code == .malformedState)
            }
        }
        for (bytes, read) in [
            (state, { (bytes) throws(RatchetError) in _ = try Ratchet(encoded: SecretBytes(bytes)) }),
            (key, { (bytes) throws(RatchetError) in _ = try RatchetMessageKey(encoded: SecretBytes(bytes)) }),
        ] as [(Bytes, (Bytes) throws(RatchetError) -> Void)] {
            for length in stride(from: 0, to: bytes.count, by: 11) { refused(Bytes(bytes[..<length]), read) }
            refused(bytes + [0], read)
            refused([2] + bytes.dropFirst(), read)
        }
        #expect(throws: RatchetError.self) {
            try SkippedMessageKey(headerKey: SecretBytes([1]), number: 0, key: SecretBytes(Bytes(repeating: 0, count: 48)))
        }
        #expect(throws: RatchetError.self) {
            try SkippedMessageKey(headerKey: SecretBytes(Bytes(repeating: 0, count: 32)), number: 0, key: SecretBytes([1]))
        }
    }

    @Test("Neither a ratchet nor its keys print secrets")
    func printed() throws {
        let (initiator, _) = try Agreement.accepted.established(random)
        var dumped = ""
        dump(initiator.ratchet.rootKey, to: &dumped)
        #expect(dumped.contains("32 secret bytes"))
        #expect("\(initiator.ratchet.key)" == "(private X448 key)")
        #expect(RatchetError(.tooManySkipped(601), "x").description == "tooManySkipped(601): x")
    }
}
