import AsyncPrimitives

extension AgentCore {
    /// Reads or writes the store once.
    func stored<Value: Sendable>(_ body: () async throws -> Value) async throws(AgentError) -> Value {
        do {
            return try await body()
        } catch {
            throw AgentError(store: error)
        }
    }

    /// Does again, at growing intervals, what the store refuses for the moment, and says once that it does: for what nobody would ask for again.
    ///
    /// - Parameter connection: whose event that is.
    /// - Throws: what is not the store's refusal, and `inactive` when the agent stops working meanwhile.
    func untilStored<Value: Sendable>(
        _ connection: ConnectionID? = nil, _ body: () async throws(AgentError) -> Value
    ) async throws(AgentError) -> Value {
        let interval = configuration.fastRetry
        var delay = interval.initial, elapsed = Duration.zero
        while true {
            do throws(AgentError) {
                return try await body()
            } catch {
                guard error.isOfBusyStore else { throw error }
                if elapsed == .zero { notify(.failed(error), connection) }
            }
            await pauses.wait(delay, for: Self.nowhere)
            try checkActive()
            guard !Task.isCancelled else { throw AgentError(.inactive) }
            elapsed += delay
            delay = interval.next(after: delay, elapsed: elapsed)
        }
    }

    /// Does something at once or, if the store refuses it for the moment, in the background as soon as it can be done.
    func nowOrWhenStored(
        _ connection: ConnectionID? = nil, _ body: @escaping @Sendable () async throws(AgentError) -> Void
    ) async {
        do throws(AgentError) {
            try await body()
        } catch {
            guard error.isOfBusyStore else { return tell(error, connection) }
            tasks.run { [self] in
                do throws(AgentError) {
                    try await untilStored(connection, body)
                } catch {
                    tell(error, connection)
                }
            }
        }
    }

    /// Says what could not be done, unless there is nothing to do it to any more, or it is done when the agent continues.
    func tell(_ error: AgentError, _ connection: ConnectionID?) {
        switch error.reason {
        case .connection(.notFound, _), .inactive: return
        default: notify(.failed(error), connection)
        }
    }
}
