public import ChatAPI
internal import ChatProtocol

/// The delivery state of a message of the bot.
public enum DeliveryStatus: Sendable, Hashable {
    /// Its router has it; in a group, the routers of all members to whom it went.
    case sent
    /// The recipient's client has confirmed it; in a group, the clients of all members to whom it went.
    case received
    /// It cannot be delivered, and no more attempts are made. The text is for the log.
    case failed(String)

    /// - Returns: nil for a status that is not the last word.
    package init?(_ status: ItemStatus) {
        switch status {
        case .sent(.complete): self = .sent
        case .sendReceived(_, .complete): self = .received
        case .sendErrorAuth, .sendError(.auth): self = .failed("the recipient's queue does not exist any more")
        case .sendError(.quota): self = .failed("the recipient's queue is full")
        case .sendError(.expired): self = .failed("no attempt succeeded in time")
        case .sendError(let error): self = .failed("\(error)")
        default: return nil
        }
    }
}

/// News of the delivery of a message that the bot sent.
public struct DeliveryContext: ChatContext {
    /// The chat.
    public let chat: BotChat
    /// The message.
    public let item: ChatItem
    /// Its delivery state.
    public let status: DeliveryStatus

    /// The id of the message, as ``SentMessage/id`` has it.
    public var id: ChatItemID { item.id }
}

extension Trigger where Context == DeliveryContext {
    /// A message of the bot has reached its router or its recipient, or has failed.
    ///
    /// The event is reported once, and not again after a crash; ``SentMessage/awaitDelivery(to:within:)`` reads the state from the store. A handler that
    /// sends a message gets the event of that message, too, and must recognize its own messages.
    public static var delivery: Self { Self(.delivery, in: .all) { $0.delivery } }

    /// A message of the bot cannot be delivered, and no more attempts are made.
    public static var deliveryFailed: Self {
        Self(.delivery, in: .all) { incoming in incoming.delivery.flatMap { if case .failed = $0.status { $0 } else { nil } } }
    }
}
