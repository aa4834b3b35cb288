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
    /// Seconds after which the time is noted again, for a process after one with a wrong clock.
    private static let notedInterval = 3_600.0
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
    /// The tasks that wait for a moment at which no timer is due or runs.
    private var waiting: [Promise<Void>] = []
    private var hasEnded = false

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
        var seen = time.now(), noted = seen
        while !Task.isCancelled {
            var next: Date?
            // A later waiter may wait for a timer that was stored after the store was read.
            let awaited = waiting.count
            do {
                try await release()
                let now = time.now()
                // The clock is followed when it was set back, and has stood by that for a day.
                if seen.timeIntervalSince(now) > TimerTimes.tolerance { try await store.correctTimers(at: now) }
                seen = now
                if abs(now.timeIntervalSince(noted)) >= Self.notedInterval {
                    store.noteTime(now)
                    noted = now
                }
                let isRefused = try await submitDue(of: users, at: now, submit)
                next = isRefused ? now.addingTimeInterval(Self.retryDelay) : try await store.nextTimer(of: users, after: now)
            } catch {
                logger.error("timers cannot be read", metadata: ["code": "timer.storage", "error": "\(error)"])
                next = time.now().addingTimeInterval(Self.retryDelay)
            }
            if running.isEmpty, next.map({ $0 > time.now() }) ?? true { resolve(awaited) }
            await pause(until: next)
        }
        store.noteTime(time.now())
        hasEnded = true
        resolve(waiting.count)
    }

    /// Gives the timers that are due to their bots. Pages of those that run, or whose queues are full, hold up no others: pages are read until one of them
    /// is the last, or has both some that are taken and some that are refused.
    ///
    /// - Returns: whether any was refused.
    private func submitDue(
        of users: [UserID], at now: Date, _ submit: @Sendable (TimerRecord, _ ended: @escaping @Sendable (_ isHandled: Bool) -> Void) async -> Bool
    ) async throws -> Bool {
        var isRefused = false, offset = 0
        while true {
            let page = try await store.dueTimers(of: users, at: now, from: offset, limit: Self.pageSize)
            var taken = 0, refused = 0
            for timer in page where running.insert(timer.id).inserted {
                if await submit(timer, { [self] isHandled in Task { await end(timer.id, isHandled: isHandled) } }) {
                    taken += 1
                } else {
                    running.remove(timer.id)
                    refused += 1
                }
            }
            if refused > 0 { isRefused = true }
            guard page.count == Self.pageSize, taken == 0 || refused == 0 else { return isRefused }
            offset += page.count
        }
    }

    /// Returns when no timer is due or runs, of those that were stored before the call, or the dispatcher has ended.
    func settle() async {
        guard !hasEnded else { return }
        let idle = Promise<Void>()
        waiting.append(idle)
        changed.signal()
        await idle.value()
    }

    /// Ends the oldest waits.
    private func resolve(_ count: Int) {
        for idle in waiting.prefix(count) { idle.resolve(()) }
        waiting.removeFirst(count)
    }

    /// Releases timers whose handlers have ended: they run again if the store still has them.
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
