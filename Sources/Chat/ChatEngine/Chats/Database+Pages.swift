import ChatAPI
import ChatProtocol
import EncryptedSQLite
import GRDB

// Pages of items, and the list of chats.

/// What limits the items of a page.
struct ItemFilter: Sendable, Hashable {
    /// Text that the item has, in any case.
    var search: String?
    /// The kind of message; `link` for messages with a link of any kind.
    var messageKind: String?

    fileprivate func condition(_ arguments: inout StatementArguments) -> String {
        var conditions = ""
        if let search, !search.isEmpty {
            conditions += " AND instr(folded(i.item_text), ?) > 0"
            arguments += [search.lowercased()]
        }
        if let messageKind {
            if messageKind == "link" {
                conditions += " AND i.has_link = 1"
            } else {
                conditions += " AND i.message_kind = ?"
                arguments += [messageKind]
            }
        }
        return conditions
    }
}

/// Whose items a page is of.
enum ItemScope: Sendable, Hashable {
    case chat(ItemOwner)
    case user(UserID)

    fileprivate var column: (name: String, id: Int64) {
        switch self {
        case .chat(let owner): owner.column
        case .user(let id): ("user_id", id.rawValue)
        }
    }
}

extension Database {
    /// Items or chats that a page has at most, whatever number was asked for: they are in memory together, several times over.
    static let largestPage = 10_000

    private static func bounded(_ count: Int) -> Int { min(max(count, 0), largestPage) }

    /// The items of a page, oldest first, and for pages that do not end at the newest item what comes after.
    ///
    /// - Returns: nil if the item that the page is relative to is not there.
    func items(
        _ page: ChatPagination, in scope: ItemScope, filter: ItemFilter = ItemFilter(), at now: UTCTimestamp
    ) throws -> (items: [StoredItem], navigation: NavigationInfo?)? {
        let count = Self.bounded(page.count)
        switch page {
        case .last:
            return (try items(in: scope, filter, " ORDER BY i.chat_item_id DESC LIMIT ?", [count], now).reversed(), nil)
        case .after(let id, _):
            guard try hasItem(id, scope) else { return nil }
            return (try items(in: scope, filter, " AND i.chat_item_id > ? ORDER BY i.chat_item_id LIMIT ?", [id, count], now), nil)
        case .before(let id, _):
            guard try hasItem(id, scope) else { return nil }
            return (try itemsBefore(id, count, scope, filter, now), nil)
        case .around(let id, _):
            guard try hasItem(id, scope) else { return nil }
            return try itemsAround(id, count, scope, filter, now)
        case .initial:
            if let unread = try firstUnread(scope) { return try itemsAround(unread, count, scope, filter, now) }
            let last = try items(in: scope, filter, " ORDER BY i.chat_item_id DESC LIMIT ?", [count], now)
            return (last.reversed(), NavigationInfo())
        }
    }

    private func items(
        in scope: ItemScope, _ filter: ItemFilter, _ tail: String, _ more: StatementArguments, _ now: UTCTimestamp
    ) throws -> [StoredItem] {
        let (column, id) = scope.column
        var arguments: StatementArguments = [id]
        let condition = filter.condition(&arguments)
        return try all(Self.itemSelection + " WHERE i.\(column) = ?" + condition + tail, arguments + more) {
            try Self.item(&$0, at: now)
        }
    }

    private func itemsBefore(
        _ id: ChatItemID, _ count: Int, _ scope: ItemScope, _ filter: ItemFilter, _ now: UTCTimestamp
    ) throws -> [StoredItem] {
        try items(in: scope, filter, " AND i.chat_item_id < ? ORDER BY i.chat_item_id DESC LIMIT ?", [id, count], now).reversed()
    }

    private func itemsAround(
        _ id: ChatItemID, _ count: Int, _ scope: ItemScope, _ filter: ItemFilter, _ now: UTCTimestamp
    ) throws -> (items: [StoredItem], navigation: NavigationInfo?) {
        let before = try itemsBefore(id, count, scope, filter, now)
        let from = try items(in: scope, filter, " AND i.chat_item_id >= ? ORDER BY i.chat_item_id LIMIT ?", [id, count + 1], now)
        let last = from.last?.id ?? id
        let (column, scopeID) = scope.column
        let total = try number("SELECT count(*) FROM chat_items WHERE \(column) = ? AND chat_item_id > ?", [scopeID, last])
        let unread = try number(
            "SELECT count(*) FROM chat_items WHERE \(column) = ? AND status = 'rcvNew' AND chat_item_id > ?", [scopeID, last])
        return (before + from, NavigationInfo(afterUnread: Int(unread ?? 0), afterTotal: Int(total ?? 0)))
    }

    private func hasItem(_ id: ChatItemID, _ scope: ItemScope) throws -> Bool {
        let (column, scopeID) = scope.column
        return try number("SELECT 1 FROM chat_items WHERE chat_item_id = ? AND \(column) = ?", [id, scopeID]) != nil
    }

    private func firstUnread(_ scope: ItemScope) throws -> ChatItemID? {
        let (column, id) = scope.column
        return try firstID("SELECT min(chat_item_id) FROM chat_items WHERE \(column) = ? AND status = 'rcvNew'", [id])
    }

    /// The item that so many others follow, or the oldest if there are not as many.
    func itemID(behind newer: Int, in scope: ItemScope) throws -> ChatItemID? {
        let (column, id) = scope.column
        return try firstID("SELECT chat_item_id FROM chat_items WHERE \(column) = ? ORDER BY chat_item_id DESC LIMIT 1 OFFSET ?", [id, max(0, newer)])
            ?? firstID("SELECT min(chat_item_id) FROM chat_items WHERE \(column) = ?", [id])
    }

    /// The newest item of a chat.
    func lastItem(owner: ItemOwner, at now: UTCTimestamp) throws -> StoredItem? {
        let (column, id) = owner.column
        return try first(
            Self.itemSelection + " WHERE i.\(column) = ? ORDER BY i.chat_item_id DESC LIMIT 1", [id]
        ) { try Self.item(&$0, at: now) }
    }

    /// The kinds of messages in a chat, sorted.
    func messageKinds(owner: ItemOwner) throws -> [String] {
        let (column, id) = owner.column
        return try all(
            "SELECT DISTINCT message_kind FROM chat_items WHERE \(column) = ? AND message_kind IS NOT NULL ORDER BY message_kind", [id]
        ) { $0.text() }
    }
}

// MARK: The list of chats

/// A chat of the list, before its details are read.
struct ChatListEntry: Sendable, Hashable {
    enum Kind: Int64, Sendable { case contact = 1, notes = 2, connection = 3 }
    var kind: Kind
    var id: Int64
    var time: UTCTimestamp
}

extension Database {
    /// The chats of a profile, the most recently active first.
    func chatList(
        user: UserID, page: TimePagination, filter: ChatListQuery, withConnections: Bool
    ) throws -> [ChatListEntry] {
        var arguments: StatementArguments = []
        var parts: [String] = []
        let contacts =
            "SELECT 1, c.contact_id, c.chat_ts AS ts FROM contacts c JOIN profiles p ON p.profile_id = c.profile_id"
            + " WHERE c.user_id = ? AND c.is_user = 0 AND c.contact_used = 1"
        let unread = "(c.unread_chat = 1 OR EXISTS (SELECT 1 FROM chat_items i WHERE i.contact_id = c.contact_id AND i.status = 'rcvNew'))"
        switch filter {
        case .search(let text) where !text.isEmpty:
            parts.append(
                contacts + """
                     AND instr(folded(c.local_display_name || char(10) || p.display_name || char(10)
                        || coalesce(json_extract(p.profile_json, '$.fullName'), '') || char(10) || p.local_alias), ?) > 0
                    """)
            arguments += [user, text.lowercased()]
        case .search, .filters(favorite: false, unread: false):
            parts.append(contacts)
            parts.append("SELECT 2, note_folder_id, chat_ts FROM note_folders WHERE user_id = ?")
            arguments += [user, user]
        case .filters(let favorite, let isUnread):
            var conditions: [String] = []
            if favorite { conditions.append("c.favorite = 1") }
            if isUnread { conditions.append(unread) }
            parts.append(contacts + " AND (" + conditions.joined(separator: " OR ") + ")")
            arguments += [user]
        }
        if withConnections, case .filters(favorite: false, unread: false) = filter {
            parts.append(
                "SELECT 3, connection_id, updated_at FROM connections WHERE user_id = ? AND kind = 'contact' AND contact_id IS NULL")
            arguments += [user]
        }
        var sql = "SELECT * FROM (" + parts.joined(separator: " UNION ALL ") + ")"
        switch page {
        case .last(let count):
            sql += " ORDER BY ts DESC, 2 DESC LIMIT ?"
            arguments += [Self.bounded(count)]
        case .after(let time, let count):
            sql += " WHERE ts > ? ORDER BY ts, 2 LIMIT ?"
            arguments += [time.stored, Self.bounded(count)]
        case .before(let time, let count):
            sql += " WHERE ts < ? ORDER BY ts DESC, 2 DESC LIMIT ?"
            arguments += [time.stored, Self.bounded(count)]
        }
        let entries = try all(sql, arguments) { row in
            ChatListEntry(
                kind: ChatListEntry.Kind(rawValue: row.int()) ?? .contact, id: row.int(), time: UTCTimestamp(stored: row.int()))
        }
        return entries.sorted { ($1.time, $1.id) < ($0.time, $0.id) }
    }
}
