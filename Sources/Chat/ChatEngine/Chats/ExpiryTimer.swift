import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import Logging
import Synchronization

/// A wake-up call for the expiry timer: an item was given a time at which it disappears, or files were removed.
final class ExpirySignal: Sendable {
    private struct State {
        var sleeper: Task<Void, any Error>?
        var isRaised = false
    }

    private let state = Mutex(State())

    /// Wakes the timer, now or as soon as it goes to sleep.
    func signal() {
        state.withLock { state in
            state.isRaised = true
            state.sleeper?.cancel()
        }
    }

    /// Forgets earlier signals.
    func clear() { state.withLock { $0.isRaised = false } }

    /// Sleeps until the duration is over, a signal comes or the task is cancelled.
    func sleep(for duration: Duration, _ clock: EngineClock) async {
        let sleeper = Task { try await clock.sleep(for: duration) }
        let isRaised = state.withLock { state in
            state.sleeper = sleeper
            return state.isRaised
        }
        if isRaised || Task.isCancelled { sleeper.cancel() }
        _ = await withTaskCancellationHandler {
            await sleeper.result
        } onCancel: {
            sleeper.cancel()
        }
    }
}

/// The task that removes messages when their time to live is over or they are older than they are to be kept, prunes records that are kept for a period
/// only, and deletes from the disk what removed files have left there.
final class ExpiryTimer: Sendable {
    /// Items removed in one transaction at most.
    static let largestBatch = 100
    /// The longest sleep: clocks may be set.
    static let longestSleep = Duration.seconds(600)
    /// Seconds between two prunings.
    static let pruningPeriod: Int64 = 3_600

    private let transactions: TransactionRunner
    private let signal: ExpirySignal
    private let periods: RetentionPeriods
    private let files: FileCleaner
    private let logger: Logger
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(transactions: TransactionRunner, signal: ExpirySignal, periods: RetentionPeriods, files: FileCleaner, logger: Logger) {
        self.transactions = transactions
        self.signal = signal
        self.periods = periods
        self.files = files
        self.logger = logger
    }

    func start() {
        task.withLock { task in
            guard task == nil else { return }
            task = Task { [self] in await run() }
        }
    }

    func stop() {
        task.withLock { task in
            task?.cancel()
            task = nil
        }
    }

    /// Removes expired messages at once after a change of the time.
    func removeExpired() async throws(ChatCoreError) {
        let now = transactions.clock.steady
        while try await transactions.transaction({ try $0.chats.removeExpiredItems(until: now, limit: Self.largestBatch) }) == Self.largestBatch {}
        try await transactions.applyRetention()
        try await files.clean()
    }

    private func run() async {
        var nextPruning = transactions.clock.steady, nextRetention = nextPruning
        while !Task.isCancelled {
            signal.clear()
            do {
                let now = transactions.clock.steady
                let removed = try await transactions.transaction { try $0.chats.removeExpiredItems(until: now, limit: Self.largestBatch) }
                if removed == Self.largestBatch { continue }
                if now >= nextRetention {
                    nextRetention = now.adding(seconds: Retention.period)
                    try await transactions.applyRetention()
                }
                if now >= nextPruning {
                    nextPruning = now.adding(seconds: Self.pruningPeriod)
                    try await transactions.prune(periods, at: now)
                }
                try await files.clean()
                await sleep(until: try await transactions.query { try $0.db.items.nextExpiry() })
            } catch {
                logger.warning("expired messages could not be removed", metadata: ["error": "\(error.code)"])
                await sleep(until: nil)
            }
        }
    }

    private func sleep(until time: UTCTimestamp?) async {
        let now = transactions.clock.steady
        // Durations, as stored times may be further apart than their numbers can tell.
        let wait = time.map { max(.zero, $0.sinceEpoch - now.sinceEpoch) } ?? Self.longestSleep
        await signal.sleep(for: min(wait, Self.longestSleep), transactions.clock)
    }
}
