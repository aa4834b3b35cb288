import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol

/// Messages of a contact that come twice, too early, too late, or for what is not there, and what is told of each.
@Suite struct ReceivedMessageTests {
    private static let id = SharedMessageID(Bytes(repeating: 7, count: 12))
    private static let thumb = MessageReaction.emoji(ReactionEmoji.allCases[0])

    private func scene() async throws -> (RuleScene, ContactID) {
        let scene = try await RuleScene()
        return (scene, try await scene.addContact("bob"))
    }

    private func text(_ text: String, live: Bool? = nil) -> ChatMessageEvent { .newMessage(MessageContainer(content: .text(text), live: live)) }

    private func update(_ text: String, live: Bool? = nil) -> ChatMessageEvent {
        var update = MessageUpdate(messageID: Self.id, content: .text(text))
        update.live = live
        return .updateMessage(update)
    }

    private func react(_ reaction: MessageReaction = thumb, add: Bool = true) -> ChatMessageEvent {
        .react(MessageReactionChange(messageID: Self.id, reaction: reaction, add: add))
    }

    private func versions(_ scene: RuleScene, _ bob: ContactID) async throws -> [String] {
        let item = try #require(try await scene.messages(in: .direct(bob)).first)
        guard case .chatItemInfo(_, _, let info) = try await scene.run({ try $0.chats.itemInfo(item.id, in: .direct(bob)) }) else { throw UnexpectedAnswer() }
        return info.versions.map(\.content.text)
    }

    @Test func eachEditKeepsWhatWasThereBeforeAndTheSameTextIsNone() async throws {
        let (scene, bob) = try await scene()
        try await scene.receive([text("one")], from: .contact(bob), id: Self.id)
        #expect(try await versions(scene, bob) == ["one"])
        let told = try await scene.receive([update("two"), update("two"), update("three")], from: .contact(bob)).events.types
        #expect(told == ["chatItemUpdated", "chatItemNotChanged", "chatItemUpdated"])
        #expect(try await versions(scene, bob) == ["three", "two", "one"])
        try await scene.close()
    }

    @Test func anEditOfAMessageThatNeverCameIsTheMessageAndTheMessageChangesNothingThen() async throws {
        let (scene, bob) = try await scene()
        let told = try await scene.receive([update("two"), update("three")], from: .contact(bob)).events.types
        #expect(told == ["chatItemUpdated", "chatItemUpdated"])
        let late = try await scene.receive([text("one")], from: .contact(bob), id: Self.id).events.messageErrors
        #expect(late == ["x.msg.new ignored: message is already there"])
        let items = try await scene.messages(in: .direct(bob))
        #expect(items.map(\.meta.text) == ["three"] && items[0].meta.isEdited && items[0].meta.status == .receivedNew)
        try await scene.close()
    }

    @Test func aMessageUnderAnIDThatIsTakenIsNoSecondMessage() async throws {
        let (scene, bob) = try await scene()
        let own = try #require(try await scene.send("own", to: .direct(bob)).meta.sharedMessageID)
        let told = try await scene.receive([text("one"), text("one"), text("two")], from: .contact(bob), id: Self.id).events
        #expect(told.types == ["newChatItems", "messageError", "messageError"])
        #expect(try await scene.receive([text("yours")], from: .contact(bob), id: own).events.types == ["messageError"])
        #expect(try await scene.texts(in: .direct(bob)) == ["own", "one"])
        // Nobody else has taken it.
        let cath = try await scene.addContact("cath")
        #expect(try await scene.receive([text("one")], from: .contact(cath), id: Self.id).events.types == ["newChatItems"])
        try await scene.close()
    }

    @Test func aLiveMessageGrowsAndIsNotEditedUntilItIsFinished() async throws {
        let (scene, bob) = try await scene()
        try await scene.receive([text("h", live: true), update("he", live: true)], from: .contact(bob), id: Self.id)
        var item = try #require(try await scene.messages(in: .direct(bob)).first)
        #expect(item.meta.text == "he" && item.meta.isLive == true && !item.meta.isEdited)
        // The end of it with the same text ends it.
        #expect(try await scene.receive([update("he")], from: .contact(bob)).events.types == ["chatItemUpdated"])
        item = try #require(try await scene.messages(in: .direct(bob)).first)
        #expect(item.meta.isLive == false && !item.meta.isEdited)
        // It does not become live again.
        try await scene.receive([update("hello", live: true)], from: .contact(bob))
        item = try #require(try await scene.messages(in: .direct(bob)).first)
        #expect(item.meta.isEdited && item.meta.isLive != true, "\(item.meta)")
        try await scene.close()
    }

    @Test func aDeletionOfWhatIsNotThereIsToldAndOfWhatIsItIsDoneOnce() async throws {
        let (scene, bob) = try await scene()
        let deletion = ChatMessageEvent.deleteMessage(MessageDeletion(messageID: Self.id))
        let early = try await scene.receive([deletion], from: .contact(bob)).events
        guard case .chatItemDeletedNotFound(_, let contact, Self.id)? = early.first else { throw UnexpectedAnswer() }
        #expect(contact.contactID == bob && early.count == 1)
        // Deletions are not kept: the message that comes after it is shown.
        try await scene.receive([text("late")], from: .contact(bob), id: Self.id)
        #expect(try await scene.messages(in: .direct(bob)).map(\.meta.deleted) == [nil])
        let twice = try await scene.receive([deletion, deletion], from: .contact(bob)).events
        #expect(twice.types == ["chatItemsDeleted", "messageError"])
        #expect(twice.messageErrors == ["x.msg.del: contact attempted invalid message delete"])
        try await scene.close()
    }

    @Test func whereBothAllowItADeletedMessageIsGoneWithItsReactionsAndVersions() async throws {
        let (scene, bob) = try await scene()
        let allowed = ChatPreferences(fullDelete: .init(allow: .yes))
        try await scene.receive([.info(Profile(displayName: "bob", fullName: "", preferences: allowed))], from: .contact(bob))
        _ = try await scene.run { try $0.contacts.setPreferences(allowed, of: bob) }
        try await scene.receive([text("one"), update("two")], from: .contact(bob), id: Self.id)
        let item = try #require(try await scene.messages(in: .direct(bob)).first).id
        _ = try await scene.run { try $0.sentMessages.react(to: item, in: .direct(bob), with: Self.thumb, isAdded: true) }
        try await scene.receive([.deleteMessage(MessageDeletion(messageID: Self.id))], from: .contact(bob))
        for table in ["chat_items WHERE chat_item_id = \(item)", "chat_item_versions", "reactions"] { #expect(try await scene.count(table) == 0, "\(table)") }
        try await scene.close()
    }

    @Test func aReactionThatOvertakesItsMessageIsShownWithIt() async throws {
        let (scene, bob) = try await scene()
        #expect(try await scene.receive([react(), react()], from: .contact(bob)).events.isEmpty)
        let told = try await scene.receive([text("message")], from: .contact(bob), id: Self.id).events
        guard case .newChatItems(_, let items)? = told.first else { throw UnexpectedAnswer() }
        #expect(items.map(\.chatItem.reactions) == [[ReactionCount(reaction: Self.thumb, userReacted: false, totalReacted: 1)]])
        let back = try await scene.receive([react(add: false), react(add: false)], from: .contact(bob)).events.types
        #expect(back == ["chatItemReaction"])
        #expect(try await scene.messages(in: .direct(bob)).map(\.reactions) == [[]])
        try await scene.close()
    }

    @Test func reactionsOfBothSidesStandBesideEachOtherAndEachTakesBackItsOwn() async throws {
        let (scene, bob) = try await scene()
        try await scene.receive([text("message"), react()], from: .contact(bob), id: Self.id)
        let item = try #require(try await scene.messages(in: .direct(bob)).first).id
        _ = try await scene.run { try $0.sentMessages.react(to: item, in: .direct(bob), with: Self.thumb, isAdded: true) }
        func counts() async throws -> [ReactionCount] { try await scene.messages(in: .direct(bob)).flatMap(\.reactions) }
        #expect(try await counts() == [ReactionCount(reaction: Self.thumb, userReacted: true, totalReacted: 2)])
        try await scene.receive([react(add: false)], from: .contact(bob))
        #expect(try await counts() == [ReactionCount(reaction: Self.thumb, userReacted: true, totalReacted: 1)])
        try await scene.close()
    }

    @Test func aQuoteIsSeenFromTheOtherSideAndFoundIfItsMessageIsHere() async throws {
        let (scene, bob) = try await scene()
        let own = try await scene.send("question", to: .direct(bob)), id = try #require(own.meta.sharedMessageID)
        func answer(_ id: SharedMessageID?, sent: Bool, _ text: String) -> ChatMessageEvent {
            let reference = MessageReference(messageID: id, sentAt: MemoryStore.now, sent: sent)
            return .newMessage(MessageContainer(content: .text(text), quote: QuotedMessage(reference: reference, content: .text("question"))))
        }
        try await scene.receive(
            [answer(id, sent: false, "yours"), answer(.random(), sent: true, "mine"), answer(nil, sent: false, "unknown")], from: .contact(bob))
        let quotes = try await scene.messages(in: .direct(bob)).dropFirst().map(\.quotedItem)
        #expect(quotes.map { $0?.direction } == [.directSent, .directReceived, .directSent])
        #expect(quotes.map { $0?.itemID } == [own.id, nil, nil])
        try await scene.close()
    }

    @Test func aCallIsEndedAtOnceAndShownAsMissed() async throws {
        let (scene, bob) = try await scene(), call = CallID(Bytes(repeating: 1, count: 16))
        let invitation = ChatMessageEvent.callInvitation(call, CallInvitation(callType: CallType(media: .audio, encryption: false), key: nil))
        let (events, sent) = try await scene.receive([invitation], from: .contact(bob))
        #expect(sent == [.endCall(call)] && events.types == ["newChatItems"])
        #expect(try await scene.count("chat_items WHERE content_kind = 'rcvCall' AND status = 'rcvNew'") == 1)
        // The other side ends it as well: nothing more to say.
        let ended = try await scene.receive([.endCall(call)], from: .contact(bob))
        #expect(ended.events.isEmpty && ended.sent.isEmpty)
        try await scene.close()
    }

    @Test func whatOnlyMembersSendIsReportedAndChangesNothing() async throws {
        let (scene, bob) = try await scene()
        let events: [ChatMessageEvent] = [
            .deleteGroup, .leaveGroup, .memberRole(memberID: MemberID([1]), .owner), .groupInfo(GroupProfile(displayName: "x", fullName: "")),
            .groupLinkAcceptance(.accepted, role: .owner, memberID: MemberID([1])), .contact(ContactRequest(profile: Profile(displayName: "x", fullName: ""))),
        ]
        for event in events {
            #expect(try await scene.receive([event], from: .contact(bob)).events.messageErrors == ["unsupported message: \(event.tag.rawValue)"])
        }
        #expect(try await scene.count("groups") == 0)
        #expect(try await scene.count("contact_requests") == 0)
        try await scene.close()
    }

    @Test(
        arguments: [
            (GroupMemberRole.member, GroupMemberRole.observer, "groupContactRole"), (.moderator, .member, "groupContactRole"),
            (.admin, .owner, "groupContactRole"),
            (.admin, .admin, nil), (.owner, .owner, nil),
        ] as [(GroupMemberRole, GroupMemberRole, String?)])
    func aContactInvitesToAGroupAsAnAdministratorAndToNoRoleAboveItsOwn(_ role: GroupMemberRole, _ invited: GroupMemberRole, _ code: String?) async throws {
        let (scene, bob) = try await scene()
        let invitation = GroupInvitation(
            fromMember: MemberIDRole(memberID: MemberID([1]), role: role), invitedMember: MemberIDRole(memberID: MemberID([2]), role: invited),
            connectionRequest: "simplex:/invitation#x", groupProfile: GroupProfile(displayName: "team", fullName: ""))
        let told = try await scene.receive([.groupInvitation(invitation)], from: .contact(bob)).events
        let codes = told.compactMap { if case .chatError(let error) = $0 { Refusal(error).code } else { nil } }
        #expect(codes == [code].compactMap(\.self))
        #expect(try await scene.count("groups") == (code == nil ? 1 : 0))
        try await scene.close()
    }

    @Test func anInvitationThatIsRepeatedIsOneGroupWithTheRoleOfTheLastAndMayNotNameItsSenderAsTheOneInvited() async throws {
        let (scene, bob) = try await scene()
        func invitation(_ role: GroupMemberRole, _ id: UInt8 = 2) -> ChatMessageEvent {
            .groupInvitation(
                GroupInvitation(
                    fromMember: MemberIDRole(memberID: MemberID([1]), role: .owner), invitedMember: MemberIDRole(memberID: MemberID([id]), role: role),
                    connectionRequest: "simplex:/invitation#x", groupProfile: GroupProfile(displayName: "team", fullName: "")))
        }
        let own = try await scene.receive([invitation(.member, 1)], from: .contact(bob)).events
        #expect(own.compactMap { if case .chatError(let error) = $0 { Refusal(error).code } else { nil } } == ["groupDuplicateMemberId"])
        try await scene.receive([invitation(.member), invitation(.admin)], from: .contact(bob))
        #expect(try await scene.count("groups") == 1)
        let membership = try await scene.group().membership
        #expect(membership.role == .admin && membership.status == .invited)
        #expect(try await scene.refusal { try $0.send(ComposedMessage(content: .text("x")), to: .group(RuleScene.group)) } == "not current member")
        try await scene.close()
    }
}
