import ChatAPI

/// Commands about one subject. Features are made where they are used, as in `runner.groupCommands.run(…)`, and hold nothing but the runner.
protocol CommandFeature: Sendable {
    var runner: CommandRunner { get }
}

extension CommandFeature {
    var core: EngineCore { runner.core }
    /// The profile that the command is for; nil for the active one.
    var actor: UserID? { runner.actor }

    /// Runs a transaction for the profile of the command.
    func transaction<T: Sendable>(_ body: @escaping @Sendable (ChatTransaction) throws -> T) async throws(ChatCoreError) -> T {
        try await runner.transaction(body)
    }

    /// Runs the transaction that is the command; under a key it runs once.
    func answer(_ body: @escaping @Sendable (ChatTransaction) throws -> ChatResponse) async throws(ChatCoreError) -> ChatResponse {
        try await runner.answer(body)
    }

    /// Runs a transaction that may change the published data of an address, and waits for the attempt to publish them.
    func transactionThatPublishes(
        _ body: @escaping @Sendable (ChatTransaction) throws -> ChatResponse
    ) async throws(ChatCoreError) -> ChatResponse {
        try await runner.transactionThatPublishes(body)
    }

    /// Runs queries for the profile of the command.
    ///
    /// - Parameter isLong: whether they go through a good part of a table.
    func query<T: Sendable>(
        isLong: Bool = false, _ body: @escaping @Sendable (ChatTransaction) throws -> T
    ) async throws(ChatCoreError) -> T {
        try await runner.query(isLong: isLong, body)
    }

    /// Refuses what this core does not do, after what official cores check first: whether there is a profile.
    func refuse(_ what: String) async throws(ChatCoreError) -> ChatResponse { try await runner.refuse(what) }
}
