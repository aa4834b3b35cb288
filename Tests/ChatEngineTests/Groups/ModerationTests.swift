import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Messages that moderators delete, members whom they hide, and what preferences make of messages and reactions that come all the same.
@Suite struct ModerationTests {
    private static let group = ChatReference.group(RuleScene.group)
    private static let id = SharedMessageID(Bytes(repeating: 7, count: 12))
    private static let thumb = MessageReaction.emoji(ReactionEmoji.allCases[0])

    private func text(_ text: String) -> ChatMessageEvent { .newMessage(MessageContainer(content: .text(text))) }

    private func scene(
        as role: GroupMemberRole = .moderator, _ preferences: @escaping @Sendable (inout GroupPreferences) -> Void = { _ in }
    ) async throws -> (RuleScene, [String: GroupMemberID]) {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(as: role, with: ["bob": .member, "mod": .moderator, "mia": .moderator, "admin": .admin], preferences)
        try await scene.updateApps()
        return (scene, members)
    }

    private func identifier(_ id: GroupMemberID?, in scene: RuleScene) async throws -> MemberID {
        let id = try #require(id)
        return try await scene.run { try #require(try $0.db.members.memberIdentifier(id)) }
    }

    @Test func aModeratorDeletesItsOwnMessagesAndThoseOfMembersUpToItsRole() async throws {
        let (scene, members) = try await scene()
        for name in ["bob", "mia", "admin"] { try await scene.receive([text(name)], from: .member(try #require(members[name]))) }
        try await scene.send("own", to: Self.group)
        let items = try await scene.messages(in: Self.group)
        for (text, code) in [("bob", nil), ("mia", nil), ("own", nil), ("admin", "invalidChatItemDelete")] as [(String, String?)] {
            let item = try #require(items.first { $0.meta.text == text }).id
            #expect(try await scene.refusal { try $0.moderation.moderate([item], of: RuleScene.group) } == code, "\(text)")
        }
        // One that is not allowed keeps all that are named with it.
        try await scene.receive([text("bob again")], from: .member(try #require(members["bob"])))
        let both = try await scene.messages(in: Self.group).filter { ["bob again", "admin"].contains($0.meta.text) }.map(\.id)
        #expect(try await scene.refusal { try $0.moderation.moderate(both, of: RuleScene.group) } == "invalidChatItemDelete")
        #expect(try await scene.messages(in: Self.group).filter { $0.meta.deleted == nil }.map(\.meta.text) == ["admin", "bob again"])
        try await scene.close()
    }

    @Test(arguments: [true, false])
    func reportsAboutAMessageAreDoneWithWhenAModeratorDeletesIt(byCommand: Bool) async throws {
        let (scene, members) = try await scene { $0.set(.reports, .on) }
        let bob = try #require(members["bob"]), mod = try #require(members["mod"])
        let bobID = try await identifier(bob, in: scene)
        try await scene.receive([text("spam")], from: .member(bob), id: Self.id)
        let reference = MessageReference(messageID: Self.id, sentAt: MemoryStore.now, sent: false, memberID: bobID)
        let quote = QuotedMessage(reference: reference, content: .text("spam"))
        let admin = try #require(members["admin"])
        try await scene.run { try $0.db.members.update(admin, role: .member, at: $0.now) }
        try await scene.receive([.newMessage(MessageContainer(content: .report(text: "look", reason: .spam), quote: quote))], from: .member(admin))
        #expect(try await scene.run { try $0.db.items.stats(ofGroup: RuleScene.group).reportsCount } == 1)
        let events: [ChatEvent]
        if byCommand {
            let item = try #require(try await scene.messages(in: Self.group).first { $0.meta.text == "spam" }).id
            events = try await scene.memory.run { try $0.moderation.moderate([item], of: RuleScene.group) }.1.events
        } else {
            events = try await scene.receive([.deleteMessage(MessageDeletion(messageID: Self.id, memberID: bobID))], from: .member(mod)).events
        }
        #expect(events.types.contains("groupChatItemsDeleted"))
        #expect(try await scene.run { try $0.db.items.stats(ofGroup: RuleScene.group).reportsCount } == 0)
        try await scene.close()
    }

    @Test func aModeratorDeletesNothingInAdvanceOfOneWhoIsAboveIt() async throws {
        let (scene, members) = try await scene()
        let admin = try #require(members["admin"]), mod = try #require(members["mod"])
        let deletion = ChatMessageEvent.deleteMessage(MessageDeletion(messageID: Self.id, memberID: try await identifier(admin, in: scene)))
        try await scene.receive([deletion], from: .member(mod))
        try await scene.receive([text("important")], from: .member(admin), id: Self.id)
        #expect(try await scene.messages(in: Self.group).map { $0.meta.deleted == nil } == [true])
        try await scene.close()
    }

    @Test func aMessageThatWasDeletedByOneModeratorStaysItsCaseWhenAnotherRemovesTheMember() async throws {
        let (scene, members) = try await scene()
        let bob = try #require(members["bob"]), bobID = try await identifier(bob, in: scene)
        try await scene.receive([text("one")], from: .member(bob), id: Self.id)
        try await scene.receive([text("two")], from: .member(bob))
        try await scene.receive([.deleteMessage(MessageDeletion(messageID: Self.id, memberID: bobID))], from: .member(try #require(members["mod"])))
        try await scene.receive([.removeMember(memberID: bobID, withMessages: true)], from: .member(try #require(members["admin"])), after: 60)
        let moderators = try await scene.messages(in: Self.group).map { item -> String? in
            if case .moderated(_, let moderator)? = item.meta.deleted { moderator.localDisplayName } else { nil }
        }
        #expect(moderators == ["mod", "admin"])
        try await scene.close()
    }

    @Test func aMemberWhomThePersonHidesIsHiddenHereOnlyAndCallsNobody() async throws {
        let (scene, members) = try await scene()
        let bob = try #require(members["bob"]), own = try await scene.group().membership.memberID
        let mention = MessageContainer(content: .text("look @alice"), mentions: ["alice": own])
        try await scene.receive([.newMessage(mention)], from: .member(bob))
        let effects = try await scene.memory.run { try $0.members.set(GroupMemberSettings(showsMessages: false), of: bob, in: RuleScene.group) }.1
        #expect(effects.sent.isEmpty, "nobody is told")
        try await scene.receive([.newMessage(mention)], from: .member(bob))
        // An edit of what is not there is a message of its own.
        try await scene.receive(
            [.updateMessage(MessageUpdate(messageID: Self.id, content: .text("edited @alice"), mentions: ["alice": own]))], from: .member(bob))
        _ = try await scene.run { try $0.members.set(GroupMemberSettings(showsMessages: true), of: bob, in: RuleScene.group) }
        try await scene.receive([text("back")], from: .member(bob))
        let messages = try await scene.messages(in: Self.group)
        #expect(messages.map { if case .blocked? = $0.meta.deleted { true } else { false } } == [false, true, true, false])
        let mentions = try await scene.run { try $0.db.number("SELECT sum(user_mention) FROM chat_items WHERE group_id = ?", [RuleScene.group]) }
        #expect(mentions == 1)
        try await scene.close()
    }

    @Test func aLinkThatMayNotBeSentComesInByNoEditEither() async throws {
        let (scene, members) = try await scene { $0.set(.simplexLinks, .on, role: .moderator) }
        for (name, texts) in [("bob", ["words"]), ("mod", [GroupContentRuleTests.link])] {
            let sender = RuleScene.Sender.member(try #require(members[name]))
            let id = SharedMessageID.random()
            try await scene.receive([text("words")], from: sender, id: id)
            let told = try await scene.receive([.updateMessage(MessageUpdate(messageID: id, content: .text(GroupContentRuleTests.link)))], from: sender).events
            #expect(told.messageErrors == (name == "bob" ? ["x.msg.update ignored: feature not allowed SimpleX links"] : []))
            #expect(try await scene.messages(in: Self.group).suffix(1).map(\.meta.text) == texts)
        }
        try await scene.close()
    }

    @Test func whereReactionsAreOffNeitherSideReacts() async throws {
        let (scene, members) = try await scene { $0.set(.reactions, .off) }
        let bob = try #require(members["bob"]), bobID = try await identifier(bob, in: scene)
        try await scene.receive([text("words")], from: .member(bob), id: Self.id)
        let item = try #require(try await scene.messages(in: Self.group).first).id
        let refused = try await scene.refusal { try $0.sentMessages.react(to: item, in: Self.group, with: Self.thumb, isAdded: true) }
        #expect(refused == "feature not allowed Message reactions")
        let change = MessageReactionChange(messageID: Self.id, memberID: bobID, reaction: Self.thumb, add: true)
        let told = try await scene.receive([.react(change)], from: .member(try #require(members["mod"])))
        #expect(told.events.isEmpty && told.sent.isEmpty)
        #expect(try await scene.count("group_reactions") == 0)
        try await scene.close()
    }

    @Test func aGroupComesToTheTopOfTheListWithWhatIsSaidInIt() async throws {
        let (scene, members) = try await scene()
        let other = try await scene.addContact("other")
        func first() async throws -> ChatReference? {
            try await scene.run { transaction in
                try transaction.chats.chats(of: try transaction.user(), .last(10), filter: .filters(favorite: false, unread: false), withConnections: false)
                    .first?.chatInfo.reference
            }
        }
        try await scene.send("to the contact", to: .direct(other), after: 10)
        #expect(try await first() == .direct(other))
        try await scene.receive([text("to the group")], from: .member(try #require(members["bob"])), after: 20)
        #expect(try await first() == Self.group)
        try await scene.close()
    }
}
