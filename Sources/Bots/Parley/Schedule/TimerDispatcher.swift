internal import AsyncPrimitives
internal import ChatAPI
internal import Foundation
internal import Logging

/// Runs the stored timers of all bots when they are due.
actor TimerDispatcher {
    /// The longest sleep: a clock that was set forward is noticed after it.
    private static let longestSleep = 60.0
    /// The delay before a timer is tried again that no queue took, or whose end could not be stored, in seconds.
    private static let retryDelay = 1.0
    /// Timers that are read at once.
    private static let pageSize = 256

    private let store: BotStateStore
    private let time: BotTime
    private let logger: Logger
    private let changed = AsyncSignal()
    private var running: Set<Int64> = []
    /// Those of `running` whose handlers have ended. They leave it before the next read of the store and not earlier: one that is under way may still list
    /// them as due.
    private var ended: Set<Int64> = []
    /// The next moment at which no timer is due or runs; nil while nobody waits for it.
    private var idle: Promise<Void>?

    init(store: BotStateStore, time: BotTime, logger: Logger) {
        self.store = store
        self.time = time
        self.logger = logger
    }

    /// Says that a timer may be due earlier than any that was stored before.
    nonisolated func wake() { changed.signal() }

    /// Runs timers of some profiles until the task is cancelled.
    ///
    /// - Parameter submit: gives a timer to the handlers of its bot, and calls the closure once when they have ended; returns false if their queue is
    ///   full.
    func run(for users: [UserID], _ submit: @Sendable (TimerRecord, _ ended: @escaping @Sendable (_ isHandled: Bool) -> Void) async -> Bool) async {
        while !Task.isCancelled {
            var next: Date?
            do {
                try await release()
                let now = time.now()
                var isRefused = false
                for timer in try await store.dueTimers(of: users, at: now, limit: Self.pageSize + running.count) where running.insert(timer.id).inserted {
                    let isTaken = await submit(timer) { [self] isHandled in Task { await end(timer.id, isHandled: isHandled) } }
                    if !isTaken {
                        running.remove(timer.id)
                        isRefused = true
                    }
                }
                next = isRefused ? now.addingTimeInterval(Self.retryDelay) : try await store.nextTimer(of: users, after: now)
            } catch {
                logger.error("timers cannot be read", metadata: ["code": "timer.storage", "error": "\(error)"])
                next = time.now().addingTimeInterval(Self.retryDelay)
            }
            if running.isEmpty, next.map({ $0 > time.now() }) ?? true {
                idle?.resolve(())
                idle = nil
            }
            await pause(until: next)
        }
    }

    /// Returns when no timer is due or runs.
    func settle() async {
        let idle = idle ?? Promise()
        self.idle = idle
        changed.signal()
        await idle.value()
    }

    /// Lets timers run again whose handlers have ended, if the store still has them then.
    private func release() async throws {
        let released = ended
        guard !released.isEmpty else { return }
        // Their ends are noted without waiting for the disk, and reads do not see what is not committed.
        try await store.flush()
        ended.subtract(released)
        running.subtract(released)
    }

    private func end(_ id: Int64, isHandled: Bool) async {
        // One that could not be stored as handled is due again at once.
        if !isHandled { try? await time.sleep(.seconds(Self.retryDelay)) }
        ended.insert(id)
        changed.signal()
    }

    /// Returns at a time, or earlier if there may be another timer to run.
    private func pause(until date: Date?) async {
        let seconds = min(date.map { $0.timeIntervalSince(time.now()) } ?? Self.longestSleep, Self.longestSleep)
        guard seconds > 0 else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [time] in try? await time.sleep(.seconds(seconds)) }
            group.addTask { [changed] in try? await changed.waitUnlessCancelled() }
            await group.next()
            group.cancelAll()
        }
    }
}

/// The time of day and waits, as bots see them.
struct BotTime: Sendable {
    var now: @Sendable () -> Date
    var sleep: @Sendable (Duration) async throws -> Void

    /// The system's time.
    static var system: BotTime { BotTime(clock: ContinuousClock()) }

    /// The system's time of day, with waits of a clock.
    init(clock: any Clock<Duration>) {
        now = { Date() }
        sleep = { try await clock.sleep(for: $0) }
    }

    init(now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }
}
