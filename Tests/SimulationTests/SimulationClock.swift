import Synchronization

/// The time of a simulation, for what sleeps.
struct SimulationClock: Clock {
    struct Instant: InstantProtocol {
        var nanoseconds: Int64

        func advanced(by duration: Duration) -> Instant { Instant(nanoseconds: nanoseconds + duration.nanoseconds) }
        func duration(to other: Instant) -> Duration { .nanoseconds(other.nanoseconds - nanoseconds) }
        static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
    }

    let simulation: Simulation

    var now: Instant { Instant(nanoseconds: simulation.time) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let sleeper = Sleeper()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                sleeper.begin(continuation)
                simulation.after(deadline.nanoseconds - simulation.time) { sleeper.wake() }
            }
        } onCancel: {
            sleeper.wake()
        }
        try Task.checkCancellation()
    }
}

/// One who sleeps, and is woken once.
private final class Sleeper: Sendable {
    private let state = Mutex<(continuation: CheckedContinuation<Void, Never>?, isAwake: Bool)>((nil, false))

    func begin(_ continuation: CheckedContinuation<Void, Never>) {
        let isAwake = state.withLock { state in
            if !state.isAwake { state.continuation = continuation }
            return state.isAwake
        }
        if isAwake { continuation.resume() }
    }

    func wake() {
        let continuation = state.withLock { state in
            state.isAwake = true
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume()
    }
}

extension Duration {
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
