import FoundationEssentials
import GRDB
import SMPWire

extension AgentStore {
    /// Messages that wait to be sent to a queue, in order.
    ///
    /// - Parameter after: only messages with higher numbers.
    func deliveries(queue: RowID, after messageID: AgentMessageID, limit: Int) async throws -> [PendingDelivery] {
        try await read { database in
            try database.rows(
                """
                SELECT m.*, b.content FROM deliveries AS d
                JOIN sent_messages AS m ON m.connection_id = d.connection_id AND m.message_id = d.message_id
                LEFT JOIN message_bodies AS b ON b.body_id = m.body_id
                WHERE d.queue_id = ? AND d.message_id > ? ORDER BY d.message_id LIMIT ?
                """, queue, messageID, limit
            ).map { row in
                var retry: DeliveryRetryState?
                if let slow = row["retry_slow"] as Int64?, let fast = row["retry_fast"] as Int64? {
                    retry = DeliveryRetryState(slow: .milliseconds(slow), fast: .milliseconds(fast))
                }
                return PendingDelivery(message: try SentMessage.read(row), retry: retry)
            }
        }
    }

    /// Connections with messages that wait to be sent.
    func connectionsWithDeliveries() async throws -> [ConnectionID] {
        try await read { database in
            try database.rows(
                """
                SELECT DISTINCT c.public_id FROM deliveries AS d JOIN connections AS c USING (connection_id)
                """
            ).map { ConnectionID($0.bytes("public_id")) }
        }
    }

    /// A queue's waiting messages that were made before `time`, in milliseconds since 1970.
    func expiredDeliveries(queue: RowID, before time: Int64) async throws -> [AgentMessageID] {
        try await read { database in
            try database.rows(
                """
                SELECT d.message_id FROM deliveries AS d
                JOIN sent_messages AS m ON m.connection_id = d.connection_id AND m.message_id = d.message_id
                WHERE d.queue_id = ? AND m.created_at < ? ORDER BY d.message_id
                """, queue, time
            ).map { $0["message_id"] }
        }
    }

    /// The received message with this ciphertext, if the router delivered it before.
    func receivedMessage(connection: RowID, encryptedHash: Bytes) async throws -> ReceivedMessageRecord? {
        try await read { database in
            try database.row(
                "SELECT * FROM received_messages WHERE connection_id = ? AND encrypted_hash = ?", connection, blob(encryptedHash)
            ).map(ReceivedMessageRecord.read)
        }
    }

    func receivedMessage(connection: RowID, messageID: AgentMessageID) async throws -> ReceivedMessageRecord? {
        try await read { database in
            try database.row(
                "SELECT * FROM received_messages WHERE connection_id = ? AND message_id = ?", connection, messageID
            ).map(ReceivedMessageRecord.read)
        }
    }

    /// What is left of a sent message, found by the number that the peer knows it by.
    func sentMessage(connection: RowID, sentID: Int64) async throws -> SentMessageReceiptRecord? {
        try await read { database in
            try database.row(
                "SELECT message_id, kind, hash, receipt_status FROM sent_messages WHERE connection_id = ? AND sent_id = ?",
                connection, sentID
            ).map { row in
                SentMessageReceiptRecord(
                    messageID: row["message_id"], kind: try row.text("kind"), hash: row.bytes("hash"),
                    receiptStatus: try row.optionalText("receipt_status"))
            }
        }
    }

    /// The message that was sent for the user's own number.
    func sentMessage(connection: RowID, requestKey: Int64) async throws -> AcceptedMessage? {
        try await read { database in
            try database.row(
                "SELECT message_id, pq_encryption FROM sent_messages WHERE connection_id = ? AND request_key = ?", connection, requestKey
            ).map { AcceptedMessage(messageID: $0["message_id"], pqEncryption: $0["pq_encryption"]) }
        }
    }

    /// Deletes records of messages that are older than `time` (milliseconds since 1970), at most `limit` of each kind, and bodies that no
    /// message uses.
    func deleteMessageRecords(before time: Int64, limit: Int) async throws {
        try await write { database in
            try database.run(
                """
                DELETE FROM received_messages WHERE rowid IN (
                    SELECT rowid FROM received_messages WHERE received_at < ? ORDER BY received_at LIMIT ?
                )
                """, time, limit)
            try database.run(
                """
                DELETE FROM sent_messages WHERE rowid IN (
                    SELECT rowid FROM sent_messages WHERE created_at < ? ORDER BY created_at LIMIT ?
                )
                """, time, limit)
            try database.run("DELETE FROM processed_ratchet_keys WHERE created_at < ?", time)
            try database.run(
                "DELETE FROM message_bodies WHERE NOT EXISTS (SELECT 1 FROM sent_messages AS m WHERE m.body_id = message_bodies.body_id)")
        }
    }
}
