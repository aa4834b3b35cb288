public import ChatAPI
public import ChatProtocol

/// A context that is about one message.
public protocol ItemContext: ChatContext {
    /// The message as it was stored.
    var item: ChatItem { get }
    /// The name in ``Bot/trustedContacts`` of the one who wrote the message; nil for strangers.
    var trustedName: String? { get }
}

extension MessageContext: ItemContext {}
extension EditContext: ItemContext {}
extension FileContext: ItemContext {}
extension ReactionContext: ItemContext {}
extension ReportContext: ItemContext {}

extension ItemContext {
    /// Answers the message with a quote of it. Of a report, only the reporter and the moderators see the answer.
    @discardableResult
    public func reply(_ text: String) async throws -> SentMessage { try await chat.send(.text(text), quoting: item.id) }

    /// Answers the message with a quote of it.
    @discardableResult
    public func reply(_ content: MessageContent) async throws -> SentMessage { try await chat.send(content, quoting: item.id) }

    /// Answers the message with a quote of it and mentions members of the group.
    @discardableResult
    public func reply(mentioning text: MentioningText) async throws -> SentMessage { try await chat.send(mentioning: text, quoting: item.id) }

    /// Adds a reaction to the message: one of 👍 👎 😀 😂 😢 ❤ 🚀 ✅, at most three to a message.
    public func react(_ emoji: String) async throws { try await chat.effects.react(to: item.id, emoji, added: true, in: chat.requiredReference()) }

    /// Takes a reaction back.
    public func unreact(_ emoji: String) async throws { try await chat.effects.react(to: item.id, emoji, added: false, in: chat.requiredReference()) }

    /// Forwards the message into another chat of the bot.
    public func forward(to target: ChatReference) async throws {
        try await chat.effects.forward([item.id], from: chat.requiredReference(), to: target)
    }

    /// Deletes the message from the bot's own history. ``MessageContext/moderate()`` deletes a message of a group for everybody.
    public func deleteLocally() async throws { try await chat.effects.delete([item.id], mode: .internal, in: chat.requiredReference()) }
}
