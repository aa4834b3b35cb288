public import ChatAPI
internal import ChatProtocol
public import Foundation

/// A message of a chat, as it is in the store.
public struct StoredMessage: Sendable, Identifiable {
    /// The chat.
    public let chat: BotChat
    /// The core's record of the message.
    public let item: ChatItem

    /// Nil for items that are not messages: events, calls, features of the chat.
    init?(_ item: ChatItem, in chat: BotChat) {
        guard item.isMessage, item.meta.deleted == nil else { return nil }
        (self.chat, self.item) = (chat, item)
    }

    /// The id of the message.
    public var id: ChatItemID { item.id }
    /// The text; empty for a picture without a caption.
    public var text: String { item.meta.text }
    /// True if somebody else wrote it, and not the bot.
    public var isReceived: Bool { item.direction.isReceived }
    /// The time of sending, by the clock of its router.
    public var sentAt: Date { item.meta.itemTimestamp.date }

    /// Replaces the text of a message that the bot sent, for everyone in the chat.
    ///
    /// - Throws: `ChatCoreError`: a code `error.…` for a message of somebody else and one that is too old to be changed.
    public func edit(_ text: String) async throws { _ = try await chat.effects.edit(id, to: .text(text), in: chat.requiredReference()) }

    /// Deletes a message that the bot sent, for everyone in the chat.
    ///
    /// - Throws: `ChatCoreError`: a code `error.…` for a message of somebody else and one that is too old.
    public func deleteForEveryone() async throws { try await chat.effects.delete([id], mode: .broadcast, in: chat.requiredReference()) }

    /// Deletes the message from the bot's own history.
    public func deleteLocally() async throws { try await chat.effects.delete([id], mode: .internal, in: chat.requiredReference()) }

    /// Sends a text with a quote of the message.
    @discardableResult
    public func reply(_ text: String) async throws -> SentMessage { try await chat.send(.text(text), quoting: id) }

    /// Forwards the message into another chat of the bot.
    public func forward(to target: ChatReference) async throws {
        try await chat.effects.forward([id], from: chat.requiredReference(), to: target)
    }
}

extension BotChat {
    /// Messages of the chat, oldest first; what else a chat holds is left out.
    ///
    /// - Parameters:
    ///   - count: How many at the most.
    ///   - item: Only those before this one; the newest if it is nil.
    public func history(_ count: Int = 50, before item: ChatItem? = nil) async throws -> [StoredMessage] {
        guard count > 0 else { return [] }
        var messages: [StoredMessage] = []
        var before = item?.id
        while messages.count < count {
            let page = try await items(before.map { .before($0, count: count) } ?? .last(count))
            messages = page.inConversationOrder.compactMap { StoredMessage($0, in: self) } + messages
            guard page.count == count, let oldest = page.first else { break }
            before = oldest.id
        }
        return messages.suffix(count)
    }
}

extension MessageContext {
    /// The time of sending, by the clock of its router.
    public var sentAt: Date { item.meta.itemTimestamp.date }

    /// Messages of the chat before this one, oldest first.
    ///
    /// - Parameter count: How many at the most.
    public func history(_ count: Int = 50) async throws -> [StoredMessage] { try await chat.history(count, before: item) }
}

extension UTCTimestamp {
    /// The time as Foundation's type.
    fileprivate var date: Date { Date(timeIntervalSince1970: timeIntervalSince1970) }
}
