public import ChatAPI

/// The state of a core, kept as the core reports it.
///
/// The model wraps its core and is a ``ChatCore`` itself: commands sent through it change the state before they return,
/// and a reader of its events sees the state already changed by them. Commands sent past it are seen only as far as the core
/// reports them as events.
public actor ChatModel: ChatCore {
    private let core: any ChatCore
    private let eventLimit: Int
    private var incoming: ChatEvents
    private let hub = ChatEventHub()
    private let changeHub = ChatModelChangeHub()
    private var repairs: [Repair] = []
    private var journal: ReadJournal

    /// The present state.
    public private(set) var state: ChatModelState

    /// A chat whose preview has to be loaded.
    private struct Repair {
        let user: UserID
        let chat: ChatReference
    }

    /// A model of a core. From now on it does not miss an event, though it takes them in only while ``run()`` runs.
    ///
    /// - Parameters:
    ///   - core: The core.
    ///   - eventLimit: How many events may wait to be taken in.
    ///   - windowLimit: How many items a window of a chat holds at most.
    public init(core: any ChatCore, eventLimit: Int = 65_536, windowLimit: Int = 1000) {
        self.core = core
        self.eventLimit = eventLimit
        incoming = core.events(bufferingUpTo: eventLimit)
        journal = ReadJournal(limit: eventLimit)
        state = ChatModelState()
        state.windowLimit = windowLimit
    }

    /// Takes events in until the core is closed or the task is cancelled; then the subscriptions to the model end.
    ///
    /// When the core reports events faster than the model takes them in, so that some are lost, the state is read anew, and
    /// subscriptions to events end with ``ChatCoreError/Code-swift.struct/eventsLost``.
    ///
    /// - Throws: What ended the events of the core.
    public func run() async throws(ChatCoreError) {
        defer {
            hub.finish()
            changeHub.finish()
        }
        while try await takeEvents() == .lost {
            incoming = core.events(bufferingUpTo: eventLimit)
            journal.forget()
            change { $0.missEvents() }
            try await load()
            for (user, key) in state.openWindows { try await reload(key, of: user) }
            hub.lose()
        }
    }

    private enum Ending {
        case closed, lost
    }

    private func takeEvents() async throws(ChatCoreError) -> Ending {
        do throws(ChatCoreError) {
            try await takeEventsUntilTheyEnd()
            return .closed
        } catch {
            guard error.code == .eventsLost else { throw error }
            return .lost
        }
    }

    private func takeEventsUntilTheyEnd() async throws(ChatCoreError) {
        var iterator = incoming.makeAsyncIterator()
        while let event = try await iterator.next(isolation: self) {
            journal.add(.event(event))
            take(state.apply(event))
            hub.publish(event)
            await repairPreviews()
        }
    }

    /// True if every event up to now is taken in. The model must be running.
    package var isUpToDate: Bool { incoming.isDrained }

    /// Reads the profiles of the core, and for each of them its chats, tags and address.
    public func load() async throws(ChatCoreError) {
        _ = try await send(.users(.list), as: nil)
        for user in state.users.keys.sorted() {
            try await load(user)
        }
    }

    /// Reads the chats, tags and address of a profile, and the members of those groups whose members are kept.
    public func load(_ user: UserID) async throws(ChatCoreError) {
        _ = try await send(.chats(.list(user: user, pendingConnections: true)), as: user)
        _ = try await send(.chats(.tags(user: user)), as: user)
        do {
            _ = try await send(.address(.show(user: user)), as: user)
        } catch  where error.chatError == .store(error: .userContactLinkNotFound) {
            // Most profiles have no address.
        }
        for group in (state.users[user]?.members.keys.sorted() ?? []) { try await loadMembers(of: group, user: user) }
    }

    /// Sends a command to the core and applies its effects to the model.
    public func send(_ command: ChatCommand, as user: UserID?) async throws(ChatCoreError) -> ChatResponse {
        guard command.isRead else {
            let response = try await core.send(command, as: user)
            await takeAnswer(response, to: command, as: user)
            return response
        }
        let response = try await read(command, as: user) { $0.apply($1, to: command, as: user, before: $2) }
        await repairPreviews()
        return response
    }

    private func takeAnswer(_ response: ChatResponse, to command: ChatCommand, as user: UserID?) async {
        journal.add(.answer(response, to: command, as: user))
        take(state.apply(response, to: command, as: user))
        await repairPreviews()
    }

    /// Sends a command that reads.
    ///
    /// - Parameter apply: Takes the answer in, and what was taken in since the command was sent.
    private func read(
        _ command: ChatCommand, as user: UserID?,
        _ apply: (inout ChatModelState, ChatResponse, ArraySlice<ChatModelInput>) -> [ChatModelChange]
    ) async throws(ChatCoreError) -> ChatResponse {
        var repetitions = 0
        while true {
            let position = journal.begin(), response: ChatResponse
            do throws(ChatCoreError) {
                response = try await core.send(command, as: user)
            } catch {
                _ = journal.end(position)
                throw error
            }
            guard let later = journal.end(position) else { continue }
            if repetitions < Self.repetitions, state.cannotCount(later, over: command) {
                repetitions += 1
                continue
            }
            take(apply(&state, response, later))
            return response
        }
    }

    /// The maximum number of times that a list with unknown counts is read again while items are being deleted.
    private static let repetitions = 3

    /// The events, each after the model has taken it in; see ``ChatCore``.
    public nonisolated func events(bufferingUpTo limit: Int) -> ChatEvents { hub.subscribe(bufferingUpTo: limit) }

    /// A new subscription to what changes from now on. Changes that wait to be read are put together, so nobody falls behind.
    public nonisolated func changes() -> ChatModelChanges { changeHub.subscribe() }

    /// Changes the state other than by an event or an answer.
    func change(_ body: (inout ChatModelState) -> Void) { body(&state) }

    private func take(_ changes: [ChatModelChange]) {
        guard !changes.isEmpty else { return }
        for case .previewMissing(let user, let chat) in changes { repairs.append(Repair(user: user, chat: chat)) }
        changeHub.publish(changes)
    }

    /// Loads the previews that deleting items has taken away.
    private func repairPreviews() async {
        while let repair = repairs.popLast() {
            guard state.chat(repair.chat, of: repair.user)?.chatItems.isEmpty == true else { continue }
            let command = ChatCommand.chats(.page(repair.chat, pagination: .last(1)))
            // A chat that is gone by now needs no preview.
            _ = try? await read(command, as: repair.user) { $0.applyPreview(of: repair.chat, $1, to: command, as: repair.user, before: $2) }
        }
    }

    /// Reads the newest items of a window anew, in the place of all that it has. It is closed if its chat is gone.
    private func reload(_ key: ItemsKey, of user: UserID) async throws(ChatCoreError) {
        let command = key.page(.last(50))
        do throws(ChatCoreError) {
            _ = try await read(command, as: user) { state, response, later in
                state.close(key, of: user)
                return state.apply(response, to: command, as: user, before: later)
            }
        } catch {
            guard error.isMissingChat else { throw error }
            closeItems(key, of: user)
        }
    }
}

extension ChatModel: IdempotentChatCore {
    /// Runs a command once under a key, if the core behind the model can remember keys; each time, if it cannot.
    public func send(_ command: ChatCommand, as user: UserID?, onceAs key: String) async throws(ChatCoreError) -> ChatResponse {
        guard let core = core as? any IdempotentChatCore else { return try await send(command, as: user) }
        let response = try await core.send(command, as: user, onceAs: key)
        await takeAnswer(response, to: command, as: user)
        return response
    }
}

extension ChatModel {
    /// Reads a page of a chat for somebody who does not follow it: nothing of it is kept.
    ///
    /// - Returns: The items, oldest first.
    public nonisolated func readItems(
        _ chat: ChatReference, of user: UserID, commentsOn post: ChatItemID? = nil, _ pagination: ChatPagination = .last(50)
    ) async throws(ChatCoreError) -> [ItemInChat] {
        guard case .apiChat(_, let page, _) = try await core.send(.chats(.page(chat, commentsOn: post, pagination: pagination)), as: user) else {
            throw ChatCoreError(.invalidResponse, "The core did not answer with a page of the chat.")
        }
        return page.chatItems.map { ItemInChat(chatInfo: page.chatInfo, chatItem: $0) }
    }

    /// Items of a chat that are loaded.
    public func items(_ key: ItemsKey, of user: UserID) -> ItemsWindow? { state.items(key, of: user) }

    /// Loads a page of a chat into its window.
    ///
    /// - Returns: The window with the page in it.
    @discardableResult public func loadItems(
        _ key: ItemsKey, of user: UserID, _ pagination: ChatPagination = .last(50)
    ) async throws(ChatCoreError) -> ItemsWindow {
        _ = try await send(key.page(pagination), as: user)
        guard let window = state.items(key, of: user) else {
            throw ChatCoreError(.invalidResponse, "The core answered with another chat than the one that was asked for.")
        }
        return window
    }

    /// Loads the page before the oldest item that is loaded, if there is one.
    @discardableResult public func loadOlderItems(
        _ key: ItemsKey, of user: UserID, count: Int = 50
    ) async throws(ChatCoreError) -> ItemsWindow {
        guard let window = state.items(key, of: user), let oldest = window.runs.first?.items.first else {
            return try await loadItems(key, of: user, .last(count))
        }
        if window.reachesOldest { return window }
        return try await loadItems(key, of: user, .before(oldest.id, count: count))
    }

    /// Forgets the items of a chat that are loaded.
    public func closeItems(_ key: ItemsKey, of user: UserID) { state.close(key, of: user) }
}
