import ChatAPI
import ChatProtocol
import ChatRules
import Testing

@testable import ChatEngine

/// Tags by which a profile groups its chats.
@Suite struct TagTests {
    private func core() async throws -> TestCore {
        let core = try await TestWorld().core("alice", presets: [Profile(displayName: "support", fullName: "")])
        _ = try await core.createUser("bob")
        return core
    }

    private func tags(_ core: TestCore, of user: UserID = 1) async throws -> [ChatTag] {
        guard case .chatTags(_, let tags) = try await core.send(.chats(.tags(user: user)), as: user) else { throw UnexpectedAnswer() }
        return tags
    }

    private func create(_ core: TestCore, _ text: String, _ emoji: String? = nil, as user: UserID = 1) async throws {
        _ = try await core.send(.chats(.createTag(ChatTagData(emoji: emoji, text: text))), as: user)
    }

    @Test func tagsKeepTheOrderThatTheyAreGiven() async throws {
        let core = try await core()
        for text in ["work", "home", "bots"] { try await create(core, text) }
        let made = try await tags(core)
        #expect(made.map(\.text) == ["work", "home", "bots"])
        _ = try await core.send(.chats(.reorderTags([made[2].id, made[0].id, made[1].id])), as: 1)
        #expect(try await tags(core).map(\.text) == ["bots", "work", "home"])
        await core.close()
    }

    @Test func twoTagsOfAProfileDifferInTextAndEmoji() async throws {
        let core = try await core()
        try await create(core, "work", "💼")
        await #expect(throws: ChatCoreError.self) { try await create(core, "work") }
        await #expect(throws: ChatCoreError.self) { try await create(core, "office", "💼") }
        try await create(core, "home")
        try await create(core, "bots")
        // Renaming is checked as well; a tag may keep its own text.
        let ids = try await tags(core).map(\.id)
        await #expect(throws: ChatCoreError.self) { _ = try await core.send(.chats(.updateTag(ids[1], ChatTagData(text: "work"))), as: 1) }
        _ = try await core.send(.chats(.updateTag(ids[0], ChatTagData(emoji: "🏢", text: "work"))), as: 1)
        // Another profile has its own.
        try await create(core, "work", "💼", as: 2)
        #expect(try await tags(core).map(\.text) == ["work", "home", "bots"])
        #expect(try await tags(core, of: 2).map(\.text) == ["work"])
        await core.close()
    }

    @Test func aProfileDoesNotChangeTheTagsOfAnother() async throws {
        let core = try await core()
        for text in ["work", "home"] { try await create(core, text) }
        let before = try await tags(core)
        for command: ChatsCommand in [
            .deleteTag(before[0].id), .updateTag(before[0].id, ChatTagData(text: "stolen")), .reorderTags([before[1].id, before[0].id]),
        ] {
            _ = try? await core.send(.chats(command), as: 2)
        }
        #expect(try await tags(core) == before)
        await core.close()
    }

    @Test func aDeletedTagIsGoneFromItsChats() async throws {
        let core = try await core()
        for text in ["work", "home"] { try await create(core, text) }
        let ids = try await tags(core).map(\.id)
        let contact = try await core.native.engine.transactions.query { try $0.conversations.contact(named: "support", of: try $0.anyUser(1)).contactID }
        guard case .tagsUpdated(_, _, let chatTags) = try await core.send(.chats(.setTags(.direct(contact), ids)), as: 1) else { throw UnexpectedAnswer() }
        #expect(chatTags == ids)
        _ = try await core.send(.chats(.deleteTag(ids[0])), as: 1)
        let left = try await core.native.engine.transactions.query { try $0.conversations.contact(contact, of: try $0.anyUser(1)).chatTags }
        #expect(left == [ids[1]])
        await core.close()
    }
}
