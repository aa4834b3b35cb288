import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Commands that name a chat or an item that is not the acting profile's: nothing is shown and nothing changes.
@Suite struct ChatIsolationTests {
    private static let presets = [Profile(displayName: "support", fullName: "")]

    /// A core with two profiles, `alice` (1) and `mallory` (2), each with a contact and a folder of notes; `alice` has a note.
    private func core() async throws -> (core: TestCore, contact: ContactID, folder: NoteFolderID, note: ChatItemID) {
        let core = try await TestWorld().core("alice", presets: Self.presets)
        _ = try await core.createUser("mallory")
        let (contact, folder) = try await core.native.engine.transactions.query { transaction in
            let user = try transaction.anyUser(1)
            return (try transaction.conversations.contact(named: "support", of: user).contactID, try transaction.conversations.noteFolderID(of: user))
        }
        guard case .newChatItems(_, let items) = try await core.send(.messages(.createNotes(folder, [ComposedMessage(content: .text("mine"))])), as: 1),
            let note = items.first
        else { throw UnexpectedAnswer() }
        return (core, contact, folder, note.chatItem.id)
    }

    private func snapshot(_ core: TestCore) async throws -> [String] {
        try await core.native.engine.store.read { db in
            try ["contacts", "chat_items", "note_folders", "contact_tags", "chat_tags"].flatMap { table in
                let columns = try db.columns(in: table).map { "quote(\"\($0.name)\")" }.joined(separator: " || ',' || ")
                return try db.all("SELECT \(columns) FROM \(table) ORDER BY 1") { "\(table): \($0.text())" }
            }
        }
    }

    @Test func aProfileCannotReadOrChangeTheChatsOfAnother() async throws {
        let (core, contact, folder, note) = try await core()
        let settings = ChatSettings(notifications: NotificationFilter.none, isFavorite: true)
        let before = try await snapshot(core)
        let chats: [ChatReference] = [.direct(contact), .local(folder)]
        var commands: [ChatCommand] = chats.flatMap { chat -> [ChatCommand] in
            [
                .chats(.page(chat, pagination: .last(10))), .chats(.contentTypes(chat)), .chats(.itemInfo(chat, note)), .chats(.markUnread(chat, true)),
                .chats(.clear(chat)), .chats(.setSettings(chat, settings)), .messages(.delete(chat, [note], mode: .internal)),
                .messages(.update(chat, note, UpdatedMessage(content: .text("changed")))),
            ]
        }
        commands += [
            .chats(.delete(.direct(contact))), .chats(.setTags(.direct(contact), [])), .chats(.setThemes(.direct(contact), ["a": 1])),
            .messages(.createNotes(folder, [ComposedMessage(content: .text("forged"))])),
            .messages(.send(to: .direct(contact), [ComposedMessage(content: .text("forged"))])), .contacts(.setAlias(contact, "forged")),
            .contacts(.setCustomData(contact, ["a": 1])), .contacts(.setPreferences(contact, ChatPreferences())),
        ]
        for command in commands {
            let error = await #expect(throws: ChatCoreError.self, "\(command.commandString)") { _ = try await core.send(command, as: 2) }
            if let error { #expect(error.chatError != nil, "\(command.commandString): \(error)") }
        }
        let after = try await snapshot(core)
        #expect(after == before)
        await core.close()
    }

    @Test func anItemIsFoundOnlyInItsOwnChat() async throws {
        let (core, contact, folder, note) = try await core()
        for command: ChatCommand in [
            .chats(.itemInfo(.direct(contact), note)), .chats(.page(.direct(contact), pagination: .around(note, count: 3))),
            .messages(.update(.direct(contact), note, UpdatedMessage(content: .text("changed")))),
            .messages(.react(.direct(contact), note, add: true, .emoji(ReactionEmoji.allCases[0]))),
        ] {
            await #expect(throws: ChatCoreError.self, "\(command.commandString)") { _ = try await core.send(command, as: 1) }
        }
        guard case .apiChat(_, let chat, _) = try await core.send(.chats(.page(.local(folder), pagination: .last(10))), as: 1) else {
            throw UnexpectedAnswer()
        }
        #expect(chat.chatItems.map(\.meta.text) == ["mine"])
        await core.close()
    }
}
