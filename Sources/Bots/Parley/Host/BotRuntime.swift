internal import ChatAPI
internal import ChatModel
internal import ChatProtocol
internal import Foundation
internal import Logging
internal import Synchronization

/// One bot at work: turns what happens in its profile into runs of its handlers.
///
/// Jobs of one chat are handled in order, those of different chats side by side. A handler that throws is logged, and the
/// event counts as handled, unless the handler was interrupted by the end of the bots.
final class BotRuntime: Sendable {
    let identity: BotIdentity
    let model: ChatModel
    let filesFolder: String?
    let dispatcher: EventDispatcher
    let beforeMatching: [Middleware]
    let background: [@Sendable (BotClient) async -> Void]
    let recurrences: [String: Recurrence]
    let services: BotServices
    /// Answers to other bots, so that two of them do not answer each other without an end.
    let answersToBots = RateLimiter([RateLimit(20, per: .seconds(60))])
    let handlesEventsWhenMuted: Bool
    let fileReception: FileReception?
    /// True if handlers judge what messages quote.
    let checksQuotes: Bool
    let retry: CommandRetry
    let store: BotStateStore
    let jobs: KeyedJobQueue<ChatJobKey>
    let crashes: HandlerCrashTracker
    let logger: Logger
    let monitor: HostMonitor
    let metrics: BotMetrics
    /// Numbers events that do not come again, for their ids in the log.
    let unnamedEvents = Mutex(0)
    let tracker: Mutex<ChatProgressTracker>
    /// Messages that are still being typed.
    let holds = Mutex(LiveHolds())
    /// Connections and requests that were set aside and are to be handled once more.
    let retried: Set<HandlerEventName>

    init(
        identity: BotIdentity, bot: Bot, services: BotServices, progress: HandledProgress, model: ChatModel, filesFolder: String? = nil,
        retry: CommandRetry = CommandRetry(), jobs: KeyedJobQueue<ChatJobKey>, crashes: HandlerCrashTracker, retried: Set<HandlerEventName> = [],
        monitor: HostMonitor = HostMonitor(), logger: Logger
    ) {
        self.retry = retry
        self.monitor = monitor
        metrics = monitor.metrics(of: identity.id)
        self.crashes = crashes
        self.retried = retried
        var progress = progress
        // They are found in the store as if nobody had seen them.
        for event in retried {
            switch event.kind {
            case .connected: progress.references[.connected]?.remove(event.reference)
            case .request: progress.references[.request]?.remove(event.reference)
            case .message, .timer: break
            }
        }
        self.identity = identity
        self.model = model
        self.filesFolder = filesFolder
        self.services = services
        store = services.store
        self.jobs = jobs
        dispatcher = EventDispatcher(bot.handlers)
        beforeMatching = bot.beforeMatching
        background = bot.background
        recurrences = Dictionary(bot.handlers.compactMap(\.recurrence).map { ($0.name, $0) }) { first, _ in first }
        handlesEventsWhenMuted = bot.handlesEventsWhenMuted
        fileReception = bot.fileReception
        checksQuotes = bot.checksQuotes
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
        case .chatItemsStatusesUpdated(_, let items):
            takeDelivery(of: items, event: event)
        case .contactConnected(_, let contact, _):
            takeConnected(contact, event: event)
        case .receivedContactRequest(_, let request, _):
            takeRequest(request, event: event)
        default:
            if let group = event.group, takeGroupEvent(event, in: group) { return }
            if let entry = event.itemOfFile, takeTransfer(of: entry, event: event) { return }
            // Most bots have no handler for what has no trigger of its own.
            guard !dispatcher.isEmpty(.any) else { return }
            submit("events", incoming(.other, event, effects(nil)))
        }
    }

    /// True if the profile is muted and its handlers do not run.
    func isMuted(_ event: ChatEvent) -> Bool { !handlesEventsWhenMuted && event.user?.showsNotifications == false }

    // MARK: Parts

    func incoming(_ entry: ItemInChat, event: ChatEvent) -> Incoming? {
        let effects = effects("item/\(entry.chatItem.id)")
        guard let content = GroupEvents.content(of: entry, in: chat(entry.chatInfo, effects: effects, of: entry.chatItem)) else { return nil }
        return self.incoming(content, event, effects)
    }

    func incoming(_ content: Incoming.Content, _ event: ChatEvent?, _ effects: Effects) -> Incoming {
        Incoming(content: content, bot: identity, effects: effects, event: event)
    }

    /// The effects of one run of handlers.
    func effects(_ event: String?) -> Effects {
        Effects(
            model: model, userID: identity.userID, event: event, filesFolder: filesFolder, services: services, changes: HandlerChanges(), retry: retry,
            observation: observation(event))
    }

    /// The observation of an event, under its name or, if it does not come again, a number.
    func observation(_ event: String?) -> EventObservation {
        let name =
            event
            ?? unnamedEvents.withLock { number in
                number += 1
                return "once/\(number)"
            }
        return EventObservation(id: "\(identity.userID)/\(name)", logger: logger, metrics: metrics) { [self] code, place in note(code, at: place) }
    }

    /// - Parameter item: what the chat is for: of a comment, its chat is the comments on its post.
    func chat(_ info: ChatInfo, effects: Effects, of item: ChatItem? = nil) -> BotChat {
        BotChat(bot: identity, info: info, effects: effects, post: item?.meta.parentItemID)
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
            .deletedMember(_, let group, _, _, _, _), .leftMember(_, let group, _, _), .joinedGroupMemberConnecting(_, let group, _, _),
            .groupRelayUpdated(_, let group, _, _):
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
