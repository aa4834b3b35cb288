import EncryptedSQLite
import FoundationEssentials
import GRDB
import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire

extension StoreChange {
    /// Makes changes, in their order.
    ///
    /// - Parameter failed: Takes the error of a change that cannot be made. If it throws, no more are made.
    static func apply(_ changes: [StoreChange], to database: Database, failed: (any Error) throws -> Void = { throw $0 }) throws {
        // Of a message to many, which they share: it is looked for once.
        var released: Set<RowID> = []
        for change in changes {
            do {
                try change.apply(to: database, releasing: &released)
            } catch {
                try failed(error)
            }
        }
        try SentMessage.deleteUnusedBodies(released, database)
    }

    /// Makes the change.
    ///
    /// - Parameter bodies: Receives the shared bodies that a message has ceased to use.
    private func apply(to database: Database, releasing bodies: inout Set<RowID>) throws {
        switch self {
        case .insertConnection(let record): try record.insert(database)
        case .updateConnection(let record): try record.update(database)
        case .sentCounters(let row, let lastMessageID, let sentID, let hash, nil):
            try database.run(
                "UPDATE connections SET last_message_id = ?, last_sent_id = ?, last_sent_hash = ? WHERE connection_id = ?",
                lastMessageID, sentID, blob(hash), row)
        case .sentCounters(let row, let lastMessageID, let sentID, let hash, let ratchet?):
            try database.run(
                "UPDATE connections SET last_message_id = ?, last_sent_id = ?, last_sent_hash = ?, ratchet_progress = ? WHERE connection_id = ?",
                lastMessageID, sentID, blob(hash), blob(secret: ratchet.progress), row)
        case .receivedCounters(let row, let lastMessageID, let receivedID, let hash, nil):
            try database.run(
                "UPDATE connections SET last_message_id = ?, last_received_id = ?, last_received_hash = ? WHERE connection_id = ?",
                lastMessageID, receivedID, blob(hash), row)
        case .receivedCounters(let row, let lastMessageID, let receivedID, let hash, let ratchet?):
            try database.run(
                """
                UPDATE connections SET last_message_id = ?, last_received_id = ?, last_received_hash = ?, ratchet_progress = ?
                WHERE connection_id = ?
                """, lastMessageID, receivedID, blob(hash), blob(secret: ratchet.progress), row)
        case .deleteConnection(let row): try database.run("DELETE FROM connections WHERE connection_id = ?", row)
        case .setRatchet, .moveRatchet, .deleteRatchet, .addSkippedKeys, .removeSkippedKeys, .setAgreementKeys, .setSentParameters,
            .addProcessedRatchetKey:
            try applyKeyChange(to: database)
        case .insertReceiveQueue(let queue, let connection): try queue.insert(database, connection: connection)
        case .updateReceiveQueue(let queue): try queue.update(database)
        case .deleteReceiveQueue(let row): try database.run("DELETE FROM receive_queues WHERE queue_id = ?", row)
        case .insertSendQueue(let queue, let connection): try queue.insert(database, connection: connection)
        case .updateSendQueue(let queue): try queue.update(database)
        case .deleteSendQueue(let row): try database.run("DELETE FROM send_queues WHERE queue_id = ?", row)
        case .insertConfirmation, .acceptConfirmation, .deleteConfirmations, .insertInvitation, .replaceInvitation, .acceptInvitation, .deleteInvitation,
            .setInvitationLink, .deleteInvitationLink:
            try applyHandshakeChange(to: database)
        case .insertBody, .insertSentMessage, .deliveryDone, .deliverySent, .deleteDeliveries, .setSent, .forgetCopies, .setRetry, .setReceipt,
            .deleteReceipted, .insertReceivedMessage, .acknowledge, .countAttempt:
            try applyMessageChange(to: database, releasing: &bodies)
        case .setNotifier, .deleteNotifier: try applyNotifierChange(to: database)
        case .setServices: try applyServiceChange(to: database)
        case .insertCommand(let command): try command.insert(database)
        case .deleteCommand(let row): try database.run("DELETE FROM commands WHERE command_id = ?", row)
        case .deleteJoinCommands(let connection):
            try database.run("DELETE FROM commands WHERE connection_id = ? AND kind = 'join'", connection)
        case .deleteSecuringCommands, .setCrashWeight, .quarantineCommand, .releaseCommand: try applyCommandChange(to: database)
        case .insertEvent(let event): try event.insert(database)
        case .deleteEvent(let number): try database.run("DELETE FROM events WHERE event_id = ?", number)
        case .insertSentEvent(let connection, let message, let proxy):
            try database.run(
                "INSERT OR REPLACE INTO sent_events (connection_id, message_id, proxy) VALUES (?, ?, ?)", connection, message,
                proxy?.wireString)
        case .deleteSentEvent(let connection, let message):
            try database.run("DELETE FROM sent_events WHERE connection_id = ? AND message_id = ?", connection, message)
        }
    }

    private func applyKeyChange(to database: Database) throws {
        switch self {
        case .setRatchet(let row, let ratchet):
            try database.run(
                """
                INSERT INTO ratchets (connection_id, state) VALUES (?, ?)
                ON CONFLICT (connection_id) DO UPDATE SET state = excluded.state
                """, row, blob(secret: ratchet.encoded))
            try database.run("UPDATE connections SET ratchet_progress = NULL WHERE connection_id = ?", row)
        case .moveRatchet(let row, let ratchet):
            try database.run(
                "UPDATE connections SET ratchet_progress = ? WHERE connection_id = ?", blob(secret: ratchet.progress), row)
        case .deleteRatchet(let row):
            try database.run("DELETE FROM ratchets WHERE connection_id = ?", row)
            try database.run("UPDATE connections SET ratchet_progress = NULL WHERE connection_id = ?", row)
            try database.run("DELETE FROM skipped_message_keys WHERE connection_id = ?", row)
        case .addSkippedKeys(let row, let keys):
            for key in keys {
                try database.run(
                    """
                    INSERT OR REPLACE INTO skipped_message_keys (connection_id, header_key, message_number, message_key)
                    VALUES (?, ?, ?, ?)
                    """, row, blob(secret: key.headerKey), Int64(key.number), blob(secret: key.key))
            }
        case .removeSkippedKeys(let row, let keys):
            for key in keys {
                try database.run(
                    "DELETE FROM skipped_message_keys WHERE connection_id = ? AND header_key = ? AND message_number = ?",
                    row, blob(secret: key.headerKey), Int64(key.number))
            }
        case .setAgreementKeys(let row, let keys):
            try database.run(
                """
                INSERT OR REPLACE INTO agreement_keys (connection_id, key_1, key_2, kem_public_key, kem_secret_key)
                VALUES (?, ?, ?, ?, ?)
                """, row, blob(secret: keys.key1.raw), blob(secret: keys.key2.raw), blob(keys.kem?.publicKey.bytes),
                blob(secret: keys.kem?.secretKey.bytes))
        case .setSentParameters(let row, let parameters):
            try database.run(
                "INSERT OR REPLACE INTO sent_parameters (connection_id, parameters) VALUES (?, ?)", row, blob(parameters.wireBytes))
        case .addProcessedRatchetKey(let row, let hash, let time):
            try database.run(
                "INSERT OR IGNORE INTO processed_ratchet_keys (connection_id, hash, created_at) VALUES (?, ?, ?)", row, blob(hash), time)
        default: break
        }
    }
}

extension ConnectionRecord {
    private var deletionColumns: (Int, Int64?) {
        switch deletion {
        case .none: (0, nil)
        case .started: (1, nil)
        case .waitingForDelivery(let since): (2, since)
        }
    }

    fileprivate func insert(_ database: Database) throws {
        let (deletion, since) = deletionColumns
        try database.run(
            """
            INSERT INTO connections (
                connection_id, public_id, user_id, mode, agent_version, pq_support, last_message_id, last_sent_id, last_sent_hash,
                last_received_id, last_received_hash, ratchet_sync, deletion, deletion_time
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, row, blob(id.bytes), user, mode.storedName, Int(agentVersion), pqSupport, lastMessageID, lastSentID, blob(lastSentHash),
            lastReceivedID, blob(lastReceivedHash), ratchetSync.rawValue, deletion, since)
    }

    fileprivate func update(_ database: Database) throws {
        let (deletion, since) = deletionColumns
        try database.run(
            """
            UPDATE connections SET
                user_id = ?, agent_version = ?, pq_support = ?, last_message_id = ?, last_sent_id = ?, last_sent_hash = ?,
                last_received_id = ?, last_received_hash = ?, ratchet_sync = ?, deletion = ?, deletion_time = ?
            WHERE connection_id = ?
            """, user, Int(agentVersion), pqSupport, lastMessageID, lastSentID, blob(lastSentHash), lastReceivedID,
            blob(lastReceivedHash), ratchetSync.rawValue, deletion, since, row)
    }

    static func read(_ row: Row) throws -> ConnectionRecord {
        guard let mode = ConnectionMode(storedName: row["mode"]) else {
            throw StorageError(.corrupt, "a connection has a mode that is not known")
        }
        let deletion: Deletion =
            switch try row.number("deletion", in: StoredBounds.counts, as: Int.self) {
            case 0: .none
            case 1: .started
            default: .waitingForDelivery(since: try row.optionalNumber("deletion_time", in: StoredBounds.times) ?? 0)
            }
        return ConnectionRecord(
            row: row["connection_id"], id: ConnectionID(row.bytes("public_id")), user: row["user_id"], mode: mode,
            agentVersion: try row.number("agent_version", in: StoredBounds.versions), pqSupport: row["pq_support"],
            lastMessageID: try row.number("last_message_id", in: AgentLimits.messageIDs),
            lastSentID: try row.number("last_sent_id", in: AgentLimits.messageIDs), lastSentHash: try row.messageHash("last_sent_hash"),
            lastReceivedID: try row.number("last_received_id", in: AgentLimits.messageIDs),
            lastReceivedHash: try row.messageHash("last_received_hash"),
            ratchetSync: try row.text("ratchet_sync"), deletion: deletion)
    }
}

extension ConnectionMode {
    var storedName: String {
        switch self {
        case .invitation: "invitation"
        case .contact: "contact"
        }
    }

    init?(storedName: String) {
        switch storedName {
        case "invitation": self = .invitation
        case "contact": self = .contact
        default: return nil
        }
    }
}
