public import SMPProtocol
public import SMPWire

/// Duplex connections over SMP queues (agent-protocol.md).
///
/// The agent makes connections from links, keeps a double ratchet for each, sends messages in order and again until the router has
/// them, and reports received messages once they are stored. What it has accepted survives the end of the process at any moment:
/// messages are at least once on the wire and exactly once for the user, if the user keys its effects by connection and message
/// number and calls ``acknowledge(_:message:receipt:)`` after they are durable.
///
/// Calls for one connection run one after another, those for different connections run side by side.
public final class SMPAgent: Sendable {
    /// What happens, in order per connection. One reader.
    public let events: AsyncStream<AgentNotification>

    init() { events = AsyncStream { _ in } }

    // MARK: Life

    /// Begins to receive, to send what waits and to do what a restart interrupted; events that were not confirmed come first.
    /// Subscribing is separate: ``subscribe(_:)``, ``subscribeAll()``.
    public func start() async throws(AgentError) { throw unavailable }
    /// Stops all work within `timeout`, keeping everything for ``resume()``; `suspended` is reported when it has stopped.
    public func suspend(timeout: Duration) async {}
    public func resume() async {}
    /// Stops all work and closes the store. The network is closed by its owner.
    public func close() async {}
    /// The effects of a durable event are durable: it is not repeated any more.
    public func confirm(_ event: DurableEventID) async throws(AgentError) { throw unavailable }

    // MARK: Users

    /// Makes a user who uses these routers for new queues.
    public func createUser(servers: [SMPServerWithAuth]) async throws(AgentError) -> AgentUserID { throw unavailable }
    public func setServers(_ servers: [SMPServerWithAuth], user: AgentUserID) async throws(AgentError) { throw unavailable }
    /// Deletes a user with all connections; `userDeleted` is reported when they are gone.
    ///
    /// - Parameter deleteQueues: also on their routers.
    public func deleteUser(_ user: AgentUserID, deleteQueues: Bool) async throws(AgentError) { throw unavailable }

    // MARK: Making connections

    /// Makes a one-time invitation or a contact address: a queue on one of the user's routers, and links to it.
    ///
    /// - Parameters:
    ///   - linkData: what the short link shows; nil to have no short link.
    ///   - clientData: goes into the full link.
    public func createConnection(
        user: AgentUserID, mode: ConnectionMode, linkData: UserConnectionLinkData? = nil, clientData: String? = nil,
        pq: PQInitialKeys = .supported, subscription: SubscriptionMode = .subscribe
    ) async throws(AgentError) -> CreatedConnection { throw unavailable }
    /// The version and encryption that a connection by this link would have; nil if no version fits.
    public func compatibility(of link: ConnectionRequestURI, pqSupport: Bool) -> LinkCompatibility? { nil }
    /// Makes a connection without queues, so that the caller can store its id before ``join`` does anything outside.
    public func prepareToJoin(
        user: AgentUserID, link: ConnectionRequestURI, pqSupport: Bool
    ) async throws(AgentError) -> ConnectionID { throw unavailable }
    /// Joins by an invitation or asks to connect by a contact address. After an error that is temporary it may be called again.
    ///
    /// - Returns: whether the peer's queue is secured and messages may be sent before the peer has allowed the connection.
    public func join(
        user: AgentUserID, connection: ConnectionID, link: ConnectionRequestURI, info: Bytes, pqSupport: Bool,
        subscription: SubscriptionMode = .subscribe
    ) async throws(AgentError) -> Bool { throw unavailable }
    /// Answers a `confirmation`.
    public func allowConnection(
        _ connection: ConnectionID, confirmation: ConfirmationID, info: Bytes
    ) async throws(AgentError) { throw unavailable }
    /// Like ``prepareToJoin(user:link:pqSupport:)``, for a request.
    public func prepareToAccept(
        user: AgentUserID, invitation: InvitationID, pqSupport: Bool
    ) async throws(AgentError) -> ConnectionID { throw unavailable }
    /// Accepts a `request`.
    public func accept(
        user: AgentUserID, connection: ConnectionID, invitation: InvitationID, info: Bytes, pqSupport: Bool,
        subscription: SubscriptionMode = .subscribe
    ) async throws(AgentError) -> Bool { throw unavailable }
    /// Forgets a `request`; nothing is sent.
    public func reject(_ invitation: InvitationID) async throws(AgentError) { throw unavailable }

    // MARK: Short links

    /// Sets what a connection's short link shows; makes the link if a contact address has none.
    public func setShortLink(
        _ connection: ConnectionID, linkData: UserConnectionLinkData, clientData: String? = nil
    ) async throws(AgentError) -> ConnectionShortLink { throw unavailable }
    /// Deletes the link's data on the router.
    public func deleteShortLink(_ connection: ConnectionID) async throws(AgentError) { throw unavailable }
    /// Gets and verifies the data of a short link. A one-time link is secured with a key that ``join`` uses later; it can be resolved
    /// again by the same agent only.
    public func resolveShortLink(user: AgentUserID, link: ConnectionShortLink) async throws(AgentError) -> ResolvedLink {
        throw unavailable
    }

    // MARK: Messages

    /// Subscribes to the connections' queues and resumes their sending. Temporary errors are repaired by later subscriptions (`up`).
    public func subscribe(_ connections: [ConnectionID]) async -> [ConnectionID: Result<Void, AgentError>] { [:] }
    /// Subscribes to all connections.
    public func subscribeAll() async -> [ConnectionID: Result<Void, AgentError>] { [:] }
    /// Stores messages, in one transaction, and sends them in the background: in order per connection. Results are in the order of the
    /// requests.
    public func send(_ requests: [AgentSendRequest]) async -> [Result<AcceptedMessage, AgentError>] {
        requests.map { _ in .failure(unavailable) }
    }
    /// The effects of a received message are durable: the router may delete it and deliver the next one.
    ///
    /// - Parameter receipt: not nil to tell the peer that the message arrived (agent version 4 and later); empty in practice.
    public func acknowledge(
        _ connection: ConnectionID, message: AgentMessageID, receipt: Bytes? = nil
    ) async throws(AgentError) { throw unavailable }

    // MARK: State

    public func stats(of connection: ConnectionID) async throws(AgentError) -> ConnectionStats { throw unavailable }
    /// SHA-256 of the ratchet's associated data: the same on both sides, it is what a security code shows.
    public func ratchetHash(of connection: ConnectionID) async throws(AgentError) -> Bytes { throw unavailable }
    /// Moves a connection that is not established to another user.
    public func changeUser(of connection: ConnectionID, to user: AgentUserID) async throws(AgentError) { throw unavailable }
    /// All connections of a user that are not being deleted.
    public func connections(of user: AgentUserID) async throws(AgentError) -> [ConnectionID] { throw unavailable }
    /// Asks the router about the connection's queue.
    public func queueState(of connection: ConnectionID) async throws(AgentError) -> QueueState { throw unavailable }
    /// Tells the routers to take no more messages for the connection.
    public func suspendConnection(_ connection: ConnectionID) async throws(AgentError) { throw unavailable }
    /// Moves the connection's queue to another router.
    public func switchQueue(of connection: ConnectionID) async throws(AgentError) -> ConnectionStats { throw unavailable }
    public func abortSwitch(of connection: ConnectionID) async throws(AgentError) -> ConnectionStats { throw unavailable }
    /// Agrees with the peer on new ratchet keys.
    public func synchronizeRatchet(
        of connection: ConnectionID, pqSupport: Bool, force: Bool = false
    ) async throws(AgentError) -> ConnectionStats { throw unavailable }

    // MARK: Deletion

    /// Deletes connections: at once for the user, with retries on their routers. `receiveQueuesDeleted` and `connectionsDeleted` follow.
    ///
    /// - Parameter waitDelivery: send the messages that wait first, for at most two days.
    public func delete(_ connections: [ConnectionID], waitDelivery: Bool) async throws(AgentError) { throw unavailable }

    private var unavailable: AgentError { AgentError(.internal("the agent is being built")) }
}
