public import ChatAPI
internal import ChatProtocol
internal import Synchronization

/// A message that somebody sent to the bot.
public struct MessageContext: ChatContext {
    /// The storage that all copies of a context share. Each handler that is tried gets a copy, and an item is large.
    private final class Storage: Sendable {
        let chat: BotChat
        let item: ChatItem
        let content: MessageContent
        let kind: MessageKind
        let chatKind: ChatKinds
        let command: SlashCommand?
        let foreignQuote = Mutex<[String]>([])

        init(chat: BotChat, item: ChatItem, content: MessageContent) {
            (self.chat, self.item, self.content) = (chat, item, content)
            kind = MessageKind(content)
            chatKind = chat.kind
            command = SlashCommand(item.meta.text)
        }
    }

    private let storage: Storage
    /// The match of the handler's pattern; nil without a pattern.
    public internal(set) var match: PatternMatch?
    /// The command as the handler reads it, of one word or several; nil before a handler has read it.
    var phrase: SlashCommand?

    init(chat: BotChat, item: ChatItem, content: MessageContent) { storage = Storage(chat: chat, item: item, content: content) }

    /// The chat.
    public var chat: BotChat { storage.chat }
    /// The message as it was stored.
    public var item: ChatItem { storage.item }
    /// The content of the message.
    public var content: MessageContent { storage.content }
    /// The texts of the quote, if the chat of the bot does not have the quoted message, or it was deleted there: the quote shows a text that nobody has
    /// checked. Only bots whose rules moderate look.
    package var foreignQuote: [String] {
        get { storage.foreignQuote.withLock { $0 } }
        nonmutating set { storage.foreignQuote.withLock { $0 = newValue } }
    }
    /// The id of the message, unique within a data folder.
    public var id: ChatItemID { storage.item.meta.itemID }
    /// The person who wrote.
    public var person: PersonID { chat.person(of: item) }
    /// The text; empty for a picture without a caption.
    public var text: String { storage.item.meta.text }
    /// The kind of message.
    public var kind: MessageKind { storage.kind }
    /// The kind of the chat.
    var chatKind: ChatKinds { storage.chatKind }
    /// The command, if the text begins with a slash.
    public var command: SlashCommand? { phrase ?? storage.command }
    /// The text after the command; empty without one.
    public var arguments: String { command?.arguments ?? "" }
    /// True if the app of the person who wrote makes a button of any command in a text, such as `/+`. Others do so only if its first word has letters,
    /// digits and `_` alone, and show the rest as text, which a person can type.
    public var tapsAnyCommand: Bool {
        let version: Int? =
            if case .groupReceived(let member) = item.direction {
                (member.activeConnection?.peerChatVersions ?? member.chatVersions).maxVersion
            } else {
                chat.contact?.activeConnection?.peerChatVersions.maxVersion
            }
        return version.map { $0 >= Int(ChatVersions.anyTextCommands) } ?? false
    }
    /// The name that the person who wrote has published; several people may have the same.
    public var senderName: String {
        if case .groupReceived(let member) = item.direction { member.profile.displayName } else { chat.displayName }
    }
}

/// A message that somebody changed.
public struct EditContext: ChatContext {
    /// The chat.
    public let chat: BotChat
    /// The message as it is now.
    public let item: ChatItem
    /// The new content.
    public let content: MessageContent

    /// The person who wrote.
    public var person: PersonID { chat.person(of: item) }
    /// The text as it is now.
    public var text: String { item.meta.text }
    /// The kind of the message that was changed.
    public var kind: MessageKind { MessageKind(content) }
}

/// Messages that somebody deleted for both sides.
public struct DeletionContext: ChatContext {
    /// The chat.
    public let chat: BotChat
    /// The messages as they were.
    public let items: [ChatItem]
    /// The member who deleted them: their author, or a moderator. Nil in a chat with a contact, and where the group does not tell.
    public let member: BotMember?

    /// The person who deleted them; everybody in the chat where a group does not tell.
    public var person: PersonID {
        guard let member else { return PersonID(description: chat.scopeText) }
        return .member(member.id, of: member.group.id)
    }
}

/// A reaction that somebody added or took back.
public struct ReactionContext: ChatContext {
    /// The chat.
    public let chat: BotChat
    /// The message that the reaction is to.
    public let item: ChatItem
    /// The emoji.
    public let emoji: String
    /// False when the reaction was taken back.
    public let isAdded: Bool
    /// The member who reacted; nil in a chat with a contact and in a channel, which does not tell.
    public let member: BotMember?

    /// The person who reacted; in a channel everybody in the chat.
    public var person: PersonID {
        guard let member else { return PersonID(description: chat.scopeText) }
        return .member(member.id, of: member.group.id)
    }
}
