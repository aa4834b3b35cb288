import AsyncPrimitives
import ChatAPI
import ChatRules
import ChatStore
import Logging
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization

/// The servers and operators of the configuration, applied to the store and to the agent.
final class ServerConfigurator: Sendable {
    private let configuration: NativeCoreConfiguration
    private let transactions: TransactionRunner
    private let agent: any AgentService
    private let network: NetworkController
    private let isApplied = Mutex(false)
    private let applying = AsyncLock()

    init(configuration: NativeCoreConfiguration, transactions: TransactionRunner, agent: any AgentService, network: NetworkController) {
        self.configuration = configuration
        self.transactions = transactions
        self.agent = agent
        self.network = network
    }

    /// Applies the servers, operators and network settings of the configuration. Only the first call does; those that come meanwhile wait for it, so that
    /// nobody uses the network before its proxy is set.
    func apply() async throws(ChatCoreError) {
        guard !isApplied.withLock(\.self) else { return }
        try await applying.withLock { () throws(ChatCoreError) in
            guard !isApplied.withLock(\.self) else { return }
            let configuration = configuration
            let changed = try await transactions.transaction { try $0.servers.configure(configuration) }
            try await network.applyStored()
            for user in changed { await use(agentUser: user) }
            isApplied.withLock { $0 = true }
        }
    }

    /// Passes the servers of a profile to the agent before the core is started: links made then are made on the current servers.
    private func use(agentUser: AgentUserID) async {
        do {
            try await publish(agentUser: agentUser)
        } catch {
            // The stored job retries at the start, and reports failures.
            configuration.logger.debug("servers of a profile are not set yet", metadata: ["error": "\(error)"])
        }
    }

    /// Passes the current servers of a profile to the agent.
    func publish(agentUser: AgentUserID) async throws {
        let routers = try await transactions.store.read { db -> [AgentServer]? in
            guard let user = try db.users.find(agentID: agentUser) else { return nil }
            return try db.servers.servers(ofUser: user.userID, operators: try db.operators.stored()).usedRouters
        }
        // The profile is gone since.
        guard let routers else { return }
        // Without servers of its own, a profile uses those of the configuration.
        try await agent.setServers(routers.contains(where: \.isForStorage) ? routers : configuration.initialRouters, user: agentUser)
    }
}

extension NativeCoreConfiguration {
    /// The configuration for one profile: of each operator's servers, as many as a profile uses.
    func drawingServers(using random: any RandomSource) -> NativeCoreConfiguration {
        var one = self
        one.operators = operators.map { $0.drawn(using: random) }
        return one
    }

    /// The routers on which a new profile makes its queues.
    var initialRouters: [AgentServer] {
        let preset = operators.filter(\.isEnabled).flatMap { one in
            one.smpServers.filter(\.isEnabled).compactMap { server in
                (try? SMPServerWithAuth(wireString: server.address)).map {
                    AgentServer($0, isForStorage: one.smpRoles.storage, isForProxy: one.smpRoles.proxy, isForNames: one.smpRoles.names ?? false)
                }
            }
        }
        return servers.map { AgentServer($0, isForNames: true) } + preset
    }
}
