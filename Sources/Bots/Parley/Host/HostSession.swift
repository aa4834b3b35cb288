internal import ChatAPI
internal import Logging

/// Bots at work on one core, from the first command to the last event.
actor HostSession {
    private let core: any ChatCore
    private let store: BotStateStore
    private let logger: Logger
    private let bots: [Bot]
    private let lanes: Lanes<LaneKey>
    private let overflowed: AsyncStream<LaneKey>
    private var runtimes: [UserID: BotRuntime] = [:]

    init(core: any ChatCore, bots: [Bot], store: BotStateStore, parallelHandlers: Int, logger: Logger) {
        self.core = core
        self.bots = bots
        self.store = store
        self.logger = logger
        let (stream, continuation) = AsyncStream.makeStream(of: LaneKey.self)
        overflowed = stream
        lanes = Lanes(width: parallelHandlers) { continuation.yield($0) }
    }

    /// Makes or finds the profiles, then handles events until the task is cancelled or the core is closed.
    ///
    /// - Parameter onReady: called once every bot can be reached.
    func run(onReady: @Sendable ([HostReady.Profile]) async -> Void) async throws {
        let provisioner = Provisioner(core: core, store: store, logger: logger)
        var profiles: [HostReady.Profile] = []
        for bot in bots {
            let provisioned = try await provisioner.provision(bot)
            runtimes[provisioned.identity.userID] = BotRuntime(
                identity: provisioned.identity, handlers: bot.handlers, progress: try await store.progress(of: provisioned.identity.userID),
                core: core, store: store, lanes: lanes, logger: logger)
            profiles.append(provisioned.report)
        }
        // Subscribed before the core starts, so that nothing falls between what is found in the store and what is announced.
        var events = core.events()
        _ = try await core.send(.core(.start()), as: nil)
        for runtime in runtimes.values { try await catchUp(runtime) }
        await onReady(profiles)
        let refetching = Task { await refetchOverflowed() }
        defer { refetching.cancel() }
        while try await consume(events) == .lostEvents {
            logger.warning("events came faster than they were taken: reading the chats anew")
            events = core.events()
            for runtime in runtimes.values { try await catchUp(runtime) }
        }
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

    /// Returns when no handler runs or waits.
    func settle() async { await lanes.settle() }

    /// Lets the handlers that run finish, and starts no more.
    func drain() async { await lanes.close() }

    private func take(_ event: ChatEvent) {
        if let user = event.user?.userID {
            runtimes[user]?.take(event)
        } else {
            for runtime in runtimes.values { runtime.take(event) }
        }
    }

    // MARK: What was not handled before the process died

    /// Gives the handlers what the store has and they have not seen.
    private func catchUp(_ runtime: BotRuntime) async throws {
        let user = runtime.identity.userID
        guard case .apiChats(_, let chats) = try await core.send(.chats(.list(user: user)), as: user) else {
            throw ChatCoreError(.invalidResponse, "the core did not list the chats")
        }
        for chat in chats {
            switch chat.chatInfo {
            case .direct(let contact):
                if contact.isReady { runtime.takeConnected(contact, event: .contactConnected(user: try await self.user(user), contact: contact, customUserProfile: nil)) }
                if let last = chat.chatItems.last, last.id > runtime.submitted(in: .direct(contact.contactID)) {
                    await fetch(.direct(contact.contactID), for: runtime)
                }
            case .contactRequest(let request):
                runtime.takeRequest(request, event: .receivedContactRequest(user: try await self.user(user), contactRequest: request, chat: nil))
            default: break
            }
        }
    }

    /// Reads the items of a chat behind the last one that was given to the handlers.
    private func fetch(_ chat: ChatReference, for runtime: BotRuntime) async {
        runtime.closeGap(in: chat)
        let user = runtime.identity.userID
        do {
            while true {
                let after = runtime.submitted(in: chat)
                let page = ChatPagination.after(after, count: 100)
                guard case .apiChat(let owner, let found, _) = try await core.send(.chats(.page(chat, pagination: page)), as: user) else {
                    throw ChatCoreError(.invalidResponse, "the core did not give a page of the chat")
                }
                for item in found.chatItems {
                    let entry = ItemInChat(chatInfo: found.chatInfo, chatItem: item)
                    guard runtime.take(entry, event: .newChatItems(user: owner, chatItems: [entry])) else { return }
                }
                if found.chatItems.count < 100 { return }
            }
        } catch {
            logger.error("chat not read", metadata: ["chat": "\(chat)", "error": "\(error)"])
        }
    }

    private func refetchOverflowed() async {
        for await key in overflowed {
            guard let runtime = runtimes[key.userID], let chat = ChatReference(key.chat) else { continue }
            await fetch(chat, for: runtime)
        }
    }

    private var users: [UserID: User] = [:]

    private func user(_ id: UserID) async throws -> User {
        if let user = users[id] { return user }
        guard case .usersList(let infos) = try await core.send(.users(.list), as: nil) else {
            throw ChatCoreError(.invalidResponse, "the core did not list the profiles")
        }
        for info in infos { users[info.user.userID] = info.user }
        guard let user = users[id] else { throw ChatCoreError(.invalidResponse, "the core does not list profile \(id)") }
        return user
    }
}
