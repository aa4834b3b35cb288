internal import ChatAPI
internal import ChatModel
internal import ChatProtocol
internal import Logging
internal import Synchronization
internal import SystemSupport

/// One bot at work: turns what happens in its profile into runs of its handlers.
///
/// Jobs of one chat are handled in order, those of different chats side by side. A handler that throws is logged, and the
/// event counts as handled, unless the handler was interrupted by the end of the bots.
final class BotRuntime: Sendable {
    let identity: BotIdentity
    private let model: ChatModel
    private let filesFolder: String?
    private let dispatcher: EventDispatcher
    private let handlesEventsWhenMuted: Bool
    private let store: BotStateStore
    private let jobs: KeyedJobQueue<ChatJobKey>
    private let crashes: HandlerCrashTracker
    private let logger: Logger
    private let tracker: Mutex<ChatProgressTracker>
    /// Connections and requests that were set aside and are to be handled once more.
    private let retried: Set<HandlerEventName>

    init(
        identity: BotIdentity, handlers: [On], handlesEventsWhenMuted: Bool = false, progress: HandledProgress, model: ChatModel, filesFolder: String? = nil,
        store: BotStateStore, jobs: KeyedJobQueue<ChatJobKey>, crashes: HandlerCrashTracker, retried: Set<HandlerEventName> = [], logger: Logger
    ) {
        self.crashes = crashes
        self.retried = retried
        var progress = progress
        // They are found in the store as if nobody had seen them.
        for event in retried {
            switch event.kind {
            case .connected: progress.references[.connected]?.remove(event.reference)
            case .request: progress.references[.request]?.remove(event.reference)
            case .message: break
            }
        }
        self.identity = identity
        self.model = model
        self.filesFolder = filesFolder
        self.store = store
        self.jobs = jobs
        dispatcher = EventDispatcher(handlers)
        self.handlesEventsWhenMuted = handlesEventsWhenMuted
        tracker = Mutex(ChatProgressTracker(progress))
        var logger = logger
        logger[metadataKey: "bot"] = "\(identity.id)"
        self.logger = logger
    }

    /// Takes an event of the core that concerns the profile.
    func take(_ event: ChatEvent) {
        if isMuted(event), !event.isStored { return }
        switch event {
        case .newChatItems(_, let items):
            for item in items { take(item, event: event) }
        case .chatItemUpdated(_, let item):
            takeEdit(item, event: event)
        case .chatItemsDeleted(_, let deletions, byUser: false, timed: false):
            takeDeletions(deletions, event: event)
        case .chatItemReaction(_, let added, let reaction):
            takeReaction(reaction, added: added, event: event)
        case .contactConnected(_, let contact, _):
            takeConnected(contact, event: event)
        case .receivedContactRequest(_, let request, _):
            takeRequest(request, event: event)
        default:
            if let group = event.group, takeGroupEvent(event, in: group) { return }
            submit("events", Incoming(content: .other, source: context(of: event, effects: effects(nil))))
        }
    }

    // MARK: What comes once and must not be lost

    /// Gives a received message to its chat's job queue, unless it was given before.
    ///
    /// - Parameter isFetched: whether it was read from the store, in its turn, and not announced.
    /// - Returns: false if the queue is full; the message will be fetched again.
    @discardableResult
    func take(_ entry: ItemInChat, event: ChatEvent, isFetched: Bool = false) -> Bool {
        guard let chat = entry.chatInfo.reference else { return true }
        let name = "\(chat)", id = entry.chatItem.id
        return tracker.withLock { tracker in
            guard isFetched ? tracker.admits(fetched: id, in: name) : tracker.admits(announced: id, in: name) else { return true }
            guard let incoming = incoming(entry, event: event) else {
                tracker.didSubmit(id, in: name)
                return true
            }
            let handlerEvent = HandlerEventName(.message, id.rawValue, in: name, of: identity.userID), isMuted = isMuted(event)
            let isTaken = jobs.submit(ChatJobKey(userID: identity.userID, chat: name)) { [self] in
                // What is passed over counts as handled, after what came before it.
                if !isMuted { guard await run(incoming, as: handlerEvent) else { return } }
                FailPoint.botHandled.pass()
                store.noteHandled(upTo: id, in: name, of: identity.userID)
            }
            if isTaken { tracker.didSubmit(id, in: name) } else { tracker.didRefuse(id, in: name) }
            return isTaken
        }
    }

    /// True if the profile is muted and its handlers do not run.
    private func isMuted(_ event: ChatEvent) -> Bool { !handlesEventsWhenMuted && event.user?.showsNotifications == false }

    func takeConnected(_ contact: Contact, event: ChatEvent) {
        guard tracker.withLock({ $0.isFirst(.connected, contact.contactID.rawValue) }) else { return }
        let effects = effects("connected/\(contact.contactID)")
        let context = ContactContext(chat: chat(.direct(contact: contact), effects: effects), contact: contact)
        let incoming = Incoming(content: .connected(context), source: self.context(of: event, effects: effects))
        let chat = "\(ChatReference.direct(contact.contactID))"
        submit(
            chat, incoming, .connected, as: HandlerEventName(.connected, contact.contactID.rawValue, in: chat, of: identity.userID), isMuted: isMuted(event))
    }

    func takeRequest(_ request: UserContactRequest, event: ChatEvent) {
        // It is found again at a start after the profile is unmuted.
        guard !isMuted(event) else { return }
        guard tracker.withLock({ $0.isFirst(.request, request.contactRequestID.rawValue) }) else { return }
        let effects = effects("request/\(request.contactRequestID)")
        let context = RequestContext(bot: identity, request: request, effects: effects)
        let incoming = Incoming(content: .request(context), source: self.context(of: event, effects: effects))
        let key = "request \(request.contactRequestID)"
        submit(key, incoming, .request, as: HandlerEventName(.request, request.contactRequestID.rawValue, in: key, of: identity.userID))
    }

    /// The last item of a chat that was given to its job queue.
    func submitted(in chat: ChatReference) -> ChatItemID { tracker.withLock { $0.submitted(in: "\(chat)") } }

    /// The newest item of a chat that was refused and has to be fetched.
    func refused(in chat: ChatReference) -> ChatItemID? { tracker.withLock { $0.refused(in: "\(chat)") } }

    /// Items of a chat may be missing: what is announced for it waits until it has been read.
    func openGap(in chat: ChatReference) { tracker.withLock { $0.openGap(in: "\(chat)") } }

    /// Says that all items of a chat that were there have been fetched.
    ///
    /// - Returns: false when further items were refused since the last of them were read.
    func closeGap(in chat: ChatReference, refusedBefore refused: ChatItemID?) -> Bool {
        tracker.withLock { $0.closeGap(in: "\(chat)", refusedBefore: refused) }
    }

    // MARK: What is told once, as long as the process lives

    /// - Returns: false if the event says nothing of groups that handlers have a trigger for.
    private func takeGroupEvent(_ event: ChatEvent, in group: GroupInfo) -> Bool {
        let effects = effects(nil)
        guard let content = GroupEvents.content(of: event, chat: { chat(.group(groupInfo: $0, scope: nil), effects: effects) }) else { return false }
        submit("\(ChatReference.group(group.groupID))", Incoming(content: content, source: context(of: event, effects: effects)))
        return true
    }

    private func takeEdit(_ entry: ItemInChat, event: ChatEvent) {
        guard let chat = entry.chatInfo.reference, case .receivedMessage(let content) = entry.chatItem.content,
            entry.chatItem.meta.isEdited, GroupEvents.isToBeHandled(entry.chatItem, in: entry.chatInfo)
        else { return }
        let effects = effects(nil)
        let context = EditContext(chat: self.chat(entry.chatInfo, effects: effects), item: entry.chatItem, content: content)
        submit("\(chat)", Incoming(content: .edited(context), source: self.context(of: event, effects: effects)))
    }

    private func takeDeletions(_ deletions: [ChatItemDeletion], event: ChatEvent) {
        var byChat: [ChatReference: (info: ChatInfo, items: [ChatItem])] = [:]
        for deletion in deletions {
            let entry = deletion.deletedChatItem
            guard let chat = entry.chatInfo.reference else { continue }
            byChat[chat, default: (entry.chatInfo, [])].items.append(entry.chatItem)
        }
        for (chat, deleted) in byChat {
            let effects = effects(nil)
            let context = DeletionContext(chat: self.chat(deleted.info, effects: effects), items: deleted.items)
            submit("\(chat)", Incoming(content: .deleted(context), source: self.context(of: event, effects: effects)))
        }
    }

    private func takeReaction(_ reaction: ReactionInChat, added: Bool, event: ChatEvent) {
        guard let chat = reaction.chatInfo.reference, reaction.chatReaction.direction.isReceived,
            case .emoji(let emoji) = reaction.chatReaction.reaction
        else { return }
        let effects = effects(nil)
        let context = ReactionContext(
            chat: self.chat(reaction.chatInfo, effects: effects), item: reaction.chatReaction.chatItem, emoji: emoji.text, isAdded: added)
        submit("\(chat)", Incoming(content: .reaction(context), source: self.context(of: event, effects: effects)))
    }

    // MARK: Parts

    private func incoming(_ entry: ItemInChat, event: ChatEvent) -> Incoming? {
        let effects = effects("item/\(entry.chatItem.id)")
        guard let content = GroupEvents.content(of: entry, in: chat(entry.chatInfo, effects: effects)) else { return nil }
        return Incoming(content: content, source: context(of: event, effects: effects))
    }

    private func effects(_ event: String?) -> Effects { Effects(model: model, userID: identity.userID, event: event, filesFolder: filesFolder) }

    private func chat(_ info: ChatInfo, effects: Effects) -> BotChat { BotChat(bot: identity, info: info, effects: effects) }

    private func context(of event: ChatEvent, effects: Effects) -> EventContext {
        EventContext(bot: identity, event: event, effects: effects)
    }

    /// - Parameters:
    ///   - kind: what is noted once it is handled; nil for what is told once.
    ///   - event: its name; nil for what does not come again.
    ///   - isMuted: whether the event counts as handled without being given to a handler.
    private func submit(
        _ chat: String, _ incoming: Incoming, _ kind: HandledProgress.Kind? = nil, as event: HandlerEventName? = nil, isMuted: Bool = false
    ) {
        let isTaken = jobs.submit(ChatJobKey(userID: identity.userID, chat: chat)) { [self] in
            if !isMuted { guard await run(incoming, as: event) else { return } }
            if let kind, let event { store.noteHandled(kind, event.reference, of: identity.userID) }
        }
        if !isTaken {
            // Connections and requests are found again at the next start; the rest is only told as long as there is room.
            logger.warning("event dropped: too many wait in its chat", metadata: ["kind": "\(incoming.kind)"])
        }
    }

    /// Gives a received message to the handlers once more that was set aside, before what its chat brings from now on.
    func retry(_ entry: ItemInChat, event: ChatEvent) {
        guard let chat = entry.chatInfo.reference, let incoming = incoming(entry, event: event) else { return }
        let name = HandlerEventName(.message, entry.chatItem.id.rawValue, in: "\(chat)", of: identity.userID)
        jobs.submit(ChatJobKey(userID: identity.userID, chat: "\(chat)")) { [self] in
            _ = await crashes.noting(name, isRetry: true) { await run(incoming) }
        }
    }

    /// - Parameter event: its name; nil for what does not come again.
    /// - Returns: see ``run(_:)``.
    private func run(_ incoming: Incoming, as event: HandlerEventName?) async -> Bool {
        guard let event else { return await run(incoming) }
        // It counts as handled: who wants it handled says so.
        if crashes.isQuarantined(event) { return true }
        return await crashes.noting(event, isRetry: retried.contains(event)) { await run(incoming) }
    }

    /// - Returns: false if the handler was interrupted because the bots stop: then it runs again at the next start. A handler that fails has
    ///   handled the event, also one that throws `CancellationError` of its own accord.
    private func run(_ incoming: Incoming) async -> Bool {
        if let message = incoming.message { TrapPoint.botHandle.pass(Array(message.text.utf8)) }
        guard let (place, body) = dispatcher.handler(of: incoming) else { return true }
        do {
            try await body()
        } catch {
            // Only the end of the bots cancels the tasks of handlers.
            guard !Task.isCancelled else {
                logger.notice("handler interrupted: it runs again at the next start", metadata: ["handler": "\(place)", "kind": "\(incoming.kind)"])
                return false
            }
            logger.error(
                "handler failed",
                metadata: [
                    "handler": "\(place)", "kind": "\(incoming.kind)", "code": "\((error as? ChatCoreError)?.code.rawValue ?? "handler")", "error": "\(error)",
                ])
        }
        return true
    }
}

extension ChatEvent {
    /// True for an event that is found in the store again until it is noted as handled.
    fileprivate var isStored: Bool {
        switch self {
        case .newChatItems, .contactConnected, .receivedContactRequest: true
        default: false
        }
    }
}

extension ChatEvent {
    /// The group of an event that may be about members.
    fileprivate var group: GroupInfo? {
        switch self {
        case .userJoinedGroup(_, let group, _), .groupUpdated(_, _, let group, _, _), .deletedMemberUser(_, let group, _, _, _),
            .groupDeleted(_, let group, _, _), .memberRole(_, let group, _, _, _, _, _), .memberBlockedForAll(_, let group, _, _, _, _),
            .deletedMember(_, let group, _, _, _, _), .leftMember(_, let group, _, _):
            group
        default: nil
        }
    }
}

/// One chat of one profile.
struct ChatJobKey: Hashable, Sendable {
    let userID: UserID
    let chat: String
}
