package import ChatAPI
import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB
package import SMPCrypto
package import SMPWire

// Channels: their keys, their relays, and invitations to relay.

extension GroupTable {
    /// The columns that ``ChannelColumns`` reads.
    package static let channelColumns = """
        g.use_relays, g.relay_own_status, g.public_member_count, g.root_private_key, g.root_public_key, g.member_private_key,
        g.roster_version
        """

    // MARK: Groups

    /// Makes a group one that goes through relays.
    package func update(_ id: GroupID, usesRelays: Bool, ownStatus: RelayStatus?, publicMemberCount: Int64?) throws {
        try db.run(
            "UPDATE groups SET use_relays = ?, relay_own_status = ?, public_member_count = ? WHERE group_id = ?",
            [usesRelays, ownStatus?.rawValue, publicMemberCount, id])
    }

    /// Stores the keys of a group that this profile has made.
    package func update(_ id: GroupID, rootKey: Ed25519.PrivateKey, memberKey: Ed25519.PrivateKey) throws {
        try db.run(
            "UPDATE groups SET root_private_key = ?, member_private_key = ? WHERE group_id = ?", [rootKey.raw.bytes.blob, memberKey.raw.bytes.blob, id])
    }

    /// Stores the keys of a group that this profile joins or relays.
    package func update(_ id: GroupID, rootKey: Ed25519.PublicKey, memberKey: Ed25519.PrivateKey) throws {
        try db.run(
            "UPDATE groups SET root_public_key = ?, member_private_key = ? WHERE group_id = ?", [rootKey.raw.blob, memberKey.raw.bytes.blob, id])
    }

    /// Stores the key of this profile in a group that it is going to join.
    package func update(_ id: GroupID, memberKey: Ed25519.PrivateKey) throws {
        try db.run("UPDATE groups SET member_private_key = ? WHERE group_id = ?", [memberKey.raw.bytes.blob, id])
    }

    /// The key of this profile in a group; nil if there is none.
    package func memberKey(group id: GroupID) throws -> Ed25519.PrivateKey? {
        let stored = try db.first("SELECT member_private_key FROM groups WHERE group_id = ?", [id]) { $0.optionalBytes() } ?? nil
        return stored.flatMap { try? Ed25519.PrivateKey(raw: $0) }
    }

    package func update(_ id: GroupID, isBeingCreated: Bool) throws {
        try db.run("UPDATE groups SET creating = ? WHERE group_id = ?", [isBeingCreated, id])
    }

    /// The groups whose making was broken off by the end of a process.
    package func groupsBeingCreated() throws -> [(GroupID, UserID)] {
        try db.all("SELECT group_id, user_id FROM groups WHERE creating = 1") { ($0.id(), $0.id()) }
    }

    package func update(_ id: GroupID, publicMemberCount: Int64) throws {
        try db.run("UPDATE groups SET public_member_count = ? WHERE group_id = ?", [publicMemberCount, id])
    }

    /// Counts the members of a group whose relays are not among them.
    package func updatePublicMemberCount(group id: GroupID) throws {
        try db.run(
            """
            UPDATE groups SET public_member_count = max(0, current_members - (
                SELECT count(*) FROM group_members m WHERE m.group_id = groups.group_id AND m.role = 'relay'
                    AND m.status IN \(GroupTables.currentStatuses))) WHERE group_id = ?
            """, [id])
    }

    package func update(_ id: GroupID, relayOwnStatus: RelayStatus) throws {
        try db.run("UPDATE groups SET relay_own_status = ? WHERE group_id = ?", [relayOwnStatus.rawValue, id])
    }

    /// The number of channels that a profile relays for, or has made a link for subscribers of: each has a queue.
    package func servedChannels(user: UserID) throws -> Int {
        Int(
            try db.number(
                """
                SELECT count(*) FROM groups g JOIN group_members m ON m.group_id = g.group_id AND m.category = 'user'
                WHERE g.user_id = ? AND (g.relay_own_status IN ('accepted', 'acknowledgedRoster', 'active')
                    OR (g.relay_own_status = 'invited' AND EXISTS (SELECT 1 FROM group_links l WHERE l.group_id = g.group_id)))
                    AND m.status IN \(GroupTables.currentStatuses)
                """, [user]) ?? 0)
    }

    // MARK: Links

    /// Notes that what the link of a group shows has changed.
    package func changeLink(of id: GroupID) throws {
        try db.run("UPDATE groups SET link_revision = link_revision + 1 WHERE group_id = ?", [id])
    }

    /// The number of the last change of what a link shows, and of the last that it shows already.
    package func linkRevisions(of id: GroupID) throws -> (current: Int64, published: Int64) {
        try db.first("SELECT link_revision, published_revision FROM groups WHERE group_id = ?", [id]) { ($0.int(), $0.int()) } ?? (0, 0)
    }

    package func update(_ id: GroupID, publishedRevision: Int64) throws {
        try db.run("UPDATE groups SET published_revision = max(published_revision, ?) WHERE group_id = ?", [publishedRevision, id])
    }

    // MARK: Invitations to relay

    package func update(_ id: GroupID, relayInvitation: Bytes, link: String) throws {
        try db.run(
            "UPDATE groups SET relay_request_invitation = ?, relay_request_link = ? WHERE group_id = ?", [relayInvitation.blob, link, id])
    }

    /// True if an invitation to relay has made a group.
    package func hasGroup(relayInvitation: Bytes) throws -> Bool {
        try db.number("SELECT 1 FROM groups WHERE relay_request_invitation = ? LIMIT 1", [relayInvitation.blob]) != nil
    }

    /// The invitation to relay by which a group was made.
    package func relayInvitation(of id: GroupID) throws -> (invitation: Bytes, link: String)? {
        let found = try db.first("SELECT relay_request_invitation, relay_request_link FROM groups WHERE group_id = ?", [id]) {
            ($0.optionalBytes(), $0.optionalText())
        }
        guard let invitation = found?.0, let link = found?.1 else { return nil }
        return (invitation, link)
    }

    /// The reason why the channel of an invitation is not served; nil if it is, or if the invitation was given up for another reason.
    package func relayRefusal(of id: GroupID) throws -> RelayRefusal? {
        let reason = try db.first("SELECT relay_request_error FROM groups WHERE group_id = ?", [id]) { $0.optionalText() } ?? nil
        return reason.flatMap { RelayRefusal(rawValue: $0) }
    }

    /// Notes why an invitation to relay is given up.
    package func update(_ id: GroupID, relayRequestError: String) throws {
        try db.run("UPDATE groups SET relay_request_error = ? WHERE group_id = ?", [relayRequestError, id])
    }
}
