import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPClient
import Synchronization
import XFTPAgent

/// The network settings: stored, and applied to the agent and the client beneath it.
final class NetworkController: Sendable {
    private struct State {
        var config = NetworkConfig.standard
        var isOnline = true
        var isSlow = false
    }

    /// The key under which commands about the network wait for each other: one could undo what another has just set.
    static let lockKey = "network"

    private let transactions: TransactionRunner
    private let agent: any AgentService
    private let files: any FileService
    private let locks: KeyedLock<String>
    private let options: NetworkOptions
    private let state = Mutex(State())

    /// - Parameter options: Settings of the configuration, which override stored ones.
    init(transactions: TransactionRunner, agent: any AgentService, files: any FileService, locks: KeyedLock<String>, options: NetworkOptions) {
        self.transactions = transactions
        self.agent = agent
        self.files = files
        self.locks = locks
        self.options = options
    }

    /// The settings in effect.
    var config: NetworkConfig { state.withLock { $0.config } }

    /// Applies the stored settings, except where the configuration overrides them.
    func applyStored() async throws(ChatCoreError) {
        try await locks.withLock(Self.lockKey) { () throws(ChatCoreError) in
            let (config, plan) = try await transactions.query { [options] transaction in
                let config = options.applied(to: try transaction.networkSettings.config())
                return (config, try transaction.networkSettings.plan(config))
            }
            try await apply(plan, config)
        }
    }

    /// Stores settings and applies them.
    func set(_ config: NetworkConfig) async throws(ChatCoreError) {
        try await locks.withLock(Self.lockKey) { () throws(ChatCoreError) in
            let plan = try await transactions.transaction { transaction in
                let plan = try transaction.networkSettings.plan(config)
                try transaction.db.settings.set(config.json, setting: NetworkSettings.key)
                return plan
            }
            try await apply(plan, config)
        }
    }

    /// Takes what an app knows of the network. On slow networks timeouts are extended. When a network is back, sessions that were made before are
    /// made anew.
    func setInfo(_ info: UserNetworkInfo) async throws(ChatCoreError) {
        try await locks.withLock(Self.lockKey) { () throws(ChatCoreError) in
            let (wasOnline, wasSlow, config) = state.withLock { state in
                defer { (state.isOnline, state.isSlow) = (info.online, info.isSlow) }
                return (state.isOnline, state.isSlow, state.config)
            }
            let isBack = info.online && !wasOnline
            do throws(ChatCoreError) {
                if info.isSlow != wasSlow { try await apply(try await transactions.query { try $0.networkSettings.plan(config) }, config) }
            } catch {
                // The same information again is to be a change then.
                state.withLock { $0.isSlow = wasSlow }
                if isBack { await agent.reconnectAll() }
                throw error
            }
            if isBack { await agent.reconnectAll() }
        }
    }

    private func apply(_ plan: NetworkPlan, _ config: NetworkConfig) async throws(ChatCoreError) {
        var plan = plan
        plan.settings.usesServices = options.usesServices ?? false
        plan.settings.isSlow = state.withLock { $0.isSlow }
        let complete = plan
        transactions.folders.network = complete.settings
        try await agent.reporting { agent throws(AgentError) in try await agent.setNetworkConfiguration(complete.settings) }
        do throws(FileTransferError) {
            try await files.setNetwork(complete.settings)
        } catch {
            throw ChatCoreError(Refusal.command(error.description).error)
        }
        state.withLock { $0.config = config }
    }
}

extension UserNetworkInfo {
    /// True for networks on which official clients extend timeouts.
    var isSlow: Bool { networkType == "cellular" || networkType == "none" }
}

/// Reads the network settings.
struct NetworkSettings: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Network settings.
    var networkSettings: NetworkSettings { NetworkSettings(transaction: self) }
}

extension NetworkSettings {
    static let key = "network"

    func config() throws -> NetworkConfig {
        try db.settings.value(Self.key).map { try NetworkConfig(json: $0) } ?? .standard
    }

    func plan(_ config: NetworkConfig) throws -> NetworkPlan {
        try NetworkPlan(config)
    }
}
