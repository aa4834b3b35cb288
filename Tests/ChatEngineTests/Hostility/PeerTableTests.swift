import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Bounds of tables that received messages fill.
@Suite("What peers leave in each table")
struct PeerTableTests {
    @Test("of moderations that wait for messages the newest thousand of a moderator stay, and those of another are not touched")
    func moderations() async throws {
        let scene = try await RuleScene(), limit = ModerationTable.earlyModerationLimit
        let members = try await scene.addGroup(with: ["bob": .member, "mod": .moderator, "admin": .admin])
        let bob = try await scene.member(try #require(members["bob"])).memberID
        let mod = try #require(members["mod"]), admin = try #require(members["admin"])
        func delete(_ id: SharedMessageID) -> HostileMessage { HostileMessage("", .deleteMessage(MessageDeletion(messageID: id, memberID: bob))) }
        let other = SharedMessageID.random(), newest = SharedMessageID.random()
        _ = try await scene.effects(ofBody: HostileBody([delete(other)]).bytes, from: .member(admin))
        for number in 0..<(limit / 250 + 1) {
            let body = try HostileBody((0..<250).map { _ in delete(.random()) })
            _ = try await scene.effects(ofBody: body.bytes, from: .member(mod), after: Int64(number))
        }
        _ = try await scene.effects(ofBody: HostileBody([delete(newest)]).bytes, from: .member(mod), after: 100)
        #expect(try await scene.count("item_moderations WHERE moderator_id = \(mod)") == Int64(limit))
        for id in [other, newest] {
            try await scene.receive([.newMessage(MessageContainer(content: .text("spam")))], from: .member(try #require(members["bob"])), id: id, after: 200)
        }
        let deleted = try await scene.messages(in: .group(RuleScene.group)).map { $0.meta.deleted != nil }
        #expect(deleted == [true, true])
        // No router has what they wait for any more.
        try await scene.run { _ = try $0.db.moderations.delete(before: MemoryStore.now.adding(seconds: 101), limit: 10_000) }
        #expect(try await scene.count("item_moderations") == 0)
        try await scene.close()
    }

    @Test("of ids that another author has used a thousand of an author are kept for each of what is signed and what is not, and the rest is dropped")
    func reusedIDs() async throws {
        let scene = try await RuleScene(), limit = ReceivedMessageTable.reusedIDLimit
        let members = try await scene.addGroup(with: ["bob": .member, "eve": .member])
        let bob = try #require(members["bob"]), eve = try #require(members["eve"])
        try await scene.run { (transaction: ChatTransaction) throws in
            func insert(_ id: SharedMessageID = .random(), by author: GroupMemberID?, isKept: Bool) throws -> Bool {
                try transaction.db.receivedMessages.insertReusedMessageID(id, group: RuleScene.group, author: author, isKept: isKept, at: transaction.now)
            }
            let first = SharedMessageID.random()
            #expect(try insert(first, by: eve, isKept: false))
            #expect(try !insert(first, by: eve, isKept: false), "once")
            for _ in 1..<limit { #expect(try insert(by: eve, isKept: false)) }
            #expect(try !insert(by: eve, isKept: false))
            #expect(try !insert(first, by: eve, isKept: false), "what came before is still known")
            // What is forged takes no room of what is signed, nor of others.
            for _ in 0..<limit { #expect(try insert(by: eve, isKept: true)) }
            #expect(try !insert(by: eve, isKept: true))
            for isKept in [true, false] { #expect(try insert(by: bob, isKept: isKept)) }
            #expect(try insert(by: nil, isKept: false))
            // What is not signed is forgotten with the messages themselves.
            #expect(try transaction.db.receivedMessages.deleteReusedMessageIDs(before: transaction.now.adding(seconds: 1), limit: 10_000) == limit + 2)
            #expect(try insert(by: eve, isKept: false))
        }
        #expect(try await scene.count("reused_group_message_ids WHERE is_kept = 1") == Int64(limit) + 1)
        try await scene.close()
    }

    @Test("of the versions of an edited message the first and the newest stay")
    func versions() async throws {
        let scene = try await RuleScene(), limit = ItemTable.versionLimit, id = SharedMessageID.random()
        let mallory = try await scene.addContact("mallory")
        func send(_ events: [ChatMessageEvent]) async throws {
            let body = try HostileBody(events.map { HostileMessage("", $0) })
            _ = try await scene.effects(ofBody: body.bytes, from: .contact(mallory))
        }
        try await scene.receive([.newMessage(MessageContainer(content: .text("first")))], from: .contact(mallory), id: id)
        for run in 0..<2 {
            try await send((0..<(limit / 2 + 20)).map { .updateMessage(MessageUpdate(messageID: id, content: .text("edit \(run) \($0)"))) })
        }
        #expect(try await scene.count("chat_item_versions") == Int64(limit))
        let versions = try await scene.run { transaction in try transaction.db.items.versions(item: 1).map(\.content.text) }
        #expect(versions.last == "first" && versions.first == "edit 1 \(limit / 2 + 19)" && versions.count == limit)
        try await scene.close()
    }
}
