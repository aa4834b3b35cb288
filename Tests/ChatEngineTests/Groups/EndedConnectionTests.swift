import ChatProtocol
import ChatRules
import GRDB
import Testing

@testable import ChatEngine
@testable import ChatStore

/// What waits for members whose connections end.
@Suite struct EndedConnectionTests {
    /// Members who leave at once, some of whom have something waiting.
    private static func statements(ending count: Int, withMessages waiting: Int, afterDelivery: Bool) async throws -> (asked: Int, left: Int64) {
        let scene = try await RuleScene()
        _ = try await scene.addGroup(with: [:])
        let asked = try await scene.run { transaction in
            let ids = try (0..<count).map { try transaction.insertConnectedMember("m\($0)", role: .member, in: RuleScene.group) }
            try transaction.db.pendingMessages.insert([([1], nil)], for: Array(ids.prefix(waiting)), at: transaction.now)
            let members = try ids.map { try #require(try transaction.db.members.find($0)) }, user = try transaction.user()
            var asked = 0
            transaction.db.trace { if "\($0)".contains("pending_member_messages") { asked += 1 } }
            try transaction.members.deleteConnections(of: members, afterDelivery: afterDelivery, keepsRows: true, user: user)
            transaction.db.trace(options: [])
            return asked
        }
        let left = try await scene.count("pending_member_messages")
        try await scene.close()
        return (asked, left)
    }

    @Test(arguments: [1, 40], [false, true]) func whereNothingWaitsOneQueryLooksForIt(_ count: Int, _ afterDelivery: Bool) async throws {
        let (asked, left) = try await Self.statements(ending: count, withMessages: 0, afterDelivery: afterDelivery)
        #expect(asked == 1 && left == 0)
    }

    @Test func whatWaitsForSomeOfThemIsDeletedAtOnce() async throws {
        let (asked, left) = try await Self.statements(ending: 40, withMessages: 30, afterDelivery: false)
        #expect(asked == 2 && left == 0)
    }
}
