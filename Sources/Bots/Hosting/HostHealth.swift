package import EncryptedSQLite
internal import Synchronization

/// The known health of a data folder: its disks, its connections, and copies that run elsewhere.
package final class HostHealth: Sendable {
    private struct State {
        var failingDatabases = 0
        var isTakenOver = false
        var hasLostConnections = false
        var areRoutersFailing: @Sendable () -> Bool = { false }
    }

    private let state = Mutex(State())

    package init() {}

    /// True while a database, or a router inside the process, accepts nothing because the disk fails.
    package var isStorageFailing: Bool {
        let (isFailing, areRoutersFailing) = state.withLock { ($0.failingDatabases > 0, $0.areRoutersFailing) }
        return isFailing || areRoutersFailing()
    }
    /// True while another copy of the folder has taken over its subscriptions.
    package var isTakenOver: Bool { state.withLock(\.isTakenOver) }
    /// True if the agent does not know half or more of the connections of a profile.
    package var hasLostConnections: Bool { state.withLock(\.hasLostConnections) }

    /// Sets the function that returns whether the disk fails for the routers inside the process.
    package func attachRouters(_ areFailing: @escaping @Sendable () -> Bool) { state.withLock { $0.areRoutersFailing = areFailing } }

    /// Records that another copy of the folder has taken the subscriptions, or that this process has them again.
    @Sendable package func noteTakeover(_ isTakenOver: Bool) { state.withLock { $0.isTakenOver = isTakenOver } }

    /// Records whether the agent does not know half or more of the connections of a profile.
    package func noteLostConnections(_ hasLostConnections: Bool) { state.withLock { $0.hasLostConnections = hasLostConnections } }

    /// Records that the disk under a database has begun to fail, or works again.
    @Sendable package func note(_ change: DiskHealthChange) {
        state.withLock { state in
            switch change {
            case .failing: state.failingDatabases += 1
            case .healed: state.failingDatabases = max(0, state.failingDatabases - 1)
            }
        }
    }
}
