import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import SMPAgent
import SMPProtocol
import SMPWire
import Synchronization
import Testing

@testable import ChatEngine
@testable import ChatStore

/// A profile with contacts and a group in a store in memory, for rules that need no agent: messages are received as an agent reports them.
final class RuleScene: Sendable {
    /// Who sends what is received.
    enum Sender: Sendable, Hashable {
        case contact(ContactID)
        case member(GroupMemberID)
    }

    static let group: GroupID = 1

    let memory: MemoryStore
    private let received = Mutex<Int64>(0)
    /// The connections that messages came by, which agents still report on after their end.
    private let connections = Mutex<[Sender: ConnectionID]>([:])

    init() async throws { memory = try await MemoryStore() }

    func close() async throws { try await memory.close() }

    // MARK: Setting up

    func addContact(_ name: String) async throws -> ContactID {
        try await memory.addContact(
            name,
            UInt8(
                truncatingIfNeeded: received.withLock {
                    $0 += 1; return $0
                }))
    }

    /// Makes a group with connected members.
    ///
    /// - Returns: The members by their names.
    @discardableResult
    func addGroup(
        as role: GroupMemberRole = .owner, with members: KeyValuePairs<String, GroupMemberRole> = [:],
        _ preferences: @escaping @Sendable (inout GroupPreferences) -> Void = { _ in }
    ) async throws -> [String: GroupMemberID] {
        let members = members.map { ($0.key, $0.value) }
        return try await run { transaction in
            var chosen = GroupPreferences()
            preferences(&chosen)
            let profile = GroupProfile(displayName: "team", fullName: "", groupPreferences: chosen)
            guard case .groupCreated(let user, let group) = try transaction.groups.create(profile, incognito: false, user: MemoryStore.user) else {
                throw UnexpectedAnswer()
            }
            var ids: [String: GroupMemberID] = [:]
            for (name, role) in members { ids[name] = try transaction.insertConnectedMember(name, role: role, in: group.groupID) }
            try transaction.db.members.update(group.membership.groupMemberID, role: role, at: transaction.now)
            _ = try transaction.conversations.group(group.groupID, of: user)
            return ids
        }
    }

    /// Gives the group a link by which nobody can come: no agent knows it.
    @discardableResult
    func addLink(as role: GroupMemberRole = .member, hasData: Bool = false) async throws -> UserContactLinkID {
        try await run { transaction in
            let id: Int64 = try transaction.db.insert(
                """
                INSERT INTO group_links (user_id, group_id, link_id, member_role, full_link, full_link_key, short_link_data_set, created_at)
                VALUES (?, ?, x'01', ?, 'simplex:/contact#x', 'x', ?, ?)
                """, [MemoryStore.user, Self.group, role.code, hasData, transaction.now.stored])
            return UserContactLinkID(id)
        }
    }

    /// Gives a member another app.
    func setApp(of id: GroupMemberID, to version: ChatVersion) async throws {
        try await run { try $0.db.run("UPDATE connections SET peer_max_version = ? WHERE group_member_id = ?", [Int(version), id]) }
    }

    /// Gives all members apps of this version.
    func updateApps() async throws {
        try await run { try $0.db.run("UPDATE connections SET peer_max_version = ?", [Int(ChatVersions.supported.max)]) }
    }

    /// The queue of a member takes nothing more.
    func fillQueue(of id: GroupMemberID) async throws {
        try await run { transaction in
            let record = try #require(try transaction.db.connections.connections(ofMember: id).last)
            try transaction.db.connections.update(record.id, authErrors: 0, quotaErrors: Connection.inactiveErrorCount)
        }
    }

    // MARK: Commands

    /// Runs a transaction some seconds after the beginning.
    @discardableResult
    func run<T: Sendable>(
        after seconds: Int64 = 0, as actor: UserID = MemoryStore.user, _ body: @escaping @Sendable (ChatTransaction) throws -> T
    ) async throws -> T {
        try await memory.run(at: MemoryStore.now.adding(seconds: seconds), as: actor, body).0
    }

    /// The refusal of a command: its words, or the code of its error; nil if it is carried out.
    func refusal(
        after seconds: Int64 = 0, as actor: UserID = MemoryStore.user, _ body: @escaping @Sendable (ChatTransaction) throws -> some Sendable
    ) async throws -> String? {
        try await run(after: seconds, as: actor) { transaction in
            switch try transaction.attempt({ _ = try body(transaction) }) {
            case .success: nil
            case .failure(let refusal): refusal.code
            }
        }
    }

    /// Sends a text.
    @discardableResult
    func send(_ text: String, to chat: ChatReference, after seconds: Int64 = 0, isLive: Bool = false, ttl: Int? = nil) async throws -> ChatItem {
        try await run(after: seconds) { transaction in
            try transaction.send(ComposedMessage(content: .text(text)), to: chat, isLive: isLive, ttl: ttl)
        }
    }

    // MARK: Receiving

    /// Receives messages in one body each, some seconds after the beginning, when their router got them, too.
    ///
    /// - Parameter id: The id of the messages; nil for a new one each.
    /// - Returns: What is told of them, and what is sent in answer.
    @discardableResult
    func receive(
        _ events: [ChatMessageEvent], from sender: Sender, id: SharedMessageID? = nil, after seconds: Int64 = 0
    ) async throws -> (events: [ChatEvent], sent: [ChatMessageEvent]) {
        var told: [ChatEvent] = [], sent: [ChatMessageEvent] = []
        for event in events {
            let effects = try await effects(of: event, from: sender, id: id, after: seconds)
            told += effects.events
            sent += effects.sent
        }
        return (told, sent)
    }

    /// Receives one message.
    func effects(
        of event: ChatMessageEvent, from sender: Sender, id: SharedMessageID? = nil, after seconds: Int64 = 0
    ) async throws -> Effects {
        try await effects(ofBody: ChatMessage(messageID: id ?? .random(), event: event).body, from: sender, after: seconds)
    }

    /// Receives a body as it is.
    func effects(ofBody body: Bytes, from sender: Sender, after seconds: Int64 = 0) async throws -> Effects {
        let
            number = received.withLock {
                $0 += 1; return $0
            }, time = MemoryStore.now.adding(seconds: seconds)
        let metadata = MessageMetadata(
            integrity: .ok, messageID: number, receivedAt: time.seconds * 1_000, brokerID: [], brokerTime: time.seconds * 1_000,
            senderMessageID: number, pqEncryption: false)
        return try await report(.message(metadata, MessageFlags(notification: true), body), from: sender, after: seconds)
    }

    /// Receives an event of the agent about the connection with a sender.
    func report(_ event: AgentEvent, from sender: Sender, after seconds: Int64 = 0) async throws -> Effects {
        try await memory.run(at: MemoryStore.now.adding(seconds: seconds)) { transaction in
            let found =
                switch sender {
                case .contact(let id): try transaction.db.connections.connections(ofContact: id).last
                case .member(let id): try transaction.db.connections.connections(ofMember: id).last
                }
            let known = self.connections.withLock { connections in
                if let found { connections[sender] = ConnectionID(found.agentConnectionID) }
                return connections[sender]
            }
            guard let connection = known else { throw UnexpectedAnswer() }
            try transaction.incomingEvents.receive(Incoming(AgentNotification(connection: connection, event: event)))
        }.1
    }

    // MARK: Looking

    /// The messages of a chat, oldest first.
    func messages(in chat: ChatReference, after seconds: Int64 = 0) async throws -> [ChatItem] {
        try await run(after: seconds) { transaction in
            guard case .apiChat(_, let chat, _) = try transaction.chats.page(of: chat, content: nil, .last(1_000), search: nil) else {
                throw UnexpectedAnswer()
            }
            return chat.chatItems.filter { $0.content.message != nil }
        }
    }

    func texts(in chat: ChatReference) async throws -> [String] { try await messages(in: chat).map(\.meta.text) }

    func member(_ id: GroupMemberID) async throws -> GroupMember {
        try await run { try #require(try $0.db.members.find(id)) }
    }

    func group() async throws -> GroupInfo { try await run { try $0.conversations.group(Self.group, of: try $0.user()) } }

    /// What is sent to each member, by the names of the members, in order.
    func sent(_ effects: Effects) async throws -> [String: [ReceivedChatMessage]] {
        try await run { transaction in
            var sent: [String: [ReceivedChatMessage]] = [:]
            for delivery in effects.deliveries {
                let name = try transaction.db.first(
                    """
                    SELECT m.local_display_name FROM group_members m JOIN connections cn ON cn.group_member_id = m.group_member_id
                    WHERE cn.connection_id = ?
                    """, [delivery.connectionID]
                ) { $0.text() }
                sent[name ?? "", default: []] += ReceivedChatMessage.parse(delivery.body).compactMap { try? $0.get() }
            }
            return sent
        }
    }

    /// The number that a query gives.
    func count(_ sql: String) async throws -> Int64 { try await run { try $0.db.number("SELECT count(*) FROM \(sql)") ?? 0 } }
}

extension ChatTransaction {
    /// Sends a message in the name of the acting profile.
    @discardableResult
    func send(_ message: ComposedMessage, to chat: ChatReference, isLive: Bool = false, ttl: Int? = nil) throws -> ChatItem {
        guard case .newChatItems(_, let items) = try sentMessages.send([Composition(message)], to: chat, isLive: isLive, ttl: ttl, of: try user()),
            let item = items.first
        else { throw UnexpectedAnswer() }
        return item.chatItem
    }
}

extension Effects {
    /// The messages that are sent, in order; those of one batch one after the other.
    var sent: [ChatMessageEvent] {
        deliveries.flatMap { delivery in ReceivedChatMessage.parse(delivery.body).compactMap { try? $0.get().message.event } }
    }
}

extension Effects {
    /// The number of connections that the agent is to delete, and the last messages that it delivers before.
    var ended: (connections: Int, last: [ChatMessageEvent]) {
        var last = Effects(), connections = 0
        for job in jobs {
            guard case .connection(.delete(let ids, let deliveries, _)) = job.task else { continue }
            connections += ids.count
            last.deliveries += deliveries
        }
        return (connections, last.sent)
    }
}

extension Refusal {
    /// The words of a command that makes no sense, else the code of the error.
    var code: String {
        switch error {
        case .chat(.commandError(let message)): message
        case .chat(let error): error.json["type"]?.stringValue ?? "\(error)"
        case .store(let error): error.json["type"]?.stringValue ?? "\(error)"
        default: error.json.text
        }
    }
}

extension [ChatEvent] {
    /// The texts of errors that were told of.
    var messageErrors: [String] { compactMap { if case .messageError(_, _, let text) = $0 { text } else { nil } } }

    /// The types of the events, as the API names them.
    var types: [String] { compactMap { $0.json["type"]?.stringValue } }
}
