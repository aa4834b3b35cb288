import ChatAPI
import ChatProtocol
import SMPClient
import Synchronization

// How routers are reached: kept in the store, carried out by the agent and the client beneath it.

extension EngineCore {
    /// Sets the network up: as it was set by commands before, but for what the core's own set-up says.
    func arrangeNetwork() async throws(ChatCoreError) {
        let options = configuration.network
        try await turns.take(Self.networkTurn) { () throws(ChatCoreError) in
            let (config, plan) = try await query { transaction in
                let config = options.applied(to: try transaction.storedNetworkConfig())
                return (config, try transaction.plan(config))
            }
            try await carryOut(plan, config)
        }
    }

    /// How routers are reached now.
    var networkConfig: NetworkConfig { network.withLock { $0.config } }

    func setNetworkConfig(_ config: NetworkConfig) async throws(ChatCoreError) {
        try await turns.take(Self.networkTurn) { () throws(ChatCoreError) in
            let plan = try await transaction { transaction in
                let plan = try transaction.plan(config)
                try transaction.db.set(config.json, setting: ChatTransaction.networkSetting)
                return plan
            }
            try await carryOut(plan, config)
        }
    }

    /// Commands about the network wait for each other: one could undo what another has just set.
    private static let networkTurn = "network"

    private func carryOut(_ plan: NetworkPlan, _ config: NetworkConfig) async throws(ChatCoreError) {
        var plan = plan
        plan.settings.usesServices = configuration.network.usesServices ?? false
        plan.settings.isSlow = network.withLock { $0.isSlow }
        let complete = plan
        try await agent { agent throws(AgentFault) in try await agent.apply(complete) }
        network.withLock { $0.config = config }
    }

    /// Takes what an app knows of the network: on slow ones routers get more time, and when there is one again, sessions that were made before
    /// are made anew.
    func setNetworkInfo(_ info: UserNetworkInfo) async throws(ChatCoreError) {
        try await turns.take(Self.networkTurn) { () throws(ChatCoreError) in
            let (wasOnline, wasSlow, config) = network.withLock { network in
                defer { (network.isOnline, network.isSlow) = (info.online, info.isSlow) }
                return (network.isOnline, network.isSlow, network.config)
            }
            let isBack = info.online && !wasOnline
            do throws(ChatCoreError) {
                if info.isSlow != wasSlow { try await carryOut(try await query { try $0.plan(config) }, config) }
            } catch {
                // The same news again is to be a change then.
                network.withLock { $0.isSlow = wasSlow }
                if isBack { await agent.reconnectAll() }
                throw error
            }
            if isBack { await agent.reconnectAll() }
        }
    }
}

extension UserNetworkInfo {
    /// Whether official clients give routers more time on such a network.
    var isSlow: Bool { networkType == "cellular" || networkType == "none" }
}

extension ChatTransaction {
    static let networkSetting = "network"

    func storedNetworkConfig() throws -> NetworkConfig {
        try db.setting(Self.networkSetting).map { try NetworkConfig(json: $0) } ?? .standard
    }

    func plan(_ config: NetworkConfig) throws -> NetworkPlan {
        try NetworkPlan(config)
    }
}
