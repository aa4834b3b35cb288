import SMPProtocol
import SMPTransport
import SMPWire

/// The storage of an agent. ``AgentStore`` keeps it in a database; a simulation replaces it by one in memory.
///
/// All reads show what was written by calls that have returned.
protocol AgentStorage: Sendable {
    // MARK: Writing

    /// Makes the changes in one transaction, all or none; returns once they are durable.
    ///
    /// - Parameter isPersistent: whether they wait for a disk that fails to work again.
    func apply(_ changes: [StoreChange], isPersistent: Bool) async throws
    /// Makes changes whose loss a restart repairs, with one of the next transactions.
    func applyLater(_ changes: [StoreChange])
    /// Returns when the deferred changes that were given before are made.
    func flush() async throws
    /// From now on nothing waits for a disk that fails.
    func stopWaitingForDisk()
    /// Finishes waiting writes and closes the store.
    func close() async throws

    // MARK: Users

    func createUser(servers: [AgentServer]) async throws -> AgentUserID
    func setServers(_ servers: [AgentServer], user: AgentUserID) async throws -> Bool
    func users() async throws -> [AgentUserID: UserServers]
    func setUserDeleted(_ user: AgentUserID) async throws
    func deleteUsersWithoutConnections() async throws -> [AgentUserID]
    func statistics() async throws -> (servers: [AgentServerKey: ServerStatistics], startedAt: Int64)?
    func setStatistics(_ servers: [AgentServerKey: ServerStatistics], startedAt: Int64) async throws

    // MARK: Connections

    func connection(_ id: ConnectionID) async throws -> ConnectionState?
    /// Those of the connections that can be read, in one transaction.
    func connections(_ ids: [ConnectionID]) async throws -> [ConnectionID: ConnectionState]
    func owner(of queue: QueueKey) async throws -> ConnectionID?
    func connections(of user: AgentUserID?) async throws -> [ConnectionID]
    func subscriptions(_ connections: [ConnectionID]?) async throws -> [SubscriptionRecord]
    func deletedConnections() async throws -> [ConnectionID]
    func hasDeliveries(_ connection: RowID) async throws -> Bool
    func connectionsOutOfStep() async throws -> [ConnectionID]

    /// The service certificate of a user for a router; `make` makes it if there is none.
    func serviceCredential(
        user: AgentUserID, server: SMPServerAddress, make: @escaping @Sendable () throws -> ServerCredential
    ) async throws -> ServerCredential
    /// The notifiers of a connection's queues, by the queues' rows.
    func notifiers(of connection: RowID) async throws -> [RowID: QueueNotifier]

    // MARK: Handshake

    func confirmation(_ id: ConfirmationID) async throws -> ConfirmationRecord?
    func invitation(_ id: InvitationID) async throws -> InvitationRecord?
    func hasInvitation(contact: RowID, brokerID: Bytes) async throws -> Bool
    func invitation(contact: RowID, offering request: ConnectionRequestURI) async throws -> InvitationRecord?
    func unansweredInvitations(contact: RowID) async throws -> Int
    func invitationLink(server: SMPServerAddress, linkID: EntityID) async throws -> InvitationLinkRecord?
    func invitationLink(server: SMPServerAddress, senderID: EntityID) async throws -> InvitationLinkRecord?

    // MARK: Messages

    func deliveries(queue: RowID, after messageID: AgentMessageID, limit: Int) async throws -> [PendingDelivery]
    func connectionsWithDeliveries() async throws -> [ConnectionID]
    func expiredDeliveries(queue: RowID, before time: Int64) async throws -> [AgentMessageID]
    func isSent(connection: RowID, sentID: Int64) async throws -> Bool
    func messagesElsewhere(_ messages: [AgentMessageID], queue: RowID) async throws -> Set<AgentMessageID>
    func receivedMessage(connection: RowID, encryptedHash: Bytes) async throws -> ReceivedMessageRecord?
    func receivedMessage(connection: RowID, messageID: AgentMessageID) async throws -> ReceivedMessageRecord?
    func unacknowledgedMessages(connection: RowID, queue: RowID) async throws -> [ReceivedMessageRecord]
    func sentMessage(connection: RowID, sentID: Int64) async throws -> SentMessageReceiptRecord?
    func sentMessage(connection: RowID, requestKey: Int64) async throws -> AcceptedMessage?
    func deleteMessageRecords(before time: Int64, limit: Int) async throws

    // MARK: Work

    func commands() async throws -> [(ConnectionID, CommandRecord)]
    func quarantinedCommand(_ row: RowID) async throws -> (ConnectionID, CommandRecord)?
    func events() async throws -> [AgentNotification]
}

extension AgentStorage {
    func apply(_ changes: [StoreChange]) async throws { try await apply(changes, isPersistent: false) }

    func quarantinedCommand(_ row: RowID) async throws -> (ConnectionID, CommandRecord)? { nil }
}

extension AgentStore: AgentStorage {}
