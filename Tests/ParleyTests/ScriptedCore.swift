import ChatAPI
import ChatProtocol
import Foundation
import Synchronization
import VectorSupport

/// A core that answers from a script kept in memory: enough of one to run bots on, without a network.
final class ScriptedCore: IdempotentChatCore {
    struct State {
        var users: [User] = []
        var links: [UserID: UserContactLink] = [:]
        var contacts: [Contact] = []
        var requests: [UserContactRequest] = []
        var items: [ContactID: [ChatItem]] = [:]
        var groups: [GroupInfo] = []
        var members: [GroupMember] = []
        var groupLinks: [GroupID: GroupLink] = [:]
        /// Items of groups and of their support chats, in the order in which they came.
        var groupItems: [ChatReference: [ChatItem]] = [:]
        var answered: [String: ChatResponse] = [:]
        var commands: [ChatCommand] = []
        var lastID: Int64 = 100
        var sentCounts: [ContactID: Int] = [:]
        /// How many pages cannot be read before one can.
        var unreadablePages = 0
        /// What happens before the next page of a group is read that is not the newest.
        var beforeOlderPage: (@Sendable (inout State) -> Void)?
        /// What happens before the comments on a post are read.
        var beforeComments: (post: ChatItemID, happening: @Sendable (inout State) -> Void)?
        /// What the next commands that block members fail with.
        var blockFailures: [ChatCoreError] = []
        /// What the next commands that unblock members fail with.
        var unblockFailures: [ChatCoreError] = []
        /// What the next commands about messages fail with.
        var failures: [ChatCoreError] = []
        /// The next plans for links and names, of which the last stays.
        var plans: [String: [Result<ConnectionPlan, ChatCoreError>]] = [:]
        /// The relays of the profile.
        var relays: [UserChatRelay] = []
        /// Bytes of the longest text that one message may have.
        var longestText = Int.max
    }

    private struct Waiter {
        let contact: ContactID
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct CommandWaiter {
        let command: String
        let continuation: CheckedContinuation<Void, Never>
    }

    let state = Mutex(State())
    let hub = ChatEventHub()
    /// What a command waits for before it has an effect.
    let hold = Mutex<(@Sendable (ChatCommand) async -> Void)?>(nil)
    private let waiters = Mutex<[Waiter]>([])
    private let commandWaiters = Mutex<[CommandWaiter]>([])

    func events(bufferingUpTo limit: Int) -> ChatEvents { hub.subscribe(bufferingUpTo: limit) }

    func finish() { hub.finish() }

    func send(_ command: ChatCommand, as user: UserID?, onceAs key: String) async throws(ChatCoreError) -> ChatResponse {
        if let answer = state.withLock({ $0.answered[key] }) { return answer }
        let answer = try await send(command, as: user)
        state.withLock { $0.answered[key] = answer }
        return answer
    }

    func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse {
        await hold.withLock(\.self)?(command)
        let result: Result<ChatResponse, ChatCoreError> = state.withLock { state in
            state.commands.append(command)
            return Self.answer(command, user, &state)
        }
        let text = command.commandString
        let woken = commandWaiters.withLock { waiters in
            let woken = waiters.filter { $0.command == text }
            waiters.removeAll { $0.command == text }
            return woken
        }
        for waiter in woken { waiter.continuation.resume() }
        let response = try result.get()
        if case .messages(.send(let target, _, _, _, _)) = command { wake(ContactID(target.chat.id)) }
        return response
    }

    /// Returns once so many messages were sent to a contact.
    func waitForSent(_ count: Int, to contact: ContactID) async {
        await withCheckedContinuation { continuation in
            // Looked at under the lock of the waiters: who sends looks through them after it has changed the state.
            let isDone = waiters.withLock { waiters in
                let isDone = state.withLock { $0.sentCounts[contact, default: 0] } >= count
                if !isDone { waiters.append(Waiter(contact: contact, count: count, continuation: continuation)) }
                return isDone
            }
            if isDone { continuation.resume() }
        }
    }

    /// Returns once a command was given.
    func waitForCommand(_ text: String) async {
        await withCheckedContinuation { continuation in
            let isDone = commandWaiters.withLock { waiters in
                let isDone = state.withLock { $0.commands.contains { $0.commandString == text } }
                if !isDone { waiters.append(CommandWaiter(command: text, continuation: continuation)) }
                return isDone
            }
            if isDone { continuation.resume() }
        }
    }

    private func wake(_ contact: ContactID) {
        let woken = waiters.withLock { waiters in
            let sent = state.withLock { $0.sentCounts[contact, default: 0] }
            let woken = waiters.filter { $0.contact == contact && $0.count <= sent }
            waiters.removeAll { $0.contact == contact && $0.count <= sent }
            return woken
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    private static func answer(_ command: ChatCommand, _ user: UserID?, _ state: inout State) -> Result<ChatResponse, ChatCoreError> {
        func owner(_ id: UserID?) -> User? { state.users.first { $0.userID == id } }
        switch command {
        case .users(.list):
            if state.users.isEmpty { return .failure(ChatCoreError(.chat(error: .noActiveUser))) }
            return .success(.usersList(users: state.users.map { UserInfo(user: $0, unreadCount: 0) }))
        case .users(.create(let request)):
            let profile = request.profile ?? Profile(displayName: "nobody")
            let user = Self.user(UserID(Int64(state.users.count + 1)), profile)
            state.users.append(user)
            return .success(.activeUser(user: user))
        case .users(.updateProfile(let id, let profile)):
            guard let index = state.users.firstIndex(where: { $0.userID == id }) else { break }
            state.users[index] = Self.user(id, profile)
            return .success(.cmdOk(user: state.users[index]))
        case .connections(.plan(let id, let target, _, _)):
            guard let owner = owner(id), let plan = state.plans[target]?.first else { break }
            if state.plans[target]?.count ?? 0 > 1 { state.plans[target]?.removeFirst() }
            return plan.map { .connectionPlan(user: owner, connectionLink: CreatedConnectionLink(fullLink: target), plan: $0) }
        case .connections(.connectLink): return .success(.cmdOk(user: nil))
        case .contacts(.list(let id)):
            guard let owner = owner(id) else { break }
            return .success(.contactsList(user: owner, contacts: state.contacts))
        case .core(.start): return .success(.chatStarted)
        case .core(.subscriptions): return .success(.agentSubs(active: [:], pending: [:], removed: [:]))
        case .address(.show(let id)):
            guard let id, let link = state.links[id], let owner = owner(id) else {
                return .failure(ChatCoreError(.store(error: .userContactLinkNotFound)))
            }
            return .success(.userContactLink(user: owner, contactLink: link))
        case .address(.create(let id)):
            guard let id, let owner = owner(id) else { break }
            let link = CreatedConnectionLink(fullLink: "simplex:/contact#/\(id)", shortLink: "https://simplex.chat/a#\(id)")
            state.links[id] = UserContactLink(
                userContactLinkID: UserContactLinkID(id.rawValue), connectionLink: link, addressSettings: AddressSettings(isBusinessAddress: false))
            return .success(.userContactLinkCreated(user: owner, connectionLink: link))
        case .address(.setSettings(let id, let settings)):
            guard let id, let owner = owner(id), var link = state.links[id] else { break }
            link.addressSettings = settings
            state.links[id] = link
            return .success(.userContactLinkUpdated(user: owner, contactLink: link))
        case .address: return .success(.cmdOk(user: owner(user)))
        case .chats(.list(let id, _, _, _)):
            guard let owner = owner(id) else { break }
            let chats = state.contacts.map { contact in
                Chat(chatInfo: .direct(contact: contact), chatItems: Array((state.items[contact.contactID] ?? []).suffix(1)))
            }
            let groups = state.groups.map { group in
                Chat(chatInfo: .group(groupInfo: group, scope: nil), chatItems: Array((state.groupItems[.group(group.groupID)] ?? []).suffix(1)))
            }
            let requests = state.requests.map { Chat(chatInfo: .contactRequest(contactRequest: $0), chatItems: []) }
            return .success(.apiChats(user: owner, chats: chats + groups + requests))
        case .chats(.tags(let id)):
            guard let owner = owner(id) else { break }
            return .success(.chatTags(user: owner, userTags: []))
        case .chats(.markRead): return .success(.cmdOk(user: owner(user)))
        case .chats(.page(let chat, let post, _, let page, _)) where chat.type == .group:
            if case .before = page, let happening = state.beforeOlderPage.take() { happening(&state) }
            if let post, post == state.beforeComments?.post, let (_, happening) = state.beforeComments.take() { happening(&state) }
            return groupPage(chat, commentsOn: post, page, owner(user), state)
        case .chats(.page(let chat, _, _, let page, _)):
            guard let owner = owner(user), let contact = state.contacts.first(where: { $0.contactID == ContactID(chat.id) }) else { break }
            guard state.unreadablePages == 0 else {
                state.unreadablePages -= 1
                return .failure(ChatCoreError(.store(error: .databaseException(message: "disk I/O error"))))
            }
            guard let items = Self.items(page, of: state.items[ContactID(chat.id)] ?? []) else {
                return .failure(ChatCoreError(.store(error: .chatItemNotFound(itemID: 0))))
            }
            return .success(.apiChat(user: owner, chat: Chat(chatInfo: .direct(contact: contact), chatItems: items), navigation: nil))
        case .messages where !state.failures.isEmpty: return .failure(state.failures.removeFirst())
        case .messages(.send(_, let messages, _, _, _)) where messages.contains { $0.content.text.utf8.count > state.longestText }:
            return .failure(ChatCoreError(.store(error: .largeMessage)))
        case .messages(.send(let target, let messages, _, _, _)) where target.chat.type == .group:
            return send(messages, toGroup: target.chat, owner(user), &state)
        case .messages(.send(let target, let messages, _, _, _)):
            guard let owner = owner(user), let contact = state.contacts.first(where: { $0.contactID == ContactID(target.chat.id) }) else { break }
            let sent = messages.map { message in
                state.lastID += 1
                return Self.item(ChatItemID(state.lastID), .sentMessage(content: message.content), .directSent, message.content.text)
            }
            state.items[contact.contactID, default: []] += sent
            state.sentCounts[contact.contactID, default: 0] += sent.count
            return .success(.newChatItems(user: owner, chatItems: sent.map { ItemInChat(chatInfo: .direct(contact: contact), chatItem: $0) }))
        case .messages(.moderate(let id, let items)): return moderate(items, in: id, owner(user), &state)
        case .messages: return .success(.cmdOk(user: owner(user)))
        case .groups(let command): return answer(command, owner(user), &state)
        case .servers(.relays):
            guard let owner = owner(user) else { break }
            return .success(.userServers(user: owner, userServers: [UserOperatorServers(smpServers: [], xftpServers: [], chatRelays: state.relays)]))
        case .servers(.setRelays(let relays)):
            state.relays = relays.enumerated().map { number, relay in
                UserChatRelay(
                    chatRelayID: UserChatRelayID(Int64(number + 1)), address: relay.address,
                    relayProfile: RelayProfile(displayName: relay.name), domains: [], preset: false, enabled: true, deleted: false)
            }
            return .success(.cmdOk(user: owner(user)))
        default: break
        }
        return .failure(ChatCoreError(.unsupported, "not in the script: \(command.commandString)"))
    }

    /// - Returns: nil if the item that the page is relative to is not there.
    static func items(_ page: ChatPagination, of items: [ChatItem]) -> [ChatItem]? {
        switch page {
        case .last(let count): return items.suffix(count)
        case .before(let id, let count):
            guard items.contains(where: { $0.id == id }) else { return nil }
            return items.filter { $0.id < id }.suffix(count)
        case .after(let id, let count):
            guard items.contains(where: { $0.id == id }) else { return nil }
            return Array(items.filter { $0.id > id }.prefix(count))
        case .around(let id, _):
            guard items.contains(where: { $0.id == id }) else { return nil }
            return items.filter { $0.id == id }
        case .initial: return nil
        }
    }

    // MARK: What happens

    /// A contact is there; nothing is announced.
    ///
    /// - Parameter link: The name of the link by which the contact came, as those of trusted contacts have one.
    @discardableResult
    func add(contact id: ContactID, name: String, link: String = "") throws -> Contact {
        var contact = try Self.contact(id, name)
        contact.activeConnection?.localAlias = link
        state.withLock { $0.contacts.append(contact) }
        return contact
    }

    /// A message of a contact is stored.
    ///
    /// - Parameters:
    ///   - announcing: false to store it as a core does that dies before it can tell.
    ///   - body: When the body was stored that it came in; nil for a body of its own.
    @discardableResult
    func receive(_ text: String, from contact: Contact, by user: UserID = 1, announcing: Bool = true, at body: UTCTimestamp? = nil) -> ChatItemID {
        let (item, owner) = state.withLock { state in
            state.lastID += 1
            var item = Self.item(ChatItemID(state.lastID), .receivedMessage(content: .text(text)), .directReceived, text)
            if let body { item.meta.createdAt = body }
            state.items[contact.contactID, default: []].append(item)
            return (item, state.users.first { $0.userID == user })
        }
        if announcing, let owner {
            hub.publish(.newChatItems(user: owner, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)]))
        }
        return item.id
    }

    /// Items are gone from the store, and nobody is told of it.
    func remove(_ ids: Set<ChatItemID>, of contact: Contact) {
        state.withLock { $0.items[contact.contactID]?.removeAll { ids.contains($0.id) } }
    }

    /// An item is in the store that nobody is told of.
    func store(_ item: ChatItem, of contact: Contact) {
        state.withLock { $0.items[contact.contactID, default: []].append(item) }
    }

    func publish(_ make: (User) -> ChatEvent, user: UserID = 1) {
        if let owner = state.withLock({ state in state.users.first { $0.userID == user } }) { hub.publish(make(owner)) }
    }

    /// The texts that were sent to a contact, in order.
    func sent(to contact: ContactID) -> [String] {
        state.withLock { state in
            (state.items[contact] ?? []).filter { !$0.direction.isReceived }.map(\.meta.text)
        }
    }

    // MARK: Values

    static let time = UTCTimestamp(seconds: 1_767_225_600)

    /// A connected contact as the official core reported one, with another id and name.
    static func contact(_ id: ContactID, _ name: String) throws -> Contact {
        var contact = try recorded.get()
        contact.contactID = id
        contact.localDisplayName = name
        contact.profile.displayName = name
        contact.activeConnection?.agentConnectionID = "connection-\(id)"
        return contact
    }

    private static let recorded: Result<Contact, any Error> = Result {
        let file = try String(contentsOf: Vectors.folder.appendingPathComponent("api/03_address.jsonl"), encoding: .utf8)
        for line in file.split(separator: "\n") where line.contains("\"contactConnected\"") {
            let body = try JSONObject(json: try JSONValue(parsing: String(line))).required("body") as JSONObject
            return try body.required("contact")
        }
        throw VectorError(description: "no contactConnected in the recorded conversation")
    }

    static func user(_ id: UserID, _ profile: Profile) -> User {
        User(
            userID: id, agentUserID: "\(id)", userContactID: ContactID(id.rawValue), localDisplayName: profile.displayName,
            profile: LocalProfile(
                profileID: ProfileID(id.rawValue), displayName: profile.displayName, fullName: profile.fullName, shortDescription: profile.shortDescription,
                contactLink: profile.contactLink, preferences: profile.preferences, peerType: profile.peerType),
            fullPreferences: FullChatPreferences(profile.preferences), isActive: true, activeOrder: id.rawValue, showsNotifications: true,
            sendsReceiptsToContacts: true, sendsReceiptsToSmallGroups: true)
    }

    static func item(_ id: ChatItemID, _ content: ItemContent, _ direction: ItemDirection, _ text: String) -> ChatItem {
        ChatItem(
            direction: direction,
            meta: ItemMeta(
                itemID: id, itemTimestamp: time, text: text, status: direction.isReceived ? .receivedNew : .sendNew,
                // Each comes in a body of its own.
                createdAt: UTCTimestamp(seconds: time.seconds, nanoseconds: UInt32(truncatingIfNeeded: id.rawValue) % 1_000_000_000), updatedAt: time),
            content: content)
    }
}
