package import ChatAPI
import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB
import SMPCrypto
package import SMPProtocol
import SMPWire
import XFTPProtocol

// Servers that profiles use.

/// Routers and relays that profiles use.
package struct ServerTable {
    let db: Database

    /// The servers of a profile, in the order in which they came.
    package func servers(ofUser user: UserID, operators: [ServerOperator]) throws -> UserServerSet {
        UserServerSet(
            operators: operators, smpServers: try servers(.smp, ofUser: user), xftpServers: try servers(.xftp, ofUser: user),
            chatRelays: try chatRelays(ofUser: user))
    }

    private func servers(_ kind: ServerProtocol, ofUser user: UserID) throws -> [UserServer] {
        try db.all(
            "SELECT server_id, address, preset, tested, enabled FROM user_servers WHERE user_id = ? AND protocol = ? ORDER BY server_id",
            [user, kind.rawValue]
        ) { row in
            UserServer(
                serverID: row.id(), server: row.text(), isPreset: row.flag(), tested: row.optionalInt().map { $0 != 0 }, enabled: row.flag(),
                deleted: false)
        }
    }

    /// The relays that a profile can use, in the order in which they came.
    package func chatRelays(ofUser user: UserID) throws -> [UserChatRelay] {
        try db.all(
            """
            SELECT chat_relay_id, address, profile_json, domains_json, preset, tested, enabled FROM user_chat_relays
            WHERE user_id = ? ORDER BY chat_relay_id
            """, [user]
        ) { row in
            let id = row.id(UserChatRelayID.self), address = row.text()
            let profile = try RelayProfile(json: try JSONValue(parsing: row.text()))
            let domains = try JSONValue(parsing: row.text()).arrayValue?.compactMap(\.stringValue) ?? []
            return UserChatRelay(
                chatRelayID: id, address: address, relayProfile: profile, domains: domains, preset: row.flag(),
                tested: row.optionalInt().map { $0 != 0 }, enabled: row.flag(), deleted: false)
        }
    }

    /// Tells whether somebody has chosen servers for the profile.
    package func hasChosenServers(user: UserID) throws -> Bool {
        try db.number("SELECT count(*) FROM user_servers WHERE user_id = ? AND chosen = 1", [user]) ?? 0 > 0
    }

    /// Stores changes of a profile's servers: new ones are those without an id. From now on they are chosen ones.
    ///
    /// - Throws: `uniqueID` if a server or relay is there twice.
    package func setServers(_ groups: [UserOperatorServers], user: UserID) throws {
        do {
            for group in groups {
                if let one = group.serverOperator { try db.operators.update([one]) }
                for server in group.smpServers { try set(server, .smp, user: user) }
                for server in group.xftpServers { try set(server, .xftp, user: user) }
                for relay in group.chatRelays { try set(relay, user: user) }
            }
            try db.run("UPDATE user_servers SET chosen = 1 WHERE user_id = ?", [user])
        } catch let error as GRDB.DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
            throw Refusal.store(.uniqueID)
        }
    }

    private func set(_ server: UserServer, _ kind: ServerProtocol, user: UserID) throws {
        switch (server.serverID, server.deleted) {
        case (nil, true): return
        case (nil, false):
            try insert(
                server.server, kind, user: user, isPreset: server.isPreset, isEnabled: server.enabled, tested: server.tested, isChosen: true)
        case (let id?, true): try db.run("DELETE FROM user_servers WHERE server_id = ? AND user_id = ? AND preset = 0", [id, user])
        case (let id?, false):
            try db.run(
                "UPDATE user_servers SET address = ?, tested = ?, enabled = ? WHERE server_id = ? AND user_id = ? AND protocol = ?",
                [server.server, server.tested, server.enabled, id, user, kind.rawValue])
        }
    }

    package func insert(
        _ address: String, _ kind: ServerProtocol, user: UserID, isPreset: Bool, isEnabled: Bool, tested: Bool? = nil, isChosen: Bool
    ) throws {
        try db.run(
            "INSERT INTO user_servers (user_id, protocol, address, preset, tested, enabled, chosen) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [user, kind.rawValue, address, isPreset, tested, isEnabled, isChosen])
    }

    package func delete(_ id: UserServerID, user: UserID) throws {
        try db.run("DELETE FROM user_servers WHERE server_id = ? AND user_id = ?", [id, user])
    }

    /// Stores a relay as it is to be.
    package func set(_ relay: UserChatRelay, user: UserID) throws {
        switch (relay.chatRelayID, relay.deleted) {
        case (nil, true): return
        case (nil, false):
            try db.run(
                """
                INSERT INTO user_chat_relays (user_id, address, profile_json, domains_json, preset, tested, enabled)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    user, relay.address, relay.relayProfile.json.text, JSONValue.array(relay.domains.map(JSONValue.string)).text, relay.preset,
                    relay.tested, relay.enabled,
                ])
        case (let id?, true): try db.run("DELETE FROM user_chat_relays WHERE chat_relay_id = ? AND user_id = ? AND preset = 0", [id, user])
        case (let id?, false):
            try db.run(
                "UPDATE user_chat_relays SET address = ?, profile_json = ?, tested = ?, enabled = ? WHERE chat_relay_id = ? AND user_id = ?",
                [relay.address, relay.relayProfile.json.text, relay.tested, relay.enabled, id, user])
        }
    }

    /// Takes a relay that its operator does not have any more. Channels that it serves have their own record of it.
    package func deletePresetRelay(_ id: UserChatRelayID, user: UserID) throws {
        try db.run("DELETE FROM user_chat_relays WHERE chat_relay_id = ? AND user_id = ? AND preset = 1", [id, user])
    }

    /// A relay that a profile can use.
    package func chatRelay(_ id: UserChatRelayID, user: UserID) throws -> UserChatRelay? {
        try chatRelays(ofUser: user).first { $0.chatRelayID == id }
    }

    // MARK: Routers

    /// The file routers that a profile uses.
    package func fileServers(ofUser user: UserID) throws -> [XFTPServerWithAuth] {
        try servers(ofUser: user, operators: try db.operators.stored()).usedFileRouters
    }
}
