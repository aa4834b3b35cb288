package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire

/// Links by which people join groups.
package struct GroupLinkTable {
    let db: Database

    // MARK: Links

    private static let selection =
        "SELECT group_link_id, full_link, short_link, short_link_data_set, link_id, member_role, admission_json FROM group_links"

    private static func link(_ row: inout RowReader) throws -> GroupLink {
        let id = row.id(UserContactLinkID.self)
        let link = CreatedConnectionLink(fullLink: row.text(), shortLink: row.optionalText())
        let hasData = row.flag()
        return GroupLink(
            userContactLinkID: id, connectionLink: link, shortLinkDataSet: hasData, shortLinkLargeDataSet: hasData,
            groupLinkID: GroupLinkID(row.bytes()), acceptMemberRole: GroupMemberRole(code: row.text()),
            joinerAdmission: try row.optionalText().map { try JoinerAdmission(parsing: $0) })
    }

    package func find(group: GroupID) throws -> GroupLink? { try db.first(Self.selection + " WHERE group_id = ?", [group], Self.link) }

    package func find(_ id: UserContactLinkID) throws -> GroupLink? { try db.first(Self.selection + " WHERE group_link_id = ?", [id], Self.link) }

    package func insert(
        group: GroupID, user: UserID, link: FullLink, id: GroupLinkID, role: GroupMemberRole, hasData: Bool, at time: UTCTimestamp
    ) throws -> UserContactLinkID {
        UserContactLinkID(
            try db.insert(
                """
                INSERT INTO group_links (user_id, group_id, link_id, member_role, full_link, full_link_key, short_link, short_link_data_set, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    user, group, id.bytes.blob, role.code, link.created.fullLink, link.key, link.created.shortLink, hasData, time.stored,
                ]))
    }

    package func update(group: GroupID, admission: JoinerAdmission?) throws {
        try db.run("UPDATE group_links SET admission_json = ? WHERE group_id = ?", [admission?.jsonText, group])
    }

    package func update(group: GroupID, role: GroupMemberRole) throws {
        try db.run("UPDATE group_links SET member_role = ? WHERE group_id = ?", [role.code, group])
    }

    package func update(group: GroupID, shortLink: String) throws {
        try db.run("UPDATE group_links SET short_link = ?, short_link_data_set = 1 WHERE group_id = ?", [shortLink, group])
    }

    package func delete(group: GroupID) throws { try db.run("DELETE FROM group_links WHERE group_id = ?", [group]) }
}
