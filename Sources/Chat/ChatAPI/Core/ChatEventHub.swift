internal import Synchronization

/// Hands the events of a core to all its subscribers. Publishing never waits for a subscriber.
public final class ChatEventHub: Sendable {
    private struct State {
        var subscriptions: [ObjectIdentifier: Weak] = [:]
        var isFinished = false

        /// The subscriptions, which no longer belong to the hub.
        mutating func takeAll() -> [ChatEventSubscription] {
            defer { subscriptions = [:] }
            return subscriptions.values.compactMap(\.subscription)
        }
    }

    /// Subscriptions live as long as somebody holds their sequence.
    private struct Weak: Sendable {
        weak var subscription: ChatEventSubscription?
    }

    private let state = Mutex(State())

    /// A hub without subscribers.
    public init() {}

    /// A new subscription to events from now on.
    ///
    /// - Parameter limit: How many events may wait; at least 1.
    public func subscribe(bufferingUpTo limit: Int) -> ChatEvents {
        let subscription = ChatEventSubscription(limit: max(1, limit))
        let isFinished = state.withLock { state in
            if !state.isFinished { state.subscriptions[ObjectIdentifier(subscription)] = Weak(subscription: subscription) }
            return state.isFinished
        }
        if isFinished { subscription.finish() }
        return ChatEvents(subscription)
    }

    /// Hands an event to every subscriber. Calls must not overlap if their order is to be kept.
    public func publish(_ event: ChatEvent) {
        for subscription in alive() { subscription.add(event) }
    }

    /// Ends all subscriptions after their waiting events, and later subscriptions at once.
    public func finish() {
        let all = state.withLock { state in
            state.isFinished = true
            return state.takeAll()
        }
        for subscription in all { subscription.finish() }
    }

    /// Ends the present subscriptions with an error, after their waiting events: the publisher itself has missed events, so everyone who
    /// reads them must subscribe and read the state anew.
    public func lose() {
        let all = state.withLock { $0.takeAll() }
        for subscription in all { subscription.lose() }
    }

    /// The number of subscriptions.
    public var subscriberCount: Int { alive().count }

    private func alive() -> [ChatEventSubscription] {
        state.withLock { state in
            var alive: [ChatEventSubscription] = []
            alive.reserveCapacity(state.subscriptions.count)
            for (id, weak) in state.subscriptions {
                if let subscription = weak.subscription {
                    alive.append(subscription)
                } else {
                    state.subscriptions[id] = nil
                }
            }
            return alive
        }
    }
}
