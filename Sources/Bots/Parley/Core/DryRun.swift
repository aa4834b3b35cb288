internal import ChatAPI
internal import ChatModel
internal import ChatProtocol
internal import Foundation
internal import Logging
internal import Synchronization

/// Reports effects instead of having them. Commands that only read reach the core.
///
/// Answers are made up as if the effect had happened. Messages have negative ids, which no message of a core has.
final class DryRun: EffectPerformer {
    private let bot: String
    private let model: ChatModel
    private let report: @Sendable (SuppressedEffect) -> Void
    private let logger: Logger
    private let lastItem = Mutex<Int64>(0)

    init(bot: String, model: ChatModel, logger: Logger, report: @escaping @Sendable (SuppressedEffect) -> Void) {
        self.bot = bot
        self.model = model
        self.logger = logger
        self.report = report
    }

    func perform(_ command: ChatCommand, as user: UserID, onceAs key: String?) async throws(ChatCoreError) -> ChatResponse {
        if command.hasNoEffect { return try await model.send(command, as: user) }
        let (chat, text) = command.summary
        suppress(command.effectName ?? "command", chat, text)
        return try await answer(to: command, as: user)
    }

    func connect(by link: String, as user: UserID) async throws(ChatCoreError) -> ChatResponse {
        suppress("connect", nil, "")
        return .cmdOk(user: await model.state.users[user]?.user)
    }

    func suppress(_ kind: String, _ chat: ChatReference?, _ text: String) {
        logger.notice("effect suppressed", metadata: ["bot": "\(bot)", "kind": "\(kind)", "chat": "\(chat.map { "\($0)" } ?? "")"])
        report(SuppressedEffect(bot: bot, kind: kind, chat: chat, text: text))
    }

    // MARK: Answers

    private func answer(to command: ChatCommand, as id: UserID) async throws(ChatCoreError) -> ChatResponse {
        let state = await model.state
        guard let user = state.users[id]?.user else { throw ChatCoreError(.invalidResponse, "the core does not list profile \(id)") }
        switch command {
        case .messages(.send(let target, let messages, _, _, _)):
            return .newChatItems(user: user, chatItems: try items(messages, in: state.chat(target.chat.whole, of: id)?.chatInfo, target.chat))
        case .messages(.comment(let group, _, let messages, _, _)):
            let chat = ChatReference.group(group)
            return .newChatItems(user: user, chatItems: try items(messages, in: state.chat(chat, of: id)?.chatInfo, chat))
        case .messages(.update(let chat, let item, let message, _)):
            guard let info = state.chat(chat.whole, of: id)?.chatInfo else { throw Self.noChat(chat) }
            return .chatItemUpdated(user: user, chatItem: ItemInChat(chatInfo: info, chatItem: Self.item(item, message.content, in: chat)))
        case .groups(.updateProfile(let group, let profile)):
            guard let info = state.chat(.group(group), of: id)?.chatInfo.groupInfo else { throw Self.noChat(.group(group)) }
            var changed = info
            changed.groupProfile = profile
            return .groupUpdated(user: user, fromGroup: info, toGroup: changed, member: nil, isSigned: false)
        case .groups(.create), .groups(.createPublic), .groups(.addRelays), .groups(.createLink), .groups(.setLinkRole), .connections, .users:
            throw ChatCoreError(.unsupported, "a dry run makes no groups, links and connections")
        case .files(.upload): throw ChatCoreError(.unsupported, "a dry run uploads nothing")
        default: return .cmdOk(user: user)
        }
    }

    private func items(_ messages: [ComposedMessage], in info: ChatInfo?, _ chat: ChatReference) throws(ChatCoreError) -> [ItemInChat] {
        guard let info else { throw Self.noChat(chat) }
        return messages.map { message in
            let id = lastItem.withLock { last in
                last -= 1
                return last
            }
            return ItemInChat(chatInfo: info, chatItem: Self.item(ChatItemID(id), message.content, in: chat))
        }
    }

    private static func item(_ id: ChatItemID, _ content: MessageContent, in chat: ChatReference) -> ChatItem {
        let now = UTCTimestamp(seconds: Int64(Date().timeIntervalSince1970))
        return ChatItem(
            direction: chat.type == .group ? .groupSent : .directSent,
            meta: ItemMeta(itemID: id, itemTimestamp: now, text: content.text, status: .sendNew, createdAt: now, updatedAt: now),
            content: .sentMessage(content: content))
    }

    private static func noChat(_ chat: ChatReference) -> ChatCoreError { ChatCoreError(.unsupported, "the bot has no chat \(chat)") }
}

extension ChatCommand {
    /// True for a command that only reads, or that fetches a file.
    fileprivate var hasNoEffect: Bool {
        switch self {
        case .files(.receive), .files(.setToReceive), .files(.download), .files(.cancel): true
        default: effectName == nil
        }
    }

    /// The chat of an effect and its text.
    fileprivate var summary: (chat: ChatReference?, text: String) {
        switch self {
        case .messages(.send(let target, let messages, _, _, _)): (target.chat, messages.map(\.content.text).joined(separator: "\n"))
        case .messages(.comment(let group, _, let messages, _, _)): (.group(group), messages.map(\.content.text).joined(separator: "\n"))
        case .messages(.update(let chat, _, let message, _)): (chat, message.content.text)
        case .messages(.delete(let chat, _, _)): (chat, "")
        case .messages(.moderate(let group, _)), .messages(.deleteReports(let group, _, _)): (.group(group), "")
        case .messages(.react(let chat, _, _, .emoji(let emoji))): (chat, emoji.text)
        case .messages(.forward(let chat, _, _, _, _)): (chat, "")
        case .chats(.markRead(let chat)): (chat, "")
        case .groups(.blockForAll(let group, _, _)), .groups(.remove(let group, _, _)), .groups(.setRole(let group, _, _)),
            .groups(.acceptMember(let group, _, _)), .groups(.add(let group, _, _)), .groups(.leave(let group)), .groups(.join(let group)),
            .groups(.updateProfile(let group, _)):
            (.group(group), "")
        default: (nil, "")
        }
    }
}
