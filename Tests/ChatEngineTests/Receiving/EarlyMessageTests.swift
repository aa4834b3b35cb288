import ChatAPI
import ChatProtocol
import ChatRules
import SMPAgent
import Testing

@testable import ChatEngine

@Suite("Messages that come before the agent says that a contact is connected")
struct EarlyMessageTests {
    @Test func theChatHasItsHeadAllTheSame() async throws {
        let world = TestWorld()
        let alice = try await world.core("alice")
        let bob = try await world.open(agent: .light, reports: { $0.withLateConnections() })
        _ = try await bob.createUser("bob")
        _ = await alice.answer("/_address 1")
        _ = try await alice.run(
            #"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false},"autoReply":{"type":"text","text":"Welcome!"}}"#)
        guard case .userContactLink(_, let link) = try await alice.run("/_show_address 1") else { throw UnexpectedAnswer() }
        try await bob.join(link.connectionLink.fullLink)
        try #require(await bob.eventually { await bob.connected().count == 1 })
        let contact = try #require(await bob.connected().first)
        #expect(await bob.received(from: contact) == ["Welcome!"])
        let chat = await bob.answer("/_get chat @\(contact) count=50")
        let kinds = chat["chat"]?["chatItems"]?.arrayValue?.compactMap { $0["content"]?["type"]?.stringValue } ?? []
        #expect(kinds.prefix(2) == ["chatBanner", "rcvMsgContent"], "\(kinds)")
        #expect(kinds.count { $0 == "chatBanner" } == 1)
        #expect(kinds.contains("rcvDirectE2EEInfo"))
        #expect(kinds.count { $0 == "rcvChatFeature" } > 3, "\(kinds)")
        await alice.close()
        await bob.close()
    }
}

extension AsyncStream<AgentNotification> {
    /// The events, where connections are complete only once a message has come over them.
    fileprivate func withLateConnections() -> AsyncStream<AgentNotification> {
        let (stream, continuation) = AsyncStream.makeStream()
        Task {
            var late: [ConnectionID: AgentNotification] = [:], spoken: Set<ConnectionID> = []
            for await notification in self {
                switch (notification.event, notification.connection) {
                case (.connected, let connection?) where !spoken.contains(connection): late[connection] = notification
                case (.message, let connection?):
                    spoken.insert(connection)
                    continuation.yield(notification)
                    if let connected = late.removeValue(forKey: connection) { continuation.yield(connected) }
                default: continuation.yield(notification)
                }
            }
            continuation.finish()
        }
        return stream
    }
}
