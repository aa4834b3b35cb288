import SMPAgent
import SMPProtocol
import SMPWire

@testable import ChatEngine

/// An agent that reports everything again that agents may report again: at once, and once more after some later events.
final class RepeatingAgent: AgentService {
    let events: AsyncStream<AgentNotification>
    private let agent: SMPAgent

    /// How many later events come before an event comes again.
    private static let delay = 4

    init(_ agent: SMPAgent) {
        self.agent = agent
        let (stream, continuation) = AsyncStream.makeStream(of: AgentNotification.self)
        events = stream
        let source = agent.events
        Task {
            var late: [AgentNotification] = []
            for await notification in source {
                continuation.yield(notification)
                guard notification.comesAgain else { continue }
                continuation.yield(notification)
                late.append(notification)
                if late.count > Self.delay { continuation.yield(late.removeFirst()) }
            }
            continuation.finish()
        }
    }

    func start() async throws(AgentFault) { try await agent.start() }
    func suspend(timeout: Duration) async { await agent.suspend(timeout: timeout) }
    func resume() async { await agent.resume() }
    func close() async { await agent.close() }
    func confirm(_ event: DurableEventID) async throws(AgentFault) { try await agent.confirm(event) }

    func createUser(servers: [SMPServerWithAuth]) async throws(AgentFault) -> AgentUserID { try await agent.createUser(servers: servers) }
    func setServers(_ servers: [SMPServerWithAuth], user: AgentUserID) async throws(AgentFault) {
        try await agent.setServers(servers, user: user)
    }
    func deleteUser(_ user: AgentUserID, deleteQueues: Bool) async throws(AgentFault) {
        try await agent.deleteUser(user, deleteQueues: deleteQueues)
    }

    func testServer(_ server: SMPServerWithAuth, user: AgentUserID) async throws(AgentServerTestFailure) {
        try await agent.testServer(server, user: user)
    }

    func createConnection(
        user: AgentUserID, mode: ConnectionMode, linkData: UserConnectionLinkData?, clientData: String?, pq: PQInitialKeys,
        subscription: SubscriptionMode
    ) async throws(AgentFault) -> CreatedConnection {
        try await agent.createConnection(
            user: user, mode: mode, linkData: linkData, clientData: clientData, pq: pq, subscription: subscription)
    }
    func compatibility(of link: ConnectionRequestURI, pqSupport: Bool) -> LinkCompatibility? {
        agent.compatibility(of: link, pqSupport: pqSupport)
    }
    func prepareToJoin(user: AgentUserID, link: ConnectionRequestURI, pqSupport: Bool) async throws(AgentFault) -> ConnectionID {
        try await agent.prepareToJoin(user: user, link: link, pqSupport: pqSupport)
    }
    func join(
        user: AgentUserID, connection: ConnectionID, link: ConnectionRequestURI, info: Bytes, pqSupport: Bool,
        subscription: SubscriptionMode
    ) async throws(AgentFault) -> Bool {
        try await agent.join(
            user: user, connection: connection, link: link, info: info, pqSupport: pqSupport, subscription: subscription)
    }
    func allowConnection(_ connection: ConnectionID, confirmation: ConfirmationID, info: Bytes) async throws(AgentFault) {
        try await agent.allowConnection(connection, confirmation: confirmation, info: info)
    }
    func prepareToAccept(user: AgentUserID, invitation: InvitationID, pqSupport: Bool) async throws(AgentFault) -> ConnectionID {
        try await agent.prepareToAccept(user: user, invitation: invitation, pqSupport: pqSupport)
    }
    func accept(
        user: AgentUserID, connection: ConnectionID, invitation: InvitationID, info: Bytes, pqSupport: Bool,
        subscription: SubscriptionMode
    ) async throws(AgentFault) -> Bool {
        try await agent.accept(
            user: user, connection: connection, invitation: invitation, info: info, pqSupport: pqSupport, subscription: subscription)
    }
    func reject(_ invitation: InvitationID) async throws(AgentFault) { try await agent.reject(invitation) }

    func setShortLink(
        _ connection: ConnectionID, linkData: UserConnectionLinkData, clientData: String?
    ) async throws(AgentFault) -> ConnectionShortLink {
        try await agent.setShortLink(connection, linkData: linkData, clientData: clientData)
    }
    func resolveShortLink(user: AgentUserID, link: ConnectionShortLink) async throws(AgentFault) -> ResolvedLink {
        try await agent.resolveShortLink(user: user, link: link)
    }

    func subscribeAll() async -> [ConnectionID: Result<Void, AgentFault>] { await agent.subscribeAll() }
    func send(_ requests: [AgentSendRequest]) async -> [Result<AcceptedMessage, AgentFault>] { await agent.send(requests) }
    func acknowledge(_ connection: ConnectionID, message: AgentMessageID, receipt: Bytes?) async throws(AgentFault) {
        try await agent.acknowledge(connection, message: message, receipt: receipt)
    }

    func stats(of connection: ConnectionID) async throws(AgentFault) -> AgentConnectionStats { try await agent.stats(of: connection) }
    func ratchetHash(of connection: ConnectionID) async throws(AgentFault) -> Bytes { try await agent.ratchetHash(of: connection) }
    func queueState(of connection: ConnectionID) async throws(AgentFault) -> QueueState { try await agent.queueState(of: connection) }
    func switchQueue(of connection: ConnectionID) async throws(AgentFault) -> AgentConnectionStats {
        try await agent.switchQueue(of: connection)
    }
    func abortSwitch(of connection: ConnectionID) async throws(AgentFault) -> AgentConnectionStats {
        try await agent.abortSwitch(of: connection)
    }
    func synchronizeRatchet(of connection: ConnectionID, pqSupport: Bool, force: Bool) async throws(AgentFault) -> AgentConnectionStats {
        try await agent.synchronizeRatchet(of: connection, pqSupport: pqSupport, force: force)
    }

    func delete(_ connections: [ConnectionID], waitDelivery: Bool) async throws(AgentFault) {
        try await agent.delete(connections, waitDelivery: waitDelivery)
    }
}

extension AgentNotification {
    /// Whether the event comes again if the process ends before it was confirmed or acknowledged.
    fileprivate var comesAgain: Bool {
        if durableID != nil { return true }
        switch event {
        case .message, .receipts, .sent: return true
        default: return false
        }
    }
}
