import ChatAPI
import ChatProtocol
import ChatRules
import SMPAgent
import SMPProtocol
import SMPWire
import Testing

@testable import ChatEngine

@Suite("A received message that is refused")
struct SavepointTests {
    private static func event(_ messages: [ChatMessageEvent]) throws -> Incoming {
        let bodies = try messages.enumerated().map { index, message in
            try ChatMessage(messageID: SharedMessageID(Bytes(repeating: UInt8(index), count: 12)), event: message).body(limit: 15_000)
        }
        guard case .batch(let body, _)? = MessageBatching.batches(of: bodies, mode: .json).first else { throw UnexpectedAnswer() }
        let metadata = MessageMetadata(
            integrity: .ok, messageID: 5, receivedAt: 1_790_000_000_000, brokerID: [1], brokerTime: 1_790_000_000_000, senderMessageID: 5,
            pqEncryption: false)
        return Incoming(AgentNotification(connection: ConnectionID([1]), event: .message(metadata, MessageFlags(notification: true), body)))
    }

    @Test("leaves nothing half-written, and the other messages of its batch are stored")
    func halfWritten() async throws {
        let memory = try await MemoryStore()
        // A call adds its item and is then answered; the answer is refused, as the connection cannot send yet.
        let contact = try await memory.addContact("bob", 1, status: .joined)
        let call = ChatMessageEvent.callInvitation(
            CallID(Bytes(repeating: 2, count: 16)), CallInvitation(callType: CallType(media: .audio, encryption: true)))
        let incoming = try Self.event([.newMessage(MessageContainer(content: .text("before"))), call, .newMessage(MessageContainer(content: .text("after")))])
        let (texts, effects) = try await memory.run { transaction in
            try transaction.incomingEvents.receive(incoming)
            let page = try transaction.chats.page(of: .direct(contact), content: nil, .last(100), search: nil)
            guard case .apiChat(_, let chat, _) = page else { throw UnexpectedAnswer() }
            return chat.chatItems.map(\.content)
        }
        #expect(texts.compactMap(\.message?.text) == ["before", "after"])
        #expect(!texts.contains { if case .receivedCall = $0 { true } else { false } })
        let errors = effects.events.filter { if case .chatError = $0 { true } else { false } }
        #expect(errors.count == 1)
        #expect(effects.deliveries.isEmpty)
        try await memory.close()
    }
}
