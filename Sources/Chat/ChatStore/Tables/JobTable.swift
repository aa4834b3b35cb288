package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
package import SMPWire

/// Requests to the agent that survive a restart.
package struct JobTable {
    let db: Database

    package func insert(
        _ task: AgentJob.Task, connection: Bytes?, agentUserID: Int64?, user: UserID?, at time: UTCTimestamp
    ) throws -> AgentJob {
        let payload = AgentJob.payload(of: task, agentUser: agentUserID ?? 0)
        let id = try db.insert(
            "INSERT INTO agent_work (user_id, kind, agent_connection_id, payload_json, created_at) VALUES (?, ?, ?, ?, ?)",
            [user, task.kind, connection?.blob, payload.text, time.stored])
        return AgentJob(id: id, agentUserID: agentUserID ?? 0, connection: connection ?? [], task: task, createdAt: time)
    }

    /// The jobs that are not done yet, oldest first. Those that are not understood are left out; see ``unreadable()``.
    package func waiting() throws -> [AgentJob] {
        try db.all("SELECT agent_work_id, agent_connection_id, kind, payload_json, created_at FROM agent_work ORDER BY agent_work_id") { row in
            let id = row.int(), connection = row.optionalBytes(), kind = row.text(), payload = row.text()
            return AgentJob(id: id, kind: kind, connection: connection, payload: payload, createdAt: UTCTimestamp(stored: row.int()))
        }.compactMap { (work: AgentJob?) in work }
    }

    /// The kinds of the jobs that this version does not understand: of a later version, or damaged. They are not lost, and not done.
    package func unreadable() throws -> [String] {
        try db.all("SELECT agent_work_id, agent_connection_id, kind, payload_json, created_at FROM agent_work ORDER BY agent_work_id") { row -> String? in
            let id = row.int(), connection = row.optionalBytes(), kind = row.text(), payload = row.text()
            let job = AgentJob(id: id, kind: kind, connection: connection, payload: payload, createdAt: UTCTimestamp(stored: row.int()))
            return job == nil ? kind : nil
        }.compactMap(\.self)
    }

    package func delete(_ id: Int64) throws {
        try db.run("DELETE FROM agent_work WHERE agent_work_id = ?", [id])
    }
}
