import ChatAPI
import ChatRules
import ChatStore
import Logging
import SMPAgent
import SMPWire

/// Performs jobs about connections with anyone.
struct ConnectionJobPerformer: Sendable {
    let transactions: TransactionRunner
    let agent: any AgentService
    let logger: Logger

    /// - Parameter connection: The connection that the job is about.
    func perform(_ job: ConnectionJob, connection: Bytes) async throws {
        switch job {
        case .allow(let confirmation, let info):
            do throws(AgentError) {
                try await agent.allowConnection(ConnectionID(connection), confirmation: ConfirmationID(confirmation), info: info)
            } catch {
                if error.isTemporary { throw error }
                // Done before a crash, or the connection is gone since.
                logger.debug("a connection could not be allowed", metadata: ["error": "\(error.code)"])
                await publish(error, connection: connection)
            }
        case .reject(let invitation):
            try await agent.ignoringPermanent(logger) { () async throws(AgentError) in try await agent.reject(InvitationID(invitation)) }
        case .delete(let connections, let messages, let waits): try await delete(connections, after: messages, waitsForDelivery: waits)
        }
    }

    private func delete(_ connections: [Bytes], after messages: [Delivery], waitsForDelivery: Bool) async throws(AgentError) {
        if !messages.isEmpty {
            for result in await agent.send(messages.map(\.request)) {
                if case .failure(let fault) = result, fault.isTemporary { throw fault }
            }
        }
        try await agent.ignoringPermanent(logger) { () async throws(AgentError) in
            try await agent.delete(connections.map { ConnectionID($0) }, waitDelivery: waitsForDelivery || !messages.isEmpty)
        }
    }

    /// Publishes an error of a connection that no command waits for.
    private func publish(_ fault: AgentError, connection: Bytes) async {
        do {
            try await transactions.transaction { transaction in
                guard let record = try transaction.db.connections.find(agentID: connection), let user = try transaction.db.users.find(record.userID)
                else { return }
                transaction.connectionEvents.report(fault, in: try transaction.connectionEvents.context(of: record, user: user))
            }
        } catch {
            logger.debug("an error could not be reported", metadata: ["error": "\(error.code)"])
        }
    }
}
