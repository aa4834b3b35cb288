package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
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

// The events on which processes crashed, and the quarantined events.

/// Events and jobs that crashed the program.
package struct QuarantineTable {
    let db: Database

    /// Events that are set aside at the most; the oldest make room for new ones.
    package static var quarantineLimit: Int { 1_000 }

    // MARK: Suspects

    package func crashSuspects() throws -> [CrashSuspects.Count] {
        try db.all("SELECT event_key, weight FROM crash_suspects") { row in
            let key = row.bytes(), weight = row.int()
            return InFlightKey(key).map { CrashSuspects.Count(key: $0, weight: Int(clamping: weight)) }
        }.compactMap { (count: CrashSuspects.Count?) in count }
    }

    package func set(_ count: CrashSuspects.Count, at time: UTCTimestamp) throws {
        try db.run(
            """
            INSERT INTO crash_suspects (event_key, weight, died_at) VALUES (?, ?, ?)
            ON CONFLICT (event_key) DO UPDATE SET weight = excluded.weight, died_at = excluded.died_at
            """, [count.key.bytes.blob, count.weight, time.stored])
    }

    package func deleteCrashSuspect(_ key: InFlightKey) throws { try db.run("DELETE FROM crash_suspects WHERE event_key = ?", [key.bytes.blob]) }

    // MARK: Events

    /// - Returns: its number, the same if it is there already.
    package func insert(
        _ key: InFlightKey, connection: Bytes?, kind: String, event: JSONValue, body: Bytes?, at time: UTCTimestamp
    ) throws -> QuarantinedEventID {
        if let known: QuarantinedEventID = try db.firstID("SELECT quarantine_id FROM quarantined_events WHERE event_key = ?", [key.bytes.blob]) { return known }
        try db.run(
            "DELETE FROM quarantined_events WHERE quarantine_id <= (SELECT quarantine_id FROM quarantined_events ORDER BY quarantine_id DESC LIMIT 1 OFFSET ?)",
            [Self.quarantineLimit - 1])
        return try db.insert(
            """
            INSERT INTO quarantined_events (event_key, agent_connection_id, kind, event_json, body, quarantined_at) VALUES (?, ?, ?, ?, ?, ?)
            """, [key.bytes.blob, connection?.blob, kind, event.text, body?.blob, time.stored])
    }

    /// All of them, oldest first, or the one with a number.
    package func events(_ id: QuarantinedEventID? = nil) throws -> [QuarantinedEvent] {
        try db.all(
            """
            SELECT q.quarantine_id, q.kind, q.agent_connection_id, ct.local_display_name, coalesce(length(q.body), 0), q.quarantined_at
            FROM quarantined_events q
            LEFT JOIN connections cn ON cn.agent_connection_id = q.agent_connection_id
            LEFT JOIN contacts ct ON ct.contact_id = cn.contact_id
            WHERE q.quarantine_id = coalesce(?, q.quarantine_id) ORDER BY q.quarantine_id
            """, [id]
        ) { row in
            let id = row.id(QuarantinedEventID.self), kind = row.text(), connection = row.optionalBytes(), contact = row.optionalText(), size = row.int()
            return QuarantinedEvent(
                id: id, kind: kind, agentConnectionID: connection.map { Base64URL.encode($0) } ?? "", contactName: contact, size: size,
                quarantinedAt: UTCTimestamp(stored: row.int()))
        }
    }

    /// The stored form of an event, from which it can be received again.
    package func content(_ id: QuarantinedEventID) throws -> (key: InFlightKey, connection: Bytes?, kind: String, event: JSONValue, body: Bytes?)? {
        try db.first(
            "SELECT event_key, agent_connection_id, kind, event_json, body FROM quarantined_events WHERE quarantine_id = ?", [id]
        ) { row in
            let key = row.bytes(), connection = row.optionalBytes(), kind = row.text()
            let event = try JSONValue(parsing: row.text()), body = row.optionalBytes()
            return InFlightKey(key).map { (key: $0, connection: connection, kind: kind, event: event, body: body) }
        } ?? nil
    }

    package func delete(_ id: QuarantinedEventID) throws {
        try db.run("DELETE FROM crash_suspects WHERE event_key = (SELECT event_key FROM quarantined_events WHERE quarantine_id = ?)", [id])
        try db.run("DELETE FROM quarantined_events WHERE quarantine_id = ?", [id])
    }

    /// Moves a job into quarantine, where `/_quarantine` shows it.
    package func quarantine(_ job: AgentJob, as key: InFlightKey, at time: UTCTimestamp) throws -> QuarantinedEventID {
        let id = try insert(
            key, connection: job.connection.isEmpty ? nil : job.connection, kind: QuarantinedJob.prefix + job.task.kind,
            event: AgentJob.payload(of: job.task, agentUser: job.agentUserID), body: nil, at: time)
        try db.jobs.delete(job.id)
        return id
    }
}
