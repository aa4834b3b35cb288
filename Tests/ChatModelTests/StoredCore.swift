import AsyncPrimitives
import ChatAPI
import ChatProtocol
import Synchronization
import TestSupport

@testable import ChatModel

/// A core with one contact and one group, which stores what happens and reports it. A test can hold back the answer to a read.
final class StoredCore: ChatCore {
    /// Where a read is held back: before it looks into the store, or when it has its answer.
    enum Hold: CaseIterable { case beforeReading, afterReading }

    /// Something that happens in the chats.
    enum Happening: CaseIterable { case newItems, edit, deletion, leaving, joining, promotion }

    struct Store {
        var items = (1...3).map { (id: Int64) in Samples.item(ChatItemID(id)) }
        var members = [Samples.member(2), Samples.member(3)]
        var others: [Contact] = []
        var isContactDeleted = false
        /// The reads that were begun.
        var reads: [ChatCommand] = []
        /// How the next read is held back.
        var hold: Hold?

        var unreadCount: Int { items.count(where: \.isUnread) }
        var chat: Chat {
            let stats = ChatStats(unreadCount: unreadCount, minUnreadItemID: items.first(where: \.isUnread)?.id ?? 0)
            return Chat(chatInfo: .direct(contact: StoredCore.bob), chatItems: items.suffix(1), chatStats: stats)
        }
    }

    static let bob = Samples.contact(4)
    static let user = Samples.user()
    static let key = ItemsKey(.direct(4))

    private let store = Mutex(Store())
    private let hub = ChatEventHub()
    private let held = Promise<Void>()
    private let gate = Promise<Void>()

    func events(bufferingUpTo limit: Int) -> ChatEvents { hub.subscribe(bufferingUpTo: limit) }
    func close() { hub.finish() }

    /// What is stored.
    var now: Store { store.withLock(\.self) }

    /// Holds the next read back.
    func hold(_ hold: Hold) { store.withLock { $0.hold = hold } }

    /// Returns when a read is held back.
    func waitForHeldRead() async { await held.value() }

    /// Lets the read that is held back go on.
    func release() { gate.resolve(()) }

    private func pass() async {
        held.resolve(())
        await gate.value()
    }

    func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse {
        guard command.isRead else { return try change(command) }
        let hold = store.withLock { store in
            store.reads.append(command)
            return store.hold.take()
        }
        if hold == .beforeReading { await pass() }
        let answer = try read(command)
        if hold == .afterReading { await pass() }
        return answer
    }

    private func read(_ command: ChatCommand) throws(ChatCoreError) -> ChatResponse {
        let store = now, user = Self.user
        switch command {
        case .users(.list): return .usersList(users: [UserInfo(user: user, unreadCount: store.unreadCount)])
        case .chats(.list):
            let group = Chat(chatInfo: .group(groupInfo: Samples.group(), scope: nil), chatItems: [])
            let others = store.others.map { Chat(chatInfo: .direct(contact: $0), chatItems: []) }
            return .apiChats(user: user, chats: (store.isContactDeleted ? [] : [store.chat]) + [group] + others)
        case .chats(.page(.direct(4), _, _, .last(let count), _)):
            let chat = Chat(chatInfo: .direct(contact: Self.bob), chatItems: store.items.suffix(count))
            return .apiChat(user: user, chat: chat, navigation: nil)
        case .chats(.tags): return .chatTags(user: user, userTags: [])
        case .groups(.members): return .groupMembers(user: user, group: Group(groupInfo: Samples.group(), members: store.members))
        default: throw ChatCoreError(.store(error: .userContactLinkNotFound))
        }
    }

    /// The commands that delete and edit an item, and delete the contact.
    private func change(_ command: ChatCommand) throws(ChatCoreError) -> ChatResponse {
        let user = Self.user
        switch command {
        case .messages(.delete(_, let ids, _)): return .chatItemsDeleted(user: user, deletions: delete(ids[0]), byUser: true, timed: false)
        case .messages(.update(_, let id, let message, _)): return .chatItemUpdated(user: user, chatItem: edit(id, message.content.text))
        case .chats(.delete):
            store.withLock { $0.isContactDeleted = true }
            return .contactDeleted(user: user, contact: Self.bob)
        default: throw ChatCoreError(.unsupported, "not in this test")
        }
    }

    private func delete(_ id: ChatItemID) -> [ChatItemDeletion] {
        store.withLock { store in
            let deleted = store.items.filter { $0.id == id }
            store.items.removeAll { $0.id == id }
            return deleted.map { ChatItemDeletion(deletedChatItem: Samples.located($0, in: Self.bob)) }
        }
    }

    private func edit(_ id: ChatItemID, _ text: String) -> ItemInChat {
        let item = Samples.item(id, text: text, updatedAt: 100)
        store.withLock { store in store.items = store.items.map { $0.id == id ? item : $0 } }
        return Samples.located(item, in: Self.bob)
    }

    /// Lets something happen.
    ///
    /// - Returns: How many events report it.
    @discardableResult func happen(_ happening: Happening) -> Int {
        let user = Self.user, group = Samples.group()
        let events: [ChatEvent]
        switch happening {
        case .newItems:
            events = store.withLock { store in
                let first = (store.items.last?.id.rawValue ?? 0) + 1
                let new = (first...first + 1).map { Samples.item(ChatItemID($0)) }
                store.items += new
                return new.map { .newChatItems(user: user, chatItems: [Samples.located($0, in: Self.bob)]) }
            }
        case .edit: events = [.chatItemUpdated(user: user, chatItem: edit(3, "edited"))]
        case .deletion: events = [.chatItemsDeleted(user: user, deletions: delete(3), byUser: false, timed: false)]
        case .leaving:
            let member = Samples.member(2, status: .left)
            store.withLock { $0.members[0] = member }
            events = [.leftMember(user: user, groupInfo: group, member: member, signature: nil)]
        case .joining:
            let member = Samples.member(4)
            store.withLock { $0.members.append(member) }
            events = [.joinedGroupMember(user: user, groupInfo: group, member: member)]
        case .promotion:
            let member = Samples.member(3, role: .admin)
            store.withLock { $0.members[1] = member }
            events = [
                .memberRole(
                    user: user, groupInfo: group, byMember: group.membership, member: member, fromRole: .member, toRole: .admin, signature: nil)
            ]
        }
        events.forEach(hub.publish)
        return events.count
    }

    /// Somebody else connects.
    func connect(_ contact: Contact) {
        store.withLock { $0.others.append(contact) }
        hub.publish(.contactConnected(user: Self.user, contact: contact, customUserProfile: nil))
    }
}

/// A model on a ``StoredCore``, and its events.
struct StoredModel {
    let core = StoredCore()
    let model: ChatModel
    let events: ChatEvents

    init(eventLimit: Int = 65_536) {
        model = ChatModel(core: core, eventLimit: eventLimit)
        events = model.events()
    }

    /// Runs the model until the body has ended.
    func running(_ body: () async throws -> Void) async throws {
        let running = Task { [model] in try await model.run() }
        defer { core.close() }
        do {
            try await body()
        } catch {
            running.cancel()
            core.release()
            throw error
        }
        core.close()
        try await running.value
    }

    /// Runs something beside a read that is held back, and returns when the model has taken in the read.
    func during(_ hold: StoredCore.Hold, of read: @escaping @Sendable (ChatModel) async throws -> Void, _ body: () async throws -> Void) async throws {
        core.hold(hold)
        let reading = Task { [model] in try await read(model) }
        await core.waitForHeldRead()
        try await body()
        core.release()
        try await reading.value
    }

    /// Lets something happen and waits until the model has taken in its events, and those that wait.
    func happen(_ happening: StoredCore.Happening, after waiting: Int = 0) async throws {
        var iterator = events.makeAsyncIterator()
        for _ in 0..<core.happen(happening) + waiting { _ = try await iterator.next() }
    }
}
