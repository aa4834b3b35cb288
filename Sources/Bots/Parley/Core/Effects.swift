internal import ChatAPI
internal import ChatModel
internal import ChatProtocol
internal import Synchronization

/// The actions of a handler, for one event.
///
/// Each effect that must not happen twice carries a key made of the event and its number in the handler's run. When a handler
/// runs again after a crash, its n-th effect is recognised by the core and answered as it was the first time. The core's store
/// is so the outbox: what it has answered is on disk and will be delivered.
final class Effects: Sendable {
    private let model: ChatModel
    private let userID: UserID
    private let event: String?
    private let count = Mutex(0)

    /// - Parameter event: names the event among all of the profile; nil for one that is never handled again.
    init(model: ChatModel, userID: UserID, event: String?) {
        self.model = model
        self.userID = userID
        self.event = event
    }

    /// The chats of the bot's profile.
    var chats: BotChats { BotChats(model: model, userID: userID) }

    /// Sends a message and returns the item that stands for it.
    func send(_ content: MessageContent, to chat: ChatReference, quoting item: ChatItemID?) async throws(ChatCoreError) -> ChatItem {
        let message = ComposedMessage(content: content, quotedItemID: item)
        guard let target = SendTarget(chat) else {
            throw ChatCoreError(.unsupported, "messages cannot be sent into this kind of chat")
        }
        guard case .newChatItems(_, let items) = try await once(.messages(.send(to: target, [message]))), let sent = items.first else {
            throw ChatCoreError(.invalidResponse, "the core did not say which message was sent")
        }
        return sent.chatItem
    }

    /// Changes a message; nil when it was as it should become.
    func edit(_ item: ChatItemID, to content: MessageContent, in chat: ChatReference) async throws(ChatCoreError) -> ChatItem? {
        switch try await perform(.messages(.update(chat, item, UpdatedMessage(content: content)))) {
        case .chatItemUpdated(_, let item): return item.chatItem
        case .chatItemNotChanged: return nil
        default: throw ChatCoreError(.invalidResponse, "the core did not say whether the message was changed")
        }
    }

    func delete(_ item: ChatItemID, mode: DeleteMode, in chat: ChatReference) async throws(ChatCoreError) {
        _ = try await perform(.messages(.delete(chat, [item], mode: mode)))
    }

    func react(to item: ChatItemID, _ emoji: String, added: Bool, in chat: ChatReference) async throws(ChatCoreError) {
        // The heart is often typed with a variation selector that the network's reaction does not have.
        let plain = String(String.UnicodeScalarView(emoji.unicodeScalars.filter { $0 != "\u{FE0F}" }))
        guard let reaction = ReactionEmoji(plain) else {
            let known = ReactionEmoji.allCases.map(\.text).joined(separator: " ")
            throw ChatCoreError(.unsupported, "\"\(emoji)\" is not a reaction; there are \(known)")
        }
        _ = try await once(.messages(.react(chat, item, add: added, .emoji(reaction))))
    }

    func accept(_ request: UserContactRequestID) async throws(ChatCoreError) {
        _ = try await once(.address(.accept(request)))
    }

    func reject(_ request: UserContactRequestID) async throws(ChatCoreError) {
        _ = try await once(.address(.reject(request)))
    }

    /// Carries out a command that may happen twice.
    func perform(_ command: ChatCommand) async throws(ChatCoreError) -> ChatResponse {
        try await model.send(command, as: userID)
    }

    /// Carries out a command once, also when the handler runs again.
    private func once(_ command: ChatCommand) async throws(ChatCoreError) -> ChatResponse {
        guard let event else { return try await perform(command) }
        let number = count.withLock { count in
            count += 1
            return count
        }
        return try await model.send(command, as: userID, onceAs: "\(event)/\(number)")
    }
}
