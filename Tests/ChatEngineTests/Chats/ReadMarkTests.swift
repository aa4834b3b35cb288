import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// What is read and what is not, by chat and by profile.
@Suite struct ReadMarkTests {
    private static let group = ChatReference.group(RuleScene.group)

    private struct Scene: Sendable {
        let rules: RuleScene
        let bob: ContactID
        let cath: GroupMemberID
        let own: MemberID

        /// Unread messages of the profile, as the list of profiles shows them.
        func unread() async throws -> Int { try await rules.run { try $0.db.users.unreadCount(ofUser: MemoryStore.user) } }
    }

    /// Two unread messages of a contact, and three of a member, one of which mentions this profile.
    private func scene() async throws -> Scene {
        let rules = try await RuleScene(), bob = try await rules.addContact("bob")
        let members = try await rules.addGroup(with: ["cath": .member]), cath = try #require(members["cath"])
        let own = try await rules.group().membership.memberID
        try await rules.receive(["one", "two"].map { .newMessage(MessageContainer(content: .text($0))) }, from: .contact(bob))
        try await rules.receive(["three", "four"].map { .newMessage(MessageContainer(content: .text($0))) }, from: .member(cath))
        try await rules.receive([.newMessage(MessageContainer(content: .text("hi @alice"), mentions: ["alice": own]))], from: .member(cath))
        return Scene(rules: rules, bob: bob, cath: cath, own: own)
    }

    @Test func aProfileCountsTheUnreadMessagesOfItsChatsAsTheyAreToNotify() async throws {
        let scene = try await scene()
        #expect(try await scene.unread() == 5)
        func set(_ chat: ChatReference, _ filter: NotificationFilter) async throws {
            _ = try await scene.rules.run { try $0.chats.set(ChatSettings(notifications: filter, isFavorite: false), of: chat) }
        }
        try await set(Self.group, .mentions)
        #expect(try await scene.unread() == 3)
        try await set(Self.group, NotificationFilter.none)
        #expect(try await scene.unread() == 2)
        try await set(.direct(scene.bob), NotificationFilter.none)
        #expect(try await scene.unread() == 0)
        // Muted messages are unread all the same.
        #expect(try await scene.rules.run { try $0.db.items.stats(ofGroup: RuleScene.group).unreadCount } == 3)
        try await scene.rules.close()
    }

    @Test func readingAChatReadsItsMessagesAndTakesItsMarkAway() async throws {
        let scene = try await scene(), bob = scene.bob
        for chat in [ChatReference.direct(bob), Self.group] {
            _ = try await scene.rules.run { try $0.chats.markUnread(chat, true) }
            _ = try await scene.rules.run { try $0.chats.markRead(chat) }
        }
        #expect(try await scene.unread() == 0)
        #expect(try await scene.rules.run { try $0.db.items.stats(ofContact: bob) } == ChatStats())
        #expect(try await scene.rules.run { try $0.db.items.stats(ofGroup: RuleScene.group) } == ChatStats())
        try await scene.rules.close()
    }

    @Test func readingSomeMessagesLeavesTheOthersAndTheMarkOfTheChat() async throws {
        let scene = try await scene(), bob = scene.bob, chat = ChatReference.direct(bob), items = try await scene.rules.messages(in: chat)
        _ = try await scene.rules.run { try $0.chats.markUnread(chat, true) }
        _ = try await scene.rules.run { try $0.chats.markRead(chat, items: [items[0].id, 999]) }
        let stats = ChatStats(unreadCount: 1, minUnreadItemID: items[1].id, unreadChat: true)
        #expect(try await scene.rules.run { try $0.db.items.stats(ofContact: bob) } == stats)
        let posts = try await scene.rules.messages(in: Self.group)
        _ = try await scene.rules.run { try $0.chats.markRead(Self.group, items: [posts[2].id]) }
        #expect(try await scene.rules.run { try $0.db.items.stats(ofGroup: RuleScene.group) } == ChatStats(unreadCount: 2, minUnreadItemID: posts[0].id))
        // Items of another chat are not read by this one.
        _ = try await scene.rules.run { try $0.chats.markRead(chat, items: posts.map(\.id)) }
        _ = try await scene.rules.run { try $0.chats.markRead(Self.group, items: items.map(\.id)) }
        #expect(try await scene.unread() == 3)
        try await scene.rules.close()
    }

    @Test func everythingIsReadAtOnceInSupportChatsAndNotesToo() async throws {
        let scene = try await scene(), rules = scene.rules
        let cathID = try await rules.run { [cath = scene.cath] in try #require(try $0.db.members.memberIdentifier(cath)) }
        try await rules.receive([.newMessage(MessageContainer(content: .text("help"), scope: .member(cathID)))], from: .member(scene.cath))
        _ = try await rules.run { try $0.chats.markUnread(.local(try $0.conversations.noteFolderID(of: try $0.user())), true) }
        #expect(try await rules.group().membersRequireAttention == 1)
        try await rules.run { try $0.chats.markAllRead(of: try $0.user()) }
        #expect(try await scene.unread() == 0)
        let support = try await rules.member(scene.cath).supportChat
        #expect(support?.unread == 0 && support?.memberAttention == 0)
        #expect(try await rules.group().membersRequireAttention == 0)
        #expect(try await rules.count("chat_items WHERE status = 'rcvNew'") == 0)
        #expect(try await rules.count("note_folders WHERE unread_chat = 1") == 0)
        try await rules.close()
    }

    @Test func whoWaitsToBeLetInAsksForAttentionAlsoWhenEverythingIsRead() async throws {
        let scene = try await scene(), rules = scene.rules
        try await rules.run { [cath = scene.cath] transaction in
            try transaction.db.members.update(cath, status: .pendingReview, at: transaction.now)
            try transaction.db.groups.update(RuleScene.group, attentionBy: 1)
            try transaction.chats.markAllRead(of: try transaction.user())
        }
        #expect(try await rules.group().membersRequireAttention == 1)
        try await rules.close()
    }

    @Test func anotherProfileReadsNothingOfThisOne() async throws {
        let scene = try await scene(), rules = scene.rules, bob = scene.bob
        let other = try await rules.run { transaction in
            try transaction.db.users.insert(
                NewUserRecord(agentUserID: 2, profile: Profile(displayName: "mallory", fullName: ""), isChatRelay: false, createdAt: transaction.now))
        }
        let item = try await rules.messages(in: .direct(scene.bob))[0].id, post = try await rules.messages(in: Self.group)[0].id
        #expect(try await rules.refusal(as: other) { try $0.chats.markRead(.direct(bob)) } == "userNotFoundByContactId")
        #expect(try await rules.refusal(as: other) { try $0.chats.markRead(.direct(bob), items: [item]) } == "userNotFoundByContactId")
        #expect(try await rules.refusal(as: other) { try $0.chats.markRead(Self.group) } == "userNotFoundByGroupId")
        #expect(try await rules.refusal(as: other) { try $0.chats.markRead(Self.group, items: [post]) } == "userNotFoundByGroupId")
        try await rules.run(as: other) { try $0.chats.markAllRead(of: try $0.user()) }
        #expect(try await scene.unread() == 5)
        try await rules.close()
    }
}
