public import ChatAPI
internal import ChatModel
internal import ChatProtocol
internal import Synchronization

/// The actions of a handler, for one event.
///
/// Each effect that must not happen twice carries a key made of the event and its number in the handler's run. When a handler
/// runs again after a crash, its n-th effect is recognised by the core and answered as it was the first time. The core's store
/// is so the outbox: what it has answered is on disk and will be delivered.
final class Effects: Sendable {
    let model: ChatModel
    let userID: UserID
    /// The folder that paths of received files are relative to; nil for none.
    let filesFolder: String?
    /// The name of the event among all of the profile; nil for one that is never handled again.
    let event: String?
    /// The parts that the bot's contexts share; nil before the bot has started.
    let services: BotServices?
    /// The changes of stored state, if they are stored when a handler has ended; nil if each is stored at once.
    let changes: HandlerChanges?
    let locks: ChangeLocks
    /// The log, the metrics and the trace of the event.
    let observation: EventObservation
    private let count = Mutex(0)
    /// A chat in which another bot writes too much to be answered.
    private let silentChat = Mutex<ChatReference?>(nil)
    /// The messages that were deleted for everybody.
    private let moderated = Mutex<Set<ChatItemID>>([])
    let retry: CommandRetry

    /// - Parameters:
    ///   - event: names the event among all of the profile; nil for one that is never handled again.
    ///   - locks: those of the bot; of the services if they are not given.
    init(
        model: ChatModel, userID: UserID, event: String?, filesFolder: String? = nil, services: BotServices? = nil, changes: HandlerChanges? = nil,
        locks: ChangeLocks? = nil, retry: CommandRetry = CommandRetry(), observation: EventObservation = .none
    ) {
        self.locks = locks ?? services?.locks ?? ChangeLocks()
        self.observation = observation
        self.retry = retry
        self.filesFolder = filesFolder
        self.model = model
        self.userID = userID
        self.event = event
        self.services = services
        self.changes = changes
    }

    /// The capability of having effects.
    private var performer: any EffectPerformer { services?.dryRun ?? RealEffects(model: model, retry: retry) }

    /// The core, with the model in front of it.
    var core: any ChatCore { model }

    /// A group as it is now; nil if it is not known, and in a dry run, whose changes only their results show.
    func currentGroup(_ id: GroupID) async -> GroupInfo? {
        services?.dryRun == nil ? await model.state.chat(.group(id), of: userID)?.chatInfo.groupInfo : nil
    }

    /// The chats of the bot's profile.
    var chats: BotChats { BotChats(model: model, userID: userID) }

    /// Refuses from now on what is sent into a chat.
    func silence(in chat: ChatReference) { silentChat.withLock { $0 = chat } }

    /// The chat into which nothing may be sent; nil for none.
    var silent: ChatReference? { silentChat.withLock(\.self) }

    /// Sends a message, in several parts if its text is too long for one, and returns its items.
    ///
    /// - Parameters:
    ///   - info: what is known of the chat.
    ///   - post: the post that the message comments; nil if it is not a comment.
    ///   - asGroup: whether it is sent in the name of the group.
    ///   - mentioning: members by the names that the text may have for them.
    func send(
        _ content: MessageContent, to chat: ChatReference, _ info: ChatInfo, quoting item: ChatItemID?, commenting post: ChatItemID? = nil,
        asGroup: Bool = false, mentioning members: [String: GroupMemberID] = [:]
    ) async throws(ChatCoreError) -> [ChatItem] {
        let target = asGroup ? Destination.chat(.group(GroupID(chat.id), asGroup: true)) : try Destination(chat, commenting: post)
        // One key for the whole and for its parts, with a quote and without: what is refused is not remembered under it.
        let key = nextKey()
        do throws(ChatCoreError) {
            return try await send(content, to: target, chat, info, quoting: item, commenting: post, members, key)
        } catch {
            guard item != nil, error.isQuoteInvalid else { throw error }
            // Its author or the bot itself has deleted what is quoted.
            return try await send(content, to: target, chat, info, quoting: nil, commenting: post, members, key)
        }
    }

    /// Sends a message whole, or in parts if it is a text that is too long.
    private func send(
        _ content: MessageContent, to target: Destination, _ chat: ChatReference, _ info: ChatInfo, quoting item: ChatItemID?,
        commenting post: ChatItemID?, _ members: [String: GroupMemberID], _ key: String?
    ) async throws(ChatCoreError) -> [ChatItem] {
        do throws(ChatCoreError) {
            let mentions = MentioningText.visible(members, in: content.text)
            return try await send([ComposedMessage(content: content, quotedItemID: item, mentions: mentions)], to: target, key)
        } catch {
            guard error.isMessageTooLarge, case .text(let text) = content.kind else { throw error }
            let limit = LongText.limit(in: info)
            var first = limit
            if let item {
                // What is quoted travels with the first part.
                let quoted = try await model.readItems(chat, of: userID, commentsOn: post, .around(item, count: 1)).first { $0.chatItem.id == item }
                first = LongText.limit(in: info, quoting: quoted?.chatItem.meta.text)
            }
            let parts = LongText.parts(of: text, first: first, other: limit)
            guard parts.count > 1 else { throw error }
            let messages = parts.enumerated().map { number, part in
                ComposedMessage(
                    content: .text(part), quotedItemID: number == 0 ? item : nil, mentions: MentioningText.visible(members, in: part))
            }
            return try await send(messages, to: target, key)
        }
    }

    /// Sends a message as it is.
    ///
    /// - Parameter live: whether its text is still being written.
    func send(
        _ message: ComposedMessage, to chat: ChatReference, commenting post: ChatItemID? = nil, live: Bool = false
    ) async throws(ChatCoreError) -> [ChatItem] {
        try await send([message], to: Destination(chat, commenting: post), nextKey(), live: live)
    }

    /// Sends a message as it is, also in the name of a group.
    func send(_ message: ComposedMessage, to target: SendTarget) async throws(ChatCoreError) -> [ChatItem] {
        try await send([message], to: .chat(target), nextKey())
    }

    /// The chat that a message is sent to, or the post that it comments.
    private enum Destination {
        case chat(SendTarget)
        case comments(GroupID, ChatItemID)

        init(_ chat: ChatReference, commenting post: ChatItemID?) throws(ChatCoreError) {
            if let post, chat.type == .group {
                self = .comments(GroupID(chat.id), post)
            } else if let target = SendTarget(chat) {
                self = .chat(target)
            } else {
                throw ChatCoreError(.unsupported, "messages cannot be sent into this kind of chat")
            }
        }

        func sending(_ messages: [ComposedMessage], live: Bool) -> ChatCommand {
            switch self {
            case .chat(let target): .messages(.send(to: target, messages, live: live))
            case .comments(let group, let post): .messages(.comment(group, on: post, messages, live: live))
            }
        }

        /// The chat whose pace holds.
        var chat: ChatReference {
            switch self {
            case .chat(let target): target.chat
            case .comments(let group, _): .group(group)
            }
        }
    }

    private func send(
        _ messages: [ComposedMessage], to target: Destination, _ key: String?, live: Bool = false
    ) async throws(ChatCoreError) -> [ChatItem] {
        // A text in parts may have one of white space alone.
        if messages.allSatisfy(\.showsNothing) { throw ChatCoreError.emptyMessage }
        try requireVoice(in: target.chat)
        try await services?.pacer.wait(for: messages.count, in: "\(target.chat)", asMemberOf: await memberGroup(of: target.chat))
        guard case .newChatItems(_, let items) = try await once(target.sending(messages, live: live), key), !items.isEmpty else {
            throw ChatCoreError(.invalidResponse, "the core did not say which message was sent")
        }
        return items.map(\.chatItem)
    }

    /// The group of a chat, if the bot is no moderator there and the limits of plain members hold; nil otherwise.
    private func memberGroup(of chat: ChatReference) async -> GroupID? {
        guard services?.pacer.limitsMembers == true, chat.type == .group, let role = await currentGroup(GroupID(chat.id))?.membership.role else { return nil }
        return role < .moderator ? GroupID(chat.id) : nil
    }

    private func requireVoice(in chat: ChatReference) throws(ChatCoreError) {
        guard silent != chat else {
            throw ChatCoreError(.botLoop, "another bot writes more than 20 messages a minute in this group, and is not answered until it writes less")
        }
    }

    /// Changes a message; nil when it was as it should become.
    func edit(
        _ item: ChatItemID, to content: MessageContent, in chat: ChatReference, mentioning members: [String: GroupMemberID] = [:]
    ) async throws(ChatCoreError) -> ChatItem? {
        if case .text(let text) = content.kind { try ChatCoreError.refuseEmpty(text) }
        let message = UpdatedMessage(content: content, mentions: MentioningText.visible(members, in: content.text))
        switch try await perform(.messages(.update(chat, item, message))) {
        case .chatItemUpdated(_, let item): return item.chatItem
        case .chatItemNotChanged: return nil
        default: throw ChatCoreError(.invalidResponse, "the core did not say whether the message was changed")
        }
    }

    func delete(_ items: [ChatItemID], mode: DeleteMode, in chat: ChatReference) async throws(ChatCoreError) {
        _ = try await perform(.messages(.delete(chat, items, mode: mode)))
    }

    /// Deletes messages of members for everybody.
    func moderate(_ items: [ChatItemID], in group: GroupID) async throws(ChatCoreError) {
        _ = try await once(.messages(.moderate(group, items)))
        moderated.withLock { $0.formUnion(items) }
    }

    /// True if a message was deleted for everybody.
    func hasModerated(_ item: ChatItemID) -> Bool { moderated.withLock { $0.contains(item) } }

    /// Blocks, removes or promotes members, once.
    func change(_ command: GroupCommand) async throws(ChatCoreError) {
        _ = try await once(.groups(command))
    }

    /// Marks a report as dealt with.
    func archiveReport(_ item: ChatItemID, in group: GroupID) async throws(ChatCoreError) {
        _ = try await once(.messages(.deleteReports(group, [item], mode: .internalMark)))
    }

    func forward(_ items: [ChatItemID], from chat: ChatReference, to target: ChatReference) async throws(ChatCoreError) {
        // Taken in any case, as by what else is sent: it numbers the effects that follow.
        let key = nextKey()
        try requireVoice(in: target)
        // What the owner forwards into a channel is a post of the channel.
        let group = await chats.summary(of: target)?.info.groupInfo
        let asGroup = group.map { $0.groupProfile.publicGroup != nil && $0.membership.role == .owner } ?? false
        try await services?.pacer.wait(for: items.count, in: "\(target)", asMemberOf: await memberGroup(of: target))
        _ = try await once(.messages(.forward(to: target, from: chat, items, asGroup: asGroup)), key)
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

    /// Connects by a link of any kind.
    func connect(by link: String) async throws(ChatCoreError) -> ChatResponse {
        try await observation.effect("connect") { () throws(ChatCoreError) in
            try await performer.connect(by: link, as: userID)
        }
    }

    /// Runs a command that may happen twice.
    func perform(_ command: ChatCommand) async throws(ChatCoreError) -> ChatResponse {
        try await observed(command) { () throws(ChatCoreError) in
            try await performer.perform(command, as: userID, onceAs: nil)
        }
    }

    /// Waits for the delivery of a message.
    func awaitDelivery(
        of item: ChatItemID, in chat: ChatReference, to stage: DeliveryStage, within limit: Duration
    ) async throws(ChatCoreError) -> DeliveryOutcome {
        // What was not sent is never on its way.
        if services?.dryRun != nil { return .reached }
        return try await model.awaitDelivery(of: item, in: chat, as: userID, to: stage, within: limit)
    }

    /// Runs a command once for all runs of the handler.
    func once(_ command: ChatCommand) async throws(ChatCoreError) -> ChatResponse { try await once(command, nextKey()) }

    private func once(_ command: ChatCommand, _ key: String?) async throws(ChatCoreError) -> ChatResponse {
        guard let key else { return try await perform(command) }
        return try await observed(command) { () throws(ChatCoreError) in
            try await performer.perform(command, as: userID, onceAs: key)
        }
    }

    /// Counts, logs and traces a command that does something; reading is no effect.
    private func observed(
        _ command: ChatCommand, _ body: () async throws(ChatCoreError) -> ChatResponse
    ) async throws(ChatCoreError) -> ChatResponse {
        guard let name = command.effectName else { return try await body() }
        return try await observation.effect(name, body)
    }

    /// The key of the next effect; nil for an event that is never handled again.
    func nextKey() -> String? {
        guard let event else { return nil }
        let number = count.withLock { count in
            count += 1
            return count
        }
        return "\(event)/\(number)"
    }
}

extension ChatCoreError.Code {
    /// Another bot writes too much in a group to be answered.
    public static let botLoop = ChatCoreError.Code(rawValue: "handler.botLoop")
}
