import EncryptedSQLite
import FoundationEssentials
import GRDB
import SMPCrypto
import SMPProtocol
import SMPWire

extension StoreChange {
    func applyHandshakeChange(to database: Database) throws {
        switch self {
        case .insertConfirmation(let record): try record.insert(database)
        case .acceptConfirmation(let id, let ownInfo):
            try database.run("UPDATE confirmations SET own_info = ? WHERE confirmation_id = ?", blob(ownInfo), blob(id.bytes))
        case .deleteConfirmations(let connection):
            try database.run("DELETE FROM confirmations WHERE connection_id = ?", connection)
        case .insertInvitation(let record, let time): try record.insert(database, at: time)
        case .replaceInvitation(let record): try record.replace(database)
        case .acceptInvitation(let id):
            try database.run("UPDATE invitations SET is_accepted = 1 WHERE invitation_id = ?", blob(id.bytes))
        case .deleteInvitation(let id):
            try database.run("DELETE FROM invitations WHERE invitation_id = ?", blob(id.bytes))
        case .setInvitationLink(let link):
            try database.run(
                "INSERT OR REPLACE INTO invitation_links (server_id, link_id, link_key, sender_key, sender_id) VALUES (?, ?, ?, ?, ?)",
                try serverRow(link.server, database), blob(link.linkID.bytes), blob(link.linkKey.bytes),
                blob(secret: link.senderKey.pkcs8), blob(link.senderID?.bytes))
        case .deleteInvitationLink(let server, let linkID):
            try database.run(
                "DELETE FROM invitation_links WHERE server_id = ? AND link_id = ?", try serverRow(server, database), blob(linkID.bytes))
        default: break
        }
    }
}

extension ConfirmationRecord {
    fileprivate func insert(_ database: Database) throws {
        var queues = WireWriter()
        queues.write(list: replyQueues)
        try database.run(
            """
            INSERT INTO confirmations (confirmation_id, connection_id, sender_key, sender_info, reply_queues, own_info)
            VALUES (?, ?, ?, ?, ?, ?)
            """, blob(id.bytes), connection, blob(senderKey?.wireBytes), blob(senderInfo), blob(queues.bytes), blob(ownInfo))
    }

    static func read(_ row: Row) throws -> ConfirmationRecord {
        ConfirmationRecord(
            id: ConfirmationID(row.bytes("confirmation_id")), connection: row["connection_id"],
            senderKey: try row.decodeOptional("sender_key") { try PublicAuthKey(wireBytes: $0) }, senderInfo: row.bytes("sender_info"),
            replyQueues: try row.decode("reply_queues") { bytes in
                var parser = WireParser(bytes)
                let queues: [SMPQueueInfo] = try parser.list()
                try parser.finish()
                return queues
            },
            ownInfo: row.optionalBytes("own_info"))
    }
}

extension InvitationRecord {
    fileprivate func insert(_ database: Database, at time: Int64) throws {
        try database.run(
            """
            INSERT OR IGNORE INTO invitations (
                invitation_id, connection_id, request, queue_digest, sender_info, broker_id, is_accepted, created_at
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """, blob(id.bytes), contactConnection, request.wireString, blob(request.queueDigest), blob(senderInfo), blob(brokerID),
            isAccepted, time)
    }

    fileprivate func replace(_ database: Database) throws {
        try database.run(
            "UPDATE invitations SET request = ?, queue_digest = ?, sender_info = ?, broker_id = ? WHERE invitation_id = ?",
            request.wireString, blob(request.queueDigest), blob(senderInfo), blob(brokerID), blob(id.bytes))
    }

    static func read(_ row: Row) throws -> InvitationRecord {
        let request: ConnectionRequestURI
        do {
            request = try ConnectionRequestURI(wireString: row["request"])
        } catch {
            throw StorageError(.corrupt, "the request of an invitation cannot be read", cause: error)
        }
        return InvitationRecord(
            id: InvitationID(row.bytes("invitation_id")), contactConnection: row["connection_id"], request: request,
            senderInfo: row.bytes("sender_info"), brokerID: row.bytes("broker_id"), isAccepted: row["is_accepted"])
    }
}

extension InvitationLinkRecord {
    static func read(_ row: Row) throws -> InvitationLinkRecord {
        InvitationLinkRecord(
            server: try serverAddress(row), linkID: EntityID(row.bytes("link_id")),
            linkKey: LinkKey(row.bytes("link_key")),
            senderKey: try row.secret("sender_key") { try PrivateAuthKey(pkcs8: $0) },
            senderID: row.optionalBytes("sender_id").map { EntityID($0) })
    }
}
