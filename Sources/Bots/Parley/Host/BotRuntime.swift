internal import ChatAPI
internal import ChatModel
internal import ChatProtocol
internal import EncryptedSQLite
internal import Foundation
internal import Logging
internal import Synchronization
internal import SystemSupport

/// One bot at work: turns what happens in its profile into runs of its handlers.
///
/// Jobs of one chat are handled in order, those of different chats side by side. A handler that throws is logged, and the
/// event counts as handled, unless the handler was interrupted by the end of the bots.
final class BotRuntime: Sendable {
    let identity: BotIdentity
    let model: ChatModel
    private let filesFolder: String?
    let dispatcher: EventDispatcher
    private let beforeMatching: [Middleware]
    private let background: [@Sendable (BotClient) async -> Void]
    private let recurrences: [String: Recurrence]
    let services: BotServices
    /// Answers to other bots, so that two of them do not answer each other without an end.
    private let answersToBots = RateLimiter([RateLimit(20, per: .seconds(60))])
    private let handlesEventsWhenMuted: Bool
    private let fileReception: FileReception?
    private let retry: CommandRetry
    let store: BotStateStore
    let jobs: KeyedJobQueue<ChatJobKey>
    private let crashes: HandlerCrashTracker
    let logger: Logger
    private let monitor: HostMonitor
    let metrics: BotMetrics
    /// Numbers events that do not come again, for their ids in the log.
    private let unnamedEvents = Mutex(0)
    private let tracker: Mutex<ChatProgressTracker>
    /// Messages that are still being typed.
    let holds = Mutex(LiveHolds())
    /// Connections and requests that were set aside and are to be handled once more.
    private let retried: Set<HandlerEventName>

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
            let mark = HandledMark.item(id, chat: name)
            let isTaken =
                hold(entry, incoming, in: name, event: event, mark)
                ?? submit(entry, incoming, in: name, isMuted: isMuted(event)) { .handle(mark) }
            if isTaken { tracker.didSubmit(id, in: name) } else { tracker.didRefuse(id, in: name) }
            return isTaken
        }
    }

    /// Gives a received message to the queue of its chat.
    ///
    /// - Parameters:
    ///   - turn: decides in the turn of the message what becomes of it.
    ///   - otherwise: what happens in its turn if there is no decision.
    /// - Returns: false if the queue is full.
    @discardableResult
    func submit(
        _ entry: ItemInChat, _ incoming: Incoming, in chat: String, isMuted: Bool, turn: @escaping @Sendable () async -> MessageTurn?,
        otherwise: @escaping @Sendable () async -> Void = {}
    ) -> Bool {
        let arrival = arrival(entry, incoming, isMuted: isMuted)
        let isTaken = jobs.submit(ChatJobKey(userID: identity.userID, chat: chat)) { [self] in
            switch await turn() {
            case .handle(let mark): _ = await handle(entry, incoming, arrival, in: chat, isMuted: isMuted, mark)
            case .passed(let mark):
                _ = arrival.map(services.replies.begins)
                store.note(mark, of: identity.userID)
            case .later: _ = arrival.map(services.replies.begins)
            case nil:
                _ = arrival.map(services.replies.begins)
                await otherwise()
            }
        }
        if isTaken, let arrival { services.replies.queued(arrival) }
        return isTaken
    }

    /// A message that calls can wait for; nil for one that is for nobody.
    private func arrival(_ entry: ItemInChat, _ incoming: Incoming, isMuted: Bool) -> ReplyWaiters.Arrival? {
        isMuted || incoming.isOfBotInGroup ? nil : incoming.openMessage.map { ReplyWaiters.Arrival(entry, of: $0) }
    }

    /// Handles a message whose turn has come, and that nobody has waited for.
    func handle(_ entry: ItemInChat, _ incoming: Incoming, in chat: String, isMuted: Bool, _ mark: HandledMark) async -> Bool {
        let arrival = arrival(entry, incoming, isMuted: isMuted)
        if let arrival { services.replies.queued(arrival) }
        return await handle(entry, incoming, arrival, in: chat, isMuted: isMuted, mark)
    }

    private func handle(
        _ entry: ItemInChat, _ incoming: Incoming, _ arrival: ReplyWaiters.Arrival?, in chat: String, isMuted: Bool, _ mark: HandledMark
    ) async -> Bool {
        let isForHandlers = arrival.map(services.replies.begins) ?? !isMuted
        // What is passed over counts as handled, after what came before it. Whoever moderates a group reads what bots write, however much it is.
        if !isForHandlers || isTooMuchOfABot(incoming) && !incoming.isOfBotInGroup {
            store.note(mark, of: identity.userID)
            return true
        }
        // A message counts in favour of its answer.
        services.pacer.received(in: chat, at: entry.chatItem.meta.createdAt, from: entry.chatItem.author)
        return await run(incoming, as: HandlerEventName(.message, entry.chatItem.id.rawValue, in: chat, of: identity.userID), mark)
    }

    /// True if the profile is muted and its handlers do not run.
    func isMuted(_ event: ChatEvent) -> Bool { !handlesEventsWhenMuted && event.user?.showsNotifications == false }

    /// Notes whom a contact that connects is known as.
    ///
    /// - Returns: The name of a trusted contact; nil for strangers.
    @discardableResult
    func meet(_ contact: Contact) -> String? {
        services.trust.note(contact)
        return services.trust.name(of: contact)
    }

    func takeConnected(_ contact: Contact, event: ChatEvent) {
        guard tracker.withLock({ $0.isFirst(.connected, contact.contactID.rawValue) }) else { return }
        let effects = effects("connected/\(contact.contactID)")
        let context = ContactContext(chat: chat(.direct(contact: contact), effects: effects), contact: contact)
        let incoming = incoming(.connected(context), event, effects)
        let chat = "\(ChatReference.direct(contact.contactID))"
        submit(
            chat, incoming, .connected, as: HandlerEventName(.connected, contact.contactID.rawValue, in: chat, of: identity.userID), isMuted: isMuted(event))
    }

    func takeRequest(_ request: UserContactRequest, event: ChatEvent) {
        // It is found again at a start after the profile is unmuted.
        guard !isMuted(event) else { return }
        guard tracker.withLock({ $0.isFirst(.request, request.contactRequestID.rawValue) }) else { return }
        let effects = effects("request/\(request.contactRequestID)")
        var text = ""
        if case .receivedContactRequest(_, _, let chat?) = event, request.requestSharedMessageID != nil {
            let item = chat.chatItems.last { $0.meta.sharedMessageID == request.requestSharedMessageID } ?? chat.chatItems.last { $0.direction.isReceived }
            text = item?.meta.text ?? ""
        }
        let context = RequestContext(bot: identity, request: request, text: text, effects: effects)
        let incoming = incoming(.request(context), event, effects)
        let key = "request \(request.contactRequestID)"
        submit(key, incoming, .request, as: HandlerEventName(.request, request.contactRequestID.rawValue, in: key, of: identity.userID))
    }

    /// True for an item that came after all that were given to the queue of its chat.
    func isUnseen(_ item: ChatItemID, in chat: ChatReference) -> Bool { tracker.withLock { $0.isUnseen(item, in: "\(chat)") } }

    /// The last item of a chat that was given to its job queue.
    func submitted(in chat: ChatReference) -> ChatItemID { tracker.withLock { $0.submitted(in: "\(chat)") } }

    /// The newest item of a chat that was refused and has to be fetched.
    func refused(in chat: ChatReference) -> ChatItemID? { tracker.withLock { $0.refused(in: "\(chat)") } }

    /// Items of a chat may be missing: what is announced for it waits until it has been read.
    func openGap(in chat: ChatReference) { tracker.withLock { $0.openGap(in: "\(chat)") } }

    /// True if items of a chat were refused, or could not be read, and have not been fetched.
    var hasGaps: Bool { tracker.withLock(\.hasGaps) }

    /// The chat is gone: there is nothing to fetch any more.
    func forgetGap(in chat: ChatReference) { tracker.withLock { $0.forgetGap(in: "\(chat)") } }

    /// Says that all items of a chat that were there have been fetched.
    ///
    /// - Returns: false when further items were refused since the last of them were read.
    func closeGap(in chat: ChatReference, refusedBefore refused: ChatItemID?) -> Bool {
        tracker.withLock { $0.closeGap(in: "\(chat)", refusedBefore: refused) }
    }

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
    private func observation(_ event: String?) -> EventObservation {
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

    /// - Parameters:
    ///   - kind: what is noted once it is handled; nil for what is told once.
    ///   - event: its name; nil for what does not come again.
    ///   - isMuted: whether the event counts as handled without being given to a handler.
    func submit(
        _ chat: String, _ incoming: Incoming, _ kind: HandledProgress.Kind? = nil, as event: HandlerEventName? = nil, isMuted: Bool = false
    ) {
        let isTaken = jobs.submit(ChatJobKey(userID: identity.userID, chat: chat)) { [self] in
            let mark: HandledMark = if let kind, let event { .once(kind, event.reference) } else { .none }
            if isMuted { return store.note(mark, of: identity.userID) }
            await run(incoming, as: event, mark)
        }
        if !isTaken {
            // Connections and requests are found again at the next start; the rest is only told as long as there is room.
            metrics.dropped()
            logger.warning("event dropped: too many wait in its chat", metadata: ["kind": "\(incoming.kind)"])
        }
    }

    /// Gives a received message to the handlers once more that was set aside, before what its chat brings from now on.
    func retry(_ entry: ItemInChat, event: ChatEvent) {
        guard let chat = entry.chatInfo.reference, let incoming = incoming(entry, event: event) else { return }
        let name = HandlerEventName(.message, entry.chatItem.id.rawValue, in: "\(chat)", of: identity.userID)
        jobs.submit(ChatJobKey(userID: identity.userID, chat: "\(chat)")) { [self] in
            _ = await crashes.noting(name, isRetry: true) { await run(incoming, .none) }
        }
    }

    /// Runs the handlers of an event, and stores what they have changed with the mark that it is handled.
    ///
    /// - Parameter event: its name; nil for what does not come again.
    /// - Returns: false if it is not handled, and runs again at the next start.
    @discardableResult
    private func run(_ incoming: Incoming, as event: HandlerEventName?, _ mark: HandledMark) async -> Bool {
        guard let event else { return await run(incoming, mark) }
        if crashes.isQuarantined(event) {
            // It counts as handled: who wants it handled says so.
            store.note(mark, of: identity.userID)
            return true
        }
        return await crashes.noting(event, isRetry: retried.contains(event)) { await run(incoming, mark) }
    }

    /// - Returns: false if the handler was interrupted because the bots stop, or its changes could not be stored: then it runs again at the next start.
    ///   A handler that fails has handled the event, also one that throws `CancellationError` of its own accord.
    @discardableResult
    func run(_ incoming: Incoming, _ mark: HandledMark) async -> Bool {
        defer { incoming.changes?.end() }
        if let message = incoming.message {
            TrapPoint.botHandle.pass(Array(message.text.utf8))
            if let fileReception { await receiveFile(of: message, within: fileReception) }
        }
        do {
            try await incoming.effects.observation.handling(incoming.kind, of: identity.id) { try await perform(incoming) }
        } catch {
            let (place, error) = (error as? HandlerFailure).map { ($0.place.description, $0.error) } ?? ("", error)
            // Only the end of the bots cancels the tasks of handlers.
            let code = ErrorCode.of(error) ?? "handler", logger = incoming.effects.observation.logger
            guard !Task.isCancelled else {
                logger.notice("handler interrupted: it runs again at the next start", metadata: ["handler": "\(place)", "kind": "\(incoming.kind)"])
                return false
            }
            logger.error(
                "handler failed",
                metadata: [
                    "handler": "\(place)", "kind": "\(incoming.kind)", "code": "\(code)", "error": "\(error)",
                ])
            note(code, at: place)
            incoming.changes?.discard()
        }
        // What was remembered of a message while it was typed is of no use any more.
        if let message = incoming.message, message.item.meta.isLive != nil, let chat = message.chat.reference {
            incoming.changes?.forget(StateScope.live(message.id, in: chat))
        }
        return await finish(incoming, mark)
    }

    /// Counts a file that is to be received on its own.
    func takeQuota(of person: PersonID, _ size: Int64, _ reception: FileReception) async throws -> FileReceptionUse.Decision {
        let key = StateKey(scope: person.description, name: FileReceptionUse.stateName), time = services.time.now()
        return try await store.update(key, of: identity.userID) { stored in
            var use = try FileReceptionUse(stored: stored)
            let decision = use.take(size, within: reception, at: time)
            return (try use.stored(), decision)
        }
    }

    /// Keeps a failure for those who look after the process.
    private func note(_ code: String, at place: String) {
        monitor.note(HostMonitor.Failure(time: services.time.now(), bot: identity.id, code: code, place: place))
    }

    /// Runs middleware and handlers.
    private func perform(_ incoming: Incoming) async throws {
        var run: On.Run = { [dispatcher] in
            for handler in dispatcher.handlers(of: incoming) {
                do {
                    try await incoming.effects.observation.handler(handler.place, handler.run)
                } catch {
                    throw HandlerFailure(place: handler.place, error: error)
                }
            }
        }
        if !beforeMatching.isEmpty {
            let call = HandlerCall(incoming)
            for middleware in beforeMatching.reversed() { run = { [run] in try await middleware.run(call, run) } }
        }
        try await run()
    }

    /// Stores the changes of stored state with the mark that the event is handled.
    private func finish(_ incoming: Incoming, _ mark: HandledMark) async -> Bool {
        FailPoint.botHandled.pass()
        guard let changes = incoming.changes, !changes.current.isEmpty else {
            store.note(mark, of: identity.userID)
            return true
        }
        do {
            try await services.commit(changes.current, mark, of: identity.userID)
        } catch {
            let isStorage = error is StorageError || StorageError.isOfDisk(error)
            logger.error(
                isStorage ? "state not stored: the handler runs again at the next start" : "state not stored",
                metadata: ["code": "\((error as? BotStateError)?.code.rawValue ?? "state.notStored")", "kind": "\(incoming.kind)", "error": "\(error)"])
            guard !isStorage else { return false }
            // A change that cannot be made does not take along what says what the handler has done outside of the store.
            changes.discard()
            if (try? await services.commit(changes.current, mark, of: identity.userID)) == nil { store.note(mark, of: identity.userID) }
        }
        return true
    }

    // MARK: Loops

    /// Checks whether another bot has written too much in a chat: two bots that answer each other would not end. In a group, the handlers of the message
    /// may then send nothing there.
    private func isTooMuchOfABot(_ incoming: Incoming) -> Bool {
        guard let chat = incoming.message?.chat, chat.contact?.profile.peerType == .bot || incoming.isOfBotInGroup else { return false }
        let decision = answersToBots.admit(chat.scopeText, at: services.time.now())
        guard decision != .admitted else { return false }
        if incoming.isOfBotInGroup, let reference = chat.reference { incoming.effects.silence(in: reference) }
        if decision == .exceededFirst {
            logger.warning(
                "another bot writes too much and is not answered for a while: two bots may be answering each other",
                metadata: ["code": "\(ChatCoreError.Code.botLoop)", "chat": "\(chat.scopeText)"])
        }
        return true
    }

    // MARK: The start and timers

    /// Runs the handlers of the start and what works in the background, as tasks of the group. They may go on as long as the bot runs.
    func start(in group: inout DiscardingTaskGroup) {
        for work in background { group.addTask { [self] in await work(BotClient(bot: identity, effects: startEffects())) } }
        if !dispatcher.isEmpty(.started) { group.addTask { [self] in await runStartHandlers() } }
    }

    private func runStartHandlers() async {
        let effects = startEffects()
        _ = await run(incoming(.started(StartContext(client: BotClient(bot: identity, effects: effects))), nil, effects), .none)
    }

    /// Runs the handlers of the end, and returns when they have ended.
    func stop() async {
        guard !dispatcher.isEmpty(.stopping) else { return }
        let effects = startEffects()
        _ = await run(incoming(.stopping(StopContext(client: BotClient(bot: identity, effects: effects))), nil, effects), .none)
    }

    /// The bot as others than its handlers use it: what it stores is stored at once.
    func client() -> BotClient { BotClient(bot: identity, effects: startEffects()) }

    private func startEffects() -> Effects {
        Effects(
            model: model, userID: identity.userID, event: nil, filesFolder: filesFolder, services: services, retry: retry, observation: observation("started"))
    }

    /// Gives a timer that is due to the handlers.
    ///
    /// - Parameter ended: called once with whether the timer is handled.
    /// - Returns: false if the queue is full.
    func take(_ timer: TimerRecord, ended: @escaping @Sendable (Bool) -> Void) -> Bool {
        jobs.submit(ChatJobKey(userID: identity.userID, chat: queue(of: timer))) { [self] in ended(await handle(timer)) }
    }

    /// The queue of a timer: that of its chat. A broadcast takes long and has its own.
    private func queue(of timer: TimerRecord) -> String {
        timer.chat ?? (timer.name == BroadcastRecord.timerName ? BroadcastRecord.scope(timer.key) : "timers")
    }

    /// Goes on with a broadcast.
    private func handleBroadcast(_ timer: TimerRecord, _ mark: HandledMark) async -> Bool {
        let effects = Effects(model: model, userID: identity.userID, event: nil, services: services, retry: retry, observation: observation("broadcast"))
        do {
            try await BotClient(bot: identity, effects: effects).continueBroadcast(timer.key)
            return note(mark)
        } catch {
            guard !Task.isCancelled else { return false }
            let code = ErrorCode.of(error) ?? "handler"
            logger.error("broadcast interrupted: it goes on later", metadata: ["code": "\(code)", "key": "\(timer.key)", "error": "\(error)"])
            effects.observation.actionFailed(code, at: "broadcast")
            return false
        }
    }

    /// Takes back what a case has done whose time is over.
    private func handleCaseEnd(_ timer: TimerRecord, _ mark: HandledMark) async -> Bool {
        let effects = Effects(model: model, userID: identity.userID, event: nil, services: services, retry: retry, observation: observation("case"))
        let client = BotClient(bot: identity, effects: effects)
        do {
            try await CaseExpiry.end(timer, client: client)
            return note(mark)
        } catch {
            let isPassing = (error as? ChatCoreError)?.isTemporary == true || error is StorageError || StorageError.isOfDisk(error)
            guard !Task.isCancelled else { return false }
            guard !isPassing else {
                logger.warning("a case is taken back later", metadata: ["code": "\(ErrorCode.of(error) ?? "handler")", "case": "\(timer.key)"])
                return false
            }
            // A member who is gone, or a bot that may not act any more: trying again would change nothing.
            let code = ErrorCode.of(error) ?? "handler"
            logger.error("a case cannot be taken back", metadata: ["code": "\(code)", "case": "\(timer.key)", "error": "\(error)"])
            effects.observation.actionFailed(code, at: "case: end")
            return note(mark)
        }
    }

    private func handle(_ timer: TimerRecord) async -> Bool {
        do {
            // What had its turn in the queue before may have cancelled or replaced it.
            guard try await store.hasTimer(timer.id) else { return true }
        } catch {
            if !Task.isCancelled { logger.error("timer not read: it runs later", metadata: ["code": "timer.storage", "error": "\(error)"]) }
            return false
        }
        if timer.kind == .once, timer.name == LiveHoldRecord.timerName { return await handleLive(timer) }
        let now = services.time.now()
        let mark = HandledMark.timer(timer.id, next: timer.kind == .recurring ? recurrences[timer.name]?.next(after: timer.due, now: now) : nil)
        // A program can schedule a time that has no number of milliseconds.
        let milliseconds = Int64(exactly: (timer.due.timeIntervalSince1970 * 1000).rounded(.towardZero)) ?? .min
        let effects = effects("timer/\(timer.id)/\(milliseconds)")
        if timer.kind == .dialogue {
            // Somebody may have continued it meanwhile, or begun another, whose state can read the same.
            guard let open = services.dialogues.expired(timer.key), open.name == timer.name, open.state == timer.value else { return note(mark) }
            effects.changes?.setDialogue(nil, of: timer.key)
        }
        if let expires = timer.expires, expires < now { return note(mark) }
        if timer.kind == .once, timer.name == BroadcastRecord.timerName { return await handleBroadcast(timer, mark) }
        let client = BotClient(bot: identity, effects: effects)
        if timer.kind == .once, timer.name == CaseExpiry.timerName { return await handleCaseEnd(timer, mark) }
        let chat = if let chat = timer.chat.flatMap({ ChatReference($0) }) { await client.chat(chat) } else { BotChat?.none }
        let due = DueTimer(record: timer, client: client, chat: chat)
        let name = HandlerEventName(.timer, timer.id, in: timer.chat ?? "timers", of: identity.userID)
        return await run(incoming(.timer(due), nil, effects), as: name, mark)
    }

    private func note(_ mark: HandledMark) -> Bool {
        store.note(mark, of: identity.userID)
        return true
    }
}

/// An error with the source position of the handler that has thrown it.
private struct HandlerFailure: Error {
    let place: HandlerPlace
    let error: any Error
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
