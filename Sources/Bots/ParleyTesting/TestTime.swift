internal import Foundation
internal import Synchronization

/// A clock that stands still until a test advances it.
final class TestTime: Sendable {
    private struct Sleeper {
        let deadline: Date
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Date
        /// The last moment, in milliseconds since 1970.
        var moment: Int64 = 0
        var lastID = 0
        var sleepers: [Int: Sleeper] = [:]
    }

    private let state: Mutex<State>

    init(_ now: Date) { state = Mutex(State(now: now)) }

    var now: Date { state.withLock(\.now) }

    /// The time, or a millisecond more than at the last call, so that messages and records have distinct times, as with a real clock.
    ///
    /// Times of routers have milliseconds.
    func nextMoment() -> Date {
        state.withLock { state in
            state.moment = max(state.moment + 1, Int64((state.now.timeIntervalSince1970 * 1000).rounded(.up)))
            return Date(timeIntervalSince1970: Double(state.moment) / 1000)
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

    /// Moves the time forward to a date.
    func move(to date: Date) { state.withLock { $0.now = max($0.now, date) } }

    /// Wakes the tasks that have slept long enough.
    func wake() {
        let woken = state.withLock { state in
            let over = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in over.keys { state.sleepers[id] = nil }
            return over.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }
}
