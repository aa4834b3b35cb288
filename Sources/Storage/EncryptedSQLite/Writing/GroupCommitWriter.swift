internal import AsyncPrimitives
package import GRDB
internal import Synchronization
internal import SystemSupport

/// Runs write jobs in the order they arrive and commits those that wait together in one transaction.
///
/// With `synchronous=FULL` a commit waits for the disk, and that wait does not grow with the number of jobs: while one
/// transaction is being committed, later jobs queue up and share the next. If one of them throws, they run again, each in a savepoint of its
/// own, so that the one undoes only itself. A job's outcome, good or bad, becomes known only after the commit that holds it.
///
/// A transaction that cannot be committed because of its content is rolled back, and its jobs run again, each in a transaction of its own:
/// one that breaks a constraint at the end takes nobody along. When the disk fails, all of them fail: nothing of them is there. Those that
/// are marked as persistent stay where they are in the line instead, and the writer tries again until the disk works.
package final class GroupCommitWriter: Sendable {
    /// The highest number of jobs in one transaction. It bounds the wait of the first of them.
    package static let largestBatch = 256

    private struct Job: Sendable {
        /// Runs the body; a throw is kept as the job's outcome and returned. May be called more than once.
        var run: @Sendable (Database) -> (any Error)?
        /// Delivers the outcome after the commit, or the error that undid the whole transaction.
        var finish: @Sendable ((any Error)?) -> Void
        /// True if it waits for the disk to work again.
        var isPersistent = false
    }

    private struct State {
        var waiting: [Job] = []
        var isDraining = false
        var isClosed = false
        /// True if jobs wait for the disk at all.
        var isPatient = true
        /// The delays after consecutive failures of the disk for jobs that wait for it.
        var delays = DoublingDelay(from: GroupCommitWriter.firstDelay, to: GroupCommitWriter.longestDelay)
    }

    /// The pauses of the writer after the disk failed jobs that wait for it: the first, and the longest.
    static let firstDelay = Duration.milliseconds(50)
    static let longestDelay = Duration.seconds(5)

    private let database: any DatabaseWriter
    private let health: DiskHealth
    private let scheduler: DatabaseFile.Scheduler?
    private let clock: any Clock<Duration>
    private let state = Mutex(State())
    /// Follows the commits, and so lives as long as there are any.
    private let extent: LogExtent?

    /// - Parameter scheduler: nil to write on the database's own queue.
    init(
        _ database: any DatabaseWriter, health: DiskHealth, scheduler: DatabaseFile.Scheduler? = nil, extent: LogExtent? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.extent = extent
        self.scheduler = scheduler
        self.database = database
        self.health = health
        self.clock = clock
    }

    /// Runs `body` in a transaction and returns its value once that transaction is on disk.
    ///
    /// - Parameter afterCommit: runs after the commit and before any later job's `afterCommit`: what is announced here is
    ///   announced in the order in which it was written.
    package func write<T: Sendable>(
        isPersistent: Bool = false, _ body: @escaping @Sendable (Database) throws -> T, afterCommit: (@Sendable (T) -> Void)? = nil
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            submit(isPersistent: isPersistent, body) { result in
                if case .success(let value) = result { afterCommit?(value) }
                continuation.resume(with: result)
            }
        }
    }

    /// Runs `body` in a transaction without anybody waiting for it.
    ///
    /// - Parameters:
    ///   - isPersistent: whether it waits, before all that came later, for a disk that fails to work again. It is given up only when the writer
    ///     is closed.
    ///   - joinsNext: whether it waits for the next job, to share its transaction.
    package func submit<T: Sendable>(
        isPersistent: Bool = false, joinsNext: Bool = false, _ body: @escaping @Sendable (Database) throws -> T,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void
    ) {
        let outcome = Mutex<Result<T, any Error>>(.failure(StorageError(.closed, "the database was closed before the write ran")))
        enqueue(
            Job(
                run: { db in
                    do {
                        let value = try body(db)
                        outcome.withLock { $0 = .success(value) }
                        return nil
                    } catch {
                        outcome.withLock { $0 = .failure(error) }
                        return error
                    }
                },
                finish: { failure in completion(failure.map(Result.failure) ?? outcome.withLock(\.self)) }, isPersistent: isPersistent),
            starts: !joinsNext)
    }

    /// Refuses later jobs; those that wait are still run, once.
    package func close() {
        let hasWaiting = state.withLock { state in
            state.isClosed = true
            return !state.waiting.isEmpty
        }
        // Those that wait for the disk get their last try now.
        if hasWaiting { startDraining() }
    }

    /// From now on, a failure of the disk ends every affected job: for callers that are about to close and must not wait.
    func stopWaitingForDisk() {
        let hasWaiting = state.withLock { state in
            state.isPatient = false
            return !state.waiting.isEmpty
        }
        if hasWaiting { startDraining() }
    }

    private func enqueue(_ job: Job, starts: Bool) {
        let (begins, refused) = state.withLock { state -> (Bool, Bool) in
            guard !state.isClosed else { return (false, true) }
            state.waiting.append(job)
            guard starts, !state.isDraining else { return (false, false) }
            state.isDraining = true
            return (true, false)
        }
        if refused { return job.finish(StorageError(.closed, "the database is closed")) }
        if begins { startDraining() }
    }

    private func startDraining() {
        if let scheduler {
            scheduler { [self] in database.unsafeReentrantWrite { db in drain(db) } }
        } else {
            database.asyncWriteWithoutTransaction { [self] db in drain(db) }
        }
    }

    private func drain(_ db: Database) {
        while let batch = takeBatch() {
            do {
                try commit(batch, db)
                state.withLock { $0.delays.reset() }
                for job in batch { job.finish(nil) }
            } catch {
                if StorageError.isOfDisk(error) {
                    if retryLater(batch, error) { return }
                } else if batch.count > 1 {
                    for job in batch { runAlone(job, db) }
                } else {
                    for job in batch { job.finish(error) }
                }
            }
        }
    }

    /// Ends the jobs of a batch that do not wait for the disk, and has the others tried again after a while.
    ///
    /// - Returns: true if draining continues by itself later.
    private func retryLater(_ batch: [Job], _ error: any Error) -> Bool {
        let (persistent, delay) = state.withLock { state -> ([Job], Duration) in
            guard !state.isClosed, state.isPatient else { return ([], .zero) }
            let persistent = batch.filter(\.isPersistent)
            guard !persistent.isEmpty else { return ([], .zero) }
            state.waiting.insert(contentsOf: persistent, at: 0)
            return (persistent, state.delays.next())
        }
        for job in batch where persistent.isEmpty || !job.isPersistent { job.finish(error) }
        guard !persistent.isEmpty else { return false }
        Task { [self] in
            // Also a wait that is interrupted is followed by a try.
            try? await clock.sleep(for: delay)
            startDraining()
        }
        return true
    }

    private func runAlone(_ job: Job, _ db: Database) {
        do {
            try commit([job], db)
            job.finish(nil)
        } catch {
            job.finish(error)
        }
    }

    /// Runs jobs in one transaction; one that fails leaves nothing behind.
    ///
    /// GRDB's own transactions and savepoints prepare their statements each time, which costs as much as a small job.
    private func commit(_ batch: [Job], _ db: Database) throws {
        let changes = db.totalChangesCount
        do {
            try begin(db)
            if batch.count == 1 {
                if let failure = batch[0].run(db) {
                    if batch[0].isPersistent, StorageError.isOfDisk(failure) { throw failure }
                    health.note(failure: failure)
                    // One that is alone is undone with the transaction; some errors have ended that already.
                    if db.isInsideTransaction { try db.rollback() }
                    return
                }
            } else if !runTogether(batch, db) {
                if db.isInsideTransaction { try db.rollback() }
                try begin(db)
                for job in batch { try runInSavepoint(job, db) }
            }
            FailPoint.databaseCommit.pass()
            try db.cachedStatement(sql: "COMMIT TRANSACTION").execute()
            FailPoint.databaseCommitted.pass()
        } catch {
            // Some errors, such as a full disk, have ended the transaction already.
            if db.isInsideTransaction { try? db.rollback() }
            health.note(failure: error)
            throw error
        }
        // A transaction that changes nothing does not touch the disk.
        if db.totalChangesCount != changes { health.noteCommit() }
    }

    private func begin(_ db: Database) throws { try db.cachedStatement(sql: "BEGIN IMMEDIATE TRANSACTION").execute() }

    /// Runs jobs without savepoints, for which SQLite keeps each page as it was before.
    ///
    /// - Returns: false if one of them failed: then all must be undone.
    private func runTogether(_ batch: [Job], _ db: Database) -> Bool {
        for job in batch where job.run(db) != nil { return false }
        return true
    }

    private func runInSavepoint(_ job: Job, _ db: Database) throws {
        try db.cachedStatement(sql: "SAVEPOINT job").execute()
        if let failure = job.run(db) {
            // The jobs before are undone as well; and those that wait for the disk must not be overtaken.
            guard db.isInsideTransaction, !(job.isPersistent && StorageError.isOfDisk(failure)) else { throw failure }
            health.note(failure: failure)
            try db.cachedStatement(sql: "ROLLBACK TRANSACTION TO SAVEPOINT job").execute()
        }
        try db.cachedStatement(sql: "RELEASE SAVEPOINT job").execute()
    }

    private func takeBatch() -> [Job]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDraining = false
                return nil
            }
            let batch = Array(state.waiting.prefix(Self.largestBatch))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }
}
