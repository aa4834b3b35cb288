public import ChatAPI
public import ChatProtocol

/// A chat as a handler sees it: who it is with, and the means to write into it.
public struct BotChat: Sendable {
    /// The bot.
    public let bot: BotIdentity
    /// The core's record of the chat.
    public let info: ChatInfo
    let effects: Effects
    /// The post of a channel whose comments the chat is; nil for all other chats. What is sent into the comments is a comment.
    public let post: ChatItemID?

    init(bot: BotIdentity, info: ChatInfo, effects: Effects, post: ChatItemID? = nil) {
        self.bot = bot
        self.info = info
        self.effects = effects
        self.post = post
    }

    /// The name of the contact or group as the bot's profile shows it.
    public var name: String {
        info.localDisplayName
    }

    /// The name that the contact or group has published; several may have the same.
    public var displayName: String { info.publishedName }

    /// The chat, as commands name it: to send to it later. Nil for what is no chat that messages can be sent to.
    public var reference: ChatReference? { info.reference }

    /// The contact, in a chat with one.
    public var contact: Contact? { if case .direct(let contact) = info { contact } else { nil } }

    /// Sends a text. When this returns, the message is stored and will be delivered, even if the process ends.
    @discardableResult
    public func send(_ text: String) async throws -> SentMessage { try await send(.text(text)) }

    /// Sends a message. When this returns, the message is stored and will be delivered, even if the process ends.
    ///
    /// Text that is too long for one message (about 15,000 bytes; 13,000 with post-quantum encryption) is sent as several, split at lines,
    /// words or characters; the quote goes with the first.
    ///
    /// - Parameters:
    ///   - content: The message.
    ///   - item: The item that the message quotes; nil for none.
    /// - Returns: The sent message.
    /// - Throws: `ChatCoreError`: `send.empty` for a text of which nothing would be shown, `errorStore.largeMsg` for other content that is too large, a code
    ///   `error.…` if the chat does not permit the message.
    @discardableResult
    public func send(_ content: MessageContent, quoting item: ChatItemID? = nil) async throws -> SentMessage {
        let sent = try await effects.send(content, to: requiredReference(), info, quoting: item, commenting: post)
        return SentMessage(chat: self, items: sent)
    }

    /// All chats of the bot, this one among them.
    public var chats: BotChats { effects.chats }

    /// The chat as it is now: its last message and what is unread. Nil when it was deleted.
    public func summary() async -> ChatSummary? {
        guard let reference = info.reference else { return nil }
        return await chats.summary(of: reference)
    }

    /// A page of what the chat holds, oldest first; the newest items if no other page is named.
    public func items(_ page: ChatPagination = .last(50)) async throws -> [ChatItem] {
        try await chats.items(of: requiredReference(), commentsOn: post, page)
    }

    /// Marks all that was received as read.
    public func markRead() async throws { _ = try await effects.perform(.chats(.markRead(requiredReference()))) }

    func requiredReference() throws(ChatCoreError) -> ChatReference {
        guard let reference = info.reference else {
            throw ChatCoreError(.unsupported, "messages cannot be sent into this kind of chat")
        }
        return reference
    }
}

/// A message that the bot sent.
public struct SentMessage: Sendable {
    /// The chat.
    public let chat: BotChat
    /// The item as it was stored; its status tells that it is on its way, not that it has arrived. Of a text that was sent in parts, the first.
    public let item: ChatItem
    /// The parts that follow the first; empty for a message that was sent whole.
    public let furtherItems: [ChatItem]

    /// The id of the message; of a text that was sent in parts, that of the first.
    public var id: ChatItemID { item.id }

    init(chat: BotChat, items: [ChatItem]) {
        self.chat = chat
        item = items[0]
        furtherItems = Array(items.dropFirst())
    }

    /// Replaces the text for both sides. Of a text that was sent in parts, the first is replaced and the others are deleted.
    @discardableResult
    public func edit(_ text: String) async throws -> SentMessage { try await edit(.text(text), mentioning: [:]) }

    func edit(_ content: MessageContent, mentioning members: [String: GroupMemberID]) async throws -> SentMessage {
        let edited = try await chat.effects.edit(item.id, to: content, in: chat.requiredReference(), mentioning: members) ?? item
        if !furtherItems.isEmpty { try await chat.effects.delete(furtherItems.map(\.id), mode: .broadcast, in: chat.requiredReference()) }
        return SentMessage(chat: chat, items: [edited])
    }

    /// Deletes the message for everyone in the chat.
    public func deleteForEveryone() async throws {
        try await chat.effects.delete(([item] + furtherItems).map(\.id), mode: .broadcast, in: chat.requiredReference())
    }

    /// Waits until the message has reached its router or its recipient, with all of its parts.
    ///
    /// - Parameters:
    ///   - stage: how far. Clients can be set not to confirm what they receive: then the recipient's stage is never reached.
    ///   - limit: how long to wait; the message is delivered later, too.
    public func awaitDelivery(to stage: DeliveryStage = .router, within limit: Duration) async throws -> DeliveryOutcome {
        let deadline = ContinuousClock.now + limit
        for item in [item] + furtherItems {
            let outcome = try await chat.effects.awaitDelivery(
                of: item.id, in: chat.requiredReference(), to: stage, within: max(.zero, deadline - .now))
            guard outcome == .reached else { return outcome }
        }
        return .reached
    }
}

/// The properties that the contexts of a chat share.
public protocol ChatContext: Sendable {
    /// The chat.
    var chat: BotChat { get }
    /// The person that the event is about: in a group the member, if it is about one.
    var person: PersonID { get }
}

extension ChatContext {
    /// The contact; in a group everybody in the chat.
    public var person: PersonID { PersonID(description: chat.scopeText) }

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
