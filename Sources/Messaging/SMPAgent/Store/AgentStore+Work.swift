package import EncryptedSQLite
import FoundationEssentials
import GRDB
import Logging
import SMPCrypto
import SMPProtocol
import SMPWire

extension AgentStore {
    /// The work in the database of an agent that is not done: messages that no router has yet, commands of connections, and events that the chat layer has not
    /// taken. For tests that wait until everything has arrived.
    package static func unfinishedWork(in file: DatabaseFile) async throws -> Int {
        try await file.read { database in
            try database.row(
                """
                SELECT (SELECT count(*) FROM deliveries) + (SELECT count(*) FROM commands WHERE is_quarantined = 0)
                    + (SELECT count(*) FROM events) + (SELECT count(*) FROM sent_events)
                """)?[0] ?? 0
        }
    }

    // MARK: Users

    /// Makes a user with its routers.
    func createUser(servers: [AgentServer]) async throws -> AgentUserID {
        try await write { database in
            try database.run("INSERT INTO users DEFAULT VALUES")
            let user = database.lastInsertedRowID
            try Self.setServers(servers, user: user, database)
            return user
        }
    }

    /// Replaces a user's routers.
    ///
    /// - Returns: false if there is no such user.
    func setServers(_ servers: [AgentServer], user: AgentUserID) async throws -> Bool {
        try await write { database in
            guard try database.row("SELECT 1 FROM users WHERE user_id = ? AND is_deleted = 0", user) != nil else { return false }
            try database.run("DELETE FROM user_servers WHERE user_id = ?", user)
            try Self.setServers(servers, user: user, database)
            return true
        }
    }

    private static func setServers(_ servers: [AgentServer], user: AgentUserID, _ database: Database) throws {
        for (position, server) in servers.enumerated() {
            try database.run(
                """
                INSERT INTO user_servers (user_id, position, address, operator_id, is_for_storage, is_for_proxy, is_for_names)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """, user, position, server.server.wireString, server.operatorID, server.isForStorage, server.isForProxy, server.isForNames)
        }
    }

    /// The users with their routers.
    func users() async throws -> [AgentUserID: UserServers] {
        try await read { database in
            var users: [AgentUserID: [AgentServer]] = [:]
            for row in try database.rows("SELECT user_id FROM users WHERE is_deleted = 0") { users[row["user_id"]] = [] }
            for row in try database.rows("SELECT * FROM user_servers ORDER BY user_id, position") {
                do {
                    users[row["user_id"]]?.append(
                        AgentServer(
                            try SMPServerWithAuth(wireString: row["address"]), operatorID: row["operator_id"],
                            isForStorage: row["is_for_storage"], isForProxy: row["is_for_proxy"], isForNames: row["is_for_names"]))
                } catch {
                    throw StorageError(.corrupt, "the address of a user's router cannot be read", cause: error)
                }
            }
            return users.mapValues { UserServers($0) }
        }
    }

    /// Marks a user as deleted.
    func setUserDeleted(_ user: AgentUserID) async throws {
        try await write { try $0.run("UPDATE users SET is_deleted = 1 WHERE user_id = ?", user) }
    }

    /// Deletes the deleted users that have no connections left.
    func deleteUsersWithoutConnections() async throws -> [AgentUserID] {
        try await write { database in
            let users: [AgentUserID] = try database.rows(
                "SELECT user_id FROM users AS u WHERE is_deleted = 1 AND NOT EXISTS (SELECT 1 FROM connections AS c WHERE c.user_id = u.user_id)"
            ).map { $0["user_id"] }
            for user in users { try database.run("DELETE FROM users WHERE user_id = ?", user) }
            return users
        }
    }

    // MARK: Handshake

    func confirmation(_ id: ConfirmationID) async throws -> ConfirmationRecord? {
        try await read { database in
            try database.row("SELECT * FROM confirmations WHERE confirmation_id = ?", blob(id.bytes)).map(ConfirmationRecord.read)
        }
    }

    func invitation(_ id: InvitationID) async throws -> InvitationRecord? {
        try await read { database in
            try database.row("SELECT * FROM invitations WHERE invitation_id = ?", blob(id.bytes)).map(InvitationRecord.read)
        }
    }

    /// Checks whether a message to a contact address was delivered before.
    func hasInvitation(contact: RowID, brokerID: Bytes) async throws -> Bool {
        try await read { database in
            try database.row("SELECT 1 FROM invitations WHERE connection_id = ? AND broker_id = ?", contact, blob(brokerID)) != nil
        }
    }

    /// The request to a contact address that offers the same queue as this one.
    func invitation(contact: RowID, offering request: ConnectionRequestURI) async throws -> InvitationRecord? {
        guard let digest = request.queueDigest else { return nil }
        return try await read { database in
            try database.row("SELECT * FROM invitations WHERE connection_id = ? AND queue_digest = ?", contact, blob(digest))
                .map(InvitationRecord.read)
        }
    }

    /// The number of requests to a contact address that were neither accepted nor rejected. It reads each of them.
    func unansweredInvitations(contact: RowID) async throws -> Int {
        try await read { database in
            try database.row("SELECT count(*) FROM invitations WHERE connection_id = ? AND is_accepted = 0", contact)?[0] ?? 0
        }
    }

    func invitationLink(server: SMPServerAddress, linkID: EntityID) async throws -> InvitationLinkRecord? {
        try await read { database in
            try database.map(
                "SELECT l.*, s.address FROM invitation_links AS l JOIN servers AS s USING (server_id) WHERE s.address = ? AND l.link_id = ?",
                server.wireString, blob(linkID.bytes), read: InvitationLinkRecord.read
            ).first
        }
    }

    /// The key that a queue was secured with when its link was opened.
    func invitationLink(server: SMPServerAddress, senderID: EntityID) async throws -> InvitationLinkRecord? {
        try await read { database in
            try database.map(
                "SELECT l.*, s.address FROM invitation_links AS l JOIN servers AS s USING (server_id) WHERE s.address = ? AND l.sender_id = ?",
                server.wireString, blob(senderID.bytes), read: InvitationLinkRecord.read
            ).first
        }
    }

    // MARK: Commands and events

    /// The work that is left, in order, with the connections' identifiers. What cannot be read stays, and is logged: other work does not wait for it.
    func commands() async throws -> [(ConnectionID, CommandRecord)] {
        let (commands, unreadable) = try await read(isLong: true) { database in
            var commands: [(ConnectionID, CommandRecord)] = [], unreadable: [String] = []
            let rows = try database.rows(
                """
                SELECT k.*, c.public_id FROM commands AS k JOIN connections AS c USING (connection_id)
                WHERE k.is_quarantined = 0 ORDER BY k.position
                """)
            for row in rows {
                do {
                    commands.append((ConnectionID(row.bytes("public_id")), try CommandRecord.read(row)))
                } catch let error as StorageError where error.code == .corrupt {
                    unreadable.append(row["kind"])
                }
            }
            return (commands, unreadable)
        }
        if !unreadable.isEmpty {
            log.error(
                "commands of connections are not understood, and wait for a version that does",
                metadata: [
                    "code": "command.unreadable", "commands": "\(unreadable.count)", "kinds": "\(Set(unreadable).sorted().joined(separator: ", "))",
                ])
        }
        return commands
    }

    /// A quarantined command, with its connection's identifier.
    func quarantinedCommand(_ row: RowID) async throws -> (ConnectionID, CommandRecord)? {
        try await read { database in
            try database.row(
                """
                SELECT k.*, c.public_id FROM commands AS k JOIN connections AS c USING (connection_id)
                WHERE k.command_id = ? AND k.is_quarantined = 1
                """, row
            ).map { (ConnectionID($0.bytes("public_id")), try CommandRecord.read($0)) }
        }
    }

    /// The events that were not confirmed, in order, those about sent messages last.
    func events() async throws -> [AgentNotification] {
        try await read(isLong: true) { database in
            let events = try database.map(
                "SELECT e.*, c.* FROM events AS e JOIN connections AS c USING (connection_id) ORDER BY e.position"
            ) { row in
                let record = try EventRecord.read(row) { AgentConnectionStats(try Self.state(row, database)) }
                return AgentNotification(
                    connection: ConnectionID(row.bytes("public_id")), event: record.event, durableID: .event(record.number))
            }
            let sent = try database.rows(
                """
                SELECT e.*, c.public_id FROM sent_events AS e JOIN connections AS c USING (connection_id)
                ORDER BY e.connection_id, e.message_id
                """
            ).map { row in
                let message: AgentMessageID = row["message_id"]
                let proxy = try (row["proxy"] as String?).map { try EventRecord.server($0) }
                return AgentNotification(
                    connection: ConnectionID(row.bytes("public_id")), event: .sent(message, proxy: proxy),
                    durableID: .sent(connection: row["connection_id"], message))
            }
            return events + sent
        }
    }
}
