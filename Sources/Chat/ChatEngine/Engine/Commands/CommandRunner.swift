import ChatAPI
import ChatRules
import ChatStore
import SMPAgent

/// Runs a command: each is one transaction, or some with work of the agent between them.
struct CommandRunner: Sendable {
    let core: EngineCore
    /// The profile that the command is for; nil for the active one.
    let actor: UserID?
    /// The idempotency key of the command; nil for a command that runs each time.
    var key: String?

    func run(_ command: ChatCommand) async throws(ChatCoreError) -> ChatResponse {
        if core.refusesMostCommands, command.needsRunningCore {
            if !core.lifecycle.isStoreReplaced { _ = try await query { try $0.user() } }
            throw ChatCoreError(Refusal.chat(.chatNotStarted).error)
        }
        // Links are made on the servers that the core is set up with now, and through its proxy, also before it is started.
        switch command {
        case .connections, .address, .console, .groups, .contacts: try await core.servers.apply()
        default: break
        }
        return switch command {
        case .users(let command): try await userCommands.run(command)
        case .core(let command): try await coreCommands.run(command)
        case .chats(let command): try await chatCommands.run(command)
        case .messages(let command): try await messageCommands.run(command)
        case .contacts(let command): try await contactCommands.run(command)
        case .connections(let command): try await connectionCommands.run(command)
        case .address(let command): try await addressCommands.run(command)
        case .console(let command): try await consoleCommands.run(command)
        case .groups(let command): try await groupCommands.run(command)
        case .files(let command): try await fileCommands.run(command)
        case .servers(let command): try await serverCommands.run(command)
        case .calls(let command): try await unsupportedCommands.run(command)
        case .devices(let command): try await unsupportedCommands.run(command)
        case .database(let command): try await databaseCommands.run(command)
        case .raw: throw ChatCoreError(.notACommand)
        }
    }

    /// Runs a transaction for the profile of the command.
    func transaction<T: Sendable>(_ body: @escaping @Sendable (ChatTransaction) throws -> T) async throws(ChatCoreError) -> T {
        try await core.transactions.transaction(as: actor, body)
    }

    /// Runs the transaction that is the command; under a key it runs once.
    func answer(_ body: @escaping @Sendable (ChatTransaction) throws -> ChatResponse) async throws(ChatCoreError) -> ChatResponse {
        let key = key
        return try await core.transactions.transaction(as: actor) { transaction in
            guard let key else { return try body(transaction) }
            if let known = try transaction.onceCommands.response(to: key) { return known }
            let response = try body(transaction)
            try transaction.onceCommands.remember(response, as: key)
            return response
        }
    }

    /// Runs a transaction that may change the published data of an address, and waits for the attempt to publish them.
    func transactionThatPublishes(
        _ body: @escaping @Sendable (ChatTransaction) throws -> ChatResponse
    ) async throws(ChatCoreError) -> ChatResponse {
        let (response, jobs) = try await transaction { transaction in
            let response = try body(transaction)
            return (response, transaction.effects.jobs.filter { $0.task == .contact(.publishAddress) }.map(\.id))
        }
        for id in jobs { await core.jobs.attempt(at: id) }
        return response
    }

    /// Runs queries for the profile of the command.
    ///
    /// - Parameter isLong: whether they go through a good part of a table.
    func query<T: Sendable>(
        isLong: Bool = false, _ body: @escaping @Sendable (ChatTransaction) throws -> T
    ) async throws(ChatCoreError) -> T {
        try await core.transactions.query(as: actor, isLong: isLong, body)
    }

    /// Refuses what this core does not do, after what official cores check first: whether there is a profile.
    func refuse(_ what: String) async throws(ChatCoreError) -> ChatResponse {
        _ = try await query { try $0.user() }
        throw ChatCoreError(Refusal.unsupported(what).error)
    }
}

extension CommandRunner {
    func agentUser(of user: User) throws(ChatCoreError) -> AgentUserID {
        guard let id = Int64(user.agentUserID) else { throw ChatCoreError(AgentError(.noUser)) }
        return id
    }
}
