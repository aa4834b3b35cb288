public import ChatAPI

/// An effect that a bot would have had.
public struct SuppressedEffect: Sendable, Hashable {
    /// The bot.
    public let bot: String
    /// The kind, as metrics name it: `send`, `comment`, `edit`, `delete`, `moderate`, `react`, `forward`, `block`, `remove`, `accept`, `connect` and so on.
    public let kind: String
    /// The chat; nil for an effect outside of chats.
    public let chat: ChatReference?
    /// The text of a message, or the emoji of a reaction; empty for other effects. Logs do not contain it.
    public let text: String

    package init(bot: String, kind: String, chat: ChatReference?, text: String) {
        (self.bot, self.kind, self.chat, self.text) = (bot, kind, chat, text)
    }
}
