internal import Foundation
internal import Synchronization

/// A time that stands still until a test moves it.
final class TestTime: Sendable {
    private struct Sleeper {
        let deadline: Date
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Date
        /// Calls of ``TestTime/nextMoment()`` since the time was moved.
        var moments = 0
        var lastID = 0
        var sleepers: [Int: Sleeper] = [:]
    }

    private let state: Mutex<State>

    init(_ now: Date) { state = Mutex(State(now: now)) }

    var now: Date { state.withLock(\.now) }

    /// The time with a microsecond more at each call, so that what is stored can be told apart by its time, as on a real clock.
    func nextMoment() -> Date {
        state.withLock { state in
            state.moments += 1
            return state.now.addingTimeInterval(Double(state.moments) / 1_000_000)
        }
    }

    func sleep(_ duration: Duration) async throws {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isOver = state.withLock { state in
                    guard seconds > 0, !Task.isCancelled else { return true }
                    state.sleepers[id] = Sleeper(deadline: state.now.addingTimeInterval(seconds), continuation: continuation)
                    return false
                }
                if isOver { continuation.resume(with: Result { try Task.checkCancellation() }) }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves the time forward to a date, and wakes those who have slept long enough.
    func advance(to date: Date) {
        let woken = state.withLock { state in
            if date > state.now { (state.now, state.moments) = (date, 0) }
            let over = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in over.keys { state.sleepers[id] = nil }
            return over.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }
}
