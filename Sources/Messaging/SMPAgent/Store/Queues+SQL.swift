import EncryptedSQLite
import FoundationEssentials
import GRDB
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization

/// The row of a server's address, made if necessary.
func serverRow(_ server: SMPServerAddress, _ database: Database) throws -> RowID {
    let address = server.wireString
    if let row = try database.row("SELECT server_id FROM servers WHERE address = ?", address) { return row["server_id"] }
    try database.run("INSERT INTO servers (address) VALUES (?)", address)
    return database.lastInsertedRowID
}

/// Addresses of servers that have been read. Very many queues are on few servers: their addresses need not be parsed, and be in memory, for each.
private let knownAddresses = Mutex<[String: SMPServerAddress]>([:])
/// Addresses that are kept; all are dropped when there are more, because peers choose some of them.
private let knownAddressesLimit = 1_024

/// The address in a row's `address` column.
func serverAddress(_ row: Row) throws -> SMPServerAddress {
    let text: String = row["address"]
    if let known = knownAddresses.withLock({ $0[text] }) { return known }
    do {
        let address = try SMPServerAddress(wireString: text)
        knownAddresses.withLock { known in
            if known.count >= knownAddressesLimit { known = [:] }
            known[text] = address
        }
        return address
    } catch {
        throw StorageError(.corrupt, "the address of a server cannot be read", cause: error)
    }
}

extension ReceiveQueue {
    func insert(_ database: Database, connection: RowID) throws {
        try database.run(
            """
            INSERT INTO receive_queues (
                queue_id, connection_id, server_id, recipient_id, private_key, router_secret, encryption_key, peer_secret, sender_id,
                mode, status, client_version, is_primary, replaces, switch_status, link_id, link_key, link_private_key, link_root_key,
                link_fixed_data
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, row, connection, try serverRow(server, database), blob(recipientID.bytes), blob(secret: privateKey.pkcs8),
            blob(secret: routerSecret.secret), blob(secret: encryptionKey.raw), blob(secret: peerSecret?.secret), blob(senderID.bytes),
            mode.map { Int($0.rawValue) }, status.rawValue, Int(clientVersion), isPrimary, replaces, switchStatus?.rawValue,
            blob(link?.linkID.bytes), blob(link?.linkKey.bytes), blob(secret: link?.privateKey.raw), blob(link?.rootKey?.raw),
            blob(link?.encryptedFixedData))
        if deleteAttempts != 0 { try update(database) }
    }

    func update(_ database: Database) throws {
        try database.run(
            """
            UPDATE receive_queues SET
                peer_secret = ?, status = ?, client_version = ?, is_primary = ?, replaces = ?, switch_status = ?, link_id = ?,
                link_key = ?, link_private_key = ?, link_root_key = ?, link_fixed_data = ?, delete_attempts = ?
            WHERE queue_id = ?
            """, blob(secret: peerSecret?.secret), status.rawValue, Int(clientVersion), isPrimary, replaces, switchStatus?.rawValue,
            blob(link?.linkID.bytes), blob(link?.linkKey.bytes), blob(secret: link?.privateKey.raw), blob(link?.rootKey?.raw),
            blob(link?.encryptedFixedData), deleteAttempts, row)
    }

    /// Columns of `receive_queues` joined with the `address` of the server.
    static func read(_ row: Row) throws -> ReceiveQueue {
        var link: ShortLinkCredentials?
        if let linkID = row.optionalBytes("link_id") {
            link = ShortLinkCredentials(
                linkID: EntityID(linkID), linkKey: LinkKey(row.bytes("link_key")),
                privateKey: try row.secret("link_private_key") { try Ed25519.PrivateKey(raw: $0) },
                rootKey: try row.decodeOptional("link_root_key") { try Ed25519.PublicKey(raw: $0) },
                encryptedFixedData: row.bytes("link_fixed_data"))
        }
        return ReceiveQueue(
            row: row["queue_id"], server: try serverAddress(row), recipientID: EntityID(row.bytes("recipient_id")),
            privateKey: try row.secret("private_key") { try PrivateAuthKey(pkcs8: $0) },
            routerSecret: try row.secret("router_secret") { try BoxSecret($0) },
            encryptionKey: try row.secret("encryption_key") { try X25519.PrivateKey(raw: $0) },
            peerSecret: try row.optionalSecret("peer_secret") { try BoxSecret($0) },
            senderID: EntityID(row.bytes("sender_id")), mode: queueMode(row), status: try row.text("status"),
            clientVersion: try row.number("client_version", in: StoredBounds.versions), isPrimary: row["is_primary"],
            replaces: row["replaces"], switchStatus: try row.optionalText("switch_status"), link: link,
            deleteAttempts: try row.number("delete_attempts", in: StoredBounds.counts))
    }
}

extension SendQueue {
    func insert(_ database: Database, connection: RowID) throws {
        try database.run(
            """
            INSERT INTO send_queues (
                queue_id, connection_id, server_id, sender_id, private_key, peer_secret, encryption_key, mode, status, client_version,
                is_primary, replaces, switch_status
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, row, connection, try serverRow(server, database), blob(senderID.bytes), blob(secret: privateKey.pkcs8),
            blob(secret: peerSecret.secret), blob(encryptionKey.raw), mode.map { Int($0.rawValue) }, status.rawValue, Int(clientVersion),
            isPrimary, replaces, switchStatus?.rawValue)
    }

    func update(_ database: Database) throws {
        try database.run(
            """
            UPDATE send_queues SET status = ?, client_version = ?, is_primary = ?, replaces = ?, switch_status = ? WHERE queue_id = ?
            """, status.rawValue, Int(clientVersion), isPrimary, replaces, switchStatus?.rawValue, row)
    }

    /// Columns of `send_queues` joined with the `address` of the server.
    static func read(_ row: Row) throws -> SendQueue {
        SendQueue(
            row: row["queue_id"], server: try serverAddress(row), senderID: EntityID(row.bytes("sender_id")),
            privateKey: try row.secret("private_key") { try PrivateAuthKey(pkcs8: $0) },
            peerSecret: try row.secret("peer_secret") { try BoxSecret($0) },
            encryptionKey: try row.decode("encryption_key") { try X25519.PublicKey(raw: $0) }, mode: queueMode(row),
            status: try row.text("status"), clientVersion: try row.number("client_version", in: StoredBounds.versions),
            isPrimary: row["is_primary"], replaces: row["replaces"], switchStatus: try row.optionalText("switch_status"))
    }
}

private func queueMode(_ row: Row) -> QueueMode? { (row["mode"] as Int?).flatMap { QueueMode(rawValue: UInt8(truncatingIfNeeded: $0)) } }
