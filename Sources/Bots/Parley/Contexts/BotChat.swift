public import ChatAPI
public import ChatProtocol

/// A chat as a handler sees it: who it is with, and the means to write into it.
public struct BotChat: Sendable {
    /// The bot.
    public let bot: BotIdentity
    /// The core's record of the chat.
    public let info: ChatInfo
    let effects: Effects

    /// The name of the contact or group as the bot's profile shows it.
    public var name: String {
        info.localDisplayName
    }

    /// The name that the contact or group goes by; several may go by the same.
    public var displayName: String { info.displayName }

    /// The contact, in a chat with one.
    public var contact: Contact? { if case .direct(let contact) = info { contact } else { nil } }

    /// Sends a text. When this returns the message is stored and will be delivered, whatever happens to the process.
    @discardableResult
    public func send(_ text: String) async throws -> SentMessage { try await send(.text(text)) }

    /// Sends a message. When this returns it is stored and will be delivered, whatever happens to the process.
    ///
    /// - Parameter quoting: the item that the message answers.
    /// - Throws: ``ChatCoreError``; the code `error.…` of a message that is too large (about 15,000 bytes of text) or that the
    ///   chat does not allow.
    @discardableResult
    public func send(_ content: MessageContent, quoting item: ChatItemID? = nil) async throws -> SentMessage {
        let sent = try await effects.send(content, to: reference(), quoting: item)
        return SentMessage(chat: self, item: sent)
    }

    /// All chats of the bot, this one among them.
    public var chats: BotChats { effects.chats }

    /// The chat as it is now: its last message and what is unread. Nil when it was deleted.
    public func overview() async -> ChatOverview? {
        guard let reference = info.reference else { return nil }
        return await chats.overview(of: reference)
    }

    /// A page of what the chat holds, oldest first; the newest items if no other page is named.
    public func items(_ page: ChatPagination = .last(50)) async throws -> [ChatItem] {
        try await chats.items(of: reference(), page)
    }

    /// Marks all that was received as read.
    public func markRead() async throws { _ = try await effects.perform(.chats(.markRead(reference()))) }

    func reference() throws(ChatCoreError) -> ChatReference {
        guard let reference = info.reference else {
            throw ChatCoreError(.unsupported, "messages cannot be sent into this kind of chat")
        }
        return reference
    }
}

/// A message that the bot sent.
public struct SentMessage: Sendable {
    public let chat: BotChat
    /// The item as it was stored; its status tells that it is on its way, not that it has arrived.
    public let item: ChatItem

    /// Replaces the text for both sides.
    @discardableResult
    public func edit(_ text: String) async throws -> SentMessage {
        SentMessage(chat: chat, item: try await chat.effects.edit(item.id, to: .text(text), in: chat.reference()) ?? item)
    }

    /// Deletes the message for both sides.
    public func delete() async throws {
        try await chat.effects.delete(item.id, mode: .broadcast, in: chat.reference())
    }
}

/// The properties that the contexts of a chat share.
public protocol ChatContext: Sendable {
    var chat: BotChat { get }
}

extension ChatContext {
    /// The bot.
    public var bot: BotIdentity { chat.bot }

    /// All chats of the bot.
    public var chats: BotChats { chat.chats }

    /// Sends a text into the chat.
    @discardableResult
    public func send(_ text: String) async throws -> SentMessage { try await chat.send(text) }

    /// Sends a message into the chat.
    @discardableResult
    public func send(_ content: MessageContent) async throws -> SentMessage { try await chat.send(content) }
}
