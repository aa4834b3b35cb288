package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
package import GRDB
package import SMPWire
package import SystemSupport

/// The form of a job in quarantine.
package enum QuarantinedJob {
    /// The prefix of the kinds of jobs, which distinguishes them from events.
    package static let prefix = "job."

    /// The job of an entry in quarantine; nil if it is an event, or is not understood.
    package static func job(kind: String, connection: Bytes?, payload: JSONValue, at time: UTCTimestamp) -> AgentJob? {
        guard kind.hasPrefix(prefix) else { return nil }
        return AgentJob(id: 0, kind: String(kind.dropFirst(prefix.count)), connection: connection, payload: payload.text, createdAt: time)
    }
}

extension Database {
    /// Moves a job into quarantine, where `/_quarantine` shows it.
    package func quarantine(_ job: AgentJob, as key: InFlightKey, at time: UTCTimestamp) throws -> QuarantinedEventID {
        let id = try insertQuarantined(
            key, connection: job.connection.isEmpty ? nil : job.connection, kind: QuarantinedJob.prefix + job.task.kind,
            event: AgentJob.payload(of: job.task, agentUser: job.agentUserID), body: nil, at: time)
        try deleteAgentJob(job.id)
        return id
    }
}
