internal import ChatAPI
internal import Synchronization

// Received messages: each comes once, in the order of its chat, and must not be lost.
extension BotRuntime {
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
        // A skipped message counts as handled, after the messages before it. A bot that moderates a group reads all messages of other bots.
        if !isForHandlers || isTooMuchOfABot(incoming) && !incoming.isOfBotInGroup {
            store.note(mark, of: identity.userID)
            return true
        }
        // A message counts in favour of its answer.
        services.pacer.received(in: chat, at: entry.chatItem.meta.createdAt, from: entry.chatItem.author)
        return await run(incoming, as: HandlerEventName(.message, entry.chatItem.id.rawValue, in: chat, of: identity.userID), mark)
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
}
