import Synchronization

/// A clock that stands still until a test moves it.
package final class ManualClock: Clock {
    package struct Instant: InstantProtocol {
        var offset: Duration
        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var lastID = 0
        var sleepers: [Int: Sleeper] = [:]
        /// Who waits for somebody to sleep for a certain time.
        var watchers: [(duration: ClosedRange<Duration>, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .zero }

    package func sleep(until deadline: Instant, tolerance _: Duration?) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let (isOver, watchers) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
                    guard state.now < deadline, !Task.isCancelled else { return (true, []) }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    let wait = state.now.duration(to: deadline)
                    let found = state.watchers.filter { $0.duration.contains(wait) }
                    state.watchers.removeAll { $0.duration.contains(wait) }
                    return (false, found.map(\.continuation))
                }
                for watcher in watchers { watcher.resume() }
                if isOver { continuation.resume(with: Result { try Task.checkCancellation() }) }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves time, and wakes who has slept long enough.
    package func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let woken = state.sleepers.filter { $0.value.deadline <= now }
            for id in woken.keys { state.sleepers.removeValue(forKey: id) }
            return woken.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// The number of those who sleep.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Returns when somebody sleeps who has between these times to go.
    package func waitForSleeper(_ duration: ClosedRange<Duration>) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                let now = state.now
                if state.sleepers.values.contains(where: { duration.contains(now.duration(to: $0.deadline)) }) { return true }
                state.watchers.append((duration, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
