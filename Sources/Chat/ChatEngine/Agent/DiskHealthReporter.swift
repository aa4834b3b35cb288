import ChatAPI
import EncryptedSQLite
import Synchronization

/// Tells those who follow the core's events that the disk under its databases fails.
///
/// The stores are opened before there is a listener. Faults until then are reported as soon as there is one.
final class DiskHealthReporter: Sendable {
    private struct State {
        var hub: ChatEventHub?
        var waiting: [StorageError] = []
    }

    private let state = Mutex(State())
    private let observer: @Sendable (DiskHealthChange) -> Void

    /// - Parameter observer: told of every change, from the opening of the stores on.
    init(observer: @escaping @Sendable (DiskHealthChange) -> Void) { self.observer = observer }

    /// Takes a change from a store. That the disk works again shows in what happens then, and in the log.
    @Sendable func take(_ change: DiskHealthChange) {
        observer(change)
        guard case .failing(let error) = change else { return }
        let hub = state.withLock { state in
            if state.hub == nil { state.waiting.append(error) }
            return state.hub
        }
        hub?.publish(Self.event(error))
    }

    func report(to hub: ChatEventHub) {
        let waiting = state.withLock { state in
            state.hub = hub
            defer { state.waiting = [] }
            return state.waiting
        }
        for error in waiting { hub.publish(Self.event(error)) }
    }

    private static func event(_ error: StorageError) -> ChatEvent {
        .chatError(error: .store(error: .databaseException(message: "storage.\(error.code.rawValue): \(error.message)")))
    }
}
