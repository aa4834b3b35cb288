import ChatAPI
import ChatProtocol
import EncryptedSQLite
import GRDB
import SMPWire

// How long messages are kept. The time set for a chat wins over the one of its profile; 0 in a chat keeps its messages for ever. As in
// official cores it counts from when an item was stored, banners stay, and nobody is told of the deletion.

/// Bounds of retention.
enum Retention {
    /// Seconds between two runs over all chats.
    static let period: Int64 = 1_800
    /// Items deleted in one transaction at most.
    static let largestBatch = 500
}

extension TransactionRunner {
    /// Deletes the messages of chats that are older than they are to be kept, in batches.
    ///
    /// - Parameters:
    ///   - user: one profile; nil for all.
    ///   - contact: one of its chats; nil for all.
    func applyRetention(user: UserID? = nil, contact: ContactID? = nil) async throws(ChatCoreError) {
        let now = clock.steady
        let chats = try await query { try $0.db.contactsWithRetention(user: user, contact: contact) }
        for chat in chats {
            while try await transaction({ try $0.db.deleteItems(ofContact: chat, keptUntil: now, limit: Retention.largestBatch) })
                == Retention.largestBatch
            {
                if Task.isCancelled { return }
            }
        }
    }
}

extension Database {
    /// Seconds for which the messages of a contact's chat are kept.
    private static let retention = "coalesce(contacts.item_ttl, users.item_ttl)"

    /// Contacts whose messages are kept for a time only.
    func contactsWithRetention(user: UserID? = nil, contact: ContactID? = nil) throws -> [ContactID] {
        try all(
            """
            SELECT contact_id FROM contacts JOIN users ON users.user_id = contacts.user_id
            WHERE \(Self.retention) > 0 AND (?1 IS NULL OR contacts.user_id = ?1) AND (?2 IS NULL OR contact_id = ?2) ORDER BY contact_id
            """, [user, contact]
        ) { $0.id() }
    }

    /// Deletes a contact's oldest items whose time is over, as it is set now.
    ///
    /// - Returns: the number of deleted items, at most `limit`.
    func deleteItems(ofContact contact: ContactID, keptUntil now: UTCTimestamp, limit: Int) throws -> Int {
        let seconds = try number(
            "SELECT \(Self.retention) FROM contacts JOIN users ON users.user_id = contacts.user_id WHERE contact_id = ?", [contact])
        guard let seconds, seconds > 0 else { return 0 }
        let limitTime = now.adding(seconds: -seconds).stored
        let items = try all(
            """
            SELECT chat_item_id FROM chat_items WHERE contact_id = ? AND created_at <= ? AND content_kind <> 'chatBanner'
            ORDER BY created_at LIMIT ?
            """, [contact, limitTime, limit]
        ) { $0.int() }
        for item in items { try run("DELETE FROM chat_items WHERE chat_item_id = ?", [item]) }
        // Reactions come after their messages: what is older than the limit belongs to none that is left.
        if items.count < limit { try run("DELETE FROM reactions WHERE contact_id = ? AND created_at <= ?", [contact, limitTime]) }
        return items.count
    }
}
