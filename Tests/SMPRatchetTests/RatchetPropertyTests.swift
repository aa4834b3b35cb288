import SMPCrypto
import SMPWire
import Testing

@testable import SMPRatchet

/// Choices that depend on a seed only.
private struct Choices: RandomNumberGenerator {
    private let source: SeededRandomSource

    init(_ source: SeededRandomSource) { self.source = source }

    mutating func next() -> UInt64 { source.bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }
    mutating func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}

/// KEM key pairs that are made once: what is tested is what the ratchets do with them.
private struct KeptKEMKeys: RatchetKeySource {
    static let pairs = (0..<4).map { SNTRUP761.generateKeyPair(SeededRandomSource(seed: [$0, 77])) }
    let choice: SeededRandomSource

    func kemKeyPair() -> SNTRUP761.KeyPair { KeptKEMKeys.pairs[Int(choice.bytes(1)[0] & 3)] }
}

/// Two sides, and messages between them that are lost, repeated and overtaken.
private struct Simulation {
    private struct Envelope {
        let text: String
        let bytes: Bytes
    }

    private let random: SeededRandomSource
    private var choices: Choices
    private var sides: [Side]
    /// Messages on their way to a side.
    private var onTheWay: [[Envelope]] = [[], []]
    private var counts = [0, 0]
    private var received: [Set<String>] = [[], []]
    private(set) var deliveries = 0
    private(set) var pqDeliveries = 0

    init(_ agreement: Agreement, seed: UInt8) throws {
        random = SeededRandomSource(seed: [seed, 1])
        choices = Choices(SeededRandomSource(seed: [seed, 2]))
        let (initiator, joiner) = try agreement.begin(random)
        sides = [initiator, joiner]
    }

    mutating func run(steps: Int, switchesPQ: Bool) throws {
        for _ in 0..<steps {
            let side = Int.random(in: 0...1, using: &choices)
            if choices.happens(50) {
                if sides[side].ratchet.canSend { try send(from: side, switchesPQ) }
            } else if !onTheWay[side].isEmpty {
                try arrive(at: side)
            }
        }
        for side in [0, 1] { while !onTheWay[side].isEmpty { try arrive(at: side) } }
    }

    private mutating func send(from side: Int, _ switchesPQ: Bool) throws {
        let pq: Bool? = switchesPQ && choices.happens(20) ? choices.happens(60) : nil
        counts[side] += 1
        let text = "message \(counts[side]) of \(side)"
        let bytes = try sides[side].seal(text, pq: pq)
        // The joiner's first message always arrives: without it there is no second side.
        if choices.happens(15), counts[side] > 1 { return }
        let copies = choices.happens(15) ? 2 : 1
        onTheWay[1 - side] += Array(repeating: Envelope(text: text, bytes: bytes), count: copies)
    }

    private mutating func arrive(at side: Int) throws {
        let index = choices.happens(60) ? 0 : Int.random(in: 0..<onTheWay[side].count, using: &choices)
        let envelope = onTheWay[side].remove(at: index)
        var receiver = sides[side]
        defer { sides[side] = receiver }
        let before = receiver
        if choices.happens(5) {
            // Somebody changes the header on its way: that leaves everything as it is.
            var garbled = envelope.bytes
            garbled[40] ^= 0x40
            #expect(throws: RatchetError.self) { try receiver.open(garbled, random) }
            #expect(receiver.ratchet == before.ratchet)
            #expect(receiver.skipped.count == before.skipped.count)
        }
        let opened = receiver.ratchet.open(
            envelope.bytes, skipped: &receiver.skipped, keySource: KeptKEMKeys(choice: random), random: random)
        receiver.ratchet = try Ratchet(encoded: receiver.ratchet.encoded)
        if received[side].contains(envelope.text) {
            #expect(throws: RatchetError.self) { try opened.plaintext.get() }
            #expect(receiver.ratchet == before.ratchet, "a repeated message changes nothing")
            #expect(!opened.isChanged)
        } else {
            let plaintext = try opened.plaintext.get()
            #expect(plaintext == Bytes(envelope.text.utf8))
            received[side].insert(envelope.text)
            deliveries += 1
            if receiver.ratchet.isReceivingPQ { pqDeliveries += 1 }
        }
    }
}

@Suite struct RatchetPropertyTests {
    @Test(
        "What arrives is delivered once, whatever is lost, repeated and overtaken, while both sides switch the KEM on and off",
        arguments: Agreement.allCases, UInt8(0)..<6)
    func switching(agreement: Agreement, seed: UInt8) throws {
        var simulation = try Simulation(agreement, seed: seed)
        try simulation.run(steps: 400, switchesPQ: true)
        #expect(simulation.deliveries > 50)
        #expect(simulation.pqDeliveries > 0)
    }

    @Test("The same without switching", arguments: Agreement.allCases, UInt8(100)..<102)
    func steady(agreement: Agreement, seed: UInt8) throws {
        var simulation = try Simulation(agreement, seed: seed)
        try simulation.run(steps: 400, switchesPQ: false)
        #expect(simulation.deliveries > 50)
        #expect((simulation.pqDeliveries > 0) == agreement.joinerWantsKEM)
    }
}
