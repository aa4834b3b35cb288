internal import AsyncPrimitives
internal import Synchronization

/// Changes of a model, as one subscriber reads them: each time all that came since the last, each only once.
///
/// At most ``limit`` different changes wait; when there are more, one ``ChatModelChange/everything`` waits instead.
public struct ChatModelChanges: AsyncSequence, Sendable {
    /// Changes that wait for a subscriber at the most.
    public static let limit = 65_536

    /// The type of the elements.
    public typealias Element = [ChatModelChange]

    let subscription: ChatModelChangeSubscription

    /// Reads changes. Only one task may read from a subscription.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: ChatModelChangeSubscription

        /// The changes since the last call, at least one; nil when the model has ended or the task is cancelled.
        public mutating func next() async -> [ChatModelChange]? { await subscription.next() }
    }

    /// Makes an iterator over the changes from now on.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscription) }
}

/// The changes that wait for one subscriber.
final class ChatModelChangeSubscription: Sendable {
    private struct State {
        var changes: [ChatModelChange] = []
        var seen: Set<ChatModelChange> = []
        var isFinished = false
        /// The answer to a reader that found no change.
        var answer: Promise<[ChatModelChange]?>?

        mutating func add(_ change: ChatModelChange, limit: Int) {
            guard !seen.contains(.everything), seen.insert(change).inserted else { return }
            if changes.count < limit {
                changes.append(change)
            } else {
                changes = [.everything]
                seen = [.everything]
            }
        }

        mutating func take() -> [ChatModelChange] {
            defer {
                changes = []
                seen = []
            }
            return changes
        }
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int = ChatModelChanges.limit) { self.limit = limit }

    /// True if somebody waits for changes.
    var isAwaited: Bool { state.withLock { $0.answer != nil } }

    func add(_ changes: [ChatModelChange]) {
        let waiting = state.withLock { state -> (Promise<[ChatModelChange]?>, [ChatModelChange])? in
            guard !state.isFinished else { return nil }
            for change in changes { state.add(change, limit: limit) }
            return state.answer.take().map { ($0, state.take()) }
        }
        waiting?.0.resolve(waiting?.1)
    }

    func finish() {
        let answer = state.withLock { state in
            state.isFinished = true
            return state.answer.take()
        }
        answer?.resolve(nil)
    }

    func next() async -> [ChatModelChange]? {
        let answer = Promise<[ChatModelChange]?>()
        return await withTaskCancellationHandler {
            let (ready, other) = state.withLock { state -> ([ChatModelChange]??, Promise<[ChatModelChange]?>?) in
                if !state.changes.isEmpty { return (.some(state.take()), nil) }
                if state.isFinished || Task.isCancelled { return (.some(nil), nil) }
                // A second reader takes the position of the first, which ends.
                let other = state.answer
                state.answer = answer
                return (nil, other)
            }
            other?.resolve(nil)
            if let ready { return ready }
            return await answer.value()
        } onCancel: {
            let isReading = state.withLock { state in
                guard state.answer === answer else { return false }
                state.answer = nil
                return true
            }
            if isReading { answer.resolve(nil) }
        }
    }
}

/// Hands changes to all subscribers.
final class ChatModelChangeHub: Sendable {
    private struct Weak: Sendable { weak var subscription: ChatModelChangeSubscription? }

    private struct State {
        var subscriptions: [Weak] = []
        var isFinished = false
    }

    private let state = Mutex(State())

    func subscribe() -> ChatModelChanges {
        let subscription = ChatModelChangeSubscription()
        let isFinished = state.withLock { state in
            if !state.isFinished { state.subscriptions.append(Weak(subscription: subscription)) }
            return state.isFinished
        }
        if isFinished { subscription.finish() }
        return ChatModelChanges(subscription: subscription)
    }

    func publish(_ changes: [ChatModelChange]) {
        for subscription in alive() { subscription.add(changes) }
    }

    func finish() {
        let all = state.withLock { state in
            defer { state.subscriptions = [] }
            state.isFinished = true
            return state.subscriptions.compactMap(\.subscription)
        }
        for subscription in all { subscription.finish() }
    }

    private func alive() -> [ChatModelChangeSubscription] {
        state.withLock { state in
            state.subscriptions.removeAll { $0.subscription == nil }
            return state.subscriptions.compactMap(\.subscription)
        }
    }
}
