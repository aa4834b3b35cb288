package import SMPAgent
package import SMPClient
package import SMPCrypto
package import SMPProtocol
package import SMPWire

/// The part of an agent that takes messages.
package protocol MessageSender: Sendable {
    /// Stores messages for sending, in one transaction. The results are in the order of the requests.
    func send(_ requests: [AgentSendRequest]) async -> [Result<AcceptedMessage, AgentError>]
}

/// The agent that an engine works with: duplex connections that send and receive bodies.
///
/// ``SMPAgent`` is one. Simulations have others.
package protocol AgentService: MessageSender {
    func start() async throws(AgentError)
    func suspend(timeout: Duration) async
    func resume() async
    func close() async
    func confirm(_ event: DurableEventID)

    /// The users and the connections that are not being deleted.
    func users() async throws(AgentError) -> [AgentUserID]
    func connections() async throws(AgentError) -> [ConnectionID]

    func createUser(servers: [AgentServer]) async throws(AgentError) -> AgentUserID
    func setServers(_ servers: [AgentServer], user: AgentUserID) async throws(AgentError)
    func deleteUser(_ user: AgentUserID, deleteQueues: Bool) async throws(AgentError)

    /// Reaches routers in this way from now on.
    func setNetworkConfiguration(_ configuration: NetworkConfiguration) async throws(AgentError)
    func reconnectAll() async
    func reconnect(_ server: SMPServerAddress, user: AgentUserID) async

    func serversSummary() async -> AgentServersSummary
    func resetServerStatistics() async
    func subscriptionTotal(of users: Set<AgentUserID>) async -> (subscriptions: SubscriptionCounts, isConnected: Bool)
    func subscriptions() -> [QueueSubscriptionStatus]

    func testServer(_ server: SMPServerWithAuth, user: AgentUserID) async throws(RouterTestFailure)

    func createConnection(
        user: AgentUserID, mode: ConnectionMode, linkData: UserConnectionLinkData?, clientData: String?, pq: PQInitialKeys,
        subscription: SubscriptionMode
    ) async throws(AgentError) -> CreatedConnection
    func createAddress(
        user: AgentUserID, identity: LinkIdentity, clientData: String?, subscription: SubscriptionMode,
        linkData: @escaping @Sendable (ConnectionShortLink) throws(AgentError) -> UserContactData
    ) async throws(AgentError) -> CreatedConnection
    func compatibility(of link: ConnectionRequestURI, pqSupport: Bool) -> LinkCompatibility?
    func prepareToJoin(user: AgentUserID, link: ConnectionRequestURI, pqSupport: Bool) async throws(AgentError) -> ConnectionID
    func join(
        user: AgentUserID, connection: ConnectionID, link: ConnectionRequestURI, info: Bytes, pqSupport: Bool,
        subscription: SubscriptionMode
    ) async throws(AgentError) -> Bool
    func allowConnection(_ connection: ConnectionID, confirmation: ConfirmationID, info: Bytes) async throws(AgentError)
    func prepareToAccept(user: AgentUserID, invitation: InvitationID, pqSupport: Bool) async throws(AgentError) -> ConnectionID
    func accept(
        user: AgentUserID, connection: ConnectionID, invitation: InvitationID, info: Bytes, pqSupport: Bool,
        subscription: SubscriptionMode
    ) async throws(AgentError) -> Bool
    func reject(_ invitation: InvitationID) async throws(AgentError)

    func setShortLink(
        _ connection: ConnectionID, linkData: UserConnectionLinkData, clientData: String?
    ) async throws(AgentError) -> ConnectionShortLink
    func linkPrivateKey(of connection: ConnectionID) async throws(AgentError) -> Ed25519.PrivateKey?
    func resolveShortLink(user: AgentUserID, link: ConnectionShortLink) async throws(AgentError) -> ResolvedLink

    /// Finds out what a name stands for, without showing anybody both the name and who asks.
    func resolveName(_ domain: SimpleXDomain, user: AgentUserID) async throws(AgentError) -> NameRecord

    func subscribeAll() async -> [ConnectionID: Result<Void, AgentError>]
    func acknowledge(_ connection: ConnectionID, message: AgentMessageID, receipt: Bytes?, useless: Int) async throws(AgentError)

    func stats(of connection: ConnectionID) async throws(AgentError) -> AgentConnectionStats
    func ratchetHash(of connection: ConnectionID) async throws(AgentError) -> Bytes
    func queueState(of connection: ConnectionID) async throws(AgentError) -> AgentQueueState
    func switchQueue(of connection: ConnectionID) async throws(AgentError) -> AgentConnectionStats
    func abortSwitch(of connection: ConnectionID) async throws(AgentError) -> AgentConnectionStats
    func synchronizeRatchet(of connection: ConnectionID, pqSupport: Bool, force: Bool) async throws(AgentError) -> AgentConnectionStats

    func delete(_ connections: [ConnectionID], waitDelivery: Bool) async throws(AgentError)

    /// Quarantined work, on which processes crashed.
    func retryCommand(_ id: Int64) async throws(AgentError)
    func dropCommand(_ id: Int64) async throws(AgentError)
}

extension AgentService {
    package func retryCommand(_ id: Int64) async throws(AgentError) { throw AgentError(.connection(.notFound, context: "no command \(id) is set aside")) }
    package func dropCommand(_ id: Int64) async throws(AgentError) { throw AgentError(.connection(.notFound, context: "no command \(id) is set aside")) }
}

extension SMPAgent: AgentService {
    package func resolveName(_ domain: SimpleXDomain, user: AgentUserID) async throws(AgentError) -> NameRecord {
        try await AgentNames(self).resolve(domain, user: user)
    }
}
