import FoundationEssentials
import GRDB
import SMPWire

extension AgentStore {
    /// Messages that wait to be sent to a queue, in order.
    ///
    /// - Parameter after: only messages with higher numbers.
    func deliveries(queue: RowID, after messageID: AgentMessageID, limit: Int) async throws -> [PendingDelivery] {
        try await read { database in
            try database.map(
                """
                SELECT m.*, d.flags, d.body, d.body_id, d.message_key, d.padded_length, d.previous_hash, d.retry_slow, d.retry_fast, b.content,
                    \(Self.isCopy) AS is_copy, EXISTS (\(Self.inOtherQueues)) AS is_shared
                FROM deliveries AS d JOIN send_queues AS q USING (queue_id)
                JOIN sent_messages AS m ON m.connection_id = q.connection_id AND m.sent_id = d.sent_id
                LEFT JOIN message_bodies AS b ON b.body_id = d.body_id
                WHERE d.queue_id = ? AND d.message_id > ? ORDER BY d.message_id LIMIT ?
                """, queue, messageID, limit
            ) { row in
                var retry: DeliveryRetryState?
                if let slow: Int64 = try row.optionalNumber("retry_slow", in: StoredBounds.delays),
                    let fast: Int64 = try row.optionalNumber("retry_fast", in: StoredBounds.delays)
                {
                    retry = DeliveryRetryState(slow: .milliseconds(slow), fast: .milliseconds(fast))
                }
                return PendingDelivery(
                    message: try SentMessage.read(row), retry: retry, isCopy: row["is_copy"], isShared: row["is_shared"])
            }
        }
    }

    /// True if another queue, or the one that the queue `q` takes the place of, has the message `m` of a delivery `d`.
    private static let isCopy = """
        (m.is_sent OR q.replaces IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM deliveries AS o WHERE o.queue_id = q.replaces AND o.message_id = d.message_id))
        """

    /// Deliveries of the message of `d` to other queues than `q`, but for those that are only offered.
    private static let inOtherQueues = """
        SELECT 1 FROM send_queues AS s JOIN deliveries AS o ON o.queue_id = s.queue_id AND o.message_id = d.message_id
        WHERE s.connection_id = q.connection_id AND s.queue_id != q.queue_id AND (s.replaces IS NULL OR s.status IN ('secured', 'active'))
        """

    /// Checks whether one of the queues that a message was for has it; by the number that the peer knows it by.
    func isSent(connection: RowID, sentID: Int64) async throws -> Bool {
        try await read { database in
            try database.row("SELECT is_sent FROM sent_messages WHERE connection_id = ? AND sent_id = ?", connection, sentID)?["is_sent"] ?? false
        }
    }

    /// Of the messages that wait for a queue those that another has, or that wait for another.
    func messagesElsewhere(_ messages: [AgentMessageID], queue: RowID) async throws -> Set<AgentMessageID> {
        try await read { database in
            let statement = """
                SELECT m.is_sent OR EXISTS (\(Self.inOtherQueues)) AS is_elsewhere
                FROM deliveries AS d JOIN send_queues AS q USING (queue_id)
                JOIN sent_messages AS m ON m.connection_id = q.connection_id AND m.sent_id = d.sent_id
                WHERE d.queue_id = ? AND d.message_id = ?
                """
            return Set(try messages.filter { try database.row(statement, queue, $0)?["is_elsewhere"] ?? false })
        }
    }

    /// Connections with messages that wait to be sent, in the order of their rows.
    func connectionsWithDeliveries() async throws -> [ConnectionID] {
        try await read(isLong: true) { database in
            try database.rows(
                """
                SELECT public_id FROM connections WHERE connection_id IN (
                    SELECT connection_id FROM send_queues AS q WHERE EXISTS (SELECT 1 FROM deliveries AS d WHERE d.queue_id = q.queue_id)
                ) ORDER BY connection_id
                """
            ).map { ConnectionID($0.bytes("public_id")) }
        }
    }

    /// A queue's waiting messages that were made before `time`, in milliseconds since 1970, but for copies.
    func expiredDeliveries(queue: RowID, before time: Int64) async throws -> [AgentMessageID] {
        try await read { database in
            try database.rows(
                """
                SELECT d.message_id FROM deliveries AS d JOIN send_queues AS q USING (queue_id)
                JOIN sent_messages AS m ON m.connection_id = q.connection_id AND m.sent_id = d.sent_id
                WHERE d.queue_id = ? AND m.created_at < ? AND NOT \(Self.isCopy) ORDER BY d.message_id
                """, queue, time
            ).map { $0["message_id"] }
        }
    }

    /// The received message with this ciphertext, if the router delivered it before.
    ///
    /// The newest are checked first: repeated messages mostly come soon. Only a message that cannot be decrypted is looked for.
    func receivedMessage(connection: RowID, encryptedHash: Bytes) async throws -> ReceivedMessageRecord? {
        try await read { database in
            try database.row(
                "SELECT * FROM received_messages WHERE connection_id = ? AND encrypted_hash = ? ORDER BY message_id DESC LIMIT 1",
                connection, blob(encryptedHash)
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

    /// The messages that came through a queue and that the user has not acknowledged, in order.
    ///
    /// They are among the newest: none but messages for the agent itself are taken before they are acknowledged.
    func unacknowledgedMessages(connection: RowID, queue: RowID) async throws -> [ReceivedMessageRecord] {
        try await read { database in
            try database.rows(
                """
                SELECT * FROM (SELECT * FROM received_messages WHERE connection_id = ? ORDER BY message_id DESC LIMIT 64)
                WHERE NOT is_acknowledged AND queue_id = ? ORDER BY message_id
                """, connection, queue
            ).map(ReceivedMessageRecord.read)
        }
    }

    /// The remains of a sent message, found by the number that the peer knows it by.
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
                """
                SELECT message_id, pq_encryption FROM sent_messages WHERE connection_id = ? AND request_key = ? ORDER BY sent_id DESC LIMIT 1
                """, connection, requestKey
            ).map { AcceptedMessage(messageID: $0["message_id"], pqEncryption: $0["pq_encryption"]) }
        }
    }

    /// Deletes records of messages and of accepted requests that are older than `time` (milliseconds since 1970), at most `limit` of each kind
    /// of message, and bodies that no message uses.
    func deleteMessageRecords(before time: Int64, limit: Int) async throws {
        let (received, sent) = try await read { database in
            let connections = try database.rows("SELECT connection_id FROM connections").map { $0["connection_id"] as RowID }
            return (
                try Self.oldest(
                    "SELECT message_id, received_at FROM received_messages WHERE connection_id = ? ORDER BY message_id",
                    of: connections, before: time, limit: limit, database),
                try Self.oldest(
                    "SELECT sent_id, created_at FROM sent_messages WHERE connection_id = ? ORDER BY sent_id",
                    of: connections, before: time, limit: limit, database)
            )
        }
        try await write { database in
            for (connection, last) in received {
                try database.run("DELETE FROM received_messages WHERE connection_id = ? AND message_id <= ?", connection, last)
            }
            for (connection, last) in sent {
                try database.run("DELETE FROM sent_messages WHERE connection_id = ? AND sent_id <= ?", connection, last)
                try database.run(
                    "DELETE FROM deliveries WHERE queue_id IN (SELECT queue_id FROM send_queues WHERE connection_id = ?) AND sent_id <= ?",
                    connection, last)
            }
            try database.run("DELETE FROM processed_ratchet_keys WHERE created_at < ?", time)
            // No router delivers them again, and their information is with the user.
            try database.run("DELETE FROM invitations WHERE created_at < ? AND is_accepted = 1", time)
            try database.run(
                "DELETE FROM message_bodies WHERE NOT EXISTS (SELECT 1 FROM deliveries AS d WHERE d.body_id = message_bodies.body_id)")
        }
    }

    /// The last of each connection's messages that are older than `time`, at most `limit` messages in all.
    ///
    /// - Parameter query: numbers and times of a connection's messages, the oldest first: what is too old is at the beginning.
    private static func oldest(
        _ query: String, of connections: [RowID], before time: Int64, limit: Int, _ database: Database
    ) throws -> [(connection: RowID, last: Int64)] {
        let statement = try database.cachedStatement(sql: query)
        var oldest: [(connection: RowID, last: Int64)] = []
        var count = 0
        for connection in connections where count < limit {
            let messages = try Row.fetchCursor(statement, arguments: [connection])
            var last: Int64?
            while count < limit, let message = try messages.next(), (message[1] as Int64) < time {
                last = message[0]
                count += 1
            }
            if let last { oldest.append((connection, last)) }
        }
        return oldest
    }
}
