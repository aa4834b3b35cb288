import SMPCrypto
import SMPProtocol
import SMPWire

@testable import SMPAgent
@testable import SMPRatchet

/// What passes between agents, inside the encryption of queues.
extension FuzzTarget {
    static let envelope = FuzzTarget("envelope") {
        try Seeds.bytes("agent_messages", "links")
    } run: { input throws(FuzzFault) in
        try check(ClientEnvelope.self, input)
        try check(ClientMessage.self, input)
        try check(AgentEnvelope.self, input)
    }

    static let agentMessage = FuzzTarget("agent-message") {
        try Seeds.bytes("agent_messages")
    } run: { input throws(FuzzFault) in
        guard let message = try? AgentMessage(wireBytes: input) else { return }
        if case .connectionInfoReply = message {
            // A queue's mode is read whatever its version, and written from that on that has it: without it, the first byte of the information
            // behind it may be taken for one.
            return try FuzzFault.unless((try? AgentMessage(wireBytes: message.wireBytes)) != nil, "\(message) is not read")
        }
        switch message {
        // So is the mode of a queue's address in these.
        case .message(_, .queueAdd), .message(_, .queueKey): try FuzzFault.unlessWrittenAgain(message)
        default: try FuzzFault.unlessReadAgain(message)
        }
        _ = try? AgentMessage(receiving: input)
    }

    /// A message's header as it is sent and, in both versions, as it is inside its encryption.
    static let ratchetHeader = FuzzTarget("ratchet-header") {
        try Seeds.bytes("ratchet")
    } run: { input throws(FuzzFault) in
        _ = try? EncryptedMessage(input)
        _ = try? EncryptedHeader(input)
        for version in RatchetVersion.kdf...RatchetVersion.kem {
            guard let header = try? MessageHeader(input, version: version) else { continue }
            let again = try? MessageHeader(header.encoded(version: version), version: version)
            try FuzzFault.unless(again == header, "a header of version \(version) is written and read as another")
        }
        if let ratchet = try? Ratchet(encoded: SecretBytes(input)) {
            try FuzzFault.unless((try? Ratchet(encoded: ratchet.encoded)) == ratchet, "a ratchet is stored and read as another")
        }
    }

    static let ratchetParameters = FuzzTarget("ratchet-parameters") {
        try Seeds.bytes("ratchet") + Seeds.texts("ratchet", "links")
    } run: { input throws(FuzzFault) in
        try check(RatchetParameters.self, input)
        try check(RatchetParametersURI.self, input)
        try check(text: RatchetParametersURI.self, input)
    }

    /// The input says which side sends, and what becomes of each message on its way.
    static let ratchetConversation = FuzzTarget("ratchet-conversation", maximumLength: 128) {
        [[0, 3, 1, 2], [0, 0, 0, 19, 3, 3, 1, 18, 4, 22], [0, 1, 0, 1, 0, 1, 3, 2, 3, 2, 3, 2, 6, 7]]
    } run: { input throws(FuzzFault) in
        do {
            var conversation = try FuzzedConversation()
            for step in input { try conversation.take(step) }
            try conversation.finish()
        } catch let error as FuzzFault {
            throw error
        } catch {
            throw FuzzFault("\(error)")
        }
    }
}

/// Two ratchets with messages that are under way between them.
private struct FuzzedConversation {
    private struct Side {
        var ratchet: Ratchet
        var skipped = SkippedMessageKeys()
        /// What is under way to this side, with what it says.
        var coming: [(bytes: Bytes, text: Bytes)] = []
        var opened: [Bytes] = []

        mutating func open(_ bytes: Bytes, _ random: any RandomSource) -> Result<Bytes, RatchetError> {
            ratchet.open(bytes, skipped: &skipped, random: random).plaintext
        }
    }

    /// The header's length, the header with its version, IV and tag around 88 bytes, and the body's tag.
    private static let headerEnd = 2 + 2 + 16 + 16 + 2 + 88

    private var sides: [Side]
    private let random = SeededRandomSource(seed: 1)
    private var sent: UInt8 = 0

    init() throws {
        let keys = AgreementKeys(proposingKEM: false, random: random)
        let (joiner, answer) = try Ratchet.answer(keys.offer(version: RatchetVersion.kem), pqSupport: false, random: random)
        let initiator = try Ratchet(receivingFrom: answer, keys: keys, pqSupport: false)
        sides = [Side(ratchet: joiner), Side(ratchet: initiator)]
    }

    /// The lower bits say what is done by whom, the upper bits to which message.
    mutating func take(_ step: UInt8) throws {
        let side = Int(step & 1), place = Int(step >> 4)
        switch step >> 1 & 7 {
        case 0: try send(from: side)
        case 1, 2:
            guard let index = index(place, side) else { return }
            try open(sides[side].coming.remove(at: index), side)
        case 3:
            guard let index = index(place, side) else { return }
            _ = sides[side].coming.remove(at: index)
        case 4:
            guard let index = index(place, side) else { return }
            var bytes = sides[side].coming[index].bytes
            let place = Int(step) * 31 % bytes.count
            bytes[place] ^= 1
            try refuse(bytes, side, "a changed message")
            // A good header with a bad body has used the message's key up.
            if place > Self.headerEnd { sides[side].coming.remove(at: index) }
        case 5:
            guard let again = sides[side].opened.last else { return }
            try refuse(again, side, "a repeated message")
        default: sides[side].ratchet = try Ratchet(encoded: sides[side].ratchet.encoded)
        }
    }

    /// Whatever was lost and changed before, the sides can talk.
    mutating func finish() throws {
        for side in [0, 1, 0, 1] {
            guard sides[side].ratchet.canSend else { continue }
            try send(from: side)
            if let last = sides[1 - side].coming.popLast() { try open(last, 1 - side) }
        }
    }

    private func index(_ place: Int, _ side: Int) -> Int? {
        sides[side].coming.isEmpty ? nil : place % sides[side].coming.count
    }

    private mutating func send(from side: Int) throws {
        guard sides[side].ratchet.canSend else { return }
        sent &+= 1
        let bytes = try sides[side].ratchet.sealHeader(pqEncryption: nil).sealMessage([sent], paddedTo: 50)
        sides[1 - side].coming.append((bytes, [sent]))
    }

    private mutating func open(_ message: (bytes: Bytes, text: Bytes), _ side: Int) throws {
        let text = try sides[side].open(message.bytes, random).get()
        try FuzzFault.unless(text == message.text, "\(message.text) was sent and \(text) received")
        sides[side].opened.append(message.bytes)
    }

    private mutating func refuse(_ bytes: Bytes, _ side: Int, _ what: String) throws {
        guard case .failure = sides[side].open(bytes, random) else { throw FuzzFault("\(what) was opened") }
    }
}
