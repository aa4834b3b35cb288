import ChatAPI
import ChatRules
import ChatStore

// Commands that are performed once, however often they are given under one key.

/// Remembers the outcomes of commands that are performed once.
struct OnceCommands: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Outcomes of commands that are performed once.
    var onceCommands: OnceCommands { OnceCommands(transaction: self) }
}

extension OnceCommands {
    /// The maximum length of a key, in bytes of UTF-8.
    static let longestKey = 200

    /// The response to a command that was performed under this key before; nil if none was.
    func response(to key: String) throws -> ChatResponse? {
        let user = try transaction.user()
        return try db.commands.outcome(user: user.userID, key: key).map { try response(to: $0, of: user) }
    }

    /// Stores the outcome of the command that this transaction runs.
    func remember(_ response: ChatResponse, as key: String) throws {
        try db.commands.insert(CommandOutcome(of: response, at: now), user: try transaction.user().userID, key: key)
    }

    private func response(to outcome: CommandOutcome, of user: User) throws -> ChatResponse {
        switch outcome.result {
        case .created(let locations):
            let items = try locations.compactMap { try find($0, of: user) }
            if items.isEmpty, let first = locations.first { throw Refusal.store(.chatItemNotFound(itemID: first.item)) }
            return .newChatItems(user: user, chatItems: items)
        case .edited(let location, let isChanged):
            let item = try item(at: location, of: user)
            return isChanged ? .chatItemUpdated(user: user, chatItem: item) : .chatItemNotChanged(user: user, chatItem: item)
        case .deleted(let locations):
            // Those that are still there are marked as deleted.
            let deletions = try locations.compactMap { try find($0, of: user) }.map { ChatItemDeletion(deletedChatItem: $0, toChatItem: $0) }
            return .chatItemsDeleted(user: user, deletions: deletions, byUser: true, timed: false)
        case .reacted(let location, let reaction, let isAdded):
            let item = try item(at: location, of: user)
            let change = ItemReaction(
                direction: .directSent, chatItem: item.chatItem, sentAt: outcome.performedAt, reaction: reaction)
            return .chatItemReaction(
                user: user, added: isAdded, reaction: ReactionInChat(chatInfo: item.chatInfo, chatReaction: change))
        case .accepted(let id): return .acceptingContactRequest(user: user, contact: try transaction.conversations.contact(id, of: user))
        case .answered(let json): return try ChatResponse(json: json)
        }
    }

    private func item(at location: CommandOutcome.ItemLocation, of user: User) throws -> ItemInChat {
        guard let item = try find(location, of: user) else { throw Refusal.store(.chatItemNotFound(itemID: location.item)) }
        return item
    }

    private func find(_ location: CommandOutcome.ItemLocation, of user: User) throws -> ItemInChat? {
        let chat = try transaction.conversations.conversation(location.chat, of: user)
        return try db.items.find(location.item, owner: chat.owner, at: now).map { ItemInChat(chatInfo: chat.info, chatItem: $0.item) }
    }
}

extension ChatCommand {
    /// True if the command is one transaction, or begins by looking whether it ran before.
    var canBeGivenOnce: Bool {
        switch self {
        case .messages, .chats: true
        case .address(.accept), .address(.reject): true
        case .groups(.blockForAll), .groups(.remove), .groups(.setRole): true
        default: false
        }
    }
}
