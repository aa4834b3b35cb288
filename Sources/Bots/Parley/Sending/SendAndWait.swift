internal import AsyncPrimitives
public import ChatAPI
internal import ChatProtocol
internal import Foundation

/// A wait for an answer, or for a contact, that has ended without one.
public struct ReplyError: CodedError, Sendable, Hashable {
    /// A stable code.
    public enum Code: String, Sendable, Hashable {
        /// Nothing came in time.
        case timedOut = "reply.timedOut"
        /// Another call waits for the same person in the same chat.
        case busy = "reply.busy"
        /// The limit is longer than ``BotChat/longestWait``.
        case tooLong = "reply.tooLong"
        /// The link leads to no person whom the bot can connect with.
        case noContact = "reply.noContact"
        /// The bot is not running.
        case notRunning = "reply.notRunning"
    }

    /// The code.
    public let code: Code
    /// A message that a person can act on.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension BotChat {
    /// The longest time that ``sendAndWait(_:from:within:)`` waits: ten minutes. A ``Conversation`` waits longer, and over restarts.
    public static let longestWait = Duration.seconds(600)

    /// Sends a text and waits for the next message in the chat. No handler gets that message. A message that quotes another one than the text is no answer.
    ///
    /// The wait is in memory: a handler that runs again after a crash waits for another message, unless the answer was still to be handled. While a handler
    /// waits, the events of its own chat wait behind it; it does not count among the handlers that run at once. For questions that may take longer use a
    /// ``Conversation``.
    ///
    /// - Parameters:
    ///   - person: the person whose message is awaited; nil for anybody in the chat.
    ///   - limit: how long to wait, at most ``longestWait``.
    /// - Returns: the message. Effects on it belong to the caller's event.
    /// - Throws: ``ReplyError``; `ChatCoreError` if the text cannot be sent; `CancellationError` if the bots stop.
    public func sendAndWait(_ text: String, from person: PersonID? = nil, within limit: Duration = .seconds(60)) async throws -> MessageContext {
        guard limit <= Self.longestWait else {
            throw ReplyError(.tooLong, "a call waits for at most \(Self.longestWait): use a Conversation for questions that take longer")
        }
        guard let services = effects.services else { throw ReplyError(.notRunning, "the bot has not started yet") }
        guard let wait = services.replies.wait(in: replyKey, for: person) else {
            throw ReplyError(.busy, "another call waits for a message in this chat already")
        }
        let entry: ItemInChat
        do {
            services.replies.asked(try await send(text).id, wait)
            entry = try await effects.wait(within: limit, otherwise: ReplyError(.timedOut, "nobody answered within \(limit)")) {
                try await wait.reply.valueUnlessCancelled()
            }
            services.replies.end(wait)
        } catch let error as ReplyError {
            // An answer that came at the last moment was taken from the handlers.
            guard let answer = services.replies.end(wait) else { throw error }
            entry = answer
        } catch {
            services.replies.giveBack(wait)
            throw error
        }
        guard case .receivedMessage(let content) = entry.chatItem.content else {
            throw ChatCoreError(.invalidResponse, "the received item is not a message")
        }
        let answered = BotChat(bot: bot, info: entry.chatInfo, effects: effects, post: post)
        return MessageContext(chat: answered, item: entry.chatItem, content: content)
    }
}

extension ChatContext {
    /// Sends a text to the person that the event is about, and waits for the next message of that person in this chat.
    ///
    /// See ``BotChat/sendAndWait(_:from:within:)`` for what holds of the wait.
    public func sendAndWait(_ text: String, within limit: Duration = .seconds(60)) async throws -> MessageContext {
        try await chat.sendAndWait(text, from: chat.kind == .contacts ? nil : person, within: limit)
    }
}

extension BotClient {
    /// Sends a text into any chat of the bot, and waits for the next message there.
    ///
    /// See ``BotChat/sendAndWait(_:from:within:)`` for what holds of the wait.
    public func sendAndWait(
        _ text: String, to reference: ChatReference, from person: PersonID? = nil, within limit: Duration = .seconds(60)
    ) async throws -> MessageContext {
        guard let chat = await chat(reference) else { throw ChatCoreError(.unsupported, "the bot has no chat \(reference)") }
        return try await chat.sendAndWait(text, from: person, within: limit)
    }

    /// Connects with a person by an address or a one-time link, and waits until messages can go both ways.
    ///
    /// Other people may connect meanwhile: only the contact of this link ends the wait. ``Trigger/connected`` handlers get the contact, too.
    ///
    /// - Parameters:
    ///   - link: an address or an invitation, full or short, or a name such as `@ann.simplex`.
    ///   - limit: how long to wait; connecting goes on afterwards.
    /// - Returns: the chat with the contact; with one that the bot has already, at once.
    /// - Throws: ``ReplyError``; `ChatCoreError` for a link or name that cannot be used: `errorAgent.NO_NAME_SERVERS` if no router resolves names.
    public func connect(to link: String, within limit: Duration = .seconds(60)) async throws -> BotChat {
        let core = effects.core, effects = effects, bot = bot
        let events = core.events()
        defer { events.cancel() }
        let pending: PendingContact
        switch try await effects.connect(by: link) {
        case .sentConfirmation(_, let connection, _), .sentInvitation(_, let connection, _): pending = .connection(connection.connectionID)
        case .contactAlreadyExists(_, let contact), .sentInvitationToContact(_, let contact, _), .startedConnectionToContact(_, let contact, _),
            .connectionPlan(_, _, _, _, .contactAddress(.known(let contact))), .connectionPlan(_, _, _, _, .contactAddress(.connectingProhibit(let contact))),
            .connectionPlan(_, _, _, _, .invitationLink(.known(let contact))), .connectionPlan(_, _, _, _, .invitationLink(.connecting(let contact?))):
            if contact.isReady { return BotChat(bot: bot, info: .direct(contact: contact), effects: effects) }
            pending = .contact(contact.contactID)
        default: throw ReplyError(.noContact, "the bot cannot connect with a person by this link")
        }
        let wait = ConnectionWait(core: core, user: effects.userID, pending: pending)
        let timeOut = ReplyError(.timedOut, "the contact did not connect within \(limit): connecting continues")
        let contact = try await effects.wait(within: limit, otherwise: timeOut) { try await wait.run(events) }
        return BotChat(bot: bot, info: .direct(contact: contact), effects: effects)
    }
}

/// A contact that is to come of a link.
private enum PendingContact: Sendable {
    case connection(ChatConnectionID)
    case contact(ContactID)

    func isReached(by contact: Contact) -> Bool {
        switch self {
        case .connection(let id): contact.activeConnection?.connectionID == id
        case .contact(let id): contact.contactID == id
        }
    }
}

/// Waits for one contact to connect.
private struct ConnectionWait: Sendable {
    let core: any ChatCore
    let user: UserID
    let pending: PendingContact

    /// - Parameter events: subscribed to before the link was used.
    func run(_ first: ChatEvents) async throws -> Contact {
        var events = first
        while true {
            if let contact = try await found(in: events) { return contact }
            // Events were lost: what happened meanwhile is in the store.
            events = core.events()
            if let contact = try await connected() { return contact }
        }
    }

    private func found(in events: ChatEvents) async throws -> Contact? {
        var iterator = events.makeAsyncIterator()
        do throws(ChatCoreError) {
            while let event = try await iterator.next() {
                if case .contactConnected(let owner, let contact, _) = event, owner.userID == user, pending.isReached(by: contact) { return contact }
            }
        } catch {
            guard error.code == .eventsLost else { throw error }
            return nil
        }
        try Task.checkCancellation()
        throw ChatCoreError(.closed, "The core was closed before the contact had connected.")
    }

    private func connected() async throws(ChatCoreError) -> Contact? {
        guard case .apiChats(_, let chats) = try await core.send(.chats(.list(user: user)), as: user) else { return nil }
        return chats.compactMap(\.chatInfo.contact).first { $0.isReady && pending.isReached(by: $0) }
    }
}

extension Effects {
    /// Waits for something without the slot of the current job, and by the time of the bot for a limit at the most.
    ///
    /// - Throws: the error of the wait; `timeOut` at the limit.
    func wait<Value: Sendable>(
        within limit: Duration, otherwise timeOut: ReplyError, for wait: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await JobSlot.released {
            try await withThrowingTaskGroup(of: Value.self) { group in
                group.addTask { try await wait() }
                group.addTask { [self] in
                    try await sleep(limit)
                    throw timeOut
                }
                defer { group.cancelAll() }
                guard let value = try await group.next() else { throw CancellationError() }
                return value
            }
        }
    }

    /// Waits by the time of the bot.
    func sleep(_ duration: Duration) async throws {
        if let services { try await services.time.sleep(duration) } else { try await Task.sleep(for: duration) }
    }
}
