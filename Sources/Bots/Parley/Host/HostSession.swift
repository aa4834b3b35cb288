internal import AsyncPrimitives
internal import ChatAPI
internal import ChatEngine
internal import ChatModel
internal import ChatProtocol
internal import Foundation
internal import Logging
internal import SystemSupport

/// Bots at work on one core, from the first command to the last event.
///
/// A ``ChatModel`` is between the core and the bots: when a handler gets an event, the model has applied it.
actor HostSession {
    private let model: ChatModel
    private let store: BotStateStore
    private let crashes: HandlerCrashTracker
    private let logger: Logger
    private let bots: [Bot]
    private let jobs: KeyedJobQueue<ChatJobKey>
    /// Chats that have to be read: what came to them was refused, or they could not be read before.
    private let unread: UniqueKeyQueue<ChatJobKey>
    /// The profiles of which a channel has another state of its relays.
    private let relayChanges = UniqueKeyQueue<UserID>()
    /// The items of groups that were found and did not fit into the queues, in the order in which they came.
    private var backlogs: [ChatJobKey: ArraySlice<ItemPlace>] = [:]
    private let clock: any Clock<Duration>
    private var runtimes: [UserID: BotRuntime] = [:]
    /// The events that are taken; nil until the bots have started.
    private var events: ChatEvents?
    /// The answers of relays to invitations.
    private var invitationAnswers: [UserID: @Sendable (RelayInvitation) async throws -> ChannelInvitationAnswer] = [:]
    /// Gives trusted contacts who have connected the role that managed groups have for them, by their names.
    private var appointments: [UserID: @Sendable (String) async -> Void] = [:]
    private var connectionLog: ConnectionLog
    private let filesFolder: String?
    private let encryptsFiles: Bool
    private let dryRun: (@Sendable (SuppressedEffect) -> Void)?
    private let time: BotTime
    private let timers: TimerDispatcher
    private let monitor: HostMonitor

    /// The core with the model in front of it, for others than the bots.
    nonisolated var core: any IdempotentChatCore { model }

    /// The pause before a chat that cannot be read is read again.
    static let pauseBeforeReading = Duration.seconds(1)

    /// - Parameters:
    ///   - inFlight: where it is noted what handlers are handling; nil if it is not.
    ///   - clock: for waiting before a chat is read again that could not be read, and a handler's command given again; measures the pace.
    ///   - dryRun: takes the effects of the bots; nil if they happen. The store should be a copy then.
    ///   - time: the time of timers and dialogues; the system's with the clock if it is not given.
    init(
        core: any ChatCore, bots: [Bot], store: BotStateStore, maxConcurrentHandlers: Int, logger: Logger, filesFolder: String? = nil,
        encryptsFiles: Bool = false, inFlight: InFlightTable? = nil, clock: any Clock<Duration> = ContinuousClock(),
        time: BotTime? = nil, monitor: HostMonitor = HostMonitor(), dryRun: (@Sendable (SuppressedEffect) -> Void)? = nil
    ) {
        self.dryRun = dryRun
        self.monitor = monitor
        crashes = HandlerCrashTracker(table: inFlight, store: store)
        model = ChatModel(core: core)
        self.filesFolder = filesFolder
        self.encryptsFiles = encryptsFiles
        self.bots = bots
        self.store = store
        self.logger = logger
        self.clock = clock
        let time = time ?? BotTime(clock: clock)
        self.time = time
        timers = TimerDispatcher(store: store, time: time, logger: logger)
        connectionLog = ConnectionLog(logger)
        let unread = UniqueKeyQueue<ChatJobKey>()
        self.unread = unread
        // The handlers of one bot leave some slots to the others.
        let ownerWidth = bots.count > 1 ? maxConcurrentHandlers * 3 / 4 : nil
        jobs = KeyedJobQueue(width: maxConcurrentHandlers, ownerWidth: ownerWidth, owner: \.userID.rawValue) { unread.add($0) }
    }

    /// Makes or finds the profiles, then handles events until the task is cancelled or the core is closed.
    ///
    /// - Parameter onReady: called once every bot has started.
    func run(onReady: @Sendable ([HostReady.Profile]) async -> Void) async throws {
        let directory = BotDirectory()
        let provisioner = Provisioner(
            model: model, store: store, filesFolder: filesFolder, encryptsFiles: encryptsFiles, time: time, timers: timers, directory: directory,
            logger: logger, clock: clock,
            dryRun: dryRun)
        let retried = Set(try await crashes.load(logger: logger))
        try await store.correctTimers(at: time.now())
        var profiles: [HostReady.Profile] = [], identities: [BotIdentity] = []
        let existing = try await provisioner.profiles()
        for bot in bots {
            let provisioned = try await provisioner.provision(bot, among: existing), user = provisioned.identity.userID
            try await store.prepare(bot.handlers.compactMap(\.recurrence), of: user, at: time.now())
            runtimes[user] = BotRuntime(
                identity: provisioned.identity, bot: bot, services: provisioned.services, progress: try await store.progress(of: user), model: model,
                filesFolder: filesFolder, retry: CommandRetry(clock: clock), jobs: jobs, crashes: crashes, retried: retried.filter { $0.userID == user },
                monitor: monitor, logger: logger)
            let client: @Sendable (String?) -> BotClient = {
                [model, filesFolder, services = provisioned.services, identity = provisioned.identity] event in
                BotClient(
                    bot: identity, effects: Effects(model: model, userID: user, event: event, filesFolder: filesFolder, services: services))
            }
            directory.add(bot.id) { event in client(event.map { "\($0)/through" }) }
            if let answer = bot.answersChannelInvitation {
                invitationAnswers[user] = { try await answer(ChannelInvitation($0, client("relay/\($0.group)"))) }
            }
            profiles.append(provisioned.report)
            identities.append(provisioned.identity)
        }
        try await model.load()
        // Subscribed before the core starts, so that nothing falls between what is found in the store and what is announced.
        var events = model.events()
        self.events = events
        let taking = Task { [model] in try await model.run() }
        defer { taking.cancel() }
        _ = try await model.send(.core(.start()), as: nil)
        await retry(retried)
        for runtime in runtimes.values {
            try await runtime.resumeLive()
            try await catchUp(runtime)
        }
        let moderators = ModeratorKeeper(logger: logger) { [monitor, time] bot, code, place in
            monitor.noteFailure(of: bot, code, at: place, time: time.now())
        }
        for (bot, (profile, identity)) in zip(bots, zip(profiles, identities))
        where bot.groups.contains(where: { !$0.moderators.isEmpty || !$0.members.isEmpty }) {
            appointments[identity.userID] = { await moderators.appoint($0, bot, profile) }
        }
        await moderators.appoint(bots, profiles)
        let keeper = ChannelKeeper(
            provisioner: provisioner, bots: bots, profiles: profiles, identities: identities, clock: clock, monitor: monitor, logger: logger)
        let keeping = try await keeper.start()
        defer { keeping.task.cancel() }
        let watching = Task { [relayChanges] in await keeper.followRelays(relayChanges) }
        defer { watching.cancel() }
        await onReady(keeping.profiles)
        let connecting = Task { [connections = connectionKeeper(of: identities)] in await connections?.run() }
        defer { connecting.cancel() }
        let fetching = Task { await fetchUnread() }
        defer { fetching.cancel() }
        let running = Task { [runtimes, timers] in
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await timers.run(for: Array(runtimes.keys)) { timer, ended in runtimes[timer.userID]?.take(timer, ended: ended) ?? false }
                }
                for runtime in runtimes.values { runtime.start(in: &group) }
            }
        }
        defer { running.cancel() }
        while try await consume(events) == .lostEvents {
            logger.warning("events came faster than they were taken: reading the chats anew")
            events = model.events()
            self.events = events
            for runtime in runtimes.values { try await catchUp(runtime) }
        }
        // What ended the events, if it was not the end of the core.
        taking.cancel()
        try await taking.value
    }

    /// The work that connects the bots with whom they name; nil in a dry run, which connects with nobody.
    private func connectionKeeper(of identities: [BotIdentity]) -> ConnectionKeeper? {
        guard dryRun == nil else { return nil }
        let named = zip(bots, identities).filter { !$0.0.connections.isEmpty }.map { (bot: $0.0, identity: $0.1) }
        return ConnectionKeeper(model: model, bots: named, time: time, clock: clock, monitor: monitor, logger: logger)
    }

    private enum Ending {
        case closed, lostEvents
    }

    /// Takes events until there are no more.
    private func consume(_ events: ChatEvents) async throws(ChatCoreError) -> Ending {
        var iterator = events.makeAsyncIterator()
        while true {
            let event: ChatEvent?
            do throws(ChatCoreError) {
                event = try await iterator.next()
            } catch {
                if error.code == .eventsLost { return .lostEvents }
                throw error
            }
            guard let event else { return .closed }
            take(event)
        }
    }

    /// The bots, the routers and the work that waits, in the order of the bots.
    func status() async -> (profiles: [HostStatus.Profile], routers: [HostStatus.Router], running: Int) {
        let routers = await routers(), state = await model.state, work = jobs.counts()
        var waiting: [UserID: Int] = [:]
        for (key, count) in work.waiting { waiting[key.userID, default: 0] += count }
        let profiles = runtimes.values.sorted { $0.identity.userID < $1.identity.userID }.map { runtime in
            let identity = runtime.identity
            return HostStatus.Profile(
                id: identity.id, name: identity.name, chats: state.users[identity.userID]?.chats.count ?? 0, waiting: waiting[identity.userID] ?? 0,
                channelsWithoutRelay: monitor.channelsWithoutRelay(of: identity.id), counts: runtime.metrics.counts)
        }
        return (profiles, routers, work.running)
    }

    /// The routers that profiles have queues on. The core is asked, because it announces only changes: it says nothing of a router on which queues are newly
    /// made.
    private func routers() async -> [HostStatus.Router] {
        do throws(ChatCoreError) {
            let response = try await model.send(.core(.subscriptions()), as: nil)
            guard case .agentSubs(let active, let pending, _) = response else {
                throw ChatCoreError(.invalidResponse, "the core does not list its subscriptions")
            }
            return HostStatus.Router.all(active: active, pending: pending)
        } catch {
            logger.warning("routers not listed: it is not known which can be reached", metadata: ["error": "\(error)"])
            return []
        }
    }

    /// The bot of a profile, and how it takes cases back; nil for a profile without a bot.
    func caseUndo(of user: UserID) -> (client: BotClient, undo: (@Sendable (BotClient, BotGroup, Int) async throws -> String)?)? {
        guard let runtime = runtimes[user] else { return nil }
        return (runtime.client(), bots.first { $0.id == runtime.identity.id }?.undoCase)
    }

    /// The cases of the bots' groups.
    func cases() async throws -> [JSONValue] { try await CaseOperator.list(store, model) }

    /// The answer of a relay to an invitation. Before its bot has started, none is given.
    func answer(to invitation: RelayInvitation) async throws -> RelayReviewAnswer {
        guard let answer = invitationAnswers[invitation.user] else { return .postpone }
        return try await answer(invitation).answer
    }

    /// Returns when no handler runs or waits.
    func settle() async { await jobs.settle() }

    /// The number of handlers that were begun so far; nil while one runs or waits.
    nonisolated var countAtRest: Int? { jobs.countAtRest }

    /// Returns when no timer is due or runs. The bots must have started.
    func settleTimers() async { await timers.settle() }

    /// The time of a bot's next timer that is not due yet; nil if there is none.
    func nextTimer() async throws -> Date? { try await store.nextTimer(of: Array(runtimes.keys), after: time.now()) }

    /// Checks whether handlers were given everything that was received in the chats of a profile up to now.
    func isUpToDate(_ user: UserID) async -> Bool {
        guard let runtime = runtimes[user] else { return true }
        // The list of chats does not show it: the newest item by its time need not be the last to arrive, and an answer can follow messages that were
        // refused.
        guard await model.isUpToDate, events?.isDrained == true else { return false }
        return !runtime.hasGaps
    }

    /// Starts no more handlers but those of the end, and lets all that run finish or, after the limit, cancels them.
    func drain(within limit: Duration) async {
        async let stopped: Void = runStopHandlers(within: limit)
        let isDrained = await jobs.close(within: limit)
        await stopped
        guard !isDrained else { return }
        logger.warning("handlers did not end in time and were cancelled", metadata: ["limit": "\(limit)"])
    }

    /// Runs the handlers of the end. At the limit their tasks are cancelled, and those that do not even end then are left behind.
    private nonisolated func runStopHandlers(within limit: Duration) async {
        let runtimes = await Array(runtimes.values), ended = Promise<Void>()
        let work = Task {
            await withDiscardingTaskGroup { group in
                for runtime in runtimes { group.addTask { await runtime.stop() } }
            }
            ended.resolve(())
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            work.cancel()
            try await Task.sleep(for: .seconds(1))
            ended.resolve(())
        }
        await ended.value()
        timer.cancel()
    }

    private func take(_ event: ChatEvent) {
        connectionLog.note(event)
        switch event {
        case .contactConnecting(let user, let contact): runtimes[user.userID]?.meet(contact)
        case .contactConnected(let user, let contact, _):
            guard let runtime = runtimes[user.userID], let name = runtime.meet(contact), let appoint = appointments[user.userID] else { break }
            jobs.submit(ChatJobKey(userID: user.userID, chat: "\(ChatReference.direct(contact.contactID))")) { await appoint(name) }
        default: break
        }
        if let owner = event.ownerOfChangedRelay { relayChanges.add(owner) }
        if let user = event.user?.userID {
            runtimes[user]?.take(event)
        } else {
            for runtime in runtimes.values { runtime.take(event) }
        }
    }

    // MARK: What was not handled before the process died

    /// Gives the handlers what the store has and they have not seen.
    private func catchUp(_ runtime: BotRuntime) async throws {
        let id = runtime.identity.userID, state = await model.state
        guard let user = state.users[id]?.user else { throw ChatCoreError(.invalidResponse, "the core does not list profile \(id)") }
        for chat in state.chats(of: id) {
            switch chat.chatInfo {
            case .direct(let contact):
                runtime.meet(contact)
                if contact.isReady { runtime.takeConnected(contact, event: .contactConnected(user: user, contact: contact, customUserProfile: nil)) }
                if let last = chat.chatItems.last, last.id > runtime.submitted(in: .direct(contact.contactID)) {
                    await fetch(.direct(contact.contactID), for: runtime, of: user)
                }
            case .group(let group, _):
                // The newest item by its time need not be the last that came: the chat is looked at in any case.
                await fetch(.group(group.groupID), for: runtime, of: user)
                for support in await supportChats(of: group, user: user) { await fetch(support, for: runtime, of: user) }
            case .contactRequest(let request):
                // The message of the request is in the chat that is prepared for it.
                let prepared = state.chats(of: id).first { $0.chatInfo.contact?.contactID == request.contactID }
                runtime.takeRequest(request, event: .receivedContactRequest(user: user, contactRequest: request, chat: prepared))
            default: break
            }
        }
    }

    /// The conversations of a group with moderators that hold something unread: the bot marks nothing as read on its own.
    private func supportChats(of group: GroupInfo, user: User) async -> [ChatReference] {
        let own: [ChatReference] = group.membership.supportChat == nil ? [] : [.group(group.groupID, scope: .memberSupport(nil))]
        guard group.membership.status.isCurrentMember, group.membership.role >= .moderator, group.membersRequireAttention > 0 else { return own }
        let response: ChatResponse
        do throws(ChatCoreError) {
            response = try await model.send(.groups(.members(group.groupID)), as: user.userID)
        } catch {
            logger.error(
                "members not listed: what waits for moderators is handled at the next start",
                metadata: ["group": "\(group.groupID)", "error": "\(error)"])
            return own
        }
        guard case .groupMembers(_, let listed) = response else { return own }
        return own + listed.members.filter { $0.supportChat != nil }.map { .group(group.groupID, scope: .memberSupport($0.groupMemberID)) }
    }

    /// Gives messages to the handlers once more that were set aside.
    private func retry(_ events: Set<HandlerEventName>) async {
        for event in events.sorted(by: { $0.reference < $1.reference }) where event.kind == .message {
            guard let runtime = runtimes[event.userID], let chat = ChatReference(event.chat), let user = await model.state.users[event.userID]?.user
            else { continue }
            do throws(ChatCoreError) {
                let item = ChatItemID(event.reference)
                let page = try await model.readItems(chat, of: event.userID, .around(item, count: 1))
                guard let entry = page.first(where: { $0.chatItem.id == item }) else { continue }
                runtime.retry(entry, event: .newChatItems(user: user, chatItems: [entry]))
            } catch {
                // It stays in quarantine, and is tried at the next start again.
                logger.warning("a quarantined event cannot be read", metadata: ["chat": "\(chat)", "item": "\(event.reference)", "error": "\(error)"])
            }
        }
    }

    /// Gives the items of a chat behind the last one that was given to the handlers to them. A chat that cannot be read is read again later,
    /// and what is announced for it until then waits for that.
    ///
    /// To find all items of a group that are new, all pages with new items have to be read. What is found and not taken is kept, as places, and read when
    /// there is room, so that each item is looked for once.
    private func fetch(_ chat: ChatReference, for runtime: BotRuntime, of user: User) async {
        let key = ChatJobKey(userID: user.userID, chat: "\(chat)")
        do throws(ChatCoreError) {
            while true {
                // What is announced from here on is refused and makes another page necessary.
                let refused = runtime.refused(in: chat), last = runtime.submitted(in: chat)
                if let places = backlogs[key]?.drop(while: { $0.id <= last }).prefix(ChatModel.pageSize), let end = places.last?.id {
                    let page = try await model.items(at: Array(places), behind: last, in: chat, of: user.userID)
                    guard give(page, to: runtime, of: user) == page.count else { return }
                    backlogs[key] = backlogs[key]?.drop { $0.id <= end }
                    continue
                }
                backlogs[key] = nil
                let page = try await model.items(behind: last, in: chat, of: user.userID)
                let taken = give(page, to: runtime, of: user)
                guard taken == page.count else {
                    if chat.type == .group { backlogs[key] = page[taken...].map { ItemPlace($0.chatItem) }[...] }
                    return
                }
                if page.isEmpty, runtime.closeGap(in: chat, refusedBefore: refused) { return }
            }
        } catch {
            logger.error("chat not read", metadata: ["chat": "\(chat)", "error": "\(error)"])
            runtime.openGap(in: chat)
            Task { [clock, unread] in
                // Also a wait that is interrupted is followed by a try.
                try? await clock.sleep(for: Self.pauseBeforeReading)
                unread.add(key)
            }
        }
    }

    /// Gives items to the handlers, in their order.
    ///
    /// - Returns: how many were taken, until the queue was full.
    private func give(_ page: [ItemInChat], to runtime: BotRuntime, of user: User) -> Int {
        page.firstIndex { !runtime.take($0, event: .newChatItems(user: user, chatItems: [$0]), isFetched: true) } ?? page.count
    }

    private func fetchUnread() async {
        while let key = await unread.next() {
            let state = await model.state
            guard let runtime = runtimes[key.userID], let chat = ChatReference(key.chat), let user = state.users[key.userID]?.user,
                state.chats(of: key.userID).contains(where: { $0.chatInfo.reference == chat.whole })
            else {
                backlogs[key] = nil
                if let chat = ChatReference(key.chat) { runtimes[key.userID]?.forgetGap(in: chat) }
                continue
            }
            await fetch(chat, for: runtime, of: user)
        }
    }
}

extension ChatEvent {
    /// The profile that owns a channel one of whose relays has come, left or changed its state.
    fileprivate var ownerOfChangedRelay: UserID? {
        switch self {
        case .groupRelayUpdated(let user, let group, _, _), .groupLinkDataUpdated(let user, let group, _, _, _):
            group.membership.role == .owner ? user.userID : nil
        case .leftMember(let user, let group, let member, _), .deletedMember(let user, let group, _, let member, _, _):
            group.membership.role == .owner && member.role == .relay ? user.userID : nil
        default: nil
        }
    }
}
