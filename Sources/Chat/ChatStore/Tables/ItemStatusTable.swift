package import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import SystemSupport

extension GroupSendStatus {
    /// The word in the column, and the whole status where the word is not enough.
    fileprivate var stored: (word: String, json: String?) {
        switch self {
        case .new: ("new", nil)
        case .forwarded: ("forwarded", nil)
        case .inactive: ("inactive", nil)
        case .sent: ("sent", nil)
        case .received(let receipt): ("received", receipt == .ok ? nil : jsonText)
        default: ("other", jsonText)
        }
    }

    fileprivate init(stored word: String, json: String?) throws(JSONError) {
        if let json {
            try self.init(parsing: json)
            return
        }
        switch word {
        case "new": self = .new
        case "forwarded": self = .forwarded
        case "inactive": self = .inactive
        case "sent": self = .sent
        case "received": self = .received(receipt: .ok)
        default: self = .invalid(text: word)
        }
    }
}

/// States of sent items at each member.
package struct ItemStatusTable {
    let db: Database

    // MARK: Statuses

    package func setStatus(_ status: GroupSendStatus, ofItem item: ChatItemID, at member: GroupMemberID) throws {
        let (word, json) = status.stored
        try db.run(
            """
            INSERT INTO group_item_statuses (chat_item_id, group_member_id, status, status_json) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (chat_item_id, group_member_id) DO UPDATE SET status = ?3, status_json = ?4
            """, [item, member, word, json])
    }

    package func setViaProxy(_ viaProxy: Bool, ofItem item: ChatItemID, at member: GroupMemberID) throws {
        try db.run("UPDATE group_item_statuses SET via_proxy = ? WHERE chat_item_id = ? AND group_member_id = ?", [viaProxy, item, member])
    }

    package func status(ofItem item: ChatItemID, at member: GroupMemberID) throws -> GroupSendStatus? {
        try db.first(
            "SELECT status, status_json FROM group_item_statuses WHERE chat_item_id = ? AND group_member_id = ?", [item, member]
        ) { try GroupSendStatus(stored: $0.text(), json: $0.optionalText()) }
    }

    /// The members by how far an item is at them.
    package func statusCounts(ofItem item: ChatItemID) throws -> [(status: GroupSendStatus, count: Int)] {
        try db.all(
            "SELECT status, status_json, count(*) FROM group_item_statuses WHERE chat_item_id = ? GROUP BY status, status_json", [item]
        ) { (try GroupSendStatus(stored: $0.text(), json: $0.optionalText()), Int($0.int())) }
    }

    package func statuses(ofItem item: ChatItemID) throws -> [MemberDeliveryStatus] {
        try db.all(
            """
            SELECT group_member_id, status, status_json, via_proxy FROM group_item_statuses WHERE chat_item_id = ? ORDER BY group_member_id
            """, [item]
        ) {
            let member = GroupMemberID($0.int())
            let status = try GroupSendStatus(stored: $0.text(), json: $0.optionalText())
            return MemberDeliveryStatus(groupMemberID: member, status: status, sentViaProxy: $0.optionalFlag())
        }
    }

    /// Records that a router has the message of an item for a member.
    ///
    /// - Returns: False if that was known, or the member has it.
    package func markSent(_ item: ChatItemID, at member: GroupMemberID, viaProxy: Bool) throws -> Bool {
        try db.run(
            """
            UPDATE group_item_statuses SET status = 'sent', status_json = NULL, via_proxy = ?
            WHERE chat_item_id = ? AND group_member_id = ? AND status NOT IN ('sent', 'received')
            """, [viaProxy, item, member])
        if db.changesCount > 0 { return true }
        try setViaProxy(viaProxy, ofItem: item, at: member)
        return false
    }
}
