import ChatAPI
import ChatRules
import ChatStore

// Commands about servers, their operators and the network.

/// Commands about servers, their operators and the network.
struct ServerCommands: CommandFeature {
    let runner: CommandRunner
}

extension CommandRunner {
    /// Commands about servers.
    var serverCommands: ServerCommands { ServerCommands(runner: self) }
}

extension ServerCommands {
    func run(_ command: ServerCommand) async throws(ChatCoreError) -> ChatResponse {
        try await core.servers.apply()
        switch command {
        case .userServers(let id): return try await showServers(user: id) { $0 }
        case .setUserServers(let id, let servers):
            return try await transactionThatSetsServers { try $0.servers.set(servers, user: try $0.user(id)) }
        case .validate(let id, let servers):
            return try await query { transaction in
                let user = try transaction.user(id)
                let validation = try transaction.servers.validation(of: servers, user: user)
                return .userServersValidation(user: user, errors: validation.errors, warnings: UserServersWarnings(validation.warnings))
            }
        case .protocolServers(let kind): return try await showServers(user: nil) { $0.only(kind) }
        case .setProtocolServers(let kind, let addresses):
            return try await replaceServers(addresses.isEmpty, "servers") { $0.replacing(kind, by: addresses) }
        case .relays: return try await showServers(user: nil) { $0.onlyRelays }
        case .setRelays(let relays): return try await replaceServers(relays.isEmpty, "relays") { $0.replacingRelays(by: relays) }
        case .test(let id, let server): return try await test(server, user: id)
        case .testRelay(let id, let address): return try await runner.relayTestCommands.test(address, user: id)
        case .operators:
            return try await query { .serverOperatorConditions(conditions: try $0.db.operators.operatorConditions(at: $0.now)) }
        case .setOperators(let operators): return try await transactionThatSetsServers { try $0.servers.setOperators(operators) }
        case .setOperatorRoles(let roles): return try await transactionThatSetsServers { try $0.servers.setOperators(try $0.servers.operators(with: roles)) }
        case .conditions:
            let text = core.configuration.conditions.text
            return try await query { transaction in
                .usageConditions(
                    usageConditions: try transaction.db.operators.currentConditions(), conditionsText: text,
                    acceptedConditions: try transaction.db.operators.latestAcceptedConditions())
            }
        case .setConditionsNotified(let id):
            return try await transaction { transaction in
                try transaction.db.operators.setConditionsNotified(id, at: transaction.now)
                return .cmdOk(user: nil)
            }
        case .acceptConditions(let id, let operators):
            return try await transaction { transaction in
                try transaction.db.operators.acceptConditions(id, operators: operators, at: transaction.now)
                return .serverOperatorConditions(conditions: try transaction.db.operators.operatorConditions(at: transaction.now))
            }
        case .networkConfig, .setNetworkConfig, .changeNetwork, .setNetworkInfo, .reconnectAll, .reconnect:
            return try await runNetwork(command)
        }
    }

    private func showServers(
        user id: UserID?, _ part: @escaping @Sendable (UserServerSet) -> UserServerSet
    ) async throws(ChatCoreError) -> ChatResponse {
        try await query { transaction in
            let user = try transaction.user(id)
            return .userServers(user: user, userServers: part(try transaction.servers.servers(of: user)).byOperator)
        }
    }

    private func replaceServers(
        _ isEmpty: Bool, _ what: String, _ replace: @escaping @Sendable (UserOperatorServers) -> UserOperatorServers
    ) async throws(ChatCoreError) -> ChatResponse {
        try await transactionThatSetsServers { transaction in
            let user = try transaction.user()
            guard !isEmpty else { throw Refusal.command("no \(what)") }
            return try transaction.servers.set(try transaction.servers.servers(of: user).byOperator.map(replace), user: user)
        }
    }

    /// Runs a transaction that may change which servers profiles use, and waits until the agent has them.
    private func transactionThatSetsServers(
        _ body: @escaping @Sendable (ChatTransaction) throws -> ChatResponse
    ) async throws(ChatCoreError) -> ChatResponse {
        let (response, jobs) = try await transaction { transaction in
            let response = try body(transaction)
            return (response, transaction.effects.jobs.filter { $0.task == .profile(.setServers) }.map(\.id))
        }
        for id in jobs { await core.jobs.attempt(at: id) }
        return response
    }
}
