public import ChatAPI
internal import ChatProtocol

/// A contact that has connected: messages can go both ways.
public struct ContactContext: ChatContext {
    /// The chat.
    public let chat: BotChat
    /// The contact.
    public let contact: Contact

    /// The name of the contact as the bot's profile shows it.
    public var name: String { contact.localDisplayName }
}

/// Somebody who asks to connect.
public struct RequestContext: Sendable {
    /// The bot.
    public let bot: BotIdentity
    /// The request.
    public let request: UserContactRequest
    /// The message that came with the request; empty without one.
    public let text: String
    let effects: Effects

    /// The bot, with everything that it can do: to tell others of the request, and to read and change stored state.
    public var client: BotClient { BotClient(bot: bot, effects: effects) }

    /// The name that the person goes by. It is chosen by the person: others may have the same.
    public var name: String { request.profile.displayName }

    /// All chats of the bot.
    public var chats: BotChats { effects.chats }

    /// Accepts the request. Connecting continues by itself; ``Trigger/connected`` tells when it is done.
    public func accept() async throws { try await effects.accept(request.contactRequestID) }

    /// Refuses the request. The person is not notified.
    public func reject() async throws { try await effects.reject(request.contactRequestID) }
}

/// Any event of the core that concerns the bot's profile.
public struct EventContext: Sendable {
    /// The bot.
    public let bot: BotIdentity
    /// The event.
    public let event: ChatEvent
    let effects: Effects

    /// All chats of the bot.
    public var chats: BotChats { effects.chats }

    /// Runs a command for the bot's profile.
    @discardableResult
    public func command(_ command: ChatCommand) async throws -> ChatResponse { try await effects.perform(command) }
}
