import ChatAPI
import ChatProtocol
import Synchronization
import TestSupport
import Testing

@testable import ChatModel

/// The model between a core and those who use it.
@Suite struct ChatModelActorTests {
    private let bob = Samples.contact(4)

    @Test("who reads events from the model sees the state already changed by them")
    func order() async throws {
        let core = ScriptedCore()
        let model = ChatModel(core: core)
        let events = model.events()
        let running = Task { try await model.run() }
        for id: Int64 in 1...200 { core.publish(Samples.message(ChatItemID(id), in: bob)) }
        var count = 0
        var iterator = events.makeAsyncIterator()
        while count < 200, let event = try await iterator.next() {
            count += 1
            guard case .newChatItems(_, let items) = event else { continue }
            let known = await model.state.chat(.direct(4), of: 1)?.chatItems.first?.id ?? 0
            #expect(known >= items[0].chatItem.id)
        }
        #expect(await model.state.chat(.direct(4), of: 1)?.chatStats.unreadCount == 200)
        core.close()
        try await running.value
        #expect(try await iterator.next() == nil)
    }

    @Test("events that came before the model ran are not missed")
    func early() async throws {
        let core = ScriptedCore()
        let model = ChatModel(core: core)
        core.publish(Samples.message(1, in: bob))
        core.close()
        try await model.run()
        #expect(await model.state.chats(of: 1).count == 1)
    }

    @Test("a command changes the state before it returns, and one that fails changes nothing")
    func send() async throws {
        let core = ScriptedCore { command, _ in
            switch command {
            case .chats(.markRead): return .cmdOk(user: Samples.user())
            default: throw ChatCoreError(.store(error: .contactNotFound(contactID: 9)))
            }
        }
        let model = ChatModel(core: core)
        core.publish(Samples.message(1, in: bob))
        core.close()
        try await model.run()
        _ = try await model.send(.chats(.markRead(.direct(4))), as: 1)
        let error = await #expect(throws: ChatCoreError.self) { _ = try await model.send(.contacts(.info(9)), as: 1) }
        #expect(error?.code.rawValue == "errorStore.contactNotFound")
        #expect(await model.state.chat(.direct(4), of: 1)?.chatStats.unreadCount == 0)
    }

    @Test("loading asks for profiles, and for the chats, tags and address of each")
    func load() async throws {
        let users = [Samples.user(1), Samples.user(2, name: "work", isActive: false)]
        let core = ScriptedCore { command, user in
            switch command {
            case .users(.list): return .usersList(users: users.map { UserInfo(user: $0, unreadCount: 0) })
            case .chats(.list(let id, _, _, _)):
                #expect(id == user)
                let contact = Samples.contact(ContactID(id.rawValue * 10))
                return .apiChats(user: users[Int(id.rawValue) - 1], chats: [Chat(chatInfo: .direct(contact: contact), chatItems: [])])
            case .chats(.tags(let id)): return .chatTags(user: users[Int(id.rawValue) - 1], userTags: [ChatTag(chatTagID: 1, text: "t")])
            case .address: throw ChatCoreError(.store(error: .userContactLinkNotFound))
            default: throw ChatCoreError(.unsupported, "not in this test")
            }
        }
        let model = ChatModel(core: core)
        try await model.load()
        let state = await model.state
        #expect(state.chats(of: 1).map(\.chatInfo.reference) == [.direct(10)])
        #expect(state.chats(of: 2).map(\.chatInfo.reference) == [.direct(20)])
        #expect(state.users[2]?.tags.count == 1 && state.users[2]?.isLoaded == true && state.activeUserID == 1)
    }

    @Test("the preview that a deletion takes away is loaded")
    func repair() async throws {
        let bob = bob
        let core = ScriptedCore { command, _ in
            #expect(command == .chats(.page(.direct(4), pagination: .last(1))))
            let chat = Chat(chatInfo: .direct(contact: bob), chatItems: [Samples.item(1)])
            return .apiChat(user: Samples.user(), chat: chat, navigation: nil)
        }
        let model = ChatModel(core: core)
        core.publish(Samples.message(2, in: bob))
        core.publish(
            .chatItemsDeleted(
                user: Samples.user(), deletions: [ChatItemDeletion(deletedChatItem: Samples.located(Samples.item(2), in: bob))],
                byUser: false, timed: false))
        core.close()
        try await model.run()
        #expect(await model.state.chat(.direct(4), of: 1)?.chatItems.map(\.id) == [1])
    }

    @Test("pages are loaded until the oldest item is reached")
    func pages() async throws {
        let bob = bob
        let core = ScriptedCore { command, _ in
            guard case .chats(.page(_, _, _, let pagination, _)) = command else { throw ChatCoreError(.unsupported, "") }
            let ids: ClosedRange<Int64> =
                switch pagination {
                case .last: 21...30
                case .before(let id, _): max(1, id.rawValue - 10)...max(1, id.rawValue - 1)
                default: 1...1
                }
            let items = ids.map { Samples.item(ChatItemID($0)) }
            let page = pagination == .before(1, count: 10) ? [] : items
            return .apiChat(user: Samples.user(), chat: Chat(chatInfo: .direct(contact: bob), chatItems: page), navigation: nil)
        }
        let model = ChatModel(core: core)
        let key = ItemsKey(.direct(4))
        for expected in [10, 20, 30, 30, 30] {
            let window = try await model.loadOlderItems(key, of: 1, count: 10)
            #expect(window.count == expected)
        }
        #expect(core.sent.count == 4, "when the oldest item is there nothing is asked for")
        await model.closeItems(key, of: 1)
        #expect(await model.items(key, of: 1) == nil)
    }

    @Test("the comments on a post are loaded by its id; a post that has none yet by which others know it is not opened")
    func comments() async throws {
        let bob = bob
        let core = ScriptedCore { command, _ in
            #expect(command == .chats(.page(.group(1), commentsOn: 5, pagination: .last(50))))
            return .apiChat(user: Samples.user(), chat: Chat(chatInfo: .direct(contact: bob), chatItems: []), navigation: nil)
        }
        let model = ChatModel(core: core)
        var post = Samples.item(5)
        post.meta.sharedMessageID = nil
        await #expect(throws: ChatCoreError.self) { try await model.openComments(on: post, in: 1, of: 1) }
        let id = SharedMessageID([1, 2, 3])
        post.meta.sharedMessageID = id
        let opened = try await model.openComments(on: post, in: 1, of: 1)
        #expect(opened.post.sharedMessageID == id && opened.post.item.id == 5)
        #expect(await model.items(opened.key, of: 1)?.items.isEmpty == true)
    }

    @Test("members are loaded when they are first asked for, and a failure leaves nothing behind")
    func members() async throws {
        let core = ScriptedCore { command, user in
            #expect(user == 1)
            guard command == .groups(.members(1)) else { throw ChatCoreError(.store(error: .groupNotFound(groupID: 2))) }
            return .groupMembers(user: Samples.user(), group: Group(groupInfo: Samples.group(), members: [Samples.member(2)]))
        }
        let model = ChatModel(core: core)
        core.publish(Samples.message(1, in: bob))
        core.close()
        try await model.run()
        for _ in 1...3 { #expect(try await model.members(of: 1, user: 1).all.map(\.groupMemberID) == [2]) }
        #expect(core.sent.count == 1)
        await #expect(throws: ChatCoreError.self) { try await model.members(of: 2, user: 1) }
        #expect(await model.state.members(of: 2, user: 1) == nil)
        await model.closeMembers(of: 1, user: 1)
        #expect(await model.state.members(of: 1, user: 1) == nil)
    }

    @Test("changes that were not read are put together")
    func changes() async throws {
        let core = ScriptedCore()
        let model = ChatModel(core: core)
        let changes = model.changes()
        for id: Int64 in 1...100 { core.publish(Samples.message(ChatItemID(id), in: bob)) }
        core.close()
        try await model.run()
        var iterator = changes.makeAsyncIterator()
        let first = try #require(await iterator.next())
        #expect(first == [.user(1), .chat(1, .direct(4))])
        #expect(await iterator.next() == nil)
        var later = model.changes().makeAsyncIterator()
        #expect(await later.next() == nil, "the model has ended")
    }

    @Test("cancelling a reader of changes ends its reading")
    func cancelledChanges() async throws {
        let model = ChatModel(core: ScriptedCore())
        let changes = model.changes()
        let reader = Task {
            var iterator = changes.makeAsyncIterator()
            return await iterator.next()
        }
        try await eventually("it waits") { changes.subscription.isAwaited }
        reader.cancel()
        #expect(await reader.value == nil)
    }

    @Test("when events were lost the state is read anew and readers are told")
    func lost() async throws {
        let bob = bob
        let core = ScriptedCore { command, _ in
            switch command {
            case .users(.list): return .usersList(users: [UserInfo(user: Samples.user(), unreadCount: 0)])
            case .chats(.list):
                return .apiChats(user: Samples.user(), chats: [Chat(chatInfo: .direct(contact: bob), chatItems: [Samples.item(5)])])
            case .chats(.tags): return .chatTags(user: Samples.user(), userTags: [])
            default: throw ChatCoreError(.store(error: .userContactLinkNotFound))
            }
        }
        let model = ChatModel(core: core, eventLimit: 3)
        let events = model.events()
        for id: Int64 in 1...5 { core.publish(Samples.message(ChatItemID(id), in: bob)) }
        let running = Task { try await model.run() }
        var count = 0
        let error = await #expect(throws: ChatCoreError.self) { for try await _ in events { count += 1 } }
        #expect(error?.code == .eventsLost)
        #expect(count == 3)
        #expect(await model.state.chat(.direct(4), of: 1)?.chatItems.map(\.id) == [5])
        var later = model.events().makeAsyncIterator()
        core.publish(Samples.message(6, in: bob))
        #expect(try await later.next() == Samples.message(6, in: bob))
        core.close()
        try await running.value
    }

    @Test("a page for somebody who does not follow the chat is not kept")
    func unfollowed() async throws {
        let bob = bob
        let core = ScriptedCore { command, _ in
            #expect(command == .chats(.page(.direct(4), pagination: .before(9, count: 2))))
            return .apiChat(
                user: Samples.user(), chat: Chat(chatInfo: .direct(contact: bob), chatItems: [Samples.item(7), Samples.item(8)]), navigation: nil)
        }
        let model = ChatModel(core: core)
        #expect(try await model.readItems(.direct(4), of: 1, .before(9, count: 2)).map(\.chatItem.id) == [7, 8])
        #expect(await model.items(ItemsKey(.direct(4)), of: 1) == nil)
    }

    @Test("a key goes to a core that remembers keys, and the answer changes the state")
    func once() async throws {
        let core = RememberingCore(answer: .newChatItems(user: Samples.user(), chatItems: [Samples.located(Samples.item(3, isReceived: false), in: bob)]))
        let model = ChatModel(core: core)
        core.hub.publish(Samples.message(1, in: bob))
        core.hub.finish()
        try await model.run()
        let command = ChatCommand.chats(.markRead(.direct(4)))
        _ = try await model.send(command, as: 1, onceAs: "a")
        #expect(core.keys.withLock(\.self) == ["a"])
        #expect(await model.state.chat(.direct(4), of: 1)?.chatItems.map(\.id) == [3])
        let forgetful = ScriptedCore { _, _ in .cmdOk(user: nil) }
        _ = try await ChatModel(core: forgetful).send(command, as: 1, onceAs: "a")
        #expect(forgetful.sent == [command])
    }
}

/// A core that tells which keys it was given.
private final class RememberingCore: IdempotentChatCore {
    let hub = ChatEventHub()
    let keys = Mutex<[String]>([])
    private let answer: ChatResponse

    init(answer: ChatResponse) { self.answer = answer }

    func send(_ command: ChatCommand, as user: UserID?, onceAs key: String) async throws(ChatCoreError) -> ChatResponse {
        keys.withLock { $0.append(key) }
        return answer
    }

    func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse { answer }
    func events(bufferingUpTo limit: Int) -> ChatEvents { hub.subscribe(bufferingUpTo: limit) }
}

/// A core that answers as a test says.
private final class ScriptedCore: ChatCore {
    typealias Answer = @Sendable (ChatCommand, UserID?) throws -> ChatResponse

    private let hub = ChatEventHub()
    private let answer: Answer
    private let commands = Mutex<[ChatCommand]>([])

    init(answer: @escaping Answer = { _, _ in throw ChatCoreError(.unsupported, "no command in this test") }) {
        self.answer = answer
    }

    var sent: [ChatCommand] { commands.withLock { $0 } }

    func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse {
        commands.withLock { $0.append(command) }
        do {
            return try answer(command, user)
        } catch let error as ChatCoreError {
            throw error
        } catch {
            throw ChatCoreError(.unsupported, "the test threw", cause: error)
        }
    }

    func events(bufferingUpTo limit: Int) -> ChatEvents { hub.subscribe(bufferingUpTo: limit) }
    func publish(_ event: ChatEvent) { hub.publish(event) }
    func close() { hub.finish() }
}
