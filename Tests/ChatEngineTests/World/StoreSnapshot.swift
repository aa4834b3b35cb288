import EncryptedSQLite
import GRDB
import SMPWire

@testable import ChatEngine

/// What a core has stored, but for the bookkeeping of messages that came.
struct StoreSnapshot: Sendable {
    private var rows: [String: Set<String>] = [:]

    /// Tables of messages that came before, and of deliveries that are done: those are deleted when nothing names them.
    private static let bookkeeping: Set<String> = ["received_group_messages", "sqlite_sequence", "grdb_migrations"]
    /// Columns of connections that tell which messages came, and of deliveries that tell how far they are.
    private static let counters: [String: Set<String>] = [
        "connections": ["last_received_msg_id", "updated_at"], "deliveries": ["body_id", "agent_msg_id", "done"],
    ]

    init(_ db: Database) throws {
        let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        for table in tables where !Self.bookkeeping.contains(table) {
            let found = try Row.fetchAll(db, sql: "SELECT * FROM \(table)")
            let ignored = Self.counters[table] ?? []
            rows[table] = Set(
                found.map { row in row.filter { !ignored.contains($0.0) }.map { "\($0.0)=\($0.1)" }.joined(separator: " ") })
        }
    }

    /// The rows of a table.
    func rows(of table: String) -> Set<String> { rows[table] ?? [] }

    /// What was added or changed, by table; of deliveries, what was added.
    func changes(since before: StoreSnapshot) -> [String: [String]] {
        var changes: [String: [String]] = [:]
        for (table, now) in rows {
            let old = before.rows[table] ?? []
            let isSending = ["deliveries", "delivery_items", "delivery_bodies"].contains(table)
            let difference = isSending ? now.subtracting(old) : now.symmetricDifference(old)
            if !difference.isEmpty { changes[table] = difference.sorted() }
        }
        return changes
    }
}
