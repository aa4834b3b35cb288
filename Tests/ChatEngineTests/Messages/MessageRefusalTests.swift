import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// What commands about messages with a contact refuse, in which words, and that they leave nothing behind then.
@Suite struct MessageRefusalTests {
    private struct Scene: Sendable {
        let rules: RuleScene
        let bob: ContactID
        var own, others, deleted: ChatItemID
        var chat: ChatReference { .direct(bob) }
    }

    private static let emoji = ReactionEmoji.allCases.map { MessageReaction.emoji($0) }
    private static let day: Int64 = 86_400

    private func scene() async throws -> Scene {
        let rules = try await RuleScene(), bob = try await rules.addContact("bob"), chat = ChatReference.direct(bob)
        let own = try await rules.send("own", to: chat).id, deleted = try await rules.send("deleted", to: chat).id
        try await rules.receive([.newMessage(MessageContainer(content: .text("others")))], from: .contact(bob))
        _ = try await rules.run { try $0.sentMessages.delete([deleted], of: chat, .internalMark) }
        return Scene(rules: rules, bob: bob, own: own, others: try #require(try await rules.messages(in: chat).last).id, deleted: deleted)
    }

    private typealias Command = @Sendable (ChatTransaction) throws -> ChatResponse

    private func send(_ messages: [ComposedMessage], to chat: ChatReference, isLive: Bool = false) -> Command {
        { try $0.sentMessages.send(messages.map { Composition($0) }, to: chat, isLive: isLive, ttl: nil, of: try $0.user()) }
    }

    private func edit(_ id: ChatItemID, in chat: ChatReference, _ message: UpdatedMessage = UpdatedMessage(content: .text("new"))) -> Command {
        { try $0.sentMessages.edit(id, in: chat, to: message, isLive: false) }
    }

    private func react(_ id: ChatItemID, in chat: ChatReference, _ number: Int = 0, add: Bool = true) -> Command {
        { try $0.sentMessages.react(to: id, in: chat, with: Self.emoji[number], isAdded: add) }
    }

    private func delete(_ ids: [ChatItemID], of chat: ChatReference, _ mode: DeleteMode = .broadcast) -> Command {
        { try $0.sentMessages.delete(ids, of: chat, mode) }
    }

    /// Checks that a command is refused so, and that the store is as before.
    private func expect(
        _ code: String, after seconds: Int64 = 0, in scene: Scene, _ command: @escaping Command, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let tables = ["chat_items", "deliveries", "reactions", "chat_item_versions", "chat_items WHERE deleted > 0", "chat_items WHERE edited > 0"]
        var before: [Int64] = [], after: [Int64] = []
        for table in tables { before.append(try await scene.rules.count(table)) }
        #expect(try await scene.rules.refusal(after: seconds, command) == code, sourceLocation: sourceLocation)
        for table in tables { after.append(try await scene.rules.count(table)) }
        #expect(before == after, sourceLocation: sourceLocation)
    }

    @Test func messagesThatNoChatTakesAreNotSent() async throws {
        let scene = try await scene(), chat = scene.chat
        func text(_ text: String, quoting item: ChatItemID? = nil) -> ComposedMessage { ComposedMessage(content: .text(text), quotedItemID: item) }
        let multi = "invalid multi send: live and more than one quote not supported"
        try await expect(multi, in: scene, send([text("a"), text("b")], to: chat, isLive: true))
        try await expect(multi, in: scene, send([text("a", quoting: scene.own), text("b", quoting: scene.others)], to: chat))
        try await expect("sending reports via this API is not supported", in: scene, send([.init(content: .report(text: "", reason: .spam))], to: chat))
        try await expect("mentions are not supported in this chat", in: scene, send([.init(content: .text("@x"), mentions: ["x": 1])], to: chat))
        try await expect("chatItemNotFound", in: scene, send([text("a", quoting: 999)], to: chat))
        try await expect("invalidQuote", in: scene, send([text("a", quoting: scene.deleted)], to: chat))
        // One that fails takes the others along: nothing of a command is sent by half.
        try await expect("chatItemNotFound", in: scene, send([text("a"), text("b", quoting: 999)], to: chat))
        try await expect("contactNotFound", in: scene, send([text("a")], to: .direct(99)))
        try await expect("noteFolderNotFound", in: scene, send([text("a")], to: .local(99)))
        try await expect("groupNotFound", in: scene, send([text("a")], to: .group(99)))
        try await expect(
            "a connection that is being made is no chat: name the contact once it is connected", in: scene, send([text("a")], to: .connection(1)))
        try await expect("a contact request is no chat: accept it, and name the contact", in: scene, send([text("a")], to: .contactRequest(1)))
        try await scene.rules.close()
    }

    @Test func aMessageThatDoesNotFitIsRefusedAndOthersOfItsCommandAreSent() async throws {
        let scene = try await scene(), large = String(repeating: "x", count: ChatLimits.encodedMessage)
        try await expect("largeMsg", in: scene, send([.init(content: .text(large))], to: scene.chat))
        let (response, effects) = try await scene.rules.memory.run { [chat = scene.chat] transaction in
            let messages = ["before", large, "after"].map { Composition(ComposedMessage(content: .text($0))) }
            return try transaction.sentMessages.send(messages, to: chat, isLive: false, ttl: nil, of: try transaction.user())
        }
        guard case .newChatItems(_, let items) = response else { throw UnexpectedAnswer() }
        #expect(items.map(\.chatItem.meta.text) == ["before", "after"])
        #expect(effects.events.contains(.chatErrors(errors: [.store(error: .largeMessage)])))
        try await scene.rules.close()
    }

    @Test func onlyOwnMessagesAreEditedAndForADay() async throws {
        let scene = try await scene(), chat = scene.chat
        try await expect("invalidChatItemUpdate", in: scene, edit(scene.others, in: chat))
        try await expect("invalidChatItemUpdate", in: scene, edit(scene.deleted, in: chat))
        try await expect("chatItemNotFound", in: scene, edit(999, in: chat))
        try await expect("invalidChatItemUpdate", after: Self.day, in: scene, edit(scene.own, in: chat))
        try await expect(
            "sending reports via this API is not supported", in: scene, edit(scene.own, in: chat, .init(content: .report(text: "", reason: .spam))))
        try await expect("mentions are not supported in this chat", in: scene, edit(scene.own, in: chat, .init(content: .text("@x"), mentions: ["x": 1])))
        #expect(try await scene.rules.refusal(after: Self.day - 1, edit(scene.own, in: chat)) == nil)
        try await scene.rules.close()
    }

    @Test func onlyOwnMessagesAreDeletedForBothAndForADayAndSixHours() async throws {
        let scene = try await scene(), chat = scene.chat, period = Self.day + 6 * 3_600
        try await expect("invalidChatItemDelete", in: scene, delete([scene.others], of: chat))
        try await expect("invalidChatItemDelete", in: scene, delete([scene.own, scene.others], of: chat))
        try await expect("invalidChatItemDelete", in: scene, delete([scene.deleted], of: chat))
        try await expect("invalidChatItemDelete", after: period, in: scene, delete([scene.own], of: chat))
        #expect(try await scene.rules.refusal(after: period - 1, delete([scene.own], of: chat)) == nil)
        try await scene.rules.close()
    }

    @Test func whatIsNotThereIsReportedAndTheRestIsDeleted() async throws {
        let scene = try await scene()
        let (response, effects) = try await scene.rules.memory.run { [scene] in
            try $0.sentMessages.delete([999, scene.own, scene.own], of: scene.chat, .internal)
        }
        guard case .chatItemsDeleted(_, let deletions, true, false) = response else { throw UnexpectedAnswer() }
        #expect(Set(deletions.map(\.deletedChatItem.chatItem.id)) == [scene.own])
        #expect(effects.events == [.chatErrors(errors: [.store(error: .chatItemNotFound(itemID: 999))])])
        #expect(try await scene.rules.texts(in: scene.chat) == ["deleted", "others"])
        try await scene.rules.close()
    }

    @Test func reactionsAreAddedOnceAndTakenBackOnceAndNotMoreThanThree() async throws {
        let scene = try await scene(), chat = scene.chat, item = scene.others
        try await expect("reaction already removed", in: scene, react(item, in: chat, add: false))
        _ = try await scene.rules.run(react(item, in: chat))
        try await expect("reaction already added", in: scene, react(item, in: chat))
        for number in 1...2 { _ = try await scene.rules.run(react(item, in: chat, number)) }
        try await expect("too many reactions", in: scene, react(item, in: chat, 3))
        try await expect("reaction not allowed - chat item has no content", in: scene, react(scene.deleted, in: chat))
        try await expect("chatItemNotFound", in: scene, react(999, in: chat))
        _ = try await scene.rules.run(react(item, in: chat, add: false))
        #expect(try await scene.rules.refusal(react(item, in: chat, 3)) == nil)
        try await scene.rules.close()
    }

    @Test func whatTheContactDoesNotAllowIsNotSentToIt() async throws {
        let scene = try await scene()
        var preferences = ChatPreferences()
        for feature in [ChatFeature.voice, .reactions] { preferences.set(feature, allow: .no) }
        try await scene.rules.receive([.info(Profile(displayName: "bob", fullName: "", preferences: preferences))], from: .contact(scene.bob))
        try await expect("feature not allowed Voice messages", in: scene, send([.init(content: .voice(text: "", duration: 1))], to: scene.chat))
        try await expect("feature not allowed Message reactions", in: scene, react(scene.others, in: scene.chat))
        #expect(try await scene.rules.refusal(send([.init(content: .text("text"))], to: scene.chat)) == nil)
        try await scene.rules.close()
    }

    @Test(arguments: [
        ("UPDATE connections SET status = 'requested'", "contactNotReady"), ("DELETE FROM connections", "contactNotReady"),
        ("UPDATE contacts SET contact_status = 'deleted'", "contactNotActive"), ("UPDATE contacts SET contact_status = 'deletedByUser'", "contactNotActive"),
        ("UPDATE connections SET auth_errors = 10", "contactDisabled"),
    ])
    func nothingIsSentToAContactThatCannotBeReachedAndWhatIsHereCanStillBeDeleted(_ change: String, _ code: String) async throws {
        let scene = try await scene(), chat = scene.chat
        try await scene.rules.run { try $0.db.run(change) }
        try await expect(code, in: scene, send([.init(content: .text("text"))], to: chat))
        try await expect(code, in: scene, edit(scene.own, in: chat))
        try await expect(code, in: scene, react(scene.others, in: chat))
        try await expect(code, in: scene, delete([scene.own], of: chat))
        for mode in [DeleteMode.internalMark, .internal] { #expect(try await scene.rules.refusal(delete([scene.own], of: chat, mode)) == nil) }
        #expect(try await scene.rules.texts(in: chat) == ["deleted", "others"])
        try await scene.rules.close()
    }
}
