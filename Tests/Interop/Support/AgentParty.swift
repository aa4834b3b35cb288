import ProcessSupport
import SMPAgent
import SMPClient
import SMPProtocol
import SMPWire

/// Parley's agent alone, with one user, for what no chat command asks of it.
final class AgentParty: Sendable {
    let agent: SMPAgent
    let user: AgentUserID
    /// What it told.
    let notifications = Mailbox<AgentNotification>(label: { "\($0.event)".prefix(60).description })
    private let pool: SMPClientPool
    private let server: SMPServerAddress

    /// - Parameters:
    ///   - path: its database, which is taken up again; nil for one in memory.
    ///   - isService: whether routers are shown a service certificate.
    init(_ router: any Router, path: String? = nil, isService: Bool = false) async throws {
        var client = SMPClientConfiguration()
        client.network.usesServices = isService
        pool = try SMPClientPool(configuration: client)
        var configuration = AgentConfiguration()
        configuration.network = client.network
        agent = SMPAgent(configuration: configuration, store: try AgentStore(path: path), network: pool)
        try await agent.start()
        let address = try SMPServerAddress(wireString: router.address)
        server = address
        user = if let known = try await agent.users().first { known } else { try await agent.createUser(servers: [SMPServerWithAuth(address)]) }
        let (events, notifications) = (agent.events, notifications)
        Task { for await event in events { notifications.put(event) } }
    }

    /// The version of the protocol that the router speaks.
    func routerVersion() async throws -> UInt16 { try await pool.sessionInfo(TransportSessionKey(userID: user, server: server)).version }

    func close() async {
        await agent.close()
        await pool.close()
    }
}
