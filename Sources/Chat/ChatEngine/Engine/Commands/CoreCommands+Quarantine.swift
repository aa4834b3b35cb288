import ChatAPI
import ChatRules
import ChatStore
import SMPAgent

// Commands about quarantined events, on which processes crashed.

extension CoreCommands {
    func run(_ command: QuarantineCommand) async throws(ChatCoreError) -> ChatResponse {
        switch command {
        case .list: return .quarantine(events: try await query { try $0.db.quarantine.events() })
        case .drop(let id):
            let content = try await query { try $0.db.quarantine.content(id) }, key = content?.key
            if let content, let command = QuarantinedWork.command(kind: content.kind, payload: content.event) {
                do throws(AgentError) {
                    try await core.agent.dropCommand(command)
                } catch {
                    // Its connection is gone.
                    guard case .connection(.notFound, _) = error.reason else { throw ChatCoreError(thrown: error) }
                }
            }
            let response = try await transaction { try $0.quarantine.drop(id) }
            _ = core.crashGuard.clear(key)
            return response
        case .retry(let id):
            let content = try await query { try $0.db.quarantine.content(id) }
            guard let content else { throw ChatCoreError(Refusal.command("there is no event \(id) in quarantine").error) }
            if let command = QuarantinedWork.command(kind: content.kind, payload: content.event) {
                do throws(AgentError) {
                    try await core.agent.retryCommand(command)
                } catch {
                    guard case .connection(.notFound, _) = error.reason else { throw ChatCoreError(thrown: error) }
                    throw ChatCoreError(Refusal.command("the connection of this work is gone: it can be dropped").error)
                }
                return try await transaction { try $0.quarantine.retriedCommand(number: id) }
            }
            let now = core.clock.time.now
            if let job = QuarantinedJob.job(kind: content.kind, connection: content.connection, payload: content.event, at: now) {
                let response = try await transaction { try $0.quarantine.retry(job, number: id) }
                _ = core.crashGuard.clear(content.key)
                return response
            }
            guard
                let notification = AgentNotification(
                    connection: content.connection, kind: content.kind, stored: content.event, body: content.body)
            else { throw ChatCoreError(Refusal.command("an event of this kind cannot be received again: it can be dropped").error) }
            // If this process crashes on it, too, it stays in quarantine: it leaves when its effects are stored.
            let incoming = Incoming(notification, isRetry: true)
            let response = try await transaction { try $0.quarantine.retry(incoming, number: id) }
            _ = core.crashGuard.clear(content.key)
            return response
        }
    }
}
