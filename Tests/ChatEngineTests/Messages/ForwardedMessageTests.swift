import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Where forwarded messages say that they are from, and what cannot be forwarded.
@Suite struct ForwardedMessageTests {
    private struct Scene: Sendable {
        let rules: RuleScene
        let bob, cath: ContactID
        let notes: ChatReference
    }

    private func scene() async throws -> Scene {
        let rules = try await RuleScene()
        let bob = try await rules.addContact("bob"), cath = try await rules.addContact("cath")
        let notes = try await rules.run { ChatReference.local(try $0.conversations.noteFolderID(of: try $0.user())) }
        return Scene(rules: rules, bob: bob, cath: cath, notes: notes)
    }

    /// Forwards items.
    private func forward(_ ids: [ChatItemID], from source: ChatReference, to target: ChatReference, in scene: Scene) async throws -> [ChatItem] {
        try await scene.rules.run { transaction in
            let messages = try transaction.forwardedMessages.messages(ids, from: source, to: target).map(\.composition)
            guard case .newChatItems(_, let items) = try transaction.forwardedMessages.forward(messages, to: target, asGroup: false, ttl: nil) else {
                throw UnexpectedAnswer()
            }
            return items.map(\.chatItem)
        }
    }

    private func received(_ text: String, from contact: ContactID, in scene: Scene) async throws -> ChatItemID {
        try await scene.rules.receive([.newMessage(MessageContainer(content: .text(text)))], from: .contact(contact))
        return try #require(try await scene.rules.messages(in: .direct(contact)).last).id
    }

    /// The item that a forwarded message came from, as the details of it show.
    private func source(of item: ChatItem, in chat: ChatReference, _ scene: Scene) async throws -> ChatItem? {
        guard case .chatItemInfo(_, _, let info) = try await scene.rules.run({ try $0.chats.itemInfo(item.id, in: chat) }) else { throw UnexpectedAnswer() }
        return info.forwardedFromChatItem?.chatItem
    }

    @Test func aForwardedMessageNamesItsFirstOriginHoweverOftenItIsForwarded() async throws {
        let scene = try await scene(), text = try await received("news", from: scene.bob, in: scene)
        let origin = ForwardedFrom.contact(chatName: "bob", messageDirection: .received, contactID: scene.bob, chatItemID: text)
        let first = try await forward([text], from: .direct(scene.bob), to: .direct(scene.cath), in: scene)
        #expect(first.map(\.meta.forwarded) == [origin])
        let second = try await forward([first[0].id], from: .direct(scene.cath), to: scene.notes, in: scene)
        #expect(second.map(\.meta.forwarded) == [origin])
        #expect(try await source(of: second[0], in: scene.notes, scene)?.id == text)
        try await scene.rules.close()
    }

    @Test func theReceiverOfAForwardedMessageIsNotToldWhereItIsFrom() async throws {
        let scene = try await scene(), text = try await received("news", from: scene.bob, in: scene)
        let sent = try await scene.rules.memory.run { [scene] transaction in
            let messages = try transaction.forwardedMessages.messages([text], from: .direct(scene.bob), to: .direct(scene.cath)).map(\.composition)
            _ = try transaction.forwardedMessages.forward(messages, to: .direct(scene.cath), asGroup: false, ttl: nil)
        }.1
        let bodies = sent.deliveries.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies.count == 1 && !bodies[0].contains("bob"), "\(bodies)")
        guard case .newMessage(let container)? = sent.sent.first else { throw UnexpectedAnswer() }
        #expect(container.isForwarded && container.content == .text("news"))
        try await scene.rules.close()
    }

    @Test func theAliasOfAContactIsTheNameOfTheOrigin() async throws {
        let scene = try await scene()
        _ = try await scene.rules.run { [bob = scene.bob] transaction in
            let contact = try transaction.conversations.contact(bob, of: try transaction.user())
            try transaction.db.profiles.updateProfileAlias(contact.profile.profileID, alias: "my brother")
        }
        let own = try await scene.rules.send("mine", to: .direct(scene.bob)).id
        let items = try await forward([own], from: .direct(scene.bob), to: scene.notes, in: scene)
        #expect(items[0].meta.forwarded == .contact(chatName: "my brother", messageDirection: .sent, contactID: scene.bob, chatItemID: own))
        try await scene.rules.close()
    }

    @Test func aNoteHasNoOriginAndAMessageWhoseOriginIsUnknownNamesTheChatItCameBy() async throws {
        let scene = try await scene(), note = try await scene.rules.send("note", to: scene.notes).id
        #expect(try await forward([note], from: scene.notes, to: .direct(scene.bob), in: scene).map(\.meta.forwarded) == [nil])
        try await scene.rules.receive([.newMessage(MessageContainer(content: .text("hearsay"), forward: true))], from: .contact(scene.bob))
        let hearsay = try #require(try await scene.rules.messages(in: .direct(scene.bob)).last)
        #expect(hearsay.meta.forwarded == .unknown)
        let again = try await forward([hearsay.id], from: .direct(scene.bob), to: .direct(scene.cath), in: scene)
        #expect(again[0].meta.forwarded == .contact(chatName: "bob", messageDirection: .received, contactID: scene.bob, chatItemID: hearsay.id))
        try await scene.rules.close()
    }

    @Test(arguments: [true, false])
    func theDetailsOfAForwardedMessageAreShownAfterItsOriginIsGone(_ deletesContact: Bool) async throws {
        let scene = try await scene(), text = try await received("news", from: scene.bob, in: scene)
        let item = try await forward([text], from: .direct(scene.bob), to: scene.notes, in: scene)[0]
        _ = try await scene.rules.run { [bob = scene.bob] in
            deletesContact ? try $0.chats.delete(.direct(bob), .full(notify: false)) : try $0.sentMessages.delete([text], of: .direct(bob), .internal)
        }
        let notes = scene.notes, refusal = try await scene.rules.refusal { try $0.chats.itemInfo(item.id, in: notes) }
        #expect(refusal == nil)
        #expect(try await source(of: item, in: scene.notes, scene) == nil)
        try await scene.rules.close()
    }

    @Test func theDetailsOfAMessageOutOfAGroupAreShownAfterTheGroupIsGone() async throws {
        let scene = try await scene()
        try await scene.rules.addGroup()
        let post = try await scene.rules.send("post", to: .group(RuleScene.group)).id
        let item = try await forward([post], from: .group(RuleScene.group), to: scene.notes, in: scene)[0]
        #expect(item.meta.forwarded == .group(chatName: "team", messageDirection: .sent, groupID: RuleScene.group, chatItemID: post))
        #expect(try await source(of: item, in: scene.notes, scene)?.id == post)
        _ = try await scene.rules.run { try $0.groups.delete(RuleScene.group) }
        #expect(try await source(of: item, in: scene.notes, scene) == nil)
        try await scene.rules.close()
    }

    @Test func forwardedMessagesAreNotEditedAndDeletedOnesAreNotForwarded() async throws {
        let scene = try await scene(), own = try await scene.rules.send("mine", to: .direct(scene.bob)).id
        let item = try await forward([own], from: .direct(scene.bob), to: .direct(scene.cath), in: scene)[0]
        let refusal = try await scene.rules.refusal { [cath = scene.cath] in
            try $0.sentMessages.edit(item.id, in: .direct(cath), to: UpdatedMessage(content: .text("new")), isLive: false)
        }
        #expect(refusal == "invalidChatItemUpdate" && !item.meta.isEditable && item.meta.isDeletable)
        _ = try await scene.rules.run { [bob = scene.bob] in try $0.sentMessages.delete([own], of: .direct(bob), .internalMark) }
        #expect(try await forward([own], from: .direct(scene.bob), to: scene.notes, in: scene).isEmpty)
        try await scene.rules.close()
    }

    @Test func whatIsNoMessageIsNotForwardedAndTheChatsMustBeThere() async throws {
        let scene = try await scene()
        let event = try await scene.rules.run { [bob = scene.bob] transaction in
            var contact = try transaction.conversations.contact(bob, of: try transaction.user())
            return try transaction.items.add(
                ItemDraft(.receivedConnectionEvent(event: .verificationCodeReset), isSent: false), to: &contact, of: try transaction.user()
            ).id
        }
        let (bob, notes) = (ChatReference.direct(scene.bob), scene.notes)
        #expect(try await scene.rules.refusal { try $0.forwardedMessages.messages([event], from: bob, to: notes) } == "invalidForward")
        #expect(try await scene.rules.refusal { try $0.forwardedMessages.plan([event], from: bob) } == "invalidForward")
        #expect(try await scene.rules.refusal { try $0.forwardedMessages.messages([], from: .direct(99), to: notes) } == "contactNotFound")
        #expect(try await scene.rules.refusal { try $0.forwardedMessages.messages([], from: bob, to: .connection(1)) } == "not supported")
        // An item of another chat is not there.
        let note = try await scene.rules.send("note", to: notes).id
        let forwarded = try await forward([note, 999], from: bob, to: notes, in: scene)
        #expect(forwarded.isEmpty)
        try await scene.rules.close()
    }

    @Test func quotesDoNotTravelWithAForwardedMessage() async throws {
        let scene = try await scene(), own = try await scene.rules.send("question", to: .direct(scene.bob)).id
        let answer = try await scene.rules.run { [bob = scene.bob] in
            try $0.send(ComposedMessage(content: .text("answer"), quotedItemID: own), to: .direct(bob)).id
        }
        let item = try await forward([answer], from: .direct(scene.bob), to: .direct(scene.cath), in: scene)[0]
        #expect(item.quotedItem == nil && item.meta.text == "answer")
        try await scene.rules.close()
    }
}
