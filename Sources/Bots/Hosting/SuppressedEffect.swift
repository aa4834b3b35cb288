public import ChatAPI

/// An effect of a bot that was not performed.
public struct SuppressedEffect: Sendable, Hashable {
    /// The name of the bot.
    public let bot: String
    /// The kind, named as in metrics: `send`, `comment`, `edit`, `delete`, `moderate`, `react`, `forward`, `block`, `remove`, `accept`, `connect` and so on.
    public let kind: String
    /// The chat; nil for an effect outside of chats.
    public let chat: ChatReference?
    /// The text of a message, or the emoji of a reaction; empty for other effects. Logs do not contain it.
    public let text: String

    package init(bot: String, kind: String, chat: ChatReference?, text: String) {
        (self.bot, self.kind, self.chat, self.text) = (bot, kind, chat, text)
    }
}
