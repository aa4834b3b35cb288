package import ChatAPI
package import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire

/// Introductions of authors by a relay: which members know them.
package struct IntroductionTable {
    let db: Database

    /// The members among some, by their indexes, to whom a member was introduced.
    package func introductions(of member: GroupMemberID, to indexes: [Int64]) throws -> IntroducedMembers {
        var pages: [Int64: Bytes] = [:]
        for page in IntroducedMembers.pageNumbers(of: indexes) {
            pages[page] = try db.first("SELECT bits FROM introduced_members WHERE group_member_id = ? AND page = ?", [member, page]) { $0.bytes() }
        }
        return IntroducedMembers(pages)
    }

    /// Stores the pages that have changed. A member that is gone meanwhile has none.
    package func update(_ introduced: IntroducedMembers, of member: GroupMemberID) throws {
        for page in introduced.changed.sorted() {
            try db.run(
                """
                INSERT OR REPLACE INTO introduced_members (group_member_id, page, bits)
                SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM group_members WHERE group_member_id = ?1)
                """, [member, page, introduced.bits(ofPage: page).blob])
        }
    }
}
