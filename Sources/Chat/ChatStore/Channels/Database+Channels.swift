package import ChatAPI
package import ChatProtocol
import ChatRules
import EncryptedSQLite
package import GRDB
package import SMPCrypto
package import SMPWire

// Channels: their keys, their relays, and invitations to relay.

extension Database {
    /// The columns that ``ChannelColumns`` reads.
    package static let channelColumns = """
        g.use_relays, g.relay_own_status, g.public_member_count, g.root_private_key, g.root_public_key, g.member_private_key
        """

    // MARK: Groups

    /// Makes a group one that goes through relays.
    package func updateGroup(_ id: GroupID, usesRelays: Bool, ownStatus: RelayStatus?, publicMemberCount: Int64?) throws {
        try run(
            "UPDATE groups SET use_relays = ?, relay_own_status = ?, public_member_count = ? WHERE group_id = ?",
            [usesRelays, ownStatus?.rawValue, publicMemberCount, id])
    }

    /// Stores the keys of a group that this profile has made.
    package func updateGroup(_ id: GroupID, rootKey: Ed25519.PrivateKey, memberKey: Ed25519.PrivateKey) throws {
        try run(
            "UPDATE groups SET root_private_key = ?, member_private_key = ? WHERE group_id = ?", [rootKey.raw.bytes.blob, memberKey.raw.bytes.blob, id])
    }

    /// Stores the keys of a group that this profile joins or relays.
    package func updateGroup(_ id: GroupID, rootKey: Ed25519.PublicKey, memberKey: Ed25519.PrivateKey) throws {
        try run(
            "UPDATE groups SET root_public_key = ?, member_private_key = ? WHERE group_id = ?", [rootKey.raw.blob, memberKey.raw.bytes.blob, id])
    }

    /// Stores the key of this profile in a group that it is going to join.
    package func updateGroup(_ id: GroupID, memberKey: Ed25519.PrivateKey) throws {
        try run("UPDATE groups SET member_private_key = ? WHERE group_id = ?", [memberKey.raw.bytes.blob, id])
    }

    /// The key of this profile in a group; nil if there is none.
    package func memberKey(group id: GroupID) throws -> Ed25519.PrivateKey? {
        let stored = try first("SELECT member_private_key FROM groups WHERE group_id = ?", [id]) { $0.optionalBytes() } ?? nil
        return stored.flatMap { try? Ed25519.PrivateKey(raw: $0) }
    }

    package func updateGroup(_ id: GroupID, isBeingCreated: Bool) throws {
        try run("UPDATE groups SET creating = ? WHERE group_id = ?", [isBeingCreated, id])
    }

    /// The groups whose making was broken off by the end of a process.
    package func groupsBeingCreated() throws -> [(GroupID, UserID)] {
        try all("SELECT group_id, user_id FROM groups WHERE creating = 1") { ($0.id(), $0.id()) }
    }

    package func updateGroup(_ id: GroupID, publicMemberCount: Int64) throws {
        try run("UPDATE groups SET public_member_count = ? WHERE group_id = ?", [publicMemberCount, id])
    }

    /// Counts the members of a group whose relays are not among them.
    package func updatePublicMemberCount(group id: GroupID) throws {
        try run(
            """
            UPDATE groups SET public_member_count = max(0, current_members - (
                SELECT count(*) FROM group_members m WHERE m.group_id = groups.group_id AND m.role = 'relay'
                    AND m.status IN \(GroupTables.currentStatuses))) WHERE group_id = ?
            """, [id])
    }

    package func updateGroup(_ id: GroupID, relayOwnStatus: RelayStatus) throws {
        try run("UPDATE groups SET relay_own_status = ? WHERE group_id = ?", [relayOwnStatus.rawValue, id])
    }

    /// The number of channels that a profile relays for, or has made a link for subscribers of: each has a queue.
    package func servedChannels(user: UserID) throws -> Int {
        Int(
            try number(
                """
                SELECT count(*) FROM groups g JOIN group_members m ON m.group_id = g.group_id AND m.category = 'user'
                WHERE g.user_id = ? AND (g.relay_own_status IN ('accepted', 'active')
                    OR (g.relay_own_status = 'invited' AND EXISTS (SELECT 1 FROM group_links l WHERE l.group_id = g.group_id)))
                    AND m.status IN \(GroupTables.currentStatuses)
                """, [user]) ?? 0)
    }

    // MARK: Links

    /// Notes that what the link of a group shows has changed.
    package func changeLink(of id: GroupID) throws {
        try run("UPDATE groups SET link_revision = link_revision + 1 WHERE group_id = ?", [id])
    }

    /// The number of the last change of what a link shows, and of the last that it shows already.
    package func linkRevisions(of id: GroupID) throws -> (current: Int64, published: Int64) {
        try first("SELECT link_revision, published_revision FROM groups WHERE group_id = ?", [id]) { ($0.int(), $0.int()) } ?? (0, 0)
    }

    package func updateGroup(_ id: GroupID, publishedRevision: Int64) throws {
        try run("UPDATE groups SET published_revision = max(published_revision, ?) WHERE group_id = ?", [publishedRevision, id])
    }

    // MARK: Members

    /// The members that are relays.
    package func relayMembers(of group: GroupID) throws -> [GroupMember] {
        try members(of: group, roles: "'relay'")
    }

    /// The number of relays that this profile is connected to.
    package func connectedRelays(of group: GroupID) throws -> Int {
        Int(
            try number(
                "SELECT count(*) FROM group_members WHERE group_id = ? AND role = 'relay' AND category <> 'user' AND status = 'connected'", [group]) ?? 0)
    }

    package func relayMember(link: String, group: GroupID) throws -> GroupMember? {
        let id = try number("SELECT group_member_id FROM group_members WHERE group_id = ? AND relay_link = ?", [group, link])
        return try id.flatMap { try member(GroupMemberID($0)) }
    }

    package func updateMember(_ id: GroupMemberID, publicKey: Ed25519.PublicKey) throws {
        try run("UPDATE group_members SET public_key = ? WHERE group_member_id = ?", [publicKey.raw.blob, id])
    }

    /// Stores what the link of a relay tells about it.
    package func updateMember(_ id: GroupMemberID, memberID: MemberID, publicKey: Ed25519.PublicKey) throws {
        try run(
            "UPDATE group_members SET member_id = ?, public_key = ? WHERE group_member_id = ?", [memberID.bytes.blob, publicKey.raw.blob, id])
    }

    package func updateMember(_ id: GroupMemberID, relayLink: String) throws {
        try run("UPDATE group_members SET relay_link = ? WHERE group_member_id = ?", [relayLink, id])
    }

    // MARK: Relays of an owner

    package func insertRelay(_ relay: UserChatRelay, member: GroupMemberID, group: GroupID, at time: UTCTimestamp) throws -> GroupRelayID {
        try insert(
            """
            INSERT INTO group_relays (group_id, group_member_id, relay_json, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
            """, [group, member, relay.json.text, RelayStatus.new.rawValue, time.stored, time.stored])
    }

    private static let relaySelection = "SELECT group_relay_id, group_member_id, relay_json, status, relay_link FROM group_relays"

    private static func relay(_ row: inout RowReader) throws -> GroupRelay {
        let id = row.id(GroupRelayID.self), member = row.id(GroupMemberID.self)
        let relay = try UserChatRelay(parsing: row.text())
        return GroupRelay(
            groupRelayID: id, groupMemberID: member, userChatRelay: relay, status: RelayStatus(rawValue: row.text()), relayLink: row.optionalText())
    }

    /// The relays of a group, in the order in which they were added.
    package func relays(of group: GroupID) throws -> [GroupRelay] {
        try all(Self.relaySelection + " WHERE group_id = ? ORDER BY group_relay_id", [group], Self.relay)
    }

    package func relay(member: GroupMemberID) throws -> GroupRelay? {
        try first(Self.relaySelection + " WHERE group_member_id = ?", [member], Self.relay)
    }

    package func updateRelay(member: GroupMemberID, status: RelayStatus, at time: UTCTimestamp) throws {
        try run("UPDATE group_relays SET status = ?, updated_at = ? WHERE group_member_id = ?", [status.rawValue, time.stored, member])
    }

    /// Forgets a relay that serves a group no longer.
    package func deleteRelay(member: GroupMemberID) throws { try run("DELETE FROM group_relays WHERE group_member_id = ?", [member]) }

    /// Stores how a relay has answered its invitation.
    package func updateRelay(member: GroupMemberID, link: String, confirmation: Bytes, at time: UTCTimestamp) throws {
        try run(
            "UPDATE group_relays SET relay_link = ?, confirmation_id = ?, updated_at = ? WHERE group_member_id = ?",
            [link, confirmation.blob, time.stored, member])
        try updateMember(member, relayLink: link)
    }

    /// The confirmation by which the connection with a relay goes on.
    package func relayConfirmation(member: GroupMemberID) throws -> Bytes? {
        try first("SELECT confirmation_id FROM group_relays WHERE group_member_id = ?", [member]) { $0.optionalBytes() } ?? nil
    }

    // MARK: Invitations to relay

    package func updateGroup(_ id: GroupID, relayInvitation: Bytes, link: String) throws {
        try run(
            "UPDATE groups SET relay_request_invitation = ?, relay_request_link = ? WHERE group_id = ?", [relayInvitation.blob, link, id])
    }

    /// True if an invitation to relay has made a group.
    package func hasGroup(relayInvitation: Bytes) throws -> Bool {
        try number("SELECT 1 FROM groups WHERE relay_request_invitation = ? LIMIT 1", [relayInvitation.blob]) != nil
    }

    /// The invitation to relay by which a group was made.
    package func relayInvitation(of id: GroupID) throws -> (invitation: Bytes, link: String)? {
        let found = try first("SELECT relay_request_invitation, relay_request_link FROM groups WHERE group_id = ?", [id]) {
            ($0.optionalBytes(), $0.optionalText())
        }
        guard let invitation = found?.0, let link = found?.1 else { return nil }
        return (invitation, link)
    }

    /// Notes why an invitation to relay is given up.
    package func updateGroup(_ id: GroupID, relayRequestError: String) throws {
        try run("UPDATE groups SET relay_request_error = ? WHERE group_id = ?", [relayRequestError, id])
    }

    // MARK: Tests of relays

    package func insertRelayTest(_ connection: Bytes, user: UserID, at time: UTCTimestamp) throws {
        try run(
            "INSERT OR IGNORE INTO relay_tests (agent_connection_id, user_id, created_at) VALUES (?, ?, ?)", [connection.blob, user, time.stored])
    }

    /// True for the connection of a test of a relay.
    package func isRelayTest(_ connection: Bytes) throws -> Bool {
        try number("SELECT 1 FROM relay_tests WHERE agent_connection_id = ?", [connection.blob]) != nil
    }

    package func deleteRelayTest(_ connection: Bytes) throws {
        try run("DELETE FROM relay_tests WHERE agent_connection_id = ?", [connection.blob])
    }

    /// The connections of tests that were begun before a time: nobody waits for them any more.
    package func relayTests(before time: UTCTimestamp, limit: Int) throws -> [(connection: Bytes, user: UserID)] {
        try all("SELECT agent_connection_id, user_id FROM relay_tests WHERE created_at < ? LIMIT ?", [time.stored, limit]) { ($0.bytes(), $0.id()) }
    }

    /// A relay that a profile can use.
    package func chatRelay(_ id: UserChatRelayID, user: UserID) throws -> UserChatRelay? {
        try chatRelays(ofUser: user).first { $0.chatRelayID == id }
    }

    /// The profile that relays for others; there is at most one.
    package func relayUser() throws -> User? { try users().first(where: \.isChatRelay) }
}
