package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPCrypto
package import SMPWire

/// Relays of channels, and tests of relays.
package struct RelayTable {
    let db: Database

    // MARK: Relays of an owner

    package func insert(_ relay: UserChatRelay, member: GroupMemberID, group: GroupID, at time: UTCTimestamp) throws -> GroupRelayID {
        try db.insert(
            """
            INSERT INTO group_relays (group_id, group_member_id, relay_json, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
            """, [group, member, relay.json.text, RelayStatus.new.rawValue, time.stored, time.stored])
    }

    private static let relaySelection = "SELECT group_relay_id, group_member_id, relay_json, status, relay_link, capabilities_json FROM group_relays"

    private static func relay(_ row: inout RowReader) throws -> GroupRelay {
        let id = row.id(GroupRelayID.self), member = row.id(GroupMemberID.self)
        let relay = try UserChatRelay(parsing: row.text())
        return GroupRelay(
            groupRelayID: id, groupMemberID: member, userChatRelay: relay, status: RelayStatus(rawValue: row.text()), relayLink: row.optionalText(),
            capabilities: try row.optionalText().map { try RelayCapabilities(parsing: $0) } ?? RelayCapabilities())
    }

    /// The relays of a group, in the order in which they were added.
    package func all(of group: GroupID) throws -> [GroupRelay] {
        try db.all(Self.relaySelection + " WHERE group_id = ? ORDER BY group_relay_id", [group], Self.relay)
    }

    /// - Throws: `Refusal` with `.noRelay` for a channel of this profile that no relay serves.
    package func requireOne(for group: GroupInfo) throws {
        guard group.usesRelays, group.membership.role == .owner, try !all(of: group.groupID).contains(where: \.isServing) else { return }
        throw Refusal(.noRelay)
    }

    package func find(member: GroupMemberID) throws -> GroupRelay? {
        try db.first(Self.relaySelection + " WHERE group_member_id = ?", [member], Self.relay)
    }

    package func update(member: GroupMemberID, status: RelayStatus, at time: UTCTimestamp) throws {
        try db.run("UPDATE group_relays SET status = ?, updated_at = ? WHERE group_member_id = ?", [status.rawValue, time.stored, member])
    }

    /// Relays that rejected an invitation before a time and still have a connection, the longest ago first.
    package func connectedRejected(before time: UTCTimestamp, limit: Int) throws -> [(GroupMemberID, UserID)] {
        try db.all(
            """
            SELECT DISTINCT r.group_member_id, c.user_id FROM group_relays AS r JOIN connections AS c ON c.group_member_id = r.group_member_id
            WHERE r.status = ? AND r.updated_at < ? AND c.status <> 'deleted' ORDER BY r.updated_at LIMIT ?
            """, [RelayStatus.rejected.rawValue, time.stored, limit]
        ) { ($0.id(), $0.id()) }
    }

    /// Forgets a relay that serves a group no longer.
    package func delete(member: GroupMemberID) throws { try db.run("DELETE FROM group_relays WHERE group_member_id = ?", [member]) }

    /// Stores how a relay has answered its invitation.
    package func update(member: GroupMemberID, link: String, confirmation: Bytes, at time: UTCTimestamp) throws {
        try db.run(
            "UPDATE group_relays SET relay_link = ?, confirmation_id = ?, updated_at = ? WHERE group_member_id = ?",
            [link, confirmation.blob, time.stored, member])
        try db.members.update(member, relayLink: link)
    }

    /// Stores what a relay says that it does beside forwarding.
    package func update(member: GroupMemberID, capabilities: RelayCapabilities, at time: UTCTimestamp) throws {
        try db.run(
            "UPDATE group_relays SET capabilities_json = ?, updated_at = ? WHERE group_member_id = ?", [capabilities.jsonText, time.stored, member])
    }

    /// The confirmation by which the connection with a relay continues.
    package func relayConfirmation(member: GroupMemberID) throws -> Bytes? {
        try db.first("SELECT confirmation_id FROM group_relays WHERE group_member_id = ?", [member]) { $0.optionalBytes() } ?? nil
    }

    // MARK: Tests of relays

    package func insertRelayTest(_ connection: Bytes, user: UserID, at time: UTCTimestamp) throws {
        try db.run(
            "INSERT OR IGNORE INTO relay_tests (agent_connection_id, user_id, created_at) VALUES (?, ?, ?)", [connection.blob, user, time.stored])
    }

    /// True for the connection of a test of a relay.
    package func isRelayTest(_ connection: Bytes) throws -> Bool {
        try db.number("SELECT 1 FROM relay_tests WHERE agent_connection_id = ?", [connection.blob]) != nil
    }

    package func deleteRelayTest(_ connection: Bytes) throws {
        try db.run("DELETE FROM relay_tests WHERE agent_connection_id = ?", [connection.blob])
    }

    /// The connections of tests that were begun before a time: nobody waits for them any more.
    package func relayTests(before time: UTCTimestamp, limit: Int) throws -> [(connection: Bytes, user: UserID)] {
        try db.all("SELECT agent_connection_id, user_id FROM relay_tests WHERE created_at < ? LIMIT ?", [time.stored, limit]) { ($0.bytes(), $0.id()) }
    }
}
