internal import AsyncPrimitives
internal import Synchronization

/// Changes of the rules' memory by handlers of one bot that still run. They are stored when those have ended.
final class PendingMemories: Sendable {
    typealias Change = (scope: String, change: MemoryChange)

    private struct State {
        var lastID = 0
        var changes: [Int: [Change]] = [:]
    }

    private let lock = AsyncLock()
    private let state = Mutex(State())

    /// Runs decisions one after the other: what one reads, decides and adds is one step for all others.
    ///
    /// - Parameter body: gets the earlier changes, in their order. It reads the store afterwards: changes that are stored meanwhile are in both.
    func inTurn<Result>(_ body: ([Change]) async throws -> Result) async throws -> Result {
        try await lock.withLock {
            let changes = state.withLock(\.changes)
            return try await body(changes.keys.sorted().flatMap { changes[$0] ?? [] })
        }
    }

    /// - Returns: the number by which the changes are removed.
    func add(_ changes: [Change]) -> Int {
        state.withLock { state in
            state.lastID += 1
            if !changes.isEmpty { state.changes[state.lastID] = changes }
            return state.lastID
        }
    }

    /// The changes are stored, or are not going to be.
    func remove(_ id: Int) { state.withLock { $0.changes[id] = nil } }
}
