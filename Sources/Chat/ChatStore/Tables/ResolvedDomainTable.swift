package import ChatAPI
import EncryptedSQLite
import GRDB

/// The results of resolving the domains of contacts and groups: whether they lead there.
package struct ResolvedDomainTable {
    let db: Database

    package func set(_ domain: String, of contact: ContactID, isVerified: Bool = true) throws {
        try db.run("UPDATE contacts SET resolved_domain = ?, domain_verified = ? WHERE contact_id = ?", [domain, isVerified, contact])
    }

    /// Stores it for a channel or business chat.
    package func set(_ domain: String, of group: GroupID, isVerified: Bool = true) throws {
        try db.run("UPDATE groups SET resolved_domain = ?, domain_verified = ? WHERE group_id = ?", [domain, isVerified, group])
    }
}
