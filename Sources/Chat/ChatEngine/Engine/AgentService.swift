import SMPAgent
import SMPClient
import SMPProtocol
import SMPWire

// Names of the agent's types that the chat API has too. This file imports only the agent, so there is no doubt which are meant.

/// Why the agent could not do something.
typealias AgentFault = AgentError
/// The state of a connection's queues, as the agent has it.
typealias AgentConnectionStats = ConnectionStats
/// How far moving a queue has come, as the agent has it.
typealias AgentSwitchPhase = SwitchPhase
/// Whether ratchets are in step, as the agent has it.
typealias AgentRatchetState = RatchetSyncState
/// Whether messages of a queue reach us, as the agent has it.
typealias AgentSubscriptionStatus = SubscriptionStatus
/// Faults of decryption, as the agent has them.
typealias AgentCryptoFault = AgentError.Crypto
/// Which of a connection's queues moves, as the agent has it.
typealias AgentQueueDirection = QueueDirection

/// Which step of testing a router failed, as the agent has it.
typealias AgentServerTestFailure = ServerTestFailure

/// The part of an agent that takes messages.
protocol MessageSender: Sendable {
    /// Stores messages for sending, in one transaction. The results are in the order of the requests.
    func send(_ requests: [AgentSendRequest]) async -> [Result<AcceptedMessage, AgentFault>]
}

/// The agent that an engine works with: duplex connections that send and receive bodies.
///
/// ``SMPAgent`` is one.
protocol AgentService: MessageSender {
    func start() async throws(AgentFault)
    func suspend(timeout: Duration) async
    func resume() async
    func close() async
    func confirm(_ event: DurableEventID)

    /// The users and the connections that are not being deleted.
    func users() async throws(AgentFault) -> [AgentUserID]
    func connections() async throws(AgentFault) -> [ConnectionID]

    func createUser(servers: [AgentServer]) async throws(AgentFault) -> AgentUserID
    func setServers(_ servers: [AgentServer], user: AgentUserID) async throws(AgentFault)
    func deleteUser(_ user: AgentUserID, deleteQueues: Bool) async throws(AgentFault)

    /// Reaches routers in this way from now on.
    func apply(_ plan: NetworkPlan) async throws(AgentFault)
    func reconnectAll() async
    func reconnect(_ server: SMPServerAddress, user: AgentUserID) async

    func serversSummary() async -> AgentServersSummary
    func resetServerStatistics() async
    func subscriptionTotal(of users: Set<AgentUserID>) async -> (subscriptions: SubscriptionCounts, isConnected: Bool)
    func subscriptions() -> [QueueSubscriptionStatus]

    func testServer(_ server: SMPServerWithAuth, user: AgentUserID) async throws(AgentServerTestFailure)

    func createConnection(
        user: AgentUserID, mode: ConnectionMode, linkData: UserConnectionLinkData?, clientData: String?, pq: PQInitialKeys,
        subscription: SubscriptionMode
    ) async throws(AgentFault) -> CreatedConnection
    func compatibility(of link: ConnectionRequestURI, pqSupport: Bool) -> LinkCompatibility?
    func prepareToJoin(user: AgentUserID, link: ConnectionRequestURI, pqSupport: Bool) async throws(AgentFault) -> ConnectionID
    func join(
        user: AgentUserID, connection: ConnectionID, link: ConnectionRequestURI, info: Bytes, pqSupport: Bool,
        subscription: SubscriptionMode
    ) async throws(AgentFault) -> Bool
    func allowConnection(_ connection: ConnectionID, confirmation: ConfirmationID, info: Bytes) async throws(AgentFault)
    func prepareToAccept(user: AgentUserID, invitation: InvitationID, pqSupport: Bool) async throws(AgentFault) -> ConnectionID
    func accept(
        user: AgentUserID, connection: ConnectionID, invitation: InvitationID, info: Bytes, pqSupport: Bool,
        subscription: SubscriptionMode
    ) async throws(AgentFault) -> Bool
    func reject(_ invitation: InvitationID) async throws(AgentFault)

    func setShortLink(
        _ connection: ConnectionID, linkData: UserConnectionLinkData, clientData: String?
    ) async throws(AgentFault) -> ConnectionShortLink
    func resolveShortLink(user: AgentUserID, link: ConnectionShortLink) async throws(AgentFault) -> ResolvedLink

    func subscribeAll() async -> [ConnectionID: Result<Void, AgentFault>]
    func acknowledge(_ connection: ConnectionID, message: AgentMessageID, receipt: Bytes?) async throws(AgentFault)

    func stats(of connection: ConnectionID) async throws(AgentFault) -> AgentConnectionStats
    func ratchetHash(of connection: ConnectionID) async throws(AgentFault) -> Bytes
    func queueState(of connection: ConnectionID) async throws(AgentFault) -> QueueState
    func switchQueue(of connection: ConnectionID) async throws(AgentFault) -> AgentConnectionStats
    func abortSwitch(of connection: ConnectionID) async throws(AgentFault) -> AgentConnectionStats
    func synchronizeRatchet(of connection: ConnectionID, pqSupport: Bool, force: Bool) async throws(AgentFault) -> AgentConnectionStats

    func delete(_ connections: [ConnectionID], waitDelivery: Bool) async throws(AgentFault)
}

extension SMPAgent: AgentService {
    func apply(_ plan: NetworkPlan) async throws(AgentFault) { try await setNetworkConfiguration(plan.settings) }
}
