import SMPWire

extension SMPAgent {
    /// Tries a command again that was quarantined because processes crashed on it: now, or at the next start if the agent does not run.
    ///
    /// - Throws: `CONN NOT_FOUND` if no command has this number: its connection was deleted, or it is not quarantined.
    package func retryCommand(_ id: Int64) async throws(AgentError) {
        let core = core
        let (connection, command) = try await quarantined(id)
        try await core.stored { try await core.store.apply([.releaseCommand(id, at: core.now)]) }
        core.commandGuard.forget(command)
        if core.isRunning { core.run(command, of: connection) }
    }

    /// Gives a command up that was quarantined because processes crashed on it. `failed` reports it.
    ///
    /// - Throws: `CONN NOT_FOUND` if no command has this number.
    package func dropCommand(_ id: Int64) async throws(AgentError) {
        let (connection, command) = try await quarantined(id)
        core.commandGuard.forget(command)
        _ = await core.fail(
            command, AgentError(.connection(.notAvailable, context: "\(command.kind.name) was dropped from the quarantine")), connection)
    }

    private func quarantined(_ id: Int64) async throws(AgentError) -> (ConnectionID, CommandRecord) {
        try core.checkActive()
        let core = core
        guard let command = try await core.stored({ try await core.store.quarantinedCommand(id) }) else {
            throw .notFound("no command \(id) is set aside")
        }
        return command
    }
}
