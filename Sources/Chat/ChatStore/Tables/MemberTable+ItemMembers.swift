package import ChatAPI
import ChatProtocol
package import ChatRules
package import EncryptedSQLite
import GRDB
import SMPWire

extension GroupItemDetails {
    /// Reads the columns behind `group_id`.
    package init(_ row: inout RowReader) throws {
        self.init()
        memberID = row.optionalInt().map { GroupMemberID($0) }
        let kind = row.optionalText()
        let scopeMember = row.optionalInt().map { GroupMemberID($0) }
        scope = kind == nil ? nil : .memberSupport(scopeMember)
        isAsGroup = row.flag()
        forwardedBy = row.optionalInt().map { GroupMemberID($0) }
        deletedBy = row.optionalInt().map { GroupMemberID($0) }
        quotedMember = MemberID(stored: row.optionalBytes())
        mentions = try row.optionalText().map { try MessageMentions(json: JSONValue(parsing: $0)).members } ?? [:]
        verification = MessageVerification(storedText: row.optionalText())
        parent = row.optionalID()
        commentsTotal = Int(row.int())
        commentsDisabled = row.flag()
    }
}

extension MemberTable {
    /// The members that items of groups name: authors, moderators, those who are quoted and mentioned.
    ///
    /// - Parameter known: A member who need not be read.
    package func members(of records: [ItemRecord], known: GroupMember? = nil) throws -> ItemMembers {
        var found = ItemMembers()
        if let known { found.add(known) }
        for record in records {
            guard let group = record.owner.groupID else { continue }
            for id in [record.group.memberID, record.group.deletedBy].compactMap(\.self) where found.byID[id] == nil {
                if let member = try find(id) { found.add(member) }
            }
            for id in [record.quote?.memberID].compactMap(\.self) + Array(record.group.mentions.values) where found.byMemberID[id] == nil {
                if let member = try find(id, group: group) { found.add(member) }
            }
        }
        return found
    }
}
