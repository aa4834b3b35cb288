package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB
package import SMPWire

/// A roster as a relay gives it to subscribers: as it came from the owner.
package struct StoredRoster: Sendable, Hashable {
    package var version: RosterVersion
    /// The owner who has signed it.
    package var author: MemberID
    package var authorName: String
    package var messageID: SharedMessageID
    /// The signed message.
    package var element: Bytes
    package var list: Bytes
    package var sentAt: UTCTimestamp

    package init(
        version: RosterVersion, author: MemberID, authorName: String, messageID: SharedMessageID, element: Bytes, list: Bytes, sentAt: UTCTimestamp
    ) {
        self.version = version
        self.author = author
        self.authorName = authorName
        self.messageID = messageID
        self.element = element
        self.list = list
        self.sentAt = sentAt
    }
}

/// A roster whose list is still coming.
package struct RosterTransfer: Sendable, Hashable {
    /// The member over whose connection it comes.
    package var source: GroupMemberID
    /// The owner who has signed it.
    package var author: GroupMemberID
    package var messageID: SharedMessageID
    package var version: RosterVersion
    package var list: InlineFileInvitation
    /// The signed message.
    package var element: Bytes
    package var sentAt: UTCTimestamp
    /// The part of the list that has come.
    package var content: Bytes = []

    package init(
        source: GroupMemberID, author: GroupMemberID, messageID: SharedMessageID, version: RosterVersion, list: InlineFileInvitation, element: Bytes,
        sentAt: UTCTimestamp, content: Bytes = []
    ) {
        self.source = source
        self.author = author
        self.messageID = messageID
        self.version = version
        self.list = list
        self.element = element
        self.sentAt = sentAt
        self.content = content
    }
}

/// Rosters of channels: their versions, and what relays and subscribers have of them.
package struct RosterTable {
    let db: Database

    // MARK: Versions

    package func state(of group: GroupID) throws -> RosterState {
        try db.first("SELECT roster_version, roster_complete_version FROM groups WHERE group_id = ?", [group]) { row in
            RosterState(version: Self.version(row.optionalInt()), complete: Self.version(row.optionalInt()))
        } ?? RosterState()
    }

    package func update(_ state: RosterState, of group: GroupID) throws {
        try db.run(
            "UPDATE groups SET roster_version = ?, roster_complete_version = ? WHERE group_id = ?",
            [state.version?.rawValue, state.complete?.rawValue, group])
    }

    static func version(_ stored: Int64?) -> RosterVersion? { stored.flatMap { RosterVersion(rawValue: $0) } }

    /// The channels of owners that have no roster yet.
    package func ownedWithoutRoster() throws -> [(group: GroupID, user: UserID)] {
        try db.all(
            """
            SELECT g.group_id, g.user_id FROM groups g JOIN group_members m ON m.group_id = g.group_id AND m.category = 'user'
            WHERE g.use_relays = 1 AND g.creating = 0 AND g.roster_version IS NULL AND m.role = 'owner'
            """
        ) { ($0.id(), $0.id()) }
    }

    /// The channels of which profiles are subscribers and know no roster.
    package func subscribedWithoutRoster() throws -> [(group: GroupID, user: UserID)] {
        try db.all(
            """
            SELECT g.group_id, g.user_id FROM groups g JOIN group_members m ON m.group_id = g.group_id AND m.category = 'user'
            WHERE g.use_relays = 1 AND g.roster_version IS NULL AND m.role NOT IN ('owner', 'relay') AND EXISTS (
                SELECT 1 FROM group_members r WHERE r.group_id = g.group_id AND r.role = 'relay' AND r.status = 'connected'
                    AND r.roster_served_version IS NULL)
            """
        ) { ($0.id(), $0.id()) }
    }

    /// The newest version that a member was given, or asked about.
    package func servedVersion(to member: GroupMemberID) throws -> RosterVersion? {
        Self.version(try db.number("SELECT roster_served_version FROM group_members WHERE group_member_id = ?", [member]))
    }

    package func update(servedVersion: RosterVersion, to member: GroupMemberID) throws {
        try db.run("UPDATE group_members SET roster_served_version = ? WHERE group_member_id = ?", [servedVersion.rawValue, member])
    }

    // MARK: As a relay

    package func stored(of group: GroupID) throws -> StoredRoster? {
        try db.first(
            "SELECT version, author_id, author_name, message_id, element, list, sent_at FROM stored_rosters WHERE group_id = ?", [group]
        ) { row -> StoredRoster? in
            guard let version = Self.version(row.int()) else { return nil }
            return StoredRoster(
                version: version, author: MemberID(row.bytes()), authorName: row.text(), messageID: SharedMessageID(row.bytes()), element: row.bytes(),
                list: row.bytes(), sentAt: UTCTimestamp(stored: row.int()))
        } ?? nil
    }

    /// The version of the roster that a relay has, without reading the roster.
    package func storedVersion(of group: GroupID) throws -> RosterVersion? {
        Self.version(try db.number("SELECT version FROM stored_rosters WHERE group_id = ?", [group]))
    }

    package func store(_ roster: StoredRoster, of group: GroupID) throws {
        try db.run(
            """
            INSERT OR REPLACE INTO stored_rosters (group_id, version, author_id, author_name, message_id, element, list, sent_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                group, roster.version.rawValue, roster.author.bytes.blob, roster.authorName, roster.messageID.bytes.blob, roster.element.blob,
                roster.list.blob, roster.sentAt.stored,
            ])
    }

    // MARK: Transfers

    package func transfer(from source: GroupMemberID) throws -> RosterTransfer? {
        try db.first(
            "SELECT author_id, message_id, version, size, digest, element, sent_at, content FROM roster_transfers WHERE source_id = ?", [source]
        ) { row -> RosterTransfer? in
            let author = row.id(GroupMemberID.self), message = SharedMessageID(row.bytes())
            guard let version = Self.version(row.int()) else { return nil }
            return RosterTransfer(
                source: source, author: author, messageID: message, version: version,
                list: InlineFileInvitation(size: row.int(), digest: Base64URLBytes(row.bytes())), element: row.bytes(),
                sentAt: UTCTimestamp(stored: row.int()), content: row.bytes())
        } ?? nil
    }

    /// Begins a transfer in the place of another one over the same connection.
    package func insert(_ transfer: RosterTransfer) throws {
        try db.run(
            """
            INSERT OR REPLACE INTO roster_transfers (source_id, author_id, message_id, version, size, digest, element, sent_at, content)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                transfer.source, transfer.author, transfer.messageID.bytes.blob, transfer.version.rawValue, transfer.list.size,
                transfer.list.digest.bytes.blob, transfer.element.blob, transfer.sentAt.stored, transfer.content.blob,
            ])
    }

    package func update(transferFrom source: GroupMemberID, content: Bytes) throws {
        try db.run("UPDATE roster_transfers SET content = ? WHERE source_id = ?", [content.blob, source])
    }

    package func deleteTransfer(from source: GroupMemberID) throws {
        try db.run("DELETE FROM roster_transfers WHERE source_id = ?", [source])
    }
}
