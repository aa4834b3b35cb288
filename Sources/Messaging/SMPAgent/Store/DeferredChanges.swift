import Synchronization

/// Changes that wait for a transaction to join, for ``deferral`` at most.
final class DeferredChanges: Sendable {
    /// Changes that are not waited for any longer.
    static let most = 256
    /// How long changes wait.
    static let deferral = Duration.milliseconds(10)

    private struct Inner {
        var changes: [StoreChange] = []
        var isTimerRunning = false
    }

    private let runtime: AgentRuntime
    private let inner = Mutex(Inner())

    init(_ runtime: AgentRuntime) { self.runtime = runtime }

    /// Adds changes.
    ///
    /// - Parameter submit: called when they shall wait no longer: what is to be made is what ``take()`` gives.
    func add(_ changes: [StoreChange], submit: @escaping @Sendable () -> Void) {
        let (isFull, startsTimer) = inner.withLock { inner in
            inner.changes += changes
            let startsTimer = !inner.isTimerRunning
            inner.isTimerRunning = true
            return (inner.changes.count >= Self.most, startsTimer)
        }
        if isFull { submit() }
        guard startsTimer else { return }
        _ = runtime.task { [self] in
            try? await runtime.clock.sleep(for: Self.deferral, tolerance: nil)
            inner.withLock { $0.isTimerRunning = false }
            submit()
        }
    }

    /// All that wait.
    func take() -> [StoreChange] {
        inner.withLock { inner in
            defer { inner.changes = [] }
            return inner.changes
        }
    }
}
