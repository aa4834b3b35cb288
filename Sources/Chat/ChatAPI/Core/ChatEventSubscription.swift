internal import DequeModule
internal import Synchronization

/// The events that wait for one subscriber, at most `limit` of them.
final class ChatEventSubscription: Sendable {
    private enum Ending {
        case finished
        case lost

        var step: Step { self == .finished ? .end : .lost }
    }

    private struct State {
        var events: Deque<ChatEvent> = []
        var ending: Ending?
        var reader: CheckedContinuation<Step, Never>?

        /// A waiting caller, which waits no more.
        mutating func takeReader() -> CheckedContinuation<Step, Never>? {
            defer { reader = nil }
            return reader
        }
    }

    private enum Step: Sendable {
        case event(ChatEvent)
        case end
        case lost
        case busy
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// True if somebody waits for the next event.
    var isAwaited: Bool { state.withLock { $0.reader != nil } }

    /// True if no event waits, none was lost, and none is being handled by a reader that comes back for the next.
    var isDrained: Bool { state.withLock { $0.events.isEmpty && ($0.reader != nil || $0.ending == .finished) } }

    /// Adds an event. Above the limit, the subscription ends with an error after the waiting events.
    func add(_ event: ChatEvent) {
        let reader: CheckedContinuation<Step, Never>? = state.withLock { state in
            guard state.ending == nil else { return nil }
            if let reader = state.takeReader() { return reader }
            if state.events.count < limit {
                state.events.append(event)
            } else {
                state.ending = .lost
            }
            return nil
        }
        reader?.resume(returning: .event(event))
    }

    /// Ends the subscription after the waiting events.
    func finish() { end(.finished) }

    /// Ends the subscription with an error after the waiting events.
    func lose() { end(.lost) }

    private func end(_ ending: Ending) {
        let reader = state.withLock { state in
            if state.ending == nil { state.ending = ending }
            return state.takeReader()
        }
        reader?.resume(returning: ending.step)
    }

    /// The next event; nil at the end or when the task is cancelled.
    func next() async throws(ChatCoreError) -> ChatEvent? {
        let step = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let step = take(or: continuation) { continuation.resume(returning: step) }
            }
        } onCancel: {
            cancelReading()
        }
        switch step {
        case .event(let event): return event
        case .end: return nil
        case .lost:
            throw ChatCoreError(.eventsLost, "Events were lost because more than \(limit) waited to be read; read the state again.")
        case .busy:
            throw ChatCoreError(.closed, "Two tasks read from one subscription; each needs its own.")
        }
    }

    private func take(or reader: CheckedContinuation<Step, Never>) -> Step? {
        state.withLock { state in
            if Task.isCancelled { return .end }
            if let event = state.events.popFirst() { return .event(event) }
            if let ending = state.ending { return ending.step }
            guard state.reader == nil else { return .busy }
            state.reader = reader
            return nil
        }
    }

    private func cancelReading() {
        state.withLock { $0.takeReader() }?.resume(returning: .end)
    }
}
