import AsyncPrimitives
import ChatAPI
import ChatStore
import Logging
import Synchronization

/// The bound on the messages of a channel that wait to be passed on.
///
/// A message beyond the bound is stored, and acknowledged to its router once there is room. Until then, the router holds back what the same member sends
/// next, and the member's client once the router's queue is full: nothing is lost, and each member has one message beyond the bound at the most.
final class RelayBacklog: Sendable {
    /// The pause after which the store is asked again where nothing has told of room: the channel may be gone.
    static let recheck = Duration.seconds(60)

    private struct State {
        var isStopped = false
        var waiting: [GroupID: Promise<Void>] = [:]
    }

    private let limit: Int?
    private let store: ChatStore
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameter limit: Messages of a channel; nil for any number.
    init(limit: Int?, store: ChatStore, logger: Logger) {
        self.limit = limit
        self.store = store
        self.logger = logger
    }

    func start() { state.withLock { $0.isStopped = false } }

    /// Ends all waits.
    func stop() {
        let waiting = state.withLock { state in
            state.isStopped = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for promise in waiting { promise.resolve(()) }
    }

    /// Tells that less may wait in a channel.
    func shrank(_ group: GroupID) { state.withLock { $0.waiting.removeValue(forKey: group) }?.resolve(()) }

    /// Returns when no more messages wait in a channel than may.
    ///
    /// - Parameter count: The number that waits, or a larger one.
    /// - Returns: False if the engine stopped before.
    func waitForRoom(in group: GroupID, waiting count: Int64) async -> Bool {
        guard let limit, count > limit else { return true }
        logger.debug("a channel has too much to pass on: its senders wait", metadata: ["group": "\(group)"])
        while true {
            let room = state.withLock { state -> Promise<Void>? in
                guard !state.isStopped else { return nil }
                let room = state.waiting[group] ?? Promise()
                state.waiting[group] = room
                return room
            }
            guard let room else { return false }
            do {
                guard try await store.read({ try $0.relayWork.hasTasks(group: group, moreThan: limit) }) else { return true }
            } catch {
                logger.debug("it is not known how much waits in a channel", metadata: ["error": "\(error)"])
            }
            _ = await room.value(within: Self.recheck)
        }
    }
}
