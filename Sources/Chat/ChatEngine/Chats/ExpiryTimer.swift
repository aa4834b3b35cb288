import ChatAPI
import ChatProtocol
import Logging
import Synchronization

/// Removes messages when their time to live is over, and now and then what is kept for a time only.
final class ExpiryTimer: Sendable {
    /// Items removed in one transaction at most.
    static let largestBatch = 100
    /// The longest sleep: clocks may be set.
    static let longestSleep = Duration.seconds(600)
    /// Seconds between two looks at what is kept for a time only.
    static let forgettingPeriod: Int64 = 3_600

    private struct State {
        var task: Task<Void, Never>?
        var sleeper: Task<Void, any Error>?
        var isAwake = false
    }

    private unowned let core: EngineCore
    private let state = Mutex(State())

    init(core: EngineCore) {
        self.core = core
    }

    func start() {
        state.withLock { state in
            guard state.task == nil else { return }
            state.task = Task { [core] in await run(core) }
        }
    }

    func stop() {
        state.withLock { state in
            state.task?.cancel()
            state.sleeper?.cancel()
            state.task = nil
        }
    }

    /// An item was given a time: it may be earlier than the one that is slept for.
    func wake() {
        state.withLock { state in
            state.isAwake = true
            state.sleeper?.cancel()
        }
    }

    private func run(_ core: EngineCore) async {
        var nextForgetting = core.steadyNow
        while !Task.isCancelled {
            state.withLock { $0.isAwake = false }
            do {
                let now = core.steadyNow
                let removed = try await core.transaction { try $0.removeExpiredItems(until: now, limit: Self.largestBatch) }
                if removed == Self.largestBatch { continue }
                if now >= nextForgetting {
                    nextForgetting = now.adding(seconds: Self.forgettingPeriod)
                    try await core.forgetOld(at: now)
                }
                let next = try await core.query { try $0.db.nextExpiry() }
                await sleep(until: next, core)
            } catch {
                core.logger.warning("messages whose time is over could not be removed", metadata: ["error": "\(error.code)"])
                await sleep(until: nil, core)
            }
        }
    }

    private func sleep(until moment: UTCTimestamp?, _ core: EngineCore) async {
        let now = core.steadyNow
        // Durations, as stored times may be further apart than their numbers can tell.
        let wait = moment.map { max(.zero, $0.sinceEpoch - now.sinceEpoch) } ?? Self.longestSleep
        let clock = core.clock
        let sleeper = Task { try await clock.sleep(for: min(wait, Self.longestSleep)) }
        let isAwake = state.withLock { state in
            state.sleeper = sleeper
            return state.isAwake
        }
        if isAwake || Task.isCancelled { sleeper.cancel() }
        _ = await withTaskCancellationHandler {
            await sleeper.result
        } onCancel: {
            sleeper.cancel()
        }
    }
}

extension ChatTransaction {
    /// Removes items whose time is over.
    ///
    /// - Returns: how many.
    func removeExpiredItems(until now: UTCTimestamp, limit: Int) throws -> Int {
        let expired = try db.expiringItems(until: now, limit: limit)
        for entry in expired {
            guard let user = try db.user(entry.user), let contact = try db.contact(entry.contact, of: user) else { continue }
            let deletions = try removeItems([try item(entry.id, contact: entry.contact)], of: contact)
            emit(.chatItemsDeleted(user: user, deletions: deletions, byUser: true, timed: true))
        }
        return expired.count
    }
}
