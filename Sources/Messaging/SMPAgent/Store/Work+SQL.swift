import EncryptedSQLite
import FoundationEssentials
import GRDB
import SMPProtocol
import SMPWire

extension CommandRecord {
    func insert(_ database: Database) throws {
        var kindName: String
        var queue: RowID?
        var subject: Bytes?
        var link: String?
        var info: Bytes?
        var pqSupport: Bool?
        var subscribe: Bool?
        switch kind {
        case .create(let pq, let subscribes):
            (kindName, pqSupport, subscribe) = ("create", pq.support, subscribes)
            if pq == .usePQ { subject = [1] }
        case .join(let uri, let ownInfo, let support, let subscribes):
            (kindName, link, info, pqSupport, subscribe) = ("join", uri.wireString, ownInfo, support, subscribes)
        case .allow(let confirmation): (kindName, subject) = ("allow", confirmation.bytes)
        case .secureReplyQueue(let row, let key): (kindName, queue, subject) = ("secure reply queue", row, key)
        case .secureNewQueue(let row, let key): (kindName, queue, subject) = ("secure new queue", row, key)
        case .deleteReplacedQueue(let row): (kindName, queue) = ("delete replaced queue", row)
        case .deleteQueue(let row): (kindName, queue) = ("delete queue", row)
        case .switchQueue(let row): (kindName, queue) = ("switch queue", row)
        }
        try database.run(
            """
            INSERT INTO commands (command_id, connection_id, kind, queue_id, subject, link, info, pq_support, subscribe, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, row, connection, kindName, queue, blob(subject), link, blob(info), pqSupport, subscribe, createdAt)
    }

    static func read(_ row: Row) throws -> CommandRecord {
        let queue = row["queue_id"] as RowID? ?? 0
        let subject = row.bytes("subject")
        let kind: Kind
        switch row["kind"] as String {
        case "create":
            let support = row["pq_support"] as Bool? ?? false
            kind = .create(subject == [1] ? .usePQ : .linkPQ(support: support), subscribe: row["subscribe"] as Bool? ?? true)
        case "join":
            do {
                kind = .join(
                    try ConnectionRequestURI(wireString: row["link"] as String? ?? ""), info: row.bytes("info"),
                    pqSupport: row["pq_support"] as Bool? ?? false, subscribe: row["subscribe"] as Bool? ?? true)
            } catch {
                throw StorageError(.corrupt, "the link of a command cannot be read", cause: error)
            }
        case "allow": kind = .allow(ConfirmationID(subject))
        case "secure reply queue": kind = .secureReplyQueue(queue: queue, key: subject)
        case "secure new queue": kind = .secureNewQueue(queue: queue, key: subject)
        case "delete replaced queue": kind = .deleteReplacedQueue(queue: queue)
        case "delete queue": kind = .deleteQueue(queue: queue)
        case "switch queue": kind = .switchQueue(queue: queue)
        default: throw StorageError(.corrupt, "a command has a kind that is not known")
        }
        return CommandRecord(
            row: row["command_id"], connection: row["connection_id"], kind: kind, createdAt: row["created_at"], crashWeight: row["crash_weight"])
    }
}

extension StoreChange {
    /// Makes a change that is one of a stored command.
    func applyCommandChange(to database: Database) throws {
        switch self {
        case .deleteSecuringCommands(let connection, let queue):
            try database.run(
                "DELETE FROM commands WHERE connection_id = ? AND queue_id = ? AND kind = 'secure new queue' AND is_quarantined = 0", connection, queue)
        case .setCrashWeight(let command, let weight):
            try database.run("UPDATE commands SET crash_weight = ? WHERE command_id = ?", weight, command)
        case .quarantineCommand(let row): try database.run("UPDATE commands SET is_quarantined = 1 WHERE command_id = ?", row)
        case .releaseCommand(let row, let time):
            try database.run("UPDATE commands SET is_quarantined = 0, crash_weight = 0, created_at = ? WHERE command_id = ?", time, row)
        default: break
        }
    }
}
