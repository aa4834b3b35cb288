import ChatAPI
import ChatProtocol
import Logging
import SMPAgent
import SMPWire
import Synchronization

/// Performs the agent's jobs, and is told of those that cannot be done.
protocol AgentJobHandling: AnyObject, Sendable {
    /// Performs a job. A temporary error has it performed again later.
    func perform(_ job: AgentJob) async throws
    /// Reports a job that failed permanently.
    func report(_ job: AgentJob, failedWith error: any Error) async
}

/// The queue of jobs that transactions have written for the agent. Jobs run side by side; each is retried with a growing delay until it is done or
/// fails permanently.
final class JobQueue: Sendable {
    /// The delays before a job is tried again: the first and the longest. Each is twice the one before.
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
    private let logger: Logger
    private let state = Mutex(State())

    init(store: ChatStore, clock: EngineClock, logger: Logger) {
        self.store = store
        self.clock = clock
        self.logger = logger
    }

    /// Sets the handler of jobs, which is held weakly.
    func attach(_ handler: any AgentJobHandling) { state.withLock { $0.handler = handler } }

    /// Begins with the jobs that an earlier run left behind.
    ///
    /// - Returns: Those jobs.
    @discardableResult
    func start() async throws -> [AgentJob] {
        state.withLock { state in
            state.isStopped = false
            state.run += 1
        }
        // As a write, it comes after those that delete finished jobs.
        let left = try await store.write { db in try db.waitingAgentJobs() }
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
        var delay = Self.firstDelay
        while true {
            guard !Task.isCancelled, let handler = state.withLock({ $0.handler }) else { return false }
            do {
                try await handler.perform(job)
                break
            } catch is CancellationError {
                return false
            } catch {
                let cause = ChatCoreError(thrown: error)
                guard cause.isTemporary else {
                    // Errors of a queue that is being stopped say nothing about the job.
                    if Task.isCancelled { return false }
                    await handler.report(job, failedWith: error)
                    break
                }
                logger.debug("a job of the agent is retried later", metadata: ["kind": "\(job.task.kind)", "error": "\(cause.code)"])
                resumeWaiters(for: job.id, in: run)
                do { try await clock.sleep(for: delay) } catch { return false }
                delay = min(delay * 2, Self.longestDelay)
            }
        }
        // A crash repeats the job: that costs less than a flush of the disk for each.
        store.submitLater({ db in try db.deleteAgentJob(job.id) }) { [logger] result in
            guard case .failure = result else { return }
            logger.warning("a finished job could not be deleted", metadata: ["kind": "\(job.task.kind)"])
        }
        return true
    }
}
