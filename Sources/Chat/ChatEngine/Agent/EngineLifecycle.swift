import Synchronization

/// The state that an engine goes through: open and stopped, running, closed.
final class EngineLifecycle: Sendable {
    private struct State {
        var isRunning = false
        var refusesCommands = false
        var isClosed = false
        var isStoreReplaced = false
    }

    private let state = Mutex(State())

    var isRunning: Bool { state.withLock(\.isRunning) }
    /// True from the command that stops the core to the beginning of the next run.
    var refusesCommands: Bool { state.withLock(\.refusesCommands) }
    var isClosed: Bool { state.withLock(\.isClosed) }
    /// True once the databases were closed to be changed: the core must be opened again.
    var isStoreReplaced: Bool { state.withLock(\.isStoreReplaced) }

    /// Begins to run.
    ///
    /// - Returns: False if it was running.
    func begin() -> Bool {
        _ = change(\.refusesCommands, to: false)
        return change(\.isRunning, to: true)
    }

    /// Stops running.
    ///
    /// - Returns: False if it was not running.
    func end() -> Bool { change(\.isRunning, to: false) }

    /// Has most commands refused until the next run.
    func refuseCommands() { _ = change(\.refusesCommands, to: true) }

    /// Closes permanently.
    ///
    /// - Returns: False if it was closed.
    func close() -> Bool { change(\.isClosed, to: true) }

    /// Records that the databases are closed to be changed.
    ///
    /// - Returns: False if they were.
    func replaceStore() -> Bool { change(\.isStoreReplaced, to: true) }

    private func change(_ flag: any WritableKeyPath<State, Bool> & Sendable, to value: Bool) -> Bool {
        state.withLock { state in
            defer { state[keyPath: flag] = value }
            return state[keyPath: flag] != value
        }
    }
}
