import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Messages of members that come twice, too early, too late, or for what is not there.
@Suite struct GroupMessageOrderTests {
    private static let group = ChatReference.group(RuleScene.group)
    private static let id = SharedMessageID(Bytes(repeating: 7, count: 12))
    private static let thumb = MessageReaction.emoji(ReactionEmoji.allCases[0])

    private func text(_ text: String, live: Bool? = nil) -> ChatMessageEvent { .newMessage(MessageContainer(content: .text(text), live: live)) }

    /// A group of this profile with members of all kinds.
    private func scene(
        as role: GroupMemberRole = .owner, _ preferences: @escaping @Sendable (inout GroupPreferences) -> Void = { _ in }
    ) async throws -> (RuleScene, [String: RuleScene.Sender], [String: MemberID]) {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(as: role, with: ["bob": .member, "mod": .moderator, "admin": .admin], preferences)
        let ids = try await scene.run { transaction in try members.mapValues { try #require(try transaction.db.members.memberIdentifier($0)) } }
        return (scene, members.mapValues { .member($0) }, ids)
    }

    private func sender(_ name: String, _ senders: [String: RuleScene.Sender]) throws -> RuleScene.Sender { try #require(senders[name]) }

    @Test func aMessageThatAModeratorHasDeletedBeforeItCameIsShownAsDeleted() async throws {
        let (scene, senders, ids) = try await scene()
        let bob = try #require(ids["bob"])
        let told = try await scene.receive([.deleteMessage(MessageDeletion(messageID: Self.id, memberID: bob))], from: sender("mod", senders))
        #expect(told.events.messageErrors.isEmpty)
        try await scene.receive([text("spam")], from: sender("bob", senders), id: Self.id)
        let item = try #require(try await scene.messages(in: Self.group).first)
        guard case .moderated(_, let moderator)? = item.meta.deleted else { throw UnexpectedAnswer() }
        #expect(moderator.localDisplayName == "mod" && item.meta.text == "spam")
        // The moderation was for that message only.
        try await scene.receive([text("news")], from: sender("bob", senders))
        #expect(try await scene.messages(in: Self.group).last?.meta.deleted == nil)
        try await scene.close()
    }

    @Test func whereDeletionsRemoveAMessageDeletedBeforeItCameShowsNothingOfItself() async throws {
        let (scene, senders, ids) = try await scene { $0.set(.fullDelete, .on) }
        let bob = try #require(ids["bob"])
        try await scene.receive([.deleteMessage(MessageDeletion(messageID: Self.id, memberID: bob))], from: sender("mod", senders))
        try await scene.receive([text("spam")], from: sender("bob", senders), id: Self.id)
        #expect(try await scene.count("chat_items WHERE item_text LIKE '%spam%' OR content_json LIKE '%spam%'") == 0)
        #expect(try await scene.count("chat_items WHERE content_kind = 'rcvModerated'") == 1)
        try await scene.close()
    }

    @Test(arguments: [false, true])
    func anEditDoesNotBringInAMessageThatAModeratorHasDeletedBeforeItCame(_ isInFull: Bool) async throws {
        let (scene, senders, ids) = try await scene { $0.set(.fullDelete, isInFull ? .on : .off) }
        let bob = try #require(ids["bob"])
        try await scene.receive([.deleteMessage(MessageDeletion(messageID: Self.id, memberID: bob))], from: sender("mod", senders))
        let edit = ChatMessageEvent.updateMessage(MessageUpdate(messageID: Self.id, content: .text("spam, edited")))
        let told = try await scene.receive([edit], from: sender("bob", senders))
        #expect(told.events.messageErrors == ["x.msg.update: the message was deleted by a moderator"])
        #expect(try await scene.texts(in: Self.group).isEmpty)
        // The moderation waits on: the message itself is shown as deleted, whatever came in between.
        try await scene.receive([text("spam")], from: sender("bob", senders), id: Self.id)
        try await scene.receive([edit], from: sender("bob", senders))
        #expect(try await scene.count("chat_items WHERE item_text LIKE '%spam%' AND deleted = 0 AND content_kind = 'rcvMsgContent'") == 0)
        try await scene.close()
    }

    @Test func aModerationThatWaitsDoesNotCountOnceItsModeratorIsNoneAnyMore() async throws {
        let (scene, senders, ids) = try await scene()
        let bob = try #require(ids["bob"])
        try await scene.receive([.deleteMessage(MessageDeletion(messageID: Self.id, memberID: bob))], from: sender("mod", senders))
        let moderator = try #require(ids["mod"])
        try await scene.receive([.memberRole(memberID: moderator, .member)], from: sender("admin", senders))
        try await scene.receive([text("fair words")], from: sender("bob", senders), id: Self.id)
        #expect(try await scene.messages(in: Self.group).first?.meta.deleted == nil)
        try await scene.close()
    }

    @Test(arguments: ["bob", "mod"])
    func deletionsOfWhatIsNotThereAreReportedUnlessAModeratorAsks(_ name: String) async throws {
        let (scene, senders, ids) = try await scene()
        let own = try await scene.receive([.deleteMessage(MessageDeletion(messageID: Self.id))], from: sender(name, senders))
        #expect(own.events.messageErrors == ["x.msg.del: message not found"])
        let admin = try #require(ids["admin"])
        let others = try await scene.receive([.deleteMessage(MessageDeletion(messageID: Self.id, memberID: admin))], from: sender(name, senders))
        #expect(others.events.messageErrors.isEmpty == (name == "mod"))
        #expect(try await scene.count("item_moderations") == (name == "mod" ? 1 : 0))
        try await scene.close()
    }

    @Test func anEditBeforeItsMessageIsTheMessageAndTheMessageChangesNothingThen() async throws {
        let (scene, senders, _) = try await scene()
        let bob = try sender("bob", senders)
        try await scene.receive([.updateMessage(MessageUpdate(messageID: Self.id, content: .text("second")))], from: bob)
        try await scene.receive([.updateMessage(MessageUpdate(messageID: Self.id, content: .text("third")))], from: bob)
        let late = try await scene.receive([text("first")], from: bob, id: Self.id)
        #expect(late.events.messageErrors == ["x.msg.new ignored: message is already there"])
        let items = try await scene.messages(in: Self.group)
        #expect(items.map(\.meta.text) == ["third"] && items[0].meta.isEdited)
        try await scene.close()
    }

    @Test func aReactionBeforeItsMessageIsShownWithTheMessage() async throws {
        let (scene, senders, ids) = try await scene()
        let bob = try #require(ids["bob"])
        func react(_ add: Bool) -> ChatMessageEvent { .react(MessageReactionChange(messageID: Self.id, memberID: bob, reaction: Self.thumb, add: add)) }
        let early = try await scene.receive([react(true), react(true)], from: sender("mod", senders))
        #expect(!early.events.types.contains("chatItemReaction"))
        try await scene.receive([react(false)], from: sender("admin", senders))
        try await scene.receive([text("hello")], from: sender("bob", senders), id: Self.id)
        let item = try #require(try await scene.messages(in: Self.group).first)
        #expect(item.reactions.map(\.totalReacted) == [1])
        let late = try await scene.receive([react(true), react(true), react(false), react(false)], from: sender("admin", senders))
        #expect(late.events.types.filter { $0 == "chatItemReaction" }.count == 2, "each once")
        #expect(try await scene.messages(in: Self.group).first?.reactions.map(\.totalReacted) == [1])
        try await scene.close()
    }

    @Test func aReactionUnderAWrongAuthorIsNoReactionToTheMessage() async throws {
        let (scene, senders, ids) = try await scene()
        try await scene.receive([text("hello")], from: sender("bob", senders), id: Self.id)
        let admin = try #require(ids["admin"])
        let wrong = ChatMessageEvent.react(MessageReactionChange(messageID: Self.id, memberID: admin, reaction: Self.thumb, add: true))
        let told = try await scene.receive([wrong], from: sender("mod", senders))
        #expect(!told.events.types.contains("chatItemReaction"))
        #expect(try await scene.messages(in: Self.group).first?.reactions.isEmpty == true)
        try await scene.close()
    }

    @Test func aMemberReactsThreeTimesAtMost() async throws {
        let (scene, senders, ids) = try await scene()
        let bob = try #require(ids["bob"])
        try await scene.receive([text("hello")], from: sender("bob", senders), id: Self.id)
        let reactions = ReactionEmoji.allCases.map {
            ChatMessageEvent.react(MessageReactionChange(messageID: Self.id, memberID: bob, reaction: .emoji($0), add: true))
        }
        try await scene.receive(reactions + reactions, from: sender("mod", senders))
        #expect(try await scene.messages(in: Self.group).first?.reactions.count == ChatLimits.reactionsPerMessage)
        #expect(try await scene.count("group_reactions") == Int64(ChatLimits.reactionsPerMessage))
        try await scene.close()
    }

    @Test func aMessageThatIsDeletedTwiceIsDeletedOnceAndTheAuthorMayNotAfterItsTime() async throws {
        let (scene, senders, _) = try await scene()
        let bob = try sender("bob", senders), deletion = ChatMessageEvent.deleteMessage(MessageDeletion(messageID: Self.id))
        try await scene.receive([text("hello")], from: bob, id: Self.id)
        let late = try await scene.receive([deletion], from: bob, after: ItemRules.deletionPeriod)
        #expect(late.events.messageErrors == ["x.msg.del: member attempted invalid message delete"])
        #expect(try await scene.messages(in: Self.group).first?.meta.deleted == nil)
        let first = try await scene.receive([deletion], from: bob, after: ItemRules.deletionPeriod - 1)
        #expect(first.events.types.contains("chatItemsDeleted"))
        let again = try await scene.receive([deletion], from: bob, after: ItemRules.deletionPeriod - 1)
        #expect(again.events.messageErrors == ["x.msg.del: member attempted invalid message delete"])
        try await scene.close()
    }

    @Test func whoNamesItselfInADeletionHasTheSameTimeUnlessItModerates() async throws {
        let (scene, senders, ids) = try await scene()
        for (name, number) in [("bob", UInt8(1)), ("mod", 2)] {
            let id = SharedMessageID(Bytes(repeating: number, count: 12)), own = try #require(ids[name])
            let deletion = ChatMessageEvent.deleteMessage(MessageDeletion(messageID: id, memberID: own))
            try await scene.receive([text(name)], from: try sender(name, senders), id: id)
            let late = try await scene.receive([deletion], from: try sender(name, senders), after: ItemRules.deletionPeriod)
            #expect(late.events.messageErrors == (name == "bob" ? ["x.msg.del: member attempted invalid message delete"] : []))
            #expect(late.events.types.contains("chatItemsDeleted") || late.events.types.contains("groupChatItemsDeleted") == (name == "mod"))
        }
        let id = SharedMessageID(Bytes(repeating: 1, count: 12)), bob = try #require(ids["bob"])
        #expect(try await scene.messages(in: Self.group).first?.meta.deleted == nil)
        try await scene.receive(
            [.deleteMessage(MessageDeletion(messageID: id, memberID: bob))], from: try sender("bob", senders), after: ItemRules.deletionPeriod - 1)
        guard case .deleted? = try await scene.messages(in: Self.group).first?.meta.deleted else { throw UnexpectedAnswer() }
        try await scene.close()
    }

    @Test func whoHasLeftIsGoneOnceAndComesBackByNothingThatIsStillOnItsWay() async throws {
        let (scene, senders, ids) = try await scene()
        let bob = try sender("bob", senders)
        let left = try await scene.receive([.leaveGroup], from: bob)
        #expect(left.events.types.filter { $0 == "leftMember" }.count == 1)
        // Its connection is ended: what follows is from nobody.
        let after = try await scene.receive([.leaveGroup, text("still here")], from: bob)
        #expect(after.events.allSatisfy { if case .chatError(.chat(.noConnectionUser)) = $0 { true } else { false } } && after.events.count == 2)
        // A role that another one gives it does not bring it back.
        let memberID = try #require(ids["bob"])
        try await scene.receive([.memberRole(memberID: memberID, .admin)], from: sender("admin", senders))
        guard case .member(let id) = bob else { return }
        #expect(try await scene.member(id).status == .left)
        #expect(try await scene.texts(in: Self.group).isEmpty)
        try await scene.close()
    }

    @Test func changesOfMembersThatNobodyKnowsAreReportedAndMakeNobody() async throws {
        let (scene, senders, _) = try await scene()
        let stranger = MemberID(Bytes(repeating: 3, count: 12)), before = try await scene.count("group_members")
        let events: [(ChatMessageEvent, String)] = [
            (.memberRole(memberID: stranger, .observer), "x.grp.mem.role with unknown member ID"),
            (.removeMember(memberID: stranger, withMessages: true), "x.grp.mem.del with unknown member ID"),
            (.groupLinkAcceptance(.accepted, role: .member, memberID: stranger), "x.grp.link.acpt error: referenced member does not exist"),
            (.inviteMember(memberID: stranger, IntroInvitation(groupConnectionRequest: "x")), "x.grp.mem.inv error: referenced member does not exist"),
        ]
        for (event, text) in events {
            // The members are invitees here: each may invite one who was introduced.
            #expect(try await scene.receive([event], from: sender("admin", senders)).events.messageErrors == [text])
        }
        #expect(try await scene.count("group_members") == before)
        try await scene.close()
    }

    @Test func aGroupThatItsOwnerHasDeletedTakesNothingMore() async throws {
        let (scene, senders, _) = try await scene(as: .member)
        let admin = try sender("admin", senders)
        guard case .member(let id) = admin else { throw UnexpectedAnswer() }
        try await scene.run { try $0.db.members.update(id, role: .owner, at: $0.now) }
        let told = try await scene.receive([.deleteGroup], from: admin)
        #expect(told.events.types.contains("groupDeleted"))
        for event in [text("late"), .deleteGroup, .groupInfo(GroupProfile(displayName: "again", fullName: ""))] {
            let late = try await scene.receive([event], from: admin)
            #expect(late.events.types == ["chatError"], "\(event.tag)")
        }
        let group = try await scene.group()
        #expect(group.membership.status == .groupDeleted && group.groupProfile.displayName == "team")
        #expect(try await scene.refusal { try $0.send(ComposedMessage(content: .text("x")), to: Self.group) } == "not current member")
        try await scene.close()
    }
}
