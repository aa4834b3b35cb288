import FoundationEssentials
import GRDB
import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire

extension AgentStore {
    /// A connection with all that belongs to it.
    func connection(_ id: ConnectionID) async throws -> ConnectionState? {
        try await read { try Self.connection(id, $0) }
    }

    /// The connections that can be read. The others are left out: reading one of them alone reports the reason.
    func connections(_ ids: [ConnectionID]) async throws -> [ConnectionID: ConnectionState] {
        try await read(isLong: true) { database in
            ids.reduce(into: [:]) { found, id in found[id] = try? Self.connection(id, database) }
        }
    }

    private static func connection(_ id: ConnectionID, _ database: Database) throws -> ConnectionState? {
        try database.map("SELECT * FROM connections WHERE public_id = ?", blob(id.bytes)) { try state($0, database) }.first
    }

    /// - Parameter row: the connection's columns.
    static func state(_ row: Row, _ database: Database) throws -> ConnectionState {
        let record = try ConnectionRecord.read(row)
        let ratchetProgress = try row.secret("ratchet_progress")
        var state = ConnectionState(record)
        state.receiveQueues = try database.map(
            "SELECT q.*, s.address FROM receive_queues AS q JOIN servers AS s USING (server_id) WHERE connection_id = ? ORDER BY q.rowid",
            record.row, read: ReceiveQueue.read
        ).sorted { $0.isPrimary && !$1.isPrimary }
        state.sendQueues = try database.map(
            "SELECT q.*, s.address FROM send_queues AS q JOIN servers AS s USING (server_id) WHERE connection_id = ? ORDER BY q.rowid",
            record.row, read: SendQueue.read
        ).sorted { $0.isPrimary && !$1.isPrimary }
        state.ratchet = try database.map("SELECT state FROM ratchets WHERE connection_id = ?", record.row) { row in
            try row.secret("state") { encoded in
                if let ratchetProgress { try Ratchet(encoded: encoded, progress: ratchetProgress) } else { try Ratchet(encoded: encoded) }
            }
        }.first
        if state.ratchet != nil { state.skippedKeys = try skippedKeys(record.row, database) }
        state.agreementKeys = try database.map(
            "SELECT * FROM agreement_keys WHERE connection_id = ?", record.row, read: agreementKeys
        ).first
        if let row = try database.row("SELECT parameters FROM sent_parameters WHERE connection_id = ?", record.row) {
            state.sentParameters = try row.decode("parameters") { try RatchetParameters(wireBytes: $0) }
        }
        state.lastRequestKey =
            try database.row(
                "SELECT max(request_key) AS request_key FROM sent_messages WHERE connection_id = ?", record.row
            )?["request_key"] ?? 0
        for row in try database.rows("SELECT hash, created_at FROM processed_ratchet_keys WHERE connection_id = ?", record.row) {
            state.processedRatchetKeys[row.bytes("hash")] = row["created_at"]
        }
        return state
    }

    /// The oldest first, because the ratchet drops those when there are too many.
    private static func skippedKeys(_ connection: RowID, _ database: Database) throws -> SkippedMessageKeys {
        SkippedMessageKeys(
            try database.map(
                """
                SELECT header_key, message_number, message_key FROM skipped_message_keys WHERE connection_id = ? ORDER BY position
                """, connection
            ) { row in
                try row.secret("message_key") { key in
                    try SkippedMessageKey(
                        headerKey: try row.secret("header_key") ?? SecretBytes([]),
                        number: try row.number("message_number", in: StoredBounds.chain), key: key)
                }
            })
    }

    private static func agreementKeys(_ row: Row) throws -> AgreementKeys {
        var kem: SNTRUP761.KeyPair?
        if row.optionalBytes("kem_public_key") != nil {
            kem = SNTRUP761.KeyPair(
                publicKey: try row.decode("kem_public_key") { try SNTRUP761.PublicKey($0) },
                secretKey: try row.secret("kem_secret_key") { try SNTRUP761.SecretKey($0) })
        }
        return AgreementKeys(
            key1: try row.secret("key_1") { try X448.PrivateKey(raw: $0) }, key2: try row.secret("key_2") { try X448.PrivateKey(raw: $0) },
            kem: kem)
    }

    /// The connection that a queue belongs to.
    func owner(of queue: QueueKey) async throws -> ConnectionID? {
        try await read { database in
            try database.row(
                """
                SELECT c.public_id FROM receive_queues AS q JOIN servers AS s USING (server_id) JOIN connections AS c USING (connection_id)
                WHERE s.address = ? AND q.recipient_id = ?
                """, queue.server.wireString, blob(queue.recipientID.bytes)
            ).map { ConnectionID($0.bytes("public_id")) }
        }
    }

    /// All connections of a user that are not being deleted.
    func connections(of user: AgentUserID?) async throws -> [ConnectionID] {
        try await read(isLong: true) { database in
            let rows =
                if let user {
                    try database.rows("SELECT public_id FROM connections WHERE user_id = ? AND deletion = 0", user)
                } else {
                    try database.rows("SELECT public_id FROM connections WHERE deletion = 0")
                }
            return rows.map { ConnectionID($0.bytes("public_id")) }
        }
    }

    /// The records for subscribing to the queues of connections; nil means all connections that are not being deleted.
    func subscriptions(_ connections: [ConnectionID]?) async throws -> [SubscriptionRecord] {
        let columns = """
            SELECT c.public_id, c.user_id, q.queue_id, q.recipient_id, q.private_key, q.status, s.address, v.service_id,
                q.is_primary OR (q.replaces IS NULL AND q.switch_status IS NULL AND q.status IN ('secured', 'active'))
                OR EXISTS (SELECT 1 FROM receive_queues AS o WHERE o.queue_id = q.replaces AND o.switch_status = 'sending_quse') AS carries
            FROM connections AS c LEFT JOIN receive_queues AS q USING (connection_id) LEFT JOIN servers AS s USING (server_id)
            LEFT JOIN queue_services AS v USING (server_id, recipient_id)
            """
        return try await read(isLong: connections == nil) { database in
            guard let connections else {
                return try database.map(columns + " WHERE c.deletion = 0", read: SubscriptionRecord.read)
            }
            return try connections.flatMap { connection in
                try database.map(columns + " WHERE c.public_id = ?", blob(connection.bytes), read: SubscriptionRecord.read)
            }
        }
    }

    /// Connections that are being deleted.
    func deletedConnections() async throws -> [ConnectionID] {
        try await read(isLong: true) { database in
            try database.rows("SELECT public_id FROM connections WHERE deletion != 0").map { ConnectionID($0.bytes("public_id")) }
        }
    }

    /// Checks whether messages of the connection still wait to be sent that no queue has, to another queue than one that is only offered.
    func hasDeliveries(_ connection: RowID) async throws -> Bool {
        try await read { database in
            try database.row(
                """
                SELECT 1 FROM send_queues AS q JOIN deliveries AS d USING (queue_id)
                JOIN sent_messages AS m ON m.connection_id = q.connection_id AND m.sent_id = d.sent_id
                WHERE q.connection_id = ? AND (q.replaces IS NULL OR q.status IN ('secured', 'active')) AND NOT m.is_sent LIMIT 1
                """, connection
            ) != nil
        }
    }
}

/// A queue to subscribe to, without the state of its connection; `queue` is nil for a connection without one.
struct SubscriptionRecord: Sendable {
    struct Queue: Sendable {
        let row: RowID
        let key: QueueKey
        let privateKey: PrivateAuthKey
        let status: QueueStatus
        /// True if the peer may send to it; see ``ConnectionState/carries(_:)``.
        let carries: Bool
        /// The service that the router takes it for.
        let service: ServiceID?
    }

    let connection: ConnectionID
    let user: AgentUserID
    /// A failure is that of this queue alone: the others can be subscribed to.
    let queue: Result<Queue, AgentError>?

    static func read(_ row: Row) -> SubscriptionRecord {
        let queue = (row["queue_id"] as RowID?).map { id in
            Result {
                Queue(
                    row: id, key: QueueKey(server: try serverAddress(row), recipientID: EntityID(row.bytes("recipient_id"))),
                    privateKey: try row.secret("private_key") { try PrivateAuthKey(pkcs8: $0) }, status: try row.text("status"),
                    carries: row["carries"], service: row.optionalBytes("service_id").map { ServiceID($0) })
            }.mapError { AgentError(store: $0) }
        }
        return SubscriptionRecord(connection: ConnectionID(row.bytes("public_id")), user: row["user_id"], queue: queue)
    }
}
