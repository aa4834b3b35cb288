package import ChatAPI
package import ChatProtocol
package import ChatRules
import EncryptedSQLite
import GRDB

// Pages of items, and the list of chats.

/// A filter for the items of a page.
package struct ItemFilter: Sendable, Hashable {
    /// Text that the item has, in any case.
    package var search: String?
    /// The kind of message; `link` for messages with a link of any kind.
    package var messageKind: String?

    package init(search: String? = nil, messageKind: String? = nil) {
        self.search = search
        self.messageKind = messageKind
    }

    fileprivate func condition(_ arguments: inout SQLArguments) -> String {
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

// MARK: The list of chats

/// A chat of the list, before its details are read.
package struct ChatListEntry: Sendable, Hashable {
    package enum Kind: Int64, Sendable { case contact = 1, notes = 2, connection = 3, group = 4 }
    package var kind: Kind
    package var id: Int64
    package var time: UTCTimestamp

    package init(kind: Kind, id: Int64, time: UTCTimestamp) {
        self.kind = kind
        self.id = id
        self.time = time
    }
}

extension ItemScope {
    /// The condition on the items, for the table `i`.
    fileprivate func condition(_ arguments: inout SQLArguments, _ filter: ItemFilter = ItemFilter()) -> String {
        switch self {
        case .chat(let owner):
            let (column, id) = owner.column
            arguments += [id]
            return "i.\(column) = ?" + filter.condition(&arguments)
        case .group(let id, let scope):
            arguments += [id]
            // Reports are in the support chats of their authors: moderators list those of a group together.
            let isOfReports = filter.messageKind == MessageContentType.report.code
            let part = isOfReports ? "" : scope.condition(&arguments)
            return "i.group_id = ?" + part + filter.condition(&arguments)
        case .comments(let id, let post):
            arguments += [id, post]
            return "i.group_id = ? AND i.parent_item_id = ?" + filter.condition(&arguments)
        case .user(let id):
            arguments += [id]
            return "i.user_id = ?" + filter.condition(&arguments)
        }
    }

    /// True if items are in the order in which they were sent. Messages of groups come by several ways, and history comes late.
    private var isByTime: Bool {
        switch self {
        case .group, .comments: true
        case .chat, .user: false
        }
    }

    fileprivate func order(isDescending: Bool) -> String {
        let direction = isDescending ? " DESC" : ""
        return isByTime ? " ORDER BY i.item_ts\(direction), i.chat_item_id\(direction)" : " ORDER BY i.chat_item_id\(direction)"
    }

    /// The condition that an item is before or after another one, whose id is the argument.
    fileprivate func compared(_ sign: String) -> String {
        isByTime
            ? " AND (i.item_ts, i.chat_item_id) \(sign) (SELECT o.item_ts, o.chat_item_id FROM chat_items o WHERE o.chat_item_id = ?)"
            : " AND i.chat_item_id \(sign) ?"
    }
}

/// Pages of chats, and the list of chats.
package struct PageTable {
    let db: Database

    /// Items or chats that a page has at most, whatever number was asked for: they are in memory together, several times over.
    package static let largestPage = 10_000

    private static func bounded(_ count: Int) -> Int { min(max(count, 0), largestPage) }

    /// The items of a page, oldest first, and for pages that do not end at the newest item what comes after.
    ///
    /// - Returns: nil if the item that the page is relative to is not there.
    package func items(
        _ page: ChatPagination, in scope: ItemScope, filter: ItemFilter = ItemFilter(), at now: UTCTimestamp
    ) throws -> (items: [StoredItem], navigation: NavigationInfo?)? {
        let count = Self.bounded(page.count)
        switch page {
        case .last: return (try lastItems(count, scope, filter, now), nil)
        case .after(let id, _):
            guard try hasItem(id, scope) else { return nil }
            return (try items(in: scope, filter, scope.compared(">") + scope.order(isDescending: false) + " LIMIT ?", [id, count], now), nil)
        case .before(let id, _):
            guard try hasItem(id, scope) else { return nil }
            return (try itemsBefore(id, count, scope, filter, now), nil)
        case .around(let id, _):
            guard try hasItem(id, scope) else { return nil }
            return try itemsAround(id, count, scope, filter, now)
        case .initial:
            if let unread = try firstUnread(scope) { return try itemsAround(unread, count, scope, filter, now) }
            return (try lastItems(count, scope, filter, now), NavigationInfo())
        }
    }

    private func items(
        in scope: ItemScope, _ filter: ItemFilter, _ tail: String, _ more: SQLArguments, _ now: UTCTimestamp
    ) throws -> [StoredItem] {
        var arguments: SQLArguments = []
        let condition = scope.condition(&arguments, filter)
        return try db.items.storedItems(ItemTable.itemSelection + " WHERE " + condition + tail, arguments + more, at: now)
    }

    private func lastItems(_ count: Int, _ scope: ItemScope, _ filter: ItemFilter, _ now: UTCTimestamp) throws -> [StoredItem] {
        try items(in: scope, filter, scope.order(isDescending: true) + " LIMIT ?", [count], now).reversed()
    }

    private func itemsBefore(
        _ id: ChatItemID, _ count: Int, _ scope: ItemScope, _ filter: ItemFilter, _ now: UTCTimestamp
    ) throws -> [StoredItem] {
        try items(in: scope, filter, scope.compared("<") + scope.order(isDescending: true) + " LIMIT ?", [id, count], now).reversed()
    }

    private func itemsAround(
        _ id: ChatItemID, _ count: Int, _ scope: ItemScope, _ filter: ItemFilter, _ now: UTCTimestamp
    ) throws -> (items: [StoredItem], navigation: NavigationInfo?) {
        let before = try itemsBefore(id, count, scope, filter, now)
        let from = try items(in: scope, filter, scope.compared(">=") + scope.order(isDescending: false) + " LIMIT ?", [id, count + 1], now)
        let last = from.last?.id ?? id
        func countAfter(_ more: String) throws -> Int {
            var arguments: SQLArguments = []
            let condition = scope.condition(&arguments)
            return Int(try db.number("SELECT count(*) FROM chat_items i WHERE " + condition + more + scope.compared(">"), arguments + [last]) ?? 0)
        }
        return (before + from, NavigationInfo(afterUnread: try countAfter(" AND i.status = 'rcvNew'"), afterTotal: try countAfter("")))
    }

    private func hasItem(_ id: ChatItemID, _ scope: ItemScope) throws -> Bool {
        var arguments: SQLArguments = []
        let condition = scope.condition(&arguments)
        return try db.number("SELECT 1 FROM chat_items i WHERE " + condition + " AND i.chat_item_id = ?", arguments + [id]) != nil
    }

    private func firstUnread(_ scope: ItemScope) throws -> ChatItemID? {
        var arguments: SQLArguments = []
        let condition = scope.condition(&arguments)
        return try db.number(
            "SELECT i.chat_item_id FROM chat_items i WHERE " + condition + " AND i.status = 'rcvNew'" + scope.order(isDescending: false) + " LIMIT 1",
            arguments
        ).map { ChatItemID($0) }
    }

    /// The item that so many others follow, or the oldest if there are not as many.
    package func itemID(behind newer: Int, in scope: ItemScope) throws -> ChatItemID? {
        var arguments: SQLArguments = []
        let condition = scope.condition(&arguments)
        let query = "SELECT i.chat_item_id FROM chat_items i WHERE " + condition
        let found =
            try db.number(query + scope.order(isDescending: true) + " LIMIT 1 OFFSET ?", arguments + [max(0, newer)])
            ?? db.number(query + scope.order(isDescending: false) + " LIMIT 1", arguments)
        return found.map { ChatItemID($0) }
    }

    /// The newest item of a chat.
    package func lastItem(in scope: ItemScope, at now: UTCTimestamp) throws -> StoredItem? {
        try items(in: scope, ItemFilter(), scope.order(isDescending: true) + " LIMIT 1", [], now).first
    }

    /// The kinds of messages in a chat, sorted.
    package func messageKinds(in scope: ItemScope) throws -> [String] {
        var arguments: SQLArguments = []
        let condition = scope.condition(&arguments)
        return try db.all(
            "SELECT DISTINCT i.message_kind FROM chat_items i WHERE " + condition + " AND i.message_kind IS NOT NULL ORDER BY i.message_kind", arguments
        ) { $0.text() }
    }

    /// The chats of a profile, the most recently active first.
    package func chatList(
        user: UserID, page: TimePagination, filter: ChatListQuery, withConnections: Bool
    ) throws -> [ChatListEntry] {
        var arguments: SQLArguments = []
        var parts: [String] = []
        let contacts =
            "SELECT 1, c.contact_id, c.chat_ts AS ts FROM contacts c JOIN profiles p ON p.profile_id = c.profile_id"
            + " WHERE c.user_id = ? AND c.is_user = 0 AND c.contact_used = 1"
        let unread = "(c.unread_chat = 1 OR EXISTS (SELECT 1 FROM chat_items i WHERE i.contact_id = c.contact_id AND i.status = 'rcvNew'))"
        let groups = "SELECT 4 AS kind, g.group_id AS id, g.chat_ts AS ts FROM groups g WHERE g.user_id = ?"
        let unreadGroup =
            "(g.unread_chat = 1 OR EXISTS (SELECT 1 FROM chat_items i WHERE i.group_id = g.group_id AND i.scope IS NULL AND i.status = 'rcvNew'))"
        switch filter {
        case .search(let text) where !text.isEmpty:
            parts.append(
                groups + """
                     AND instr(folded(g.local_display_name || char(10) || g.display_name || char(10)
                        || coalesce(json_extract(g.profile_json, '$.fullName'), '') || char(10) || g.local_alias), ?) > 0
                    """)
            arguments += [user, text.lowercased()]
            parts.append(
                contacts + """
                     AND instr(folded(c.local_display_name || char(10) || p.display_name || char(10)
                        || coalesce(json_extract(p.profile_json, '$.fullName'), '') || char(10) || p.local_alias), ?) > 0
                    """)
            arguments += [user, text.lowercased()]
        case .search, .filters(favorite: false, unread: false):
            parts.append(groups)
            parts.append(contacts)
            arguments += [user]
            parts.append("SELECT 2, note_folder_id, chat_ts FROM note_folders WHERE user_id = ?")
            arguments += [user, user]
        case .filters(let favorite, let isUnread):
            func either(_ favorites: String, _ unread: String) -> String {
                " AND (" + [favorite ? favorites : nil, isUnread ? unread : nil].compactMap(\.self).joined(separator: " OR ") + ")"
            }
            parts.append(groups + either("g.favorite = 1", unreadGroup))
            parts.append(contacts + either("c.favorite = 1", unread))
            arguments += [user, user]
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
        let entries = try db.all(sql, arguments) { row in
            ChatListEntry(
                kind: ChatListEntry.Kind(rawValue: row.int()) ?? .contact, id: row.int(), time: UTCTimestamp(stored: row.int()))
        }
        return entries.sorted { ($1.time, $1.id) < ($0.time, $0.id) }
    }
}
