import ChatAPI
import ChatRules
import EncryptedSQLite
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// The count of messages in the support chat of a member that no moderator has answered.
@Suite("Attention of moderators")
struct SupportAttentionTests {
    private static let profile = #""displayName":"team","fullName":"","groupPreferences":{"support":{"enable":"on"}}"#

    /// A group in which Bob has written to the moderators.
    ///
    /// - Returns: The scene, and Bob as Alice knows him.
    private func scene(_ texts: [String]) async throws -> (GroupScene, GroupMemberID) {
        let scene = try await GroupScene(["alice", "bob"], profile: Self.profile)
        for text in texts { try await scene.send(text, as: "bob", scope: "(_support)") }
        await scene.eventually("all have come", at: "alice") { try await attention(in: scene) == texts.count }
        return (scene, try await scene.member("bob", at: "alice").groupMemberID)
    }

    /// The unanswered messages, as the list of members shows them.
    private func attention(in scene: GroupScene) async throws -> Int {
        try await scene.member("bob", at: "alice").supportChat?.memberAttention ?? 0
    }

    /// The counts that a page of the support chat shows.
    private func page(_ pagination: String, of member: GroupMemberID, in scene: GroupScene) async throws -> (unanswered: Int, members: Int) {
        guard case .apiChat(_, let chat, _) = try await scene["alice"].run("/_get chat #1(_support:\(member)) \(pagination)"),
            case .group(let group, .memberSupport(let shown?)) = chat.chatInfo
        else { throw UnexpectedAnswer() }
        return (shown.supportChat?.memberAttention ?? -1, group.membersRequireAttention)
    }

    @Test("an answer of this profile counts when the chat is looked at")
    func answered() async throws {
        let (scene, bob) = try await scene(["help", "please"])
        try await scene.send("what is it?", as: "alice", scope: "(_support:\(bob))")
        #expect(try await attention(in: scene) == 2)
        let shown = try await page("count=10", of: bob, in: scene)
        #expect(shown == (0, 0))
        #expect(try await attention(in: scene) == 0)
        #expect(try await scene.info(at: "alice").membersRequireAttention == 0)
        // The messages themselves are still unread.
        #expect(try await scene.member("bob", at: "alice").supportChat?.unread == 2)
        await scene.close()
    }

    @Test("which part of the chat is looked at makes no difference")
    func anyPage() async throws {
        let (scene, bob) = try await scene(["one", "two", "three"])
        let first = try #require(await scene.items(at: "alice", scope: "(_support:\(bob))").first { $0.meta.text == "two" }).meta.itemID
        for pagination in ["count=1", "before=\(first) count=5", "after=\(first) count=1", "count=10 search=one", "count=0"] {
            let shown = try await page(pagination, of: bob, in: scene)
            #expect(shown == (3, 1), "\(pagination)")
        }
        #expect(try await scene.info(at: "alice").membersRequireAttention == 1)
        await scene.close()
    }

    @Test("messages that are read one by one count down, and one in the middle answers those before it")
    func read() async throws {
        let (scene, bob) = try await scene(["one", "two", "three"])
        let items = await scene.items(at: "alice", scope: "(_support:\(bob))").filter { $0.content.message != nil }
        _ = try await scene["alice"].run("/_read chat items #1(_support:\(bob)) \(items[1].meta.itemID)")
        #expect(try await attention(in: scene) == 2)
        #expect(try await page("count=10", of: bob, in: scene) == (1, 1))
        _ = try await scene["alice"].run("/_read chat items #1(_support:\(bob)) \(items[2].meta.itemID)")
        #expect(try await attention(in: scene) == 0)
        #expect(try await scene.info(at: "alice").membersRequireAttention == 0)
        // What comes now is unanswered again.
        try await scene.send("four", as: "bob", scope: "(_support)")
        await scene.eventually("it has come", at: "alice") { try await attention(in: scene) == 1 }
        #expect(try await scene.info(at: "alice").membersRequireAttention == 1)
        _ = try await scene["alice"].run("/_read chat #1(_support:\(bob))")
        #expect(try await page("count=10", of: bob, in: scene) == (0, 0))
        await scene.close()
    }

    @Test("a message that follows an answer is unanswered, however slow the clock of its router is")
    func slowClock() async throws {
        let (scene, bob) = try await scene(["one"])
        try await scene.send("what is it?", as: "alice", scope: "(_support:\(bob))")
        try await scene.send("two", as: "bob", scope: "(_support)")
        await scene.eventually("all have come", at: "alice") { try await attention(in: scene) == 2 }
        try await scene["alice"].native.engine.transactions.transaction { transaction in
            try transaction.db.run("UPDATE chat_items SET item_ts = CASE WHEN sent THEN 9000000000 ELSE 5000000000 END WHERE scope = 'support'")
        }
        #expect(try await page("count=10", of: bob, in: scene) == (1, 1))
        await scene.close()
    }

    @Test("the support chat of this profile has no such count")
    func ownChat() async throws {
        let (scene, bob) = try await scene(["help"])
        try await scene.send("here", as: "alice", scope: "(_support:\(bob))")
        await scene.expect("here", at: "bob", scope: "(_support)")
        guard case .apiChat(_, let chat, _) = try await scene["bob"].run("/_get chat #1(_support) count=10"),
            case .group(let group, .memberSupport(nil)) = chat.chatInfo
        else { throw UnexpectedAnswer() }
        #expect(group.membersRequireAttention == 0 && group.membership.supportChat?.memberAttention == 0)
        await scene.close()
    }
}
