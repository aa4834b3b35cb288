import EncryptedSQLite
import SMPProtocol
import SMPRatchet
import SMPTransport
import SMPWire

@testable import SMPAgent

/// The agent's store without SQL.
final class MemoryAgentStore: AgentStorage {
    let database: MemoryDatabase
    private let interceptor: (any StoreInterceptor)?
    private let deferred: DeferredWrites<StoreChange>

    init(_ database: MemoryDatabase, interceptor: (any StoreInterceptor)? = nil, runtime: AgentRuntime) {
        self.database = database
        self.interceptor = interceptor
        deferred = .init(runtime)
    }

    // MARK: Writing

    func apply(_ changes: [StoreChange], isPersistent: Bool) async throws {
        guard !changes.isEmpty else { return }
        try await write { tables in
            for change in changes { try tables.apply(change) }
        }
    }

    func applyLater(_ changes: [StoreChange]) { deferred.add(changes) { [self] in submitDeferred() } }

    func flush() async throws { try await write { _ in } }
    func stopWaitingForDisk() { database.hurry() }

    func close() async throws {
        submitDeferred()
        database.close()
    }

    private func read<Value: Sendable>(_ body: @escaping @Sendable (MemoryTables) throws -> Value) async throws -> Value {
        try await database.read(body)
    }

    private func write<Value: Sendable>(_ body: @escaping @Sendable (inout MemoryTables) throws -> Value) async throws -> Value {
        try interceptor?.willWrite()
        submitDeferred(joinsNext: true)
        let value = try await database.write { [interceptor] tables in
            try interceptor?.isWriting()
            return try body(&tables)
        }
        try interceptor?.didWrite()
        return value
    }

    private func submitDeferred(joinsNext: Bool = false) {
        deferred.submitAll { submit($0, joinsNext: joinsNext) }
    }

    private func submit(_ changes: [StoreChange], joinsNext: Bool) {
        guard !changes.isEmpty, (try? interceptor?.willWrite()) != nil || interceptor == nil else { return }
        database.submit(joinsNext: joinsNext) { [interceptor] tables in
            try interceptor?.isWriting()
            // One that cannot be made must not undo the others.
            for change in changes { try? tables.apply(change) }
        } completion: { _ in
        }
    }

    // MARK: Users

    func createUser(servers: [AgentServer]) async throws -> AgentUserID {
        try await write { tables in
            tables.set(\.lastUser, tables.lastUser + 1)
            tables.set(\.users, tables.lastUser, MemoryTables.User(servers: servers))
            return tables.lastUser
        }
    }

    func setServers(_ servers: [AgentServer], user: AgentUserID) async throws -> Bool {
        try await write { tables in
            guard let known = tables.users[user], !known.isDeleted else { return false }
            tables.change(\.users, user) { $0.servers = servers }
            return true
        }
    }

    func users() async throws -> [AgentUserID: UserServers] {
        try await read { tables in tables.users.filter { !$0.value.isDeleted }.mapValues { UserServers($0.servers) } }
    }

    func setUserDeleted(_ user: AgentUserID) async throws { try await write { $0.change(\.users, user) { $0.isDeleted = true } } }

    func deleteUsersWithoutConnections() async throws -> [AgentUserID] {
        try await write { tables in
            let users = tables.users.filter { user in
                user.value.isDeleted && !tables.connections.values.contains { $0.user == user.key }
            }.keys.sorted()
            for user in users { tables.set(\.users, user, nil) }
            return users
        }
    }

    func statistics() async throws -> (servers: [AgentServerKey: ServerStatistics], startedAt: Int64)? { try await read { $0.statistics } }

    func setStatistics(_ servers: [AgentServerKey: ServerStatistics], startedAt: Int64) async throws {
        try await write { $0.set(\.statistics, (servers.filter { $0.value != ServerStatistics() }, startedAt)) }
    }

    // MARK: Connections

    func connection(_ id: ConnectionID) async throws -> ConnectionState? { try await read { $0.state(id) } }

    func connections(_ ids: [ConnectionID]) async throws -> [ConnectionID: ConnectionState] {
        try await read { tables in ids.reduce(into: [:]) { $0[$1] = tables.state($1) } }
    }

    func owner(of queue: QueueKey) async throws -> ConnectionID? {
        try await read { tables in
            tables.receiveQueues.values.first { $0.queue.key == queue }.flatMap { tables.connections[$0.connection]?.id }
        }
    }

    func connections(of user: AgentUserID?) async throws -> [ConnectionID] {
        try await read { tables in
            tables.orderedConnections.filter { $0.deletion == .none && (user == nil || $0.user == user) }.map(\.id)
        }
    }

    func subscriptions(_ connections: [ConnectionID]?) async throws -> [SubscriptionRecord] {
        try await read { tables in
            let records =
                connections?.compactMap { tables.rows[$0].flatMap { tables.connections[$0] } }
                ?? tables.orderedConnections.filter { $0.deletion == .none }
            return records.flatMap { tables.subscriptions($0) }
        }
    }

    func deletedConnections() async throws -> [ConnectionID] {
        try await read { tables in
            let deleted = tables.orderedConnections.filter { $0.deletion != .none }
            return (deleted.filter { $0.deletion == .started } + deleted.filter { $0.deletion != .started }).map(\.id)
        }
    }

    func hasDeliveries(_ connection: RowID) async throws -> Bool {
        try await read { tables in
            tables.sendQueues.contains { row, entry in
                entry.connection == connection && !entry.queue.isOffered
                    && tables.deliveries[row]?.contains { !tables.isSent(connection, $0.message.sentID) } == true
            }
        }
    }

    func serviceCredential(
        user: AgentUserID, server: SMPServerAddress, make: @escaping @Sendable () throws -> ServerCredential
    ) async throws -> ServerCredential {
        let key = AgentServerKey(user: user, server: server)
        if let known = try await read({ $0.credentials[key] }) { return known }
        return try await write { tables in
            let credential = try make()
            tables.set(\.credentials, key, credential)
            return credential
        }
    }

    func notifiers(of connection: RowID) async throws -> [RowID: QueueNotifier] {
        try await read { tables in tables.notifiers.filter { tables.receiveQueues[$0.key]?.connection == connection } }
    }

    // MARK: Handshake

    func confirmation(_ id: ConfirmationID) async throws -> ConfirmationRecord? { try await read { $0.confirmations[id] } }
    func invitation(_ id: InvitationID) async throws -> InvitationRecord? { try await read { $0.invitations[id]?.record } }
    func unansweredInvitations(contact: RowID) async throws -> Int { try await read { $0.unansweredInvitations(contact) } }
    func hasInvitation(contact: RowID, brokerID: Bytes) async throws -> Bool { try await read { $0.hasInvitation(contact, brokerID) } }

    func invitation(contact: RowID, offering request: ConnectionRequestURI) async throws -> InvitationRecord? {
        try await read { $0.invitation(contact, offering: request) }
    }

    func invitationLink(server: SMPServerAddress, linkID: EntityID) async throws -> InvitationLinkRecord? {
        try await read { $0.links[MemoryTables.LinkKey(server: server, linkID: linkID)] }
    }

    func invitationLink(server: SMPServerAddress, senderID: EntityID) async throws -> InvitationLinkRecord? {
        try await read { $0.links.values.first { $0.server == server && $0.senderID == senderID } }
    }

    // MARK: Messages

    func deliveries(queue: RowID, after messageID: AgentMessageID, limit: Int) async throws -> [PendingDelivery] {
        try await read { $0.deliveries(queue, after: messageID, limit) }
    }

    func connectionsWithDeliveries() async throws -> [ConnectionID] {
        try await read { tables in
            let rows = Set(tables.deliveries.filter { !$0.value.isEmpty }.keys.compactMap { tables.sendQueues[$0]?.connection })
            return rows.sorted().compactMap { tables.connections[$0]?.id }
        }
    }

    func expiredDeliveries(queue: RowID, before time: Int64) async throws -> [AgentMessageID] {
        try await read { $0.deliveries(queue, after: .min, .max).filter { $0.message.createdAt < time && !$0.isCopy }.map(\.message.messageID) }
    }

    func isSent(connection: RowID, sentID: Int64) async throws -> Bool { try await read { $0.isSent(connection, sentID) } }

    func messagesElsewhere(_ messages: [AgentMessageID], queue: RowID) async throws -> Set<AgentMessageID> {
        try await read { tables in
            let waiting = tables.deliveries(queue, after: .min, .max)
            let connection = tables.sendQueues[queue]?.connection ?? 0
            return Set(
                waiting.map(\.message).filter { message in
                    messages.contains(message.messageID)
                        && (tables.isSent(connection, message.sentID) || tables.isWaitingElsewhere(message.messageID, queue))
                }.map(\.messageID))
        }
    }

    func receivedMessage(connection: RowID, encryptedHash: Bytes) async throws -> ReceivedMessageRecord? {
        try await read { tables in
            tables.receivedByHash[MemoryTables.CiphertextKey(connection: connection, hash: encryptedHash)].flatMap {
                tables.received[MemoryTables.MessageKey(connection: connection, number: $0)]
            }
        }
    }

    func receivedMessage(connection: RowID, messageID: AgentMessageID) async throws -> ReceivedMessageRecord? {
        try await read { $0.received[MemoryTables.MessageKey(connection: connection, number: messageID)] }
    }

    func unacknowledgedMessages(connection: RowID, queue: RowID) async throws -> [ReceivedMessageRecord] {
        try await read { tables in
            let last = tables.connections[connection]?.lastMessageID ?? 0
            let newest = stride(from: last, to: 0, by: -1).lazy.compactMap { number in
                tables.received[MemoryTables.MessageKey(connection: connection, number: number)]
            }.prefix(64)
            return newest.filter { !$0.isAcknowledged && $0.queue == queue }.reversed()
        }
    }

    func sentMessage(connection: RowID, sentID: Int64) async throws -> SentMessageReceiptRecord? {
        try await read { tables in
            tables.sent[MemoryTables.MessageKey(connection: connection, number: sentID)].map {
                SentMessageReceiptRecord(messageID: $0.messageID, kind: $0.kind, hash: $0.hash, receiptStatus: $0.receipt)
            }
        }
    }

    func sentMessage(connection: RowID, requestKey: Int64) async throws -> AcceptedMessage? {
        try await read { tables in
            tables.sentByRequest[MemoryTables.MessageKey(connection: connection, number: requestKey)].flatMap { sentID in
                tables.sent[MemoryTables.MessageKey(connection: connection, number: sentID)].map {
                    AcceptedMessage(messageID: $0.messageID, pqEncryption: $0.pqEncryption)
                }
            }
        }
    }

    func deleteMessageRecords(before time: Int64, limit: Int) async throws {
        let old = try await read { $0.oldMessages(before: time, limit: limit) }
        try await write { $0.deleteMessages(upTo: old, before: time) }
    }

    // MARK: Work

    func commands() async throws -> [(ConnectionID, CommandRecord)] {
        try await read { tables in
            tables.commands.values.sorted { $0.position < $1.position }.compactMap { entry in
                tables.connections[entry.value.connection].map { ($0.id, entry.value) }
            }
        }
    }

    func events() async throws -> [AgentNotification] { try await read { $0.notifications } }
}
