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
        var tasks: [Int64: Task<Void, Never>] = [:]
        /// Tasks that wait for the first attempt at a job.
        var attempts: [Int64: [CheckedContinuation<Void, Never>]] = [:]
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
        state.withLock { $0.isStopped = false }
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
        let tasks = state.withLock { state in
            state.isStopped = true
            defer { state.tasks = [:] }
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    /// Adds jobs whose transaction was committed.
    func enqueue(_ jobs: [AgentJob]) {
        state.withLock { state in
            for job in jobs {
                if state.isStopped {
                    state.waiting.append(job)
                } else if state.tasks[job.id] == nil {
                    state.tasks[job.id] = Task { [self] in await run(job) }
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

    private func resumeWaiters(for job: Int64) {
        for continuation in state.withLock({ $0.attempts.removeValue(forKey: job) }) ?? [] { continuation.resume() }
    }

    private func run(_ job: AgentJob) async {
        defer { resumeWaiters(for: job.id) }
        var delay = Self.firstDelay
        while !Task.isCancelled {
            guard let handler = state.withLock({ $0.handler }) else { return }
            do {
                try await handler.perform(job)
                break
            } catch is CancellationError {
                return
            } catch {
                let cause = ChatCoreError(thrown: error)
                guard cause.isTemporary else {
                    await handler.report(job, failedWith: error)
                    break
                }
                logger.debug("a job of the agent is retried later", metadata: ["kind": "\(job.task.kind)", "error": "\(cause.code)"])
                resumeWaiters(for: job.id)
                do { try await clock.sleep(for: delay) } catch { return }
                delay = min(delay * 2, Self.longestDelay)
            }
        }
        guard !Task.isCancelled else { return }
        // A crash repeats the job: that costs less than a flush of the disk for each.
        store.submitLater({ db in try db.deleteAgentJob(job.id) }) { [logger] result in
            guard case .failure = result else { return }
            logger.warning("a finished job could not be deleted", metadata: ["kind": "\(job.task.kind)"])
        }
        state.withLock { $0.tasks[job.id] = nil }
    }
}
