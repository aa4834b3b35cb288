import ChatAPI
import ChatRules
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

@Suite("The peer of a received event")
struct ReceivingContextTests {
    @Test("a change of a contact that is not there leaves the member at the other end in its place")
    func member() async throws {
        let scene = try await ChannelScene(["ann"])
        let ann = try await scene.member("ann", at: "relay")
        try await scene["relay"].native.engine.transactions.transaction { transaction in
            let connection = try #require(ann.activeConnection)
            let record = try #require(try transaction.db.connections.find(connection.connectionID))
            var context = try transaction.connectionEvents.context(of: record, user: try transaction.user())
            try transaction.connectionEvents.setStatus(.ready, in: &context)
            try transaction.connectionEvents.updateVersions(ChatMessage(versions: .init(1...16), event: .ok), in: &context)
            guard case .member(_, let member) = context.peer else {
                Issue.record("the peer is \(context.peer)")
                return
            }
            #expect(member.chatVersions.maxVersion == 16)
            #expect(try transaction.db.members.find(ann.groupMemberID)?.chatVersions.maxVersion == 16)
        }
        await scene.close()
    }
}
