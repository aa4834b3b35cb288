import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Notes to oneself: a chat without anybody else.
@Suite struct NoteTests {
    private func scene(_ texts: [String] = []) async throws -> (RuleScene, ChatReference, [ChatItemID]) {
        let scene = try await RuleScene()
        let notes = try await scene.run { ChatReference.local(try $0.conversations.noteFolderID(of: try $0.user())) }
        var ids: [ChatItemID] = []
        for text in texts { ids.append(try await scene.send(text, to: notes).id) }
        return (scene, notes, ids)
    }

    @Test func aNoteIsSentToNobodyAndIsReadFromTheBeginning() async throws {
        let (scene, notes, _) = try await scene()
        let (item, effects) = try await scene.memory.run { try $0.send(ComposedMessage(content: .text("note")), to: notes) }
        #expect(effects.deliveries.isEmpty && item.direction == .localSent && item.meta.sharedMessageID == nil && item.meta.timed == nil)
        #expect(try await scene.count("chat_items WHERE status = 'rcvNew'") == 0)
        try await scene.close()
    }

    @Test func aNoteIsEditedAfterYearsAndKeepsItsVersions() async throws {
        let (scene, notes, ids) = try await scene(["first"])
        for (number, text) in ["second", "third"].enumerated() {
            _ = try await scene.run(after: Int64(number + 1) * 400 * 86_400) {
                try $0.sentMessages.edit(ids[0], in: notes, to: UpdatedMessage(content: .text(text)), isLive: false)
            }
        }
        let same = try await scene.run { try $0.sentMessages.edit(ids[0], in: notes, to: UpdatedMessage(content: .text("third")), isLive: false) }
        guard case .chatItemNotChanged = same else { throw UnexpectedAnswer() }
        guard case .chatItemInfo(_, _, let info) = try await scene.run({ try $0.chats.itemInfo(ids[0], in: notes) }) else { throw UnexpectedAnswer() }
        #expect(info.versions.map(\.content) == [.text("third"), .text("second"), .text("first")], "the newest first")
        try await scene.close()
    }

    @Test(arguments: [DeleteMode.internal, .internalMark, .broadcast])
    func aDeletedNoteIsGoneWhateverTheCommandAsksFor(_ mode: DeleteMode) async throws {
        let (scene, notes, ids) = try await scene(["one", "two"])
        let effects = try await scene.memory.run { try $0.sentMessages.delete([ids[0]], of: notes, mode) }.1
        #expect(effects.deliveries.isEmpty)
        #expect(try await scene.texts(in: notes) == ["two"])
        try await scene.close()
    }

    @Test func whatNeedsSomebodyElseIsRefused() async throws {
        let (scene, notes, ids) = try await scene(["note"])
        let thumb = MessageReaction.emoji(ReactionEmoji.allCases[0])
        #expect(try await scene.refusal { try $0.sentMessages.react(to: ids[0], in: notes, with: thumb, isAdded: true) } == "not supported")
        let quote = ComposedMessage(content: .text("answer"), quotedItemID: ids[0])
        #expect(try await scene.refusal { try $0.send(quote, to: notes) } == "createNoteFolderContentItems: quotes not supported")
        let mention = ComposedMessage(content: .text("@x"), mentions: ["x": 1])
        #expect(try await scene.refusal { try $0.send(mention, to: notes) } == "mentions are not supported in this chat")
        #expect(
            try await scene.refusal { try $0.sentMessages.send([Composition(quote)], to: notes, isLive: false, ttl: nil, asGroup: true, of: $0.user()) }
                == "not supported")
        #expect(try await scene.refusal { try $0.chats.delete(notes, .full(notify: false)) } == "not supported")
        #expect(try await scene.refusal { try $0.chats.markRead(notes, items: ids) } == "not supported")
        #expect(try await scene.refusal { try $0.chats.setTTL(60, of: notes, user: MemoryStore.user) } == "not supported")
        #expect(try await scene.texts(in: notes) == ["note"])
        try await scene.close()
    }

    @Test func notesAreMarkedAsUnreadAndAsAFavouriteAndClearedWithoutLosingThat() async throws {
        let (scene, notes, _) = try await scene(["one", "two"])
        func folder() async throws -> NoteFolder { try await scene.run { try $0.conversations.noteFolder(NoteFolderID(notes.id), of: try $0.user()) } }
        _ = try await scene.run { try $0.chats.markUnread(notes, true) }
        _ = try await scene.run { try $0.chats.set(ChatSettings(notifications: NotificationFilter.none, sendsReceipts: true, isFavorite: true), of: notes) }
        let marked = try await folder()
        #expect(marked.isUnread && marked.isFavorite)
        guard case .chatCleared = try await scene.run({ try $0.chats.clear(notes) }) else { throw UnexpectedAnswer() }
        #expect(try await scene.texts(in: notes).isEmpty)
        #expect(try await folder().isFavorite)
        _ = try await scene.run { try $0.chats.markRead(notes) }
        #expect(try await !folder().isUnread)
        // The folder is there for the next note.
        try await scene.send("three", to: notes)
        #expect(try await scene.texts(in: notes) == ["three"])
        try await scene.close()
    }

    @Test func aNewNoteBringsTheFolderToTheTopOfTheList() async throws {
        let (scene, notes, _) = try await scene(), bob = try await scene.addContact("bob")
        func first() async throws -> ChatListEntry.Kind? {
            try await scene.run { try $0.db.pages.chatList(user: MemoryStore.user, page: .last(10), filter: .all, withConnections: false).first?.kind }
        }
        try await scene.send("to bob", to: .direct(bob), after: 10)
        #expect(try await first() == .contact)
        try await scene.send("note", to: notes, after: 20)
        #expect(try await first() == .notes)
        try await scene.close()
    }
}
