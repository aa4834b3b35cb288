import ChatAPI
import ChatProtocol
import SMPWire
import Testing

@testable import ChatRules

@Suite("Messages ready to be sent")
struct OutgoingMessageTests {
    private static let id = SharedMessageID(Bytes(repeating: 1, count: 12))

    @Test(
        "a message notifies its recipient, and an edit does not; one encoded earlier does, as it may be a message"
    )
    func notifications() throws {
        #expect(
            try OutgoingMessage(.newMessage(MessageContainer(content: .text("a"))), id: Self.id).notifies)
        #expect(
            try !OutgoingMessage(
                .updateMessage(MessageUpdate(messageID: Self.id, content: .text("a"))), id: Self.id
            ).notifies)
        #expect(OutgoingMessage(encoded: [], id: Self.id, itemID: nil).notifies)
    }

    @Test("what does not fit in a message is refused")
    func size() throws {
        let long = MessageContainer(content: .text(String(repeating: "a", count: 20_000)))
        #expect(throws: Refusal.store(.largeMessage)) {
            try OutgoingMessage(.newMessage(long), id: Self.id)
        }
    }
}
