import Synchronization

/// Changes that wait for a transaction to join.
final class DeferredChanges: Sendable {
    /// Changes that are not waited for any longer.
    static let most = 256
    /// How long changes wait: at least so long, and less than twice as long.
    static let deferral = Duration.milliseconds(100)

    private struct Inner {
        var changes: [StoreChange] = []
        var isTimerRunning = false
        /// How often what waited was taken.
        var departures = 0
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
        if startsTimer { _ = runtime.task { [self] in await submitWhatNobodyTook(submit) } }
    }

    /// Has changes made by themselves, unless others keep taking them along.
    private func submitWhatNobodyTook(_ submit: @Sendable () -> Void) async {
        var departures = inner.withLock(\.departures)
        while true {
            try? await runtime.clock.sleep(for: Self.deferral, tolerance: nil)
            let isYoung = inner.withLock { inner in
                guard !inner.changes.isEmpty, inner.departures != departures else {
                    inner.isTimerRunning = false
                    return false
                }
                departures = inner.departures
                return true
            }
            if !isYoung { return submit() }
        }
    }

    /// All that wait.
    func take() -> [StoreChange] {
        inner.withLock { inner in
            guard !inner.changes.isEmpty else { return [] }
            inner.departures += 1
            defer { inner.changes = [] }
            return inner.changes
        }
    }
}
