internal import ChatAPI
internal import ChatModel

/// The place of an item in a group that has still to be handled.
struct ItemPlace: Sendable, Hashable {
    let id: ChatItemID
    /// The post that it is a comment on; nil for what is no comment.
    let post: ChatItemID?

    init(_ item: ChatItem) { (id, post) = (item.id, item.meta.parentItemID) }

    init(id: ChatItemID, post: ChatItemID?) { (self.id, self.post) = (id, post) }
}

extension ChatModel {
    /// Items that one reading asks for.
    static var pageSize: Int { 100 }
    /// The comments on one post that are looked for.
    private static var commentLimit: Int { 500 }

    /// Items of a chat behind one, oldest first: some of them, none only if there are none.
    ///
    /// The item itself may be gone, deleted by its sender or by its timer, or never have been: the core tells nothing that is relative to
    /// such an item, so that the place is looked for from the newest item back.
    nonisolated func items(behind last: ChatItemID, in chat: ChatReference, of user: UserID) async throws(ChatCoreError) -> [ItemInChat] {
        if chat.type == .group { return try await groupItems(behind: last, in: chat, of: user) }
        if last > 0 {
            do throws(ChatCoreError) {
                return try await readItems(chat, of: user, .after(last, count: Self.pageSize))
            } catch {
                guard case .store(.chatItemNotFound)? = error.chatError else { throw error }
            }
        }
        var page = try await readItems(chat, of: user, .last(Self.pageSize))
        while let first = page.first?.chatItem.id, first > last {
            let before = try await readItems(chat, of: user, .before(first, count: Self.pageSize))
            guard let newest = before.last?.chatItem.id, newest > last else { break }
            page = before
        }
        return page.filter { $0.chatItem.id > last }
    }

    /// The items at some places in a group that are still there, as they are now, in the order of the places.
    ///
    /// - Parameter last: the item that was handled before them. Mostly they follow on it, so that one page has them.
    nonisolated func items(
        at places: [ItemPlace], behind last: ChatItemID, in chat: ChatReference, of user: UserID
    ) async throws(ChatCoreError) -> [ItemInChat] {
        let wanted = Set(places.map(\.id))
        var found: [ChatItemID: ItemInChat] = [:]
        for entry in try await existingItems(chat, of: user, .after(last, count: Self.pageSize)) { found[entry.chatItem.id] = entry }
        for place in places where found[place.id] == nil {
            // What was deleted meanwhile has no page.
            let page = try await existingItems(chat, of: user, commentsOn: place.post, .around(place.id, count: Self.pageSize))
            for entry in page where wanted.contains(entry.chatItem.id) { found[entry.chatItem.id] = entry }
        }
        return places.compactMap { found[$0.id] }
    }

    /// An item of a chat as it is now; nil if it is gone.
    nonisolated func item(at place: ItemPlace, in chat: ChatReference, of user: UserID) async throws(ChatCoreError) -> ItemInChat? {
        try await existingItems(chat, of: user, commentsOn: place.post, .around(place.id, count: 1)).first { $0.chatItem.id == place.id }
    }

    /// A page that is relative to an item; empty if that item, or the post, is gone.
    private nonisolated func existingItems(
        _ chat: ChatReference, of user: UserID, commentsOn post: ChatItemID? = nil, _ page: ChatPagination
    ) async throws(ChatCoreError) -> [ItemInChat] {
        do throws(ChatCoreError) {
            return try await readItems(chat, of: user, commentsOn: post, page)
        } catch {
            guard case .store(.chatItemNotFound)? = error.chatError else { throw error }
            return []
        }
    }

    /// Items of a group behind one, in the order in which they came.
    ///
    /// The core shows a group in the order in which it was written. Messages that another member passes on come late, so that newer and older items
    /// are mixed: pages are read from the newest back until one has nothing new. The comments on the posts of these pages, in a channel at least the
    /// 100 newest, belong to them.
    ///
    /// A message that comes meanwhile can be on a page, or among comments, that have been read already, and a later one where it is read after it. So all
    /// of them are read again until they have nothing that was not found: a handler that has handled the last item found has not missed an earlier one.
    private nonisolated func groupItems(behind last: ChatItemID, in chat: ChatReference, of user: UserID) async throws(ChatCoreError) -> [ItemInChat] {
        var found: [ChatItemID: ItemInChat] = [:], depth = 0
        while true {
            let before = found.count
            var number = 1, page = try await readItems(chat, of: user, .last(Self.pageSize))
            while true {
                let new = page.filter { $0.chatItem.id > last && found[$0.chatItem.id] == nil }
                for entry in new { found[entry.chatItem.id] = entry }
                for entry in page where (entry.chatItem.meta.commentsTotal ?? 0) > 0 {
                    for comment in try await comments(on: entry.chatItem.id, behind: last, in: chat, of: user) { found[comment.chatItem.id] = comment }
                }
                guard !new.isEmpty || number < depth, page.count == Self.pageSize, let first = page.first?.chatItem.id else { break }
                number += 1
                page = try await readItems(chat, of: user, .before(first, count: Self.pageSize))
            }
            if found.count == before { break }
            depth = max(depth, number)
        }
        return found.values.sorted { $0.chatItem.id < $1.chatItem.id }
    }

    /// Comments on a post behind an item, of the newest of the post.
    private nonisolated func comments(
        on post: ChatItemID, behind last: ChatItemID, in chat: ChatReference, of user: UserID
    ) async throws(ChatCoreError) -> [ItemInChat] {
        try await readItems(chat, of: user, commentsOn: post, .last(Self.commentLimit)).filter { $0.chatItem.id > last }
    }
}
