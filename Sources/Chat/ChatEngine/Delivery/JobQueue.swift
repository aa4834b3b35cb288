import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import Logging
import SMPAgent
import SMPWire
import Synchronization
import SystemSupport

/// Performs the agent's jobs, and is notified of those that cannot be done.
protocol AgentJobHandling: AnyObject, Sendable {
    /// Performs a job. A temporary error has it performed again later.
    func perform(_ job: AgentJob) async throws
    /// Reports a job that failed permanently.
    func report(_ job: AgentJob, failedWith error: any Error) async
}

/// The queue of jobs that transactions have written for the agent. Jobs run side by side, as many as ``JobLimits`` says; each is retried with a growing
/// delay until it is done or fails permanently. A job that a peer has caused is given up after some days, and quarantined if three processes crashed while they
/// tried it.
final class JobQueue: Sendable {
    /// The delays before a job is tried again: the first and the longest.
    static let firstDelay = Duration.seconds(2)
    static let longestDelay = Duration.seconds(180)

    private struct State {
        weak var handler: (any AgentJobHandling)?
        var isStopped = true
        /// Jobs enqueued while the queue was stopped.
        var waiting: [AgentJob] = []
        var tasks: [Int64: RunningJob] = [:]
        /// Jobs of earlier runs that have not noticed their cancellation yet, and may be done all the same.
        var ending: [Int64: RunningJob] = [:]
        /// The number of starts.
        var run = 0
        /// Tasks that wait for the first attempt at a job.
        var attempts: [Int64: [CheckedContinuation<Void, Never>]] = [:]
    }

    private struct RunningJob {
        var run: Int
        /// The value is true if nothing is left to do.
        var task: Task<Bool, Never>
    }

    private let store: ChatStore
    private let clock: EngineClock
    private let crashGuard: CrashLoopGuard
    private let logger: Logger
    private let lanes = JobLanes()
    private let state = Mutex(State())

    init(store: ChatStore, clock: EngineClock, crashGuard: CrashLoopGuard = CrashLoopGuard(table: nil), logger: Logger) {
        self.store = store
        self.clock = clock
        self.crashGuard = crashGuard
        self.logger = logger
    }

    /// Sets the handler of jobs, which is held weakly.
    func attach(_ handler: any AgentJobHandling) { state.withLock { $0.handler = handler } }

    /// Begins with the unfinished jobs of an earlier run.
    ///
    /// - Returns: Those jobs.
    @discardableResult
    func start() async throws -> [AgentJob] {
        state.withLock { state in
            state.isStopped = false
            state.run += 1
        }
        // As a write, it comes after those that delete finished jobs.
        let (left, unreadable) = try await store.write { db in (try db.jobs.waiting(), try db.jobs.unreadable()) }
        if !unreadable.isEmpty {
            // They stay: the version that has written them may come back.
            logger.error(
                "jobs of the agent are not understood by this version, and wait for one that does",
                metadata: ["code": "job.unreadable", "jobs": "\(unreadable.count)", "kinds": "\(Set(unreadable).sorted().joined(separator: ", "))"])
        }
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        enqueue(left + waiting)
        return left
    }

    func stop() {
        let (tasks, attempts) = state.withLock { state in
            state.isStopped = true
            defer {
                state.ending.merge(state.tasks) { $1 }
                (state.tasks, state.attempts) = ([:], [:])
            }
            return (state.tasks.values.map(\.task), state.attempts.values.flatMap(\.self))
        }
        for task in tasks { task.cancel() }
        for continuation in attempts { continuation.resume() }
    }

    /// Adds jobs whose transaction was committed.
    func enqueue(_ jobs: [AgentJob]) {
        state.withLock { state in
            for job in jobs {
                if state.isStopped {
                    state.waiting.append(job)
                } else if state.tasks[job.id] == nil {
                    let run = state.run, earlier = state.ending.removeValue(forKey: job.id)
                    let task = Task { [self] in
                        // Nothing is done twice because the queue was stopped for a moment.
                        let isDone = if let earlier, await earlier.task.value { true } else { await self.run(job, in: run) }
                        end(job, of: run)
                        return isDone
                    }
                    state.tasks[job.id] = RunningJob(run: run, task: task)
                }
            }
        }
    }

    /// Waits for the first attempt at a job, successful or not. Returns at once if the job is not running.
    func attempt(at job: Int64) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.tasks[job] != nil, !state.isStopped else { return true }
                state.attempts[job, default: []].append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private func resumeWaiters(for job: Int64, in run: Int) {
        let waiters = state.withLock { $0.tasks[job]?.run == run ? $0.attempts.removeValue(forKey: job) : nil }
        for continuation in waiters ?? [] { continuation.resume() }
    }

    /// Forgets a job whose task is over.
    private func end(_ job: AgentJob, of run: Int) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            if state.ending[job.id]?.run == run { state.ending[job.id] = nil }
            guard state.tasks[job.id]?.run == run else { return [] }
            state.tasks[job.id] = nil
            return state.attempts.removeValue(forKey: job.id) ?? []
        }
        for continuation in waiters { continuation.resume() }
    }

    /// - Returns: False if the job is left to a later run.
    private func run(_ job: AgentJob, in run: Int) async -> Bool {
        if let key = job.key, crashGuard.isQuarantined(key) { return await setAside(job, as: key) }
        var delays = DoublingDelay(from: Self.firstDelay, to: Self.longestDelay), attempts = 0
        while true {
            let outcome: Outcome
            do throws(CancellationError) {
                outcome = try await lanes.attempt(at: job, isFirst: attempts == 0, isSuspect: crashGuard.isSuspect(job.key)) { await attempt(job) }
            } catch {
                return false
            }
            switch outcome {
            case .isDone: break
            case .isInterrupted: return false
            case .isPostponed(let pause):
                resumeWaiters(for: job.id, in: run)
                do { try await clock.sleep(for: pause) } catch { return false }
                continue
            case .failed(let cause):
                attempts += 1
                if JobLimits.givesUp(job, after: attempts, at: clock.time.now) {
                    logger.error(
                        "a job of the agent is given up: it could not be done for days",
                        metadata: ["code": "job.givenUp", "kind": "\(job.task.kind)", "attempts": "\(attempts)", "error": "\(cause.code)"])
                    await state.withLock({ $0.handler })?.report(job, failedWith: cause)
                    break
                }
                logger.debug("a job of the agent is retried later", metadata: ["kind": "\(job.task.kind)", "error": "\(cause.code)"])
                resumeWaiters(for: job.id, in: run)
                do { try await clock.sleep(for: delays.next()) } catch { return false }
                continue
            }
            break
        }
        // A crash repeats the job: that costs less than a flush of the disk for each.
        store.submitLater({ db in try db.jobs.delete(job.id) }) { [logger] result in
            guard case .failure = result else { return }
            logger.warning("a finished job could not be deleted", metadata: ["kind": "\(job.task.kind)"])
        }
        return true
    }

    private enum Outcome: Sendable {
        /// Nothing is left to do: it is done, or has failed permanently, which is reported.
        case isDone
        case isInterrupted
        /// It was not tried: its turn comes later.
        case isPostponed(Duration)
        /// It may succeed later.
        case failed(ChatCoreError)
    }

    /// Tries a job once, and notes for the next process that it is being tried.
    private func attempt(_ job: AgentJob) async -> Outcome {
        guard !Task.isCancelled, let handler = state.withLock({ $0.handler }) else { return .isInterrupted }
        let entry = crashGuard.begin(job.key)
        defer {
            crashGuard.end(entry)
            if let key = job.key, crashGuard.clear(key) { store.submitLater({ db in try db.quarantine.deleteCrashSuspect(key) }) { _ in } }
        }
        do {
            try await handler.perform(job)
            return .isDone
        } catch is CancellationError {
            return .isInterrupted
        } catch let postponement as JobPostponement {
            return .isPostponed(postponement.delay)
        } catch {
            let cause = ChatCoreError(thrown: error)
            guard !cause.isTemporary else { return .failed(cause) }
            // Errors of a queue that is being stopped say nothing about the job.
            if Task.isCancelled { return .isInterrupted }
            await handler.report(job, failedWith: error)
            return .isDone
        }
    }

    /// Quarantines a job on which processes crashed.
    ///
    /// - Returns: False if the store does not take it now: it is tried at the next start.
    private func setAside(_ job: AgentJob, as key: InFlightKey) async -> Bool {
        let now = clock.time.now
        do {
            let id = try await store.write(isPersistent: true) { db in try db.quarantine.quarantine(job, as: key, at: now) }
            logger.error(
                "a job of the agent is set aside: several processes died of it. parley db quarantine shows it",
                metadata: ["code": "job.quarantined", "kind": "\(job.task.kind)", "id": "\(id)"])
            let message = "job.quarantined: processes died of it; it is number \(id) of /_quarantine"
            await state.withLock({ $0.handler })?.report(job, failedWith: Refusal.chat(.exception(message: message)))
            return true
        } catch {
            logger.error("a job could not be set aside", metadata: ["kind": "\(job.task.kind)", "error": "\(ChatCoreError(thrown: error).code)"])
            return false
        }
    }
}
