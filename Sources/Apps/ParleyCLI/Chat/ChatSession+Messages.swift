internal import ChatAPI
internal import ChatProtocol
internal import Hosting

/// Lines about single messages: reactions, edits, deletions and replies.
extension ChatSession {
    /// Messages that are searched for the one a line means.
    private static let searchedItems = 200
    /// The items of a group among which the last is looked for.
    private static let itemsOfASecond = 50

    func react(_ emoji: String, added: Bool, to id: ChatItemID?) async throws {
        let chat = try openReference()
        let item = try await target(id, in: chat, "a message to react to") { $0.direction.isReceived }
        let plain = String(String.UnicodeScalarView(emoji.unicodeScalars.filter { $0 != "\u{FE0F}" }))
        guard let reaction = ReactionEmoji(plain) else {
            let known = ReactionEmoji.allCases.map(\.text).joined(separator: " ")
            throw Outcome.BadInput("chat.noReaction", description: "\"\(VisibleText.line(emoji))\" is not a reaction; there are \(known)")
        }
        _ = try await core.send(.messages(.react(chat, item.id, add: added, .emoji(reaction))), as: user.userID)
    }

    func edit(_ text: String, _ id: ChatItemID?) async throws {
        let chat = try openReference()
        let item = try await target(id, in: chat, "a message of yours") { !$0.direction.isReceived }
        let message = UpdatedMessage(content: .text(text), mentions: try await mentions(in: text))
        _ = try await core.send(.messages(.update(chat, item.id, message)), as: user.userID)
    }

    /// Deletes a message of one's own for both sides.
    func unsend(_ id: ChatItemID?) async throws {
        let chat = try openReference()
        let item = try await target(id, in: chat, "a message of yours") { !$0.direction.isReceived }
        _ = try await core.send(.messages(.delete(chat, [item.id], mode: .broadcast)), as: user.userID)
    }

    /// The message that a reply quotes.
    func replied(_ id: ChatItemID?) async throws -> ChatItemID {
        try await target(id, in: try openReference(), "a message to reply to") { $0.direction.isReceived }.id
    }

    func openReference() throws -> ChatReference {
        guard let open else { throw Outcome.BadInput("chat.noneOpen", description: "no chat is open: :open NAME") }
        return open
    }

    /// A chat of a list with the item that was said last. The core lists the newest by its time, which can be an older one of the same second.
    func withLastItem(_ chat: Chat) async throws -> Chat {
        guard chat.chatInfo.chatType == .group, let reference = chat.chatInfo.reference, !chat.chatItems.isEmpty else { return chat }
        let answer: ChatResponse
        do {
            answer = try await core.send(.chats(.page(reference, pagination: .last(Self.itemsOfASecond))), as: user.userID)
        } catch {
            // It may be gone since the list was read.
            guard error.isMissingChat else { throw error }
            return chat
        }
        guard case .apiChat(_, let found, _) = answer else { return chat }
        return Chat(chatInfo: chat.chatInfo, chatItems: found.chatItems.inConversationOrder.suffix(1), chatStats: chat.chatStats)
    }

    /// The item of an id, or the newest message that a line can mean.
    func target(_ id: ChatItemID?, in chat: ChatReference, _ what: String, _ fits: (ChatItem) -> Bool) async throws -> ChatItem {
        let page = id.map { ChatPagination.around($0, count: 1) } ?? .last(Self.searchedItems)
        guard case .apiChat(_, let found, _) = try await core.send(.chats(.page(chat, pagination: page)), as: user.userID) else {
            throw Outcome.Failed("core.invalidResponse", description: "the chat was not shown")
        }
        // By the time alone, the newest could be an older one of the same second: that of a welcome message, say, has fractions.
        let item = found.chatItems.inConversationOrder.last { item in
            id.map { $0 == item.id } ?? (item.isMessage && item.meta.deleted == nil && fits(item))
        }
        guard let item else { throw Outcome.BadInput("chat.noMessage", description: "there is no such message: \(what) is needed") }
        return item
    }
}
