internal import AsyncPrimitives
package import GRDB
internal import Synchronization
internal import SystemSupport

/// A writer that runs write jobs in the order of their arrival, and commits the waiting ones together in one transaction.
///
/// With `synchronous=FULL`, a commit waits for the disk, and that wait does not grow with the number of jobs: while one transaction is
/// being committed, later jobs queue up and share the next. If a job throws, all of its transaction run again, each in a savepoint of
/// its own, so that only the failed job is undone. The outcome of a job, good or bad, is reported only after its commit.
///
/// A transaction that cannot be committed because of its content is rolled back, and its jobs run again, each in a transaction of its own:
/// a job that violates a deferred constraint does not affect the others. When the disk fails, all jobs of the transaction fail and leave
/// nothing. Persistent jobs keep their place in the queue instead, and the writer tries again until the disk works.
package final class GroupCommitWriter: Sendable {
    /// The maximum number of jobs in one transaction, which bounds the wait of the first job.
    package static let largestBatch = 256

    private struct Job: Sendable {
        /// Runs the body; returns its error, which is also the job's outcome. May be called more than once.
        var run: @Sendable (Database) -> (any Error)?
        /// Delivers the outcome after the commit, or the error that undid the whole transaction.
        var finish: @Sendable ((any Error)?) -> Void
        /// True if the job waits until a failing disk works again.
        var isPersistent = false
    }

    private struct State {
        var waiting: [Job] = []
        var isDraining = false
        var isClosed = false
        /// True while jobs may wait for a failing disk.
        var isPatient = true
        /// The delays after consecutive failures of the disk for jobs that wait for it.
        var delays = DoublingDelay(from: GroupCommitWriter.firstDelay, to: GroupCommitWriter.longestDelay)
    }

    /// The first and the longest pause of the writer before it repeats jobs that wait for the disk.
    static let firstDelay = Duration.milliseconds(50)
    static let longestDelay = Duration.seconds(5)

    private let database: any DatabaseWriter
    private let health: DiskHealth
    private let scheduler: DatabaseFile.Scheduler?
    private let clock: any Clock<Duration>
    private let state = Mutex(State())
    /// The extent that follows the commits, kept alive as long as there are any.
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
    /// - Parameter afterCommit: runs after the commit and before the `afterCommit` of any later job, so that announcements have
    ///   the order of the writes.
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

    /// Runs `body` in a transaction without waiting for it.
    ///
    /// - Parameters:
    ///   - isPersistent: whether the job waits, before all later jobs, until a failing disk works again. It is given up only when the writer
    ///     is closed.
    ///   - joinsNext: whether the job waits for the next job, to share its transaction.
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

    /// Refuses later jobs; waiting jobs still run, once.
    package func close() {
        let hasWaiting = state.withLock { state in
            state.isClosed = true
            return !state.waiting.isEmpty
        }
        // Jobs that wait for the disk get their last attempt now.
        if hasWaiting { startDraining() }
    }

    /// Makes a failure of the disk end every affected job from now on: for callers that are about to close and must not wait.
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

    /// Ends the jobs of a batch that do not wait for the disk, and schedules another attempt for the others.
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
            // An interrupted wait is followed by an attempt, too.
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

    /// Runs jobs in one transaction; a failed job leaves nothing behind.
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
                    // A single job is undone with the transaction, which some errors have already ended.
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
    /// - Returns: false if a job failed: then all must be undone.
    private func runTogether(_ batch: [Job], _ db: Database) -> Bool {
        for job in batch where job.run(db) != nil { return false }
        return true
    }

    private func runInSavepoint(_ job: Job, _ db: Database) throws {
        try db.cachedStatement(sql: "SAVEPOINT job").execute()
        if let failure = job.run(db) {
            // If the transaction has ended, earlier jobs are undone, too; and no later job may overtake one that waits for the disk.
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
