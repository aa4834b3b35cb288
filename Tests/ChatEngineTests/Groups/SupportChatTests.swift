import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// The conversations of members with the moderators: who is in them, what is counted, and how they end.
@Suite struct SupportChatTests {
    private static let main = ChatReference.group(RuleScene.group)

    private func support(_ member: GroupMemberID?) -> ChatReference { .group(RuleScene.group, scope: .memberSupport(member)) }

    private func text(_ text: String, to subject: MemberID? = nil) -> ChatMessageEvent {
        .newMessage(MessageContainer(content: .text(text), scope: subject.map(MessageScope.member)))
    }

    /// A group with two members and two moderators; Bob has asked the moderators something.
    private func scene(_ texts: [String] = ["help"]) async throws -> (RuleScene, [String: GroupMemberID], bob: MemberID) {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(with: ["bob": .member, "cath": .member, "mod": .moderator, "mia": .moderator])
        try await scene.updateApps()
        let id = try #require(members["bob"])
        let bob = try await scene.run { try #require(try $0.db.members.memberIdentifier(id)) }
        for text in texts { try await scene.receive([self.text(text, to: bob)], from: .member(id)) }
        return (scene, members, bob)
    }

    private func counts(_ scene: RuleScene, _ id: GroupMemberID) async throws -> [Int] {
        let chat = try await scene.member(id).supportChat
        return [chat?.unread, chat?.memberAttention, chat?.mentions].map { $0 ?? -1 }
    }

    @Test func whatAMemberWritesToTheModeratorsIsSeenThereOnlyAndCounts() async throws {
        let (scene, members, _) = try await scene(["one", "two"])
        let bob = try #require(members["bob"])
        #expect(try await scene.texts(in: support(bob)) == ["one", "two"])
        #expect(try await scene.texts(in: Self.main).isEmpty)
        #expect(try await counts(scene, bob) == [2, 2, 0])
        #expect(try await scene.group().membersRequireAttention == 1)
        // The list of chats counts what all see only.
        let unread = try await scene.run { try $0.db.items.stats(ofGroup: RuleScene.group).unreadCount }
        #expect(unread == 0)
        try await scene.close()
    }

    @Test func anAnswerGoesToTheMemberAndTheOtherModeratorsAndToNobodyElse() async throws {
        let (scene, members, bobID) = try await scene()
        let bob = try #require(members["bob"])
        let receivers = try await scene.memory.run { transaction in
            try transaction.send(ComposedMessage(content: .text("answer")), to: .group(RuleScene.group, scope: .memberSupport(bob)))
        }.1.deliveries.map(\.connectionID)
        let expected = try await scene.run { transaction in
            try ["bob", "mod", "mia"].map { name in
                let id = try #require(members[name])
                return try #require(try transaction.db.connections.find(ofMember: id)).id
            }
        }
        #expect(Set(receivers) == Set(expected) && receivers.count == 3)
        let sent = try await scene.memory.run { try $0.send(ComposedMessage(content: .text("more")), to: .group(RuleScene.group, scope: .memberSupport(bob))) }
            .1.sent
        guard case .newMessage(let container)? = sent.first else { throw UnexpectedAnswer() }
        #expect(container.scope == .member(bobID))
        try await scene.close()
    }

    @Test func aModeratorBeginsATalkWithAMemberAlthoughSupportIsOffAndTheMemberDoesNot() async throws {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(with: ["bob": .member]) { $0.set(.support, .off) }
        let bob = try #require(members["bob"])
        try await scene.send("a word with you", to: support(bob))
        #expect(try await scene.texts(in: support(bob)) == ["a word with you"])
        #expect(try await scene.member(bob).supportChat != nil, "sending makes the chat")
        try await scene.run { transaction in
            let own = try transaction.conversations.group(RuleScene.group, of: try transaction.user()).membership.groupMemberID
            try transaction.db.members.update(own, role: .member, at: transaction.now)
        }
        let own = support(nil)
        let refusal = try await scene.refusal { try $0.send(ComposedMessage(content: .text("help")), to: own) }
        #expect(refusal != nil)
        try await scene.close()
    }

    @Test func aModeratorsMessageInTheChatIsNotOneThatWaitsForAnAnswer() async throws {
        let (scene, members, bobID) = try await scene()
        let bob = try #require(members["bob"])
        try await scene.receive([text("I take it", to: bobID)], from: .member(try #require(members["mod"])), after: 10)
        #expect(try await counts(scene, bob) == [2, 0, 0], "both are unread, and the member is answered")
        #expect(try await scene.group().membersRequireAttention == 0)
        try await scene.receive([text("thank you", to: bobID)], from: .member(bob), after: 20)
        #expect(try await counts(scene, bob) == [3, 1, 0])
        try await scene.close()
    }

    @Test func aMemberWritesIntoNoSupportChatButItsOwn() async throws {
        let (scene, members, bobID) = try await scene()
        let told = try await scene.receive([text("me too", to: bobID)], from: .member(try #require(members["cath"])))
        #expect(told.events.messageErrors == ["member is not allowed to send to this support chat"])
        #expect(try await scene.texts(in: support(members["bob"])) == ["help"])
        let nobody = try await scene.receive([text("hello?", to: MemberID([9]))], from: .member(try #require(members["mod"])))
        #expect(nobody.events.types == ["chatError"], "the member is not known")
        try await scene.close()
    }

    @Test func readingAllClearsTheCountsAndReadingOneTakesItOut() async throws {
        let (scene, members, _) = try await scene(["one", "two", "three"])
        let bob = try #require(members["bob"]), chat = support(bob), items = try await scene.messages(in: chat)
        _ = try await scene.run { try $0.chats.markRead(chat, items: [items[0].id, items[0].id]) }
        #expect(try await counts(scene, bob) == [2, 2, 0], "what is read twice counts once")
        guard case .memberSupportChatRead(_, let group, let member) = try await scene.run({ try $0.chats.markRead(chat) }) else { throw UnexpectedAnswer() }
        #expect(group.membersRequireAttention == 0 && member.supportChat?.unread == 0)
        #expect(try await counts(scene, bob) == [0, 0, 0])
        try await scene.close()
    }

    @Test func anItemCountsInItsOwnChatWhateverChatTheCommandNames() async throws {
        let (scene, members, _) = try await scene(["one", "two"])
        let bob = try #require(members["bob"]), cath = try #require(members["cath"])
        try await scene.receive([text("to all")], from: .member(cath))
        let seenByAll = try #require(try await scene.messages(in: Self.main).first).id, asked = try await scene.messages(in: support(bob))[0].id
        // Apps read reports, which are in the support chats of their authors, by the group.
        _ = try await scene.run { try $0.chats.markRead(Self.main, items: [asked]) }
        #expect(try await counts(scene, bob) == [1, 1, 0])
        _ = try await scene.run { [support = support(bob)] in try $0.chats.markRead(support, items: [seenByAll]) }
        #expect(try await counts(scene, bob) == [1, 1, 0], "what all see is counted in no support chat")
        #expect(try await scene.run { try $0.db.items.stats(ofGroup: RuleScene.group).unreadCount } == 0, "it is read")
        try await scene.close()
    }

    @Test func aDeletedMessageCountsNoLonger() async throws {
        let (scene, members, _) = try await scene(["one", "two"])
        let bob = try #require(members["bob"]), chat = support(bob), first = try await scene.messages(in: chat)[0].id
        _ = try await scene.run { try $0.sentMessages.delete([first], of: chat, .internal) }
        #expect(try await counts(scene, bob) == [1, 1, 0])
        try await scene.close()
    }

    @Test func aSupportChatIsDeletedWithItsMessagesAndOnlyIfItIsThereAndNobodyWaitsInIt() async throws {
        let (scene, members, bobID) = try await scene()
        let bob = try #require(members["bob"]), cath = try #require(members["cath"])
        #expect(try await scene.refusal { try $0.members.deleteSupportChat(of: cath, in: RuleScene.group) } == "member has no support chat")
        try await scene.run { try $0.db.members.update(bob, status: .pendingReview, at: $0.now) }
        #expect(try await scene.refusal { try $0.members.deleteSupportChat(of: bob, in: RuleScene.group) } == "member is pending")
        try await scene.run { try $0.db.members.update(bob, status: .connected, at: $0.now) }
        guard case .memberSupportChatDeleted(_, let group, let member) = try await scene.run({ try $0.members.deleteSupportChat(of: bob, in: RuleScene.group) })
        else { throw UnexpectedAnswer() }
        #expect(group.membersRequireAttention == 0 && member.supportChat == nil)
        #expect(try await scene.count("chat_items WHERE scope = 'support'") == 0)
        // It begins anew with the next message.
        try await scene.receive([text("again", to: bobID)], from: .member(bob))
        #expect(try await counts(scene, bob) == [1, 1, 0])
        try await scene.close()
    }

    @Test func whoIsRemovedLeavesNoSupportChatAndAsksForNoAttention() async throws {
        let (scene, members, _) = try await scene()
        let bob = try #require(members["bob"])
        guard
            case .userDeletedMembers(_, let group, _, _, _) = try await scene.run({ try $0.members.remove([bob], from: RuleScene.group, withMessages: false) })
        else { throw UnexpectedAnswer() }
        #expect(group.membersRequireAttention == 0)
        #expect(try await scene.count("chat_items WHERE scope = 'support'") == 0)
        #expect(try await scene.refusal { try $0.send(ComposedMessage(content: .text("x")), to: .group(RuleScene.group, scope: .memberSupport(bob))) } != nil)
        try await scene.close()
    }

    @Test func nobodyIsWrittenToWhereNobodyModerates() async throws {
        let scene = try await RuleScene()
        try await scene.addGroup(as: .member, with: ["bob": .member])
        let own = ChatReference.group(RuleScene.group, scope: .memberSupport(nil))
        #expect(try await scene.refusal { try $0.send(ComposedMessage(content: .text("x")), to: own) } == "no admins support this message")
        #expect(try await scene.refusal { try $0.chats.clear(own) } == "not supported")
        #expect(try await scene.refusal { try $0.chats.markUnread(own, true) } == "not supported")
        #expect(try await scene.refusal { try $0.chats.delete(own, .messages) } == "not supported")
        #expect(
            try await scene.refusal { try $0.conversations.conversation(.group(RuleScene.group, scope: .memberSupport(99)), of: $0.user()) }
                == "groupMemberNotFound")
        try await scene.close()
    }

    @Test("while this profile waits to be let in, nobody writes into its support chat by naming another one")
    func placeWhileWaiting() async throws {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(as: .member, with: ["bob": .observer, "mod": .moderator])
        let ids = try await scene.run { transaction in
            let group = try transaction.conversations.group(RuleScene.group, of: try transaction.user())
            try transaction.db.members.update(group.membership.groupMemberID, status: .pendingReview, at: transaction.now)
            return try members.mapValues { try #require(try transaction.db.members.memberIdentifier($0)) }
        }
        let bob = try #require(members["bob"]), scope = MessageScope.member(try #require(ids["bob"]))
        let words = { ChatMessageEvent.newMessage(MessageContainer(content: .text($0), scope: scope)) }
        try await scene.receive([words("from bob")], from: .member(bob))
        try await scene.receive([words("to bob")], from: .member(try #require(members["mod"])))
        #expect(try await scene.texts(in: support(nil)).isEmpty)
        #expect(try await scene.texts(in: support(bob)) == ["from bob", "to bob"])
        // One who waits, too, is shown in its own support chat.
        try await scene.run { try $0.db.members.update(bob, status: .pendingReview, at: $0.now) }
        try await scene.receive([.newMessage(MessageContainer(content: .text("and I wait")))], from: .member(bob))
        #expect(try await scene.texts(in: support(nil)).isEmpty)
        try await scene.close()
    }
}
