import ChatEngine
import ChatRules
package import SMPAgent
package import SMPClient
package import SMPCrypto
package import SMPProtocol
package import SMPWire

/// An agent whose connections a ``ConnectionSimulator`` has.
package struct SimulatedAgent: AgentService {
    private let simulator: ConnectionSimulator
    private let device: String
    /// The events.
    package let events: AsyncStream<AgentNotification>

    /// - Parameter device: The name of the agent: one of the same name continues where the last one has ended.
    package init(_ simulator: ConnectionSimulator, as device: String) {
        self.simulator = simulator
        self.device = device
        let (events, reports) = AsyncStream.makeStream(of: AgentNotification.self)
        self.events = events
        simulator.read { $0.devices[device, default: .init()].reports = reports }
    }

    // MARK: Life

    package func start() async throws(AgentError) {
        simulator.read { state in
            state.devices[device]?.isRunning = true
            receive(&state)
        }
    }

    package func suspend(timeout: Duration) async {
        simulator.read { state in
            state.devices[device]?.report(AgentNotification(connection: nil, event: .suspended))
            state.devices[device]?.isRunning = false
        }
    }

    package func resume() async {
        simulator.read { state in
            guard state.devices[device]?.isRunning == false else { return }
            state.devices[device]?.isRunning = true
            receive(&state)
        }
    }

    package func close() async {
        simulator.read { state in
            state.devices[device]?.isRunning = false
            state.devices[device]?.reports?.finish()
            state.devices[device]?.reports = nil
        }
    }

    /// Reports what was not confirmed or acknowledged, and what waits.
    private func receive(_ state: inout ConnectionSimulator.State) {
        for notification in state.devices[device]?.unconfirmed ?? [] { state.devices[device]?.report(notification) }
        for id in state.connections(of: device) {
            if state.connections[id]?.delivery == nil { state.deliver(to: id) } else { state.reportDelivery(of: id) }
        }
    }

    package func confirm(_ event: DurableEventID) {
        simulator.read { $0.confirm(event, of: device) }
    }

    // MARK: Users

    package func users() async throws(AgentError) -> [AgentUserID] { simulator.read { state in (state.devices[device]?.users ?? [:]).keys.sorted() } }

    package func connections() async throws(AgentError) -> [ConnectionID] { simulator.read { $0.connections(of: device) } }

    package func createUser(servers: [AgentServer]) async throws(AgentError) -> AgentUserID {
        guard let server = servers.first?.server.server else { throw .prohibited("createUser: no routers") }
        return simulator.read { state in
            var device = state.devices[device, default: .init()]
            device.lastUser += 1
            device.users[device.lastUser] = server
            state.devices[self.device] = device
            return device.lastUser
        }
    }

    package func setServers(_ servers: [AgentServer], user: AgentUserID) async throws(AgentError) {
        guard let server = servers.first?.server.server else { throw .prohibited("setServers: no routers") }
        try simulator.withState { state throws(AgentError) in
            guard state.devices[device]?.users[user] != nil else { throw AgentError(.noUser) }
            state.devices[device]?.users[user] = server
        }
    }

    package func deleteUser(_ user: AgentUserID, deleteQueues: Bool) async throws(AgentError) {
        try simulator.withState { state throws(AgentError) in
            guard state.devices[device]?.users.removeValue(forKey: user) != nil else { throw AgentError(.noUser) }
            state.delete(state.connections(of: device, user: user), of: device)
            state.devices[device]?.report(AgentNotification(connection: nil, event: .userDeleted(user)))
        }
    }

    // MARK: Network

    package func setNetworkConfiguration(_ configuration: NetworkConfiguration) async throws(AgentError) {}
    package func reconnectAll() async {}
    package func reconnect(_ server: SMPServerAddress, user: AgentUserID) async {}
    package func resetServerStatistics() async {}
    package func testServer(_ server: SMPServerWithAuth, user: AgentUserID) async throws(RouterTestFailure) {}

    package func serversSummary() async -> AgentServersSummary { AgentServersSummary(startedAt: simulator.now) }

    package func subscriptionTotal(of users: Set<AgentUserID>) async -> (subscriptions: SubscriptionCounts, isConnected: Bool) {
        simulator.read { state in
            var counts = SubscriptionCounts()
            counts.active = state.connections.values.count { $0.device == device && users.contains($0.user) }
            return (counts, state.devices[device]?.isRunning ?? false)
        }
    }

    package func subscriptions() -> [QueueSubscriptionStatus] {
        simulator.read { state in
            state.connections(of: device).compactMap { id in
                guard let connection = state.connections[id], connection.stage != .new else { return nil }
                return QueueSubscriptionStatus(
                    connection: id, user: connection.user, server: connection.server, queue: RecipientID(id.bytes), status: .active)
            }
        }
    }

    package func subscribeAll() async -> [ConnectionID: Result<Void, AgentError>] {
        simulator.read { state in Dictionary(uniqueKeysWithValues: state.connections(of: device).map { ($0, .success(())) }) }
    }

    // MARK: Making connections

    package func createConnection(
        user: AgentUserID, mode: ConnectionMode, linkData: UserConnectionLinkData?, clientData: String?, pq: PQInitialKeys, subscription: SubscriptionMode
    ) async throws(AgentError) -> CreatedConnection {
        if let linkData, linkData.mode != mode { throw .prohibited("link data for another kind of connection") }
        return try simulator.withState { state throws(AgentError) in
            let connection = try state.newConnection(device, user, mode == .contact ? .address : .invitation)
            let request = openQueue(of: connection, mode, clientData, &state)
            if let linkData { state.openLink(LinkKey(state.random.bytes(LinkKey.length)), to: connection.id, request, linkData) }
            return CreatedConnection(id: connection.id, link: request, shortLink: state.connections[connection.id]?.shortLink)
        }
    }

    package func createAddress(
        user: AgentUserID, identity: LinkIdentity, clientData: String?, subscription: SubscriptionMode,
        linkData: @escaping @Sendable (ConnectionShortLink) throws(AgentError) -> UserContactData
    ) async throws(AgentError) -> CreatedConnection {
        try simulator.withState { state throws(AgentError) in
            let connection = try state.newConnection(device, user, .address)
            let request = openQueue(of: connection, .contact, clientData, &state)
            let key = LinkKey(state.random.bytes(LinkKey.length))
            do throws(AgentError) {
                let data = try linkData(.contact(scheme: .server, type: .contact, server: connection.server, key: key))
                state.openLink(key, to: connection.id, request, .contact(data), identity: identity)
            } catch {
                state.delete([connection.id], of: device)
                throw error
            }
            return CreatedConnection(id: connection.id, link: request, shortLink: state.connections[connection.id]?.shortLink)
        }
    }

    /// Makes the full link of a connection.
    private func openQueue(
        of connection: SimulatedConnection, _ mode: ConnectionMode, _ clientData: String?, _ state: inout ConnectionSimulator.State
    ) -> ConnectionRequestURI {
        let senderID = SenderID(state.random.bytes(24))
        let address = SMPQueueAddress(
            server: connection.server, senderID: senderID, encryptionKey: simulator.encryptionKey, mode: mode == .contact ? .contact : .messaging)
        let request = ConnectionRequest(queues: [SMPQueueURI(address: address)], clientData: clientData)
        let link = mode == .contact ? ConnectionRequestURI.contact(request) : .invitation(request, simulator.ratchetParameters)
        state.connections[connection.id]?.request = link
        state.queues[senderID] = connection.id
        return link
    }

    package func compatibility(of link: ConnectionRequestURI, pqSupport: Bool) -> LinkCompatibility? {
        link.request.agentVersions.compatibleVersion(with: SMPAgentVersion.supported).map { LinkCompatibility(agentVersion: $0, pqSupport: false) }
    }

    package func prepareToJoin(user: AgentUserID, link: ConnectionRequestURI, pqSupport: Bool) async throws(AgentError) -> ConnectionID {
        guard compatibility(of: link, pqSupport: pqSupport) != nil else { throw AgentError(.agent(.version)) }
        return try simulator.withState { state throws(AgentError) in try state.newConnection(device, user, .new).id }
    }

    package func join(
        user: AgentUserID, connection: ConnectionID, link: ConnectionRequestURI, info: Bytes, pqSupport: Bool, subscription: SubscriptionMode
    ) async throws(AgentError) -> Bool {
        try simulator.withState { state throws(AgentError) in
            switch link {
            case .invitation: try state.join(connection, link, info: info)
            case .contact: try state.ask(connection, link, info: info)
            }
        }
        return link.mode == .invitation
    }

    package func allowConnection(_ connection: ConnectionID, confirmation: ConfirmationID, info: Bytes) async throws(AgentError) {
        try simulator.withState { state throws(AgentError) in try state.allow(connection, confirmation, info: info) }
    }

    package func prepareToAccept(user: AgentUserID, invitation: InvitationID, pqSupport: Bool) async throws(AgentError) -> ConnectionID {
        try simulator.withState { state throws(AgentError) in
            guard state.requests[invitation] != nil else { throw AgentError(.connection(.notFound, context: "no invitation \(invitation)")) }
            return try state.newConnection(device, user, .new).id
        }
    }

    package func accept(
        user: AgentUserID, connection: ConnectionID, invitation: InvitationID, info: Bytes, pqSupport: Bool, subscription: SubscriptionMode
    ) async throws(AgentError) -> Bool {
        try simulator.withState { state throws(AgentError) in
            guard let asking = state.requests[invitation] else { throw AgentError(.connection(.notFound, context: "no invitation \(invitation)")) }
            try state.join(connection, to: asking, info: info)
        }
        return true
    }

    package func reject(_ invitation: InvitationID) async throws(AgentError) { simulator.read { $0.requests[invitation] = nil } }

    // MARK: Short links

    package func setShortLink(
        _ connection: ConnectionID, linkData: UserConnectionLinkData, clientData: String?
    ) async throws(AgentError) -> ConnectionShortLink {
        try simulator.withState { state throws(AgentError) in
            let known = try state.connection(connection)
            guard linkData.mode == (known.stage == .address ? .contact : .invitation), known.stage == .address || known.link != nil else {
                throw .prohibited("setConnShortLink: invalid connection or mode")
            }
            if let link = known.link {
                state.links[link]?.user = ConnectionLinkData(content: linkData)
            } else if let request = known.request {
                state.openLink(LinkKey(state.random.bytes(LinkKey.length)), to: connection, request, linkData)
            }
            guard let link = state.connections[connection]?.shortLink else { throw AgentError(.internal("no short link")) }
            return link
        }
    }

    package func linkPrivateKey(of connection: ConnectionID) async throws(AgentError) -> Ed25519.PrivateKey? {
        try simulator.withState { state throws(AgentError) in try state.connection(connection).link.flatMap { state.links[$0]?.key } }
    }

    package func resolveShortLink(user: AgentUserID, link: ConnectionShortLink) async throws(AgentError) -> ResolvedLink {
        try simulator.withState { state throws(AgentError) in try state.open(link, by: device) }
    }

    package func resolveName(_ domain: SimpleXDomain, user: AgentUserID) async throws(AgentError) -> NameRecord {
        guard let record = simulator.read({ $0.names[domain] }) else { throw AgentError(.smp(server: "names", .name(.notFound))) }
        return record
    }

    // MARK: Messages

    package func send(_ requests: [AgentSendRequest]) async -> [Result<AcceptedMessage, AgentError>] {
        let now = simulator.now
        return simulator.read { state in
            requests.map { request in
                do throws(AgentError) { return .success(try state.send(request, at: now)) } catch { return .failure(error) }
            }
        }
    }

    package func acknowledge(_ connection: ConnectionID, message: AgentMessageID, receipt: Bytes?, useless: Int = 0) async throws(AgentError) {
        try simulator.withState { state throws(AgentError) in try state.acknowledge(message, of: connection, isReceiptWanted: receipt != nil) }
    }

    package func delete(_ connections: [ConnectionID], waitDelivery: Bool) async throws(AgentError) { simulator.read { $0.delete(connections, of: device) } }

    // MARK: State

    package func stats(of connection: ConnectionID) async throws(AgentError) -> AgentConnectionStats {
        try simulator.withState { state throws(AgentError) in
            let known = try state.connection(connection)
            return AgentConnectionStats(
                agentVersion: SMPAgentVersion.supported.max, receiveQueues: [ReceiveQueueStats(server: known.server, status: .active, subscription: .active)],
                sendQueues: known.stage == .duplex ? [SendQueueStats(server: known.server, status: .active)] : [], ratchetSyncState: .ok,
                ratchetSyncSupported: true, subscription: .active)
        }
    }

    package func ratchetHash(of connection: ConnectionID) async throws(AgentError) -> Bytes {
        try simulator.withState { state throws(AgentError) in
            let code = try state.connection(connection).securityCode
            guard !code.isEmpty else { throw AgentError(.connection(.notFound, context: "no ratchet yet")) }
            return code
        }
    }

    package func queueState(of connection: ConnectionID) async throws(AgentError) -> AgentQueueState { throw Self.unavailable }
    package func switchQueue(of connection: ConnectionID) async throws(AgentError) -> AgentConnectionStats { throw Self.unavailable }
    package func abortSwitch(of connection: ConnectionID) async throws(AgentError) -> AgentConnectionStats { throw Self.unavailable }
    package func synchronizeRatchet(of connection: ConnectionID, pqSupport: Bool, force: Bool) async throws(AgentError) -> AgentConnectionStats {
        throw Self.unavailable
    }

    private static let unavailable = AgentError.prohibited("a simulated connection has no queues and no encryption")
}
