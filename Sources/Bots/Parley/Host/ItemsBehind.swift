internal import ChatAPI
internal import ChatModel

extension ChatModel {
    /// Items that one reading asks for.
    private static var pageSize: Int { 100 }

    /// Items of a chat behind one, oldest first: some of them, none only if there are none.
    ///
    /// The item itself may be gone, deleted by its sender or by its timer, or never have been: the core tells nothing that is relative to
    /// such an item, so that the place is looked for from the newest item back.
    nonisolated func items(behind last: ChatItemID, in chat: ChatReference, of user: UserID) async throws(ChatCoreError) -> [ItemInChat] {
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
}
