import AsyncPrimitives
import ChatAPI
import ChatProtocol
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
            let changed = try await transactions.transaction { try $0.configureServers(configuration) }
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
            // The stored job tries again at the start, and reports what it cannot do.
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
                    AgentServer($0, isForStorage: one.smpRoles.storage, isForProxy: one.smpRoles.proxy)
                }
            }
        }
        return servers.map { AgentServer($0) } + preset
    }
}

extension ChatTransaction {
    /// Operators and conditions as the core is set up with, and servers of profiles for which nobody has chosen any.
    ///
    /// - Returns: the profiles whose servers are not as they were, by the agent's ids.
    func configureServers(_ configuration: NativeCoreConfiguration) throws -> [AgentUserID] {
        try db.operators.insertConditions(commit: configuration.conditions.commit, at: now)
        try db.operators.delete(except: configuration.operators.map(\.tag))
        for preset in configuration.operators { try db.operators.upsert(preset) }
        try acceptOverdueConditions()
        var changed: [AgentUserID] = []
        for user in try db.users.users() {
            guard try offerServers(configuration.drawingServers(using: random), to: user.userID) else { continue }
            try enqueue(.setServers, user: user)
            if let agentUser = Int64(user.agentUserID) { changed.append(agentUser) }
        }
        return changed
    }

    /// Conditions whose time for objections is over count as accepted, as they say themselves.
    private func acceptOverdueConditions() throws {
        let state = try db.operators.operatorConditions(at: now)
        let overdue = state.serverOperators.filter { one in
            if case .required(let deadline?) = one.conditionsAcceptance { deadline < now } else { false }
        }
        try db.operators.acceptConditions(
            state.currentConditions.conditionsID, operators: overdue.compactMap(\.operatorID), automatically: true, at: now)
    }

    /// Gives a profile the servers that the core is set up with: all of its operators', and, if nobody has chosen any for it, the others.
    ///
    /// - Returns: whether that changed anything.
    @discardableResult
    func offerServers(_ configuration: NativeCoreConfiguration, to user: UserID) throws -> Bool {
        let known = try db.servers.servers(ofUser: user, operators: [])
        let isChosen = try db.servers.hasChosenServers(user: user)
        let smp = configuration.operators.flatMap(\.smpServers), xftp = configuration.operators.flatMap(\.xftpServers)
        var isChanged = try offer(smp, .smp, to: user, known: known.smpServers.filter(\.isPreset), isPreset: true, isChosen: isChosen)
        isChanged = try offer(xftp, .xftp, to: user, known: known.xftpServers.filter(\.isPreset), isPreset: true, isChosen: isChosen) || isChanged
        for relay in configuration.operators.flatMap(\.chatRelays) where !known.chatRelays.contains(where: { $0.address == relay.address }) {
            var new = relay
            new.chatRelayID = nil
            try db.servers.set(new, user: user)
        }
        guard !isChosen else { return isChanged }
        let own = configuration.servers.map { PresetOperator.Server($0.wireString) }
        let files = configuration.fileServers.map { PresetOperator.Server($0) }
        isChanged = try offer(own, .smp, to: user, known: known.smpServers.filter { !$0.isPreset }, isPreset: false) || isChanged
        return try offer(files, .xftp, to: user, known: known.xftpServers.filter { !$0.isPreset }, isPreset: false) || isChanged
    }

    private func offer(
        _ servers: [PresetOperator.Server], _ kind: ServerProtocol, to user: UserID, known: [UserServer], isPreset: Bool, isChosen: Bool = false
    ) throws -> Bool {
        let gone = known.filter { server in !servers.contains { $0.address == server.server } }
        for server in gone { if let id = server.serverID { try db.servers.delete(id, user: user) } }
        let new = servers.filter { server in !known.contains { $0.server == server.address } }
        for server in new {
            try db.servers.insert(server.address, kind, user: user, isPreset: isPreset, isEnabled: server.isEnabled, isChosen: isChosen)
        }
        return !gone.isEmpty || !new.isEmpty
    }
}
