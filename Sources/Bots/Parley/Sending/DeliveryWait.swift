public import ChatAPI

/// The stage up to which a sent message can be followed.
public enum DeliveryStage: Sendable, Hashable {
    /// The router has it: the recipient gets it when its client is online.
    case router
    /// The recipient's client has confirmed it. Clients can be set not to confirm.
    case recipient
}

/// The outcome of a wait for delivery.
public enum DeliveryOutcome: Sendable, Hashable {
    /// The message has reached the stage.
    case reached
    /// The message cannot be delivered, and no more attempts are made.
    case failed
    /// The message is gone from the store.
    case deleted
    /// It is still on its way: it is stored, and attempts continue.
    case timedOut
}

extension ChatCore {
    /// Waits until a message that was sent has reached its router or its recipient.
    ///
    /// The core must have been started. Events that report the delivery are not missed, however early they come.
    ///
    /// - Parameters:
    ///   - item: the item of the message.
    ///   - chat: the chat that it is in.
    ///   - user: the profile that sent it.
    ///   - limit: how long to wait.
    /// - Throws: `ChatCoreError`; `cancelled` when the task is cancelled.
    public func awaitDelivery(
        of item: ChatItemID, in chat: ChatReference, as user: UserID, to stage: DeliveryStage = .router, within limit: Duration
    ) async throws(ChatCoreError) -> DeliveryOutcome {
        try await awaitDelivery(of: item, in: chat, as: user, to: stage, within: limit, clock: ContinuousClock())
    }

    func awaitDelivery(
        of item: ChatItemID, in chat: ChatReference, as user: UserID, to stage: DeliveryStage, within limit: Duration, clock: any Clock<Duration>
    ) async throws(ChatCoreError) -> DeliveryOutcome {
        let wait = DeliveryWait(core: self, item: item, chat: chat, user: user, stage: stage)
        do {
            return try await withThrowingTaskGroup(of: DeliveryOutcome.self) { group in
                group.addTask { try await wait.run() }
                group.addTask {
                    try await clock.sleep(for: limit)
                    return .timedOut
                }
                defer { group.cancelAll() }
                return try await group.next() ?? .timedOut
            }
        } catch let error as ChatCoreError {
            throw error
        } catch {
            throw ChatCoreError(.cancelled, "The task that waited for a delivery was cancelled.", cause: error)
        }
    }
}

/// Follows the status of one item.
private struct DeliveryWait: Sendable {
    let core: any ChatCore
    let item: ChatItemID
    let chat: ChatReference
    let user: UserID
    let stage: DeliveryStage

    /// Returns once the status is decided.
    func run() async throws(ChatCoreError) -> DeliveryOutcome {
        while true {
            // Subscribed before the item is read, so that nothing falls between.
            let events = core.events()
            defer { events.cancel() }
            if let outcome = try await outcomeInStore() { return outcome }
            if let outcome = try await outcome(in: events) { return outcome }
        }
    }

    /// - Returns: nil if events were lost: then the item is read anew.
    private func outcome(in events: ChatEvents) async throws(ChatCoreError) -> DeliveryOutcome? {
        var iterator = events.makeAsyncIterator()
        do throws(ChatCoreError) {
            while let event = try await iterator.next() {
                guard event.user?.userID == user else { continue }
                if let outcome = outcome(of: event) { return outcome }
            }
        } catch {
            guard error.code == .eventsLost else { throw error }
            return nil
        }
        if Task.isCancelled { throw ChatCoreError(.cancelled, "The task that waited for a delivery was cancelled.") }
        throw ChatCoreError(.closed, "The core was closed before the delivery was reported.")
    }

    private func outcome(of event: ChatEvent) -> DeliveryOutcome? {
        switch event {
        case .chatItemsStatusesUpdated(_, let items):
            guard let found = items.first(where: { $0.chatItem.id == item }) else { return nil }
            return found.chatItem.meta.status.outcome(for: stage)
        case .chatItemsDeleted(_, let deletions, _, _):
            let isGone = deletions.contains { $0.toChatItem == nil && $0.deletedChatItem.chatItem.id == item }
            return isGone ? .deleted : nil
        default: return nil
        }
    }

    private func outcomeInStore() async throws(ChatCoreError) -> DeliveryOutcome? {
        do throws(ChatCoreError) {
            guard case .apiChat(_, let page, _) = try await core.send(.chats(.page(chat, pagination: .around(item, count: 1))), as: user) else {
                throw ChatCoreError(.invalidResponse, "the core did not show the message")
            }
            guard let found = page.chatItems.first(where: { $0.id == item }) else { return .deleted }
            return found.meta.status.outcome(for: stage)
        } catch {
            guard case .store(.chatItemNotFound)? = error.chatError else { throw error }
            return .deleted
        }
    }
}

extension ItemStatus {
    /// The outcome that the status implies for a stage; nil while it implies none.
    fileprivate func outcome(for stage: DeliveryStage) -> DeliveryOutcome? {
        switch self {
        case .sent(.complete): stage == .router ? .reached : nil
        case .sendReceived(_, .complete): .reached
        case .sendError, .sendErrorAuth: .failed
        default: nil
        }
    }
}
