import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// Commands about servers, their operators and the network.

extension CommandRunner {
    func run(_ command: ServerCommand) async throws(ChatCoreError) -> ChatResponse {
        try await core.servers.apply()
        switch command {
        case .userServers(let id): return try await showServers(user: id) { $0 }
        case .setUserServers(let id, let servers):
            return try await transactionThatSetsServers { try $0.setServers(servers, user: try $0.user(id)) }
        case .validate(let id, let servers):
            return try await query { transaction in
                let user = try transaction.user(id)
                let validation = try transaction.validation(of: servers, user: user)
                return .userServersValidation(user: user, errors: validation.errors, warnings: validation.warnings)
            }
        case .protocolServers(let kind): return try await showServers(user: nil) { $0.only(kind) }
        case .setProtocolServers(let kind, let addresses):
            return try await replaceServers(addresses.isEmpty, "servers") { $0.replacing(kind, by: addresses) }
        case .relays: return try await showServers(user: nil) { $0.onlyRelays }
        case .setRelays(let relays): return try await replaceServers(relays.isEmpty, "relays") { $0.replacingRelays(by: relays) }
        case .test(let id, let server): return try await test(server, user: id)
        case .testRelay(let id, let address): return try await testRelay(address, user: id)
        case .operators:
            return try await query { .serverOperatorConditions(conditions: try $0.db.operators.operatorConditions(at: $0.now)) }
        case .setOperators(let operators): return try await transactionThatSetsServers { try $0.setOperators(operators) }
        case .setOperatorRoles(let roles): return try await transactionThatSetsServers { try $0.setOperators(try $0.operators(with: roles)) }
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
            return .userServers(user: user, userServers: part(try transaction.servers(of: user)).byOperator)
        }
    }

    private func replaceServers(
        _ isEmpty: Bool, _ what: String, _ replace: @escaping @Sendable (UserOperatorServers) -> UserOperatorServers
    ) async throws(ChatCoreError) -> ChatResponse {
        try await transactionThatSetsServers { transaction in
            let user = try transaction.user()
            guard !isEmpty else { throw Refusal.command("no \(what)") }
            return try transaction.setServers(try transaction.servers(of: user).byOperator.map(replace), user: user)
        }
    }

    /// Runs a transaction that may change which servers profiles use, and waits until the agent was told.
    private func transactionThatSetsServers(
        _ body: @escaping @Sendable (ChatTransaction) throws -> ChatResponse
    ) async throws(ChatCoreError) -> ChatResponse {
        let (response, jobs) = try await transaction { transaction in
            let response = try body(transaction)
            return (response, transaction.effects.jobs.filter { $0.task == .setServers }.map(\.id))
        }
        for id in jobs { await core.jobs.attempt(at: id) }
        return response
    }
}

extension ChatTransaction {
    func servers(of user: User) throws -> UserServerSet {
        try db.servers.servers(ofUser: user.userID, operators: try db.operators.operatorConditions(at: now).serverOperators)
    }

    func validation(of servers: [UserOperatorServers], user: User) throws -> UserServersValidation {
        for server in servers.flatMap({ $0.smpServers + $0.xftpServers }) where RouterHosts.parse(server.server) == nil {
            throw Refusal.command("not the address of a server: \(server.server)")
        }
        let others = try db.users.users().filter { $0.userID != user.userID }
        return UserServersValidation(servers, others: try others.map { ($0, try self.servers(of: $0).byOperator) })
    }

    func setServers(_ servers: [UserOperatorServers], user: User) throws -> ChatResponse {
        if let fault = try validation(of: servers, user: user).fault { throw Refusal.command(fault) }
        try db.servers.setServers(servers, user: user.userID)
        try enqueue(.setServers, user: user)
        return .cmdOk(user: nil)
    }

    func setOperators(_ operators: [ServerOperator]) throws -> ChatResponse {
        try db.operators.update(operators)
        for user in try db.users.users() { try enqueue(.setServers, user: user) }
        return .serverOperatorConditions(conditions: try db.operators.operatorConditions(at: now))
    }

    /// Operators with other roles.
    func operators(with roles: [ServerOperatorRoles]) throws -> [ServerOperator] {
        let known = try db.operators.stored()
        return try roles.map { roles in
            guard var one = known.first(where: { $0.operatorID == roles.operatorID }) else {
                throw Refusal.store(.operatorNotFound(operatorID: roles.operatorID))
            }
            (one.enabled, one.smpRoles, one.xftpRoles) = (roles.enabled, roles.smpRoles, roles.xftpRoles)
            return one
        }
    }
}
