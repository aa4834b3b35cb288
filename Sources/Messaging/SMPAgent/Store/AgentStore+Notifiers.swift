import FoundationEssentials
import GRDB
import SMPCrypto
import SMPProtocol
import SMPWire

extension AgentStore {
    /// The notifiers of a connection's queues, by the queues' rows.
    func notifiers(of connection: RowID) async throws -> [RowID: QueueNotifier] {
        try await read { database in
            let notifiers = try database.map(
                """
                SELECT n.*, s.address FROM notifiers AS n JOIN receive_queues AS q USING (queue_id) JOIN servers AS s USING (server_id)
                WHERE q.connection_id = ?
                """, connection
            ) { row in
                let notifier = QueueNotifier(
                    server: try serverAddress(row), notifierID: NotifierID(row.bytes("notifier_id")),
                    privateKey: try row.secret("private_key") { try PrivateAuthKey(pkcs8: $0) },
                    secret: try row.secret("secret") { try BoxSecret($0) })
                return (row["queue_id"] as RowID, notifier)
            }
            return Dictionary(notifiers) { $1 }
        }
    }
}

extension StoreChange {
    func applyNotifierChange(to database: Database) throws {
        switch self {
        case .setNotifier(let notifier, let queue):
            try database.run(
                "INSERT OR REPLACE INTO notifiers (queue_id, notifier_id, private_key, secret) VALUES (?, ?, ?, ?)", queue,
                blob(notifier.notifierID.bytes), blob(secret: notifier.privateKey.pkcs8), blob(secret: notifier.secret.secret))
        case .deleteNotifier(let queue): try database.run("DELETE FROM notifiers WHERE queue_id = ?", queue)
        default: break
        }
    }
}
