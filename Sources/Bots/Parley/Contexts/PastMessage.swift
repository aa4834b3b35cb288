public import ChatAPI
internal import ChatProtocol

/// A message of a chat, as it is in the store.
public struct PastMessage: Sendable, Hashable {
    /// Everything that the core knows of it.
    public let item: ChatItem

    /// Nil for items that are not messages: events, calls, features of the chat.
    init?(_ item: ChatItem) {
        guard item.isMessage, item.meta.deleted == nil else { return nil }
        self.item = item
    }

    /// The id of the message.
    public var id: ChatItemID { item.id }
    /// The text; empty for a picture without a caption.
    public var text: String { item.meta.text }
    /// True if somebody else wrote it, and not the bot.
    public var isReceived: Bool { item.direction.isReceived }
    /// When it was sent, in seconds since 1970.
    public var sentAt: Double { item.meta.itemTimestamp.timeIntervalSince1970 }
}

extension BotChat {
    /// Messages of the chat, oldest first; what else a chat holds is left out.
    ///
    /// - Parameters:
    ///   - count: How many at the most.
    ///   - item: Only those before this one; the newest if it is nil.
    public func history(_ count: Int = 50, before item: ChatItem? = nil) async throws -> [PastMessage] {
        var messages: [PastMessage] = []
        var before = item?.id
        while messages.count < count {
            let page = try await items(before.map { .before($0, count: count) } ?? .last(count))
            messages = page.compactMap(PastMessage.init) + messages
            guard page.count == count, let oldest = page.first else { break }
            before = oldest.id
        }
        return messages.suffix(count)
    }
}

extension MessageContext {
    /// The time of sending, in seconds since 1970, by the clock of its router.
    public var sentAt: Double { item.meta.itemTimestamp.timeIntervalSince1970 }

    /// Messages of the chat before this one, oldest first.
    ///
    /// - Parameter count: How many at the most.
    public func history(_ count: Int = 50) async throws -> [PastMessage] { try await chat.history(count, before: item) }
}
