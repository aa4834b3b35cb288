import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import EncryptedSQLite
import GRDB
import SMPWire

// How long messages are kept. The time set for a chat wins over the one of its profile; 0 in a chat keeps its messages for ever. As in
// official cores it counts from when an item was stored, banners stay, and no event reports the deletion.

/// Bounds of retention.
enum Retention {
    /// Seconds between two runs over all chats.
    static let period: Int64 = 1_800
    /// Items deleted in one transaction at most.
    static let largestBatch = 500
}

/// The messages that a run of retention looks at.
enum RetentionTarget: Sendable {
    case all
    case user(UserID)
    case contact(ContactID)
    case group(GroupID)

    fileprivate var userID: UserID? { if case .user(let id) = self { id } else { nil } }
}

extension TransactionRunner {
    /// Deletes the messages of chats that are older than they are to be kept, in batches.
    func applyRetention(to target: RetentionTarget = .all) async throws(ChatCoreError) {
        let now = clock.steady
        let chats = try await query { transaction in
            switch target {
            case .contact(let id): [ItemOwner.contact(id)]
            case .group(let id): [ItemOwner.group(id)]
            case .all, .user: try transaction.db.items.chatsWithRetention(user: target.userID)
            }
        }
        for chat in chats {
            while try await transaction({ transaction in
                let count = try transaction.db.items.deleteAll(of: chat, keptUntil: now, limit: Retention.largestBatch)
                if count > 0 { transaction.effects.removesFiles = true }
                return count
            }) == Retention.largestBatch {
                if Task.isCancelled { return }
            }
        }
    }
}
