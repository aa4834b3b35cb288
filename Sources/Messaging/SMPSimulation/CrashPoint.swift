import Synchronization

/// Ends a simulated process at a chosen step: nothing is stored or sent after it.
///
/// Steps are counted over everything that leaves traces outside the process: transactions of its stores, before and after them, and
/// commands to routers, before and after them.
package final class CrashPoint: Sendable {
    /// The error that is thrown at the point where the process would end.
    package struct Crash: Error {}

    private struct Inner {
        var steps = 0
        var limit: Int?
        var isCrashed = false
        var wasTriggered = false
        var crashed: (@Sendable () -> Void)?
    }

    private let inner = Mutex(Inner())

    package init() {}

    /// True once the process has ended.
    package var isCrashed: Bool { inner.withLock { $0.isCrashed } }
    /// True once the chosen step was reached.
    package var wasTriggered: Bool { inner.withLock { $0.wasTriggered } }
    /// Steps since the last call of ``arm(after:_:)``.
    package var steps: Int { inner.withLock { $0.steps } }

    /// Ends the process at the step after so many more.
    package func arm(after steps: Int, _ crashed: @escaping @Sendable () -> Void = {}) {
        inner.withLock { inner in
            inner.steps = 0
            inner.limit = steps
            inner.wasTriggered = false
            inner.crashed = crashed
        }
    }

    /// Takes back what ``arm(after:_:)`` has set up: what the process does from now on, as at its regular end, does not end it any more.
    ///
    /// - Returns: whether the chosen step was reached before.
    @discardableResult
    package func disarm() -> Bool {
        inner.withLock { inner in
            inner.limit = nil
            return inner.wasTriggered
        }
    }

    /// Ends the process after so many more steps, and has another begin when that has happened.
    ///
    /// - Returns: a task that ends when the other has begun, or ``settle(_:)`` was called before.
    package func restart(
        afterSteps steps: Int, _ restart: @escaping @Sendable () async throws -> Void
    ) -> Task<Void, any Error> {
        let (crashed, continuation) = AsyncStream.makeStream(of: Void.self)
        arm(after: steps) { continuation.finish() }
        return Task {
            for await _ in crashed {}
            guard !Task.isCancelled else { return }
            try await restart()
        }
    }

    /// Takes back what ``restart(afterSteps:_:)`` has set up or, if it has happened, waits until the other process has begun.
    ///
    /// - Returns: whether it has happened.
    package func settle(_ restarting: Task<Void, any Error>) async throws -> Bool {
        guard disarm() else {
            restarting.cancel()
            return false
        }
        try await restarting.value
        return true
    }

    /// Does something, and once more in the other process if the first one has ended meanwhile.
    package func outliving<Value>(_ restarting: Task<Void, any Error>, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            guard wasTriggered else { throw error }
            try await restarting.value
            return try await body()
        }
    }

    /// Ends the process now.
    package func crash() { inner.withLock { $0.isCrashed = true } }

    /// Another process begins.
    package func recover() { inner.withLock { $0.isCrashed = false } }

    /// Counts a step.
    ///
    /// - Returns: whether the process is still there.
    private func step() -> Bool {
        let (isAlive, crashed) = inner.withLock { inner -> (Bool, (@Sendable () -> Void)?) in
            if inner.isCrashed { return (false, nil) }
            inner.steps += 1
            guard let limit = inner.limit, inner.steps > limit else { return (true, nil) }
            inner.isCrashed = true
            inner.wasTriggered = true
            inner.limit = nil
            return (false, inner.crashed)
        }
        crashed?()
        return isAlive
    }

    /// Before a transaction of a store.
    package func willWrite() throws {
        guard step() else { throw Crash() }
    }

    /// After a transaction of a store.
    package func didWrite() throws {
        guard step() else { throw Crash() }
    }

    /// Counts a client's commands as steps.
    package func connect(_ network: SimulatedNetwork) {
        network.setFault { [self] _, _ in step() ? nil : .lostRequest }
        network.setResponseFault { [self] in !step() }
    }
}
