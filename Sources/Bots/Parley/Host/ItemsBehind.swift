internal import ChatAPI
internal import ChatModel

extension ChatModel {
    /// Items that one reading asks for.
    private static var pageSize: Int { 100 }
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

    /// Items of a group behind one, in the order in which they came.
    ///
    /// The core shows a group in the order in which it was written. Messages that another member passes on come late, so that newer and older items
    /// are mixed: pages are read from the newest back until one has nothing new. The comments on the posts of these pages, in a channel at least the
    /// 100 newest, belong to them.
    private nonisolated func groupItems(behind last: ChatItemID, in chat: ChatReference, of user: UserID) async throws(ChatCoreError) -> [ItemInChat] {
        var found: [ItemInChat] = []
        var page = try await readItems(chat, of: user, .last(Self.pageSize))
        while true {
            let new = page.filter { $0.chatItem.id > last }
            found += new
            for entry in page where (entry.chatItem.meta.commentsTotal ?? 0) > 0 {
                found += try await comments(on: entry.chatItem.id, behind: last, in: chat, of: user)
            }
            guard !new.isEmpty, page.count == Self.pageSize, let first = page.first?.chatItem.id else { break }
            page = try await readItems(chat, of: user, .before(first, count: Self.pageSize))
        }
        return found.sorted { $0.chatItem.id < $1.chatItem.id }
    }

    /// Comments on a post behind an item, of the newest of the post.
    private nonisolated func comments(
        on post: ChatItemID, behind last: ChatItemID, in chat: ChatReference, of user: UserID
    ) async throws(ChatCoreError) -> [ItemInChat] {
        try await readItems(chat, of: user, commentsOn: post, .last(Self.commentLimit)).filter { $0.chatItem.id > last }
    }
}
