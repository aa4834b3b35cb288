import EncryptedSQLite
import FoundationEssentials
import GRDB
import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire

extension StoreChange {
    func applyMessageChange(to database: Database, releasing bodies: inout Set<RowID>) throws {
        switch self {
        case .insertBody(let row, let content):
            try database.run("INSERT INTO message_bodies (body_id, content) VALUES (?, ?)", row, blob(content))
        case .insertSentMessage(let message, let connection, let queues):
            try message.insert(database, connection: connection)
            for queue in queues { try message.insert(database, queue: queue) }
        case .deliveryDone(let queue, let connection, let messageID, let keepRecord):
            guard let sent = try SentMessage.release(database, queue: queue, messageID: messageID, &bodies) else { return }
            // A receipt can arrive before the delivery is recorded: then nothing is waited for any more.
            try SentMessage.forget(database, connection: connection, sentID: sent, unlessReceiptIsMissing: keepRecord)
        case .deliverySent(let queue, let messageID):
            _ = try SentMessage.release(database, queue: queue, messageID: messageID, &bodies)
        case .deleteDeliveries(let queue):
            try database.run("DELETE FROM deliveries WHERE queue_id = ?", queue)
        case .setSent(let connection, let sentID):
            try database.run("UPDATE sent_messages SET is_sent = 1 WHERE connection_id = ? AND sent_id = ?", connection, sentID)
        case .forgetCopies(let queue, let original, let count):
            try database.run(
                """
                DELETE FROM deliveries WHERE queue_id = ?1 AND sent_id <= coalesce(
                    (SELECT sent_id - 1 FROM deliveries WHERE queue_id = ?2 ORDER BY message_id LIMIT 1),
                    (SELECT sent_id FROM deliveries WHERE queue_id = ?1 ORDER BY message_id DESC LIMIT 1)) - ?3
                """, queue, original, count)
        case .setRetry(let queue, let messageID, let retry):
            try database.run(
                "UPDATE deliveries SET retry_slow = ?, retry_fast = ? WHERE queue_id = ? AND message_id = ?",
                retry.slow.wholeMilliseconds, retry.fast.wholeMilliseconds, queue, messageID)
        case .setReceipt(let connection, let sentID, let status):
            try database.run(
                "UPDATE sent_messages SET receipt_status = ? WHERE connection_id = ? AND sent_id = ?", status.rawValue, connection, sentID)
        case .deleteReceipted(let connection, let sentID):
            try SentMessage.forget(database, connection: connection, sentID: sentID, unlessReceiptIsMissing: true)
        case .insertReceivedMessage(let message, let connection):
            try message.insert(database, connection: connection)
        case .acknowledge(let connection, let messageID):
            try database.run(
                "UPDATE received_messages SET is_acknowledged = 1, body = x'' WHERE connection_id = ? AND message_id = ?",
                connection, messageID)
        case .countAttempt(let connection, let messageID):
            try database.run(
                "UPDATE received_messages SET attempts = attempts + 1 WHERE connection_id = ? AND message_id = ?", connection, messageID)
        default: break
        }
    }
}

extension Duration {
    var wholeMilliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

extension SentMessage {
    /// Stores the part of the message that is kept once it is sent.
    fileprivate func insert(_ database: Database, connection: RowID) throws {
        try database.run(
            """
            INSERT INTO sent_messages (connection_id, sent_id, message_id, kind, hash, pq_encryption, created_at, request_key)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, connection, sentID, messageID, kind.rawValue, blob(hash), pqEncryption, createdAt, requestKey)
    }

    /// Stores the part of the message that sending it to a queue needs.
    fileprivate func insert(_ database: Database, queue: RowID) throws {
        var body: Bytes?
        var bodyRow: RowID?
        var messageKey: SecretBytes?
        var padded: Int?
        switch content {
        case .sealed(.own(let bytes), let key, let length): (body, messageKey, padded) = (bytes, key.encoded, length)
        case .sealed(.shared(let row, _), let key, let length): (bodyRow, messageKey, padded) = (row, key.encoded, length)
        case .envelope(let bytes): body = bytes
        }
        try database.run(
            """
            INSERT INTO deliveries (queue_id, message_id, sent_id, flags, body, body_id, message_key, padded_length, previous_hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, queue, messageID, sentID, blob(flags.wireBytes), blob(body), bodyRow, blob(secret: messageKey), padded, blob(previousHash))
    }

    /// The message does not wait for the queue any more.
    ///
    /// - Returns: the number that the peer knows it by; nil if it did not wait.
    fileprivate static func release(
        _ database: Database, queue: RowID, messageID: AgentMessageID, _ bodies: inout Set<RowID>
    ) throws -> Int64? {
        let done = try database.all("DELETE FROM deliveries WHERE queue_id = ? AND message_id = ? RETURNING sent_id, body_id", [queue, messageID]) {
            (sentID: $0.int(), body: $0.optionalInt())
        }
        guard let (sentID, body) = done.first else { return nil }
        if let body { bodies.insert(body) }
        return sentID
    }

    /// Deletes those bodies that no message waits with any more.
    static func deleteUnusedBodies(_ bodies: Set<RowID>, _ database: Database) throws {
        for body in bodies {
            try database.run(
                "DELETE FROM message_bodies WHERE body_id = ? AND NOT EXISTS (SELECT 1 FROM deliveries WHERE body_id = ?)", body, body)
        }
    }

    /// Deletes the message's record, unless a queue still waits for it, or the user has a number for it: that is remembered in any case.
    fileprivate static func forget(
        _ database: Database, connection: RowID, sentID: Int64, unlessReceiptIsMissing: Bool
    ) throws {
        try database.run(
            """
            DELETE FROM sent_messages AS m WHERE connection_id = ? AND sent_id = ? AND request_key IS NULL
                AND (receipt_status IS 'ok' OR NOT ?) AND NOT EXISTS (
                    SELECT 1 FROM send_queues AS q JOIN deliveries AS d ON d.queue_id = q.queue_id AND d.message_id = m.message_id
                    WHERE q.connection_id = m.connection_id
                )
            """, connection, sentID, unlessReceiptIsMissing)
    }

    /// Columns of `sent_messages` and `deliveries`, with the `content` of the shared body.
    static func read(_ row: Row) throws -> SentMessage {
        let content: Content
        if let messageKey = try row.optionalSecret("message_key", { try RatchetMessageKey(encoded: $0) }) {
            let body: AgentMessageBody =
                if let bodyRow = row["body_id"] as RowID? {
                    .shared(bodyRow, row.bytes("content"))
                } else {
                    .own(row.bytes("body"))
                }
            content = .sealed(body, key: messageKey, paddedLength: try row.number("padded_length", in: StoredBounds.paddedLengths))
        } else {
            content = .envelope(row.bytes("body"))
        }
        return SentMessage(
            messageID: try row.number("message_id", in: AgentLimits.messageIDs), sentID: try row.number("sent_id", in: AgentLimits.messageIDs),
            kind: try row.text("kind"), flags: try row.decode("flags") { try MessageFlags(wireBytes: $0) }, content: content,
            hash: try row.messageHash("hash"), previousHash: try row.messageHash("previous_hash"), pqEncryption: row["pq_encryption"],
            createdAt: try row.number("created_at", in: StoredBounds.times),
            requestKey: row["request_key"])
    }
}

extension ReceivedMessageRecord {
    fileprivate func insert(_ database: Database, connection: RowID) throws {
        try database.run(
            """
            INSERT INTO received_messages (
                connection_id, message_id, queue_id, kind, flags, integrity, sender_message_id, broker_id, broker_time, received_at,
                pq_encryption, body, hash, encrypted_hash, is_acknowledged, attempts
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, connection, messageID, queue, kind.rawValue, blob(flags.wireBytes), metadata.integrity.description,
            metadata.senderMessageID, blob(metadata.brokerID), metadata.brokerTime, metadata.receivedAt, metadata.pqEncryption,
            blob(body), blob(hash), blob(encryptedHash), isAcknowledged, attempts)
    }

    static func read(_ row: Row) throws -> ReceivedMessageRecord {
        guard let integrity = MessageIntegrity(row["integrity"] as String) else {
            throw StorageError(.corrupt, "column integrity has a value that is not known")
        }
        let metadata = MessageMetadata(
            integrity: integrity, messageID: try row.number("message_id", in: AgentLimits.messageIDs),
            receivedAt: try row.number("received_at", in: StoredBounds.times), brokerID: row.bytes("broker_id"),
            brokerTime: try row.number("broker_time", in: StoredBounds.times),
            senderMessageID: try row.number("sender_message_id", in: AgentLimits.messageIDs), pqEncryption: row["pq_encryption"])
        return ReceivedMessageRecord(
            messageID: metadata.messageID, queue: row["queue_id"], kind: try row.text("kind"),
            flags: try row.decode("flags") { try MessageFlags(wireBytes: $0) }, metadata: metadata, body: row.bytes("body"),
            hash: try row.messageHash("hash"), encryptedHash: try row.messageHash("encrypted_hash"),
            isAcknowledged: row["is_acknowledged"], attempts: try row.number("attempts", in: StoredBounds.counts))
    }
}
