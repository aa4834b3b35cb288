import AsyncPrimitives
import Logging
import NIOCore
import NIOPosix
import RouterSupport
import Synchronization

/// The journal of a file router, made durable on a thread of its own. Simultaneous commands share a synchronization.
final class FileJournal: Sendable {
    private struct State {
        /// The callers that wait for the journal to be durable up to a position.
        var waiters: [(end: UInt64, Promise<Bool>)] = []
        var isScheduled = false
        var isStopped = false
        /// The pauses between attempts after the disk has refused something.
        var pauses = DoublingDelay(from: firstPause, to: longestPause)
        var failure: RouterError?
        var sizeAfterClearing = 0
        var tasks: [RepeatedTask] = []
    }

    private static let firstPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(5)

    private let journal: RecordJournal<FileJournalRecord>
    private let group: MultiThreadedEventLoopGroup
    private let loop: any EventLoop
    private let clearingThreshold: Int
    private let state = Mutex(State())
    private let logger: Logger

    init(_ journal: RecordJournal<FileJournalRecord>, _ configuration: FileRouterConfiguration, logger: Logger) {
        self.journal = journal
        self.logger = logger
        clearingThreshold = configuration.clearingThreshold
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        loop = group.next()
        state.withLock { $0.sizeAfterClearing = journal.size }
        let keeping = loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [self] _ in keepExtent() }
        state.withLock { $0.tasks = [keeping] }
        if case .interval(let time) = configuration.durability {
            let task = loop.scheduleRepeatedTask(initialDelay: TimeAmount(time), delay: TimeAmount(time)) { [self] _ in commit(flush: true) }
            state.withLock { $0.tasks.append(task) }
        }
    }

    /// The reason why nothing is accepted at present; nil when the disk works.
    var failure: RouterError? { state.withLock { $0.failure } }
    /// The size in bytes.
    var size: Int { journal.size }
    /// The number of waiting callers, for tests.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Adds a record. To be called in the order in which the state changes.
    ///
    /// - Returns: the position up to which the journal must be durable for it.
    func append(_ record: FileJournalRecord) -> UInt64 { journal.append(record).end }

    /// Waits until the journal is durable up to a position.
    ///
    /// - Returns: false if the disk refuses writes at present. The appended records are written when the disk accepts writes again.
    func isDurable(_ end: UInt64) async -> Bool {
        if journal.synchronized >= end { return true }
        let promise = Promise<Bool>()
        let isStopped = state.withLock { state in
            if !state.isStopped { state.waiters.append((end, promise)) }
            return state.isStopped
        }
        guard !isStopped else { return false }
        schedule()
        return await promise.value()
    }

    /// Schedules a commit of the appended records.
    func schedule() {
        let isFirst = state.withLock { state in
            guard !state.isScheduled, !state.isStopped else { return false }
            state.isScheduled = true
            return true
        }
        if isFirst { loop.execute { [self] in commit() } }
    }

    private func commit(flush: Bool = false) {
        // While the disk refuses writes, a timer tries again, and also writes the records appended meanwhile.
        let isFailing = state.withLock { state in
            state.isScheduled = false
            return state.failure != nil
        }
        if isFailing { return settle(isFailing: true) }
        tryToCommit(flush: flush)
    }

    private func tryToCommit(flush: Bool) {
        do throws(RouterError) {
            try journal.commit(flush: flush)
            let wasFailing = state.withLock { state in
                state.pauses.reset()
                defer { state.failure = nil }
                return state.failure != nil
            }
            if wasFailing { logger.notice("the disk accepts writes again") }
            settle(isFailing: false)
            // Records appended after the refused ones are written in a commit of their own.
            if journal.pendingCount > 0 { schedule() }
        } catch {
            let (pause, isFirst) = state.withLock { state in
                defer { state.failure = error }
                return (state.pauses.next(), state.failure == nil)
            }
            if isFirst { logger.error("the router accepts nothing while the disk refuses writes; they are tried again", metadata: ["reason": "\(error)"]) }
            settle(isFailing: true)
            loop.scheduleTask(in: TimeAmount(pause)) { [self] in
                if !state.withLock({ $0.isStopped }) { tryToCommit(flush: flush) }
            }
        }
    }

    /// Answers the waiting requests whose records are durable; all requests if the disk fails, so that none waits for ever.
    private func settle(isFailing: Bool) {
        let durable = journal.synchronized
        let settled = state.withLock { state in
            let settled = state.waiters.filter { isFailing || $0.end <= durable }
            state.waiters.removeAll { isFailing || $0.end <= durable }
            return settled
        }
        for (end, promise) in settled { promise.resolve(end <= durable) }
    }

    /// Copies the written part of the journal into a folder, while writing continues.
    ///
    /// - Throws: ``RouterError`` `storage`.
    func copy(to folder: String) throws(RouterError) { try journal.copy(to: folder) }

    /// Stores the extent of the journal. If that fails, the next attempt stores it; until then, a loss of the newest part of the journal is not noticed.
    private func keepExtent() {
        do throws(RouterError) { try journal.keepExtent() } catch {
            logger.debug("the extent of the journal cannot be kept", metadata: ["reason": "\(error)"])
        }
    }

    // MARK: Clearing

    /// True if it is time to rewrite the journal.
    var needsClearing: Bool {
        let (threshold, failure) = state.withLock { (max(clearingThreshold, 2 * $0.sizeAfterClearing), $0.failure) }
        return failure == nil && journal.size > threshold
    }

    /// Rewrites the journal.
    ///
    /// - Parameter appendNext: appends the records of the next part of the state, and returns true after the last part. Others append between its calls.
    /// - Throws: ``RouterError`` `storage`; nothing is lost then.
    func clear(_ appendNext: @escaping @Sendable () -> Bool) async throws(RouterError) {
        let promise = Promise<Result<Void, RouterError>>()
        loop.execute { [self] in
            do throws(RouterError) {
                guard !state.withLock({ $0.isStopped }) else { throw RouterError(.stopped, "the router has stopped") }
                clear(from: try journal.beginSegment(), appendNext, promise)
            } catch {
                promise.resolve(.failure(error))
            }
        }
        try await promise.value().get()
    }

    /// Rewrites the next part. Between parts, waiting callers are answered.
    private func clear(from start: UInt64, _ appendNext: @escaping @Sendable () -> Bool, _ promise: Promise<Result<Void, RouterError>>) {
        do throws(RouterError) {
            guard !state.withLock({ $0.isStopped }) else { throw RouterError(.stopped, "the router has stopped") }
            let isDone = appendNext()
            let end = journal.end
            try journal.commit(flush: isDone)
            settle(isFailing: false)
            guard isDone else { return loop.execute { [self] in clear(from: start, appendNext, promise) } }
            guard journal.synchronized >= end else { throw RouterError(.storage, "the disk has not accepted all records of the journal") }
            while let oldest = try journal.oldestSegment(), oldest.base < start { try journal.removeOldestSegment() }
            state.withLock { $0.sizeAfterClearing = journal.size }
            promise.resolve(.success(()))
        } catch {
            promise.resolve(.failure(error))
        }
    }

    /// Flushes the remaining records and ends the thread. May be called again.
    func stop() async {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            for task in state.tasks { task.cancel() }
            return !state.isStopped
        }
        guard isFirst else { return }
        _ = try? await loop.submit { [self] in
            do throws(RouterError) {
                try journal.commit(flush: true)
                if journal.pendingCount > 0 { try journal.commit(flush: true) }
            } catch {
                logger.critical("unanswered commands are lost: the disk refuses their records", metadata: ["reason": "\(error)"])
            }
            settle(isFailing: true)
            keepExtent()
            journal.release()
        }.get()
        try? await group.shutdownGracefully()
    }
}
