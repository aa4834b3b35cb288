import AsyncPrimitives
import ChatStore
import Synchronization

/// The permits of jobs: so many are tried at a time. A job that waits before it is tried again holds none.
final class JobLanes: Sendable {
    /// The permits of one kind of jobs, so that those of one kind that a silent router holds up leave all others their turn.
    private struct Lane {
        let first = AsyncSemaphore(limit: JobLimits.concurrentJobs)
        let again = AsyncSemaphore(limit: JobLimits.concurrentRetries)
    }

    private let lanes = Mutex<[String: Lane]>([:])
    private let own = AsyncSemaphore(limit: JobLimits.concurrentOwnJobs)
    /// Suspected jobs, on which processes may have crashed, are tried one at a time, so that the cause becomes known.
    private let suspects = AsyncSemaphore(limit: 1)

    /// Runs an attempt at a job once there is a permit.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the attempt begins.
    func attempt<Outcome: Sendable>(
        at job: AgentJob, isFirst: Bool, isSuspect: Bool, _ body: () async -> Outcome
    ) async throws(CancellationError) -> Outcome {
        guard !job.task.isLocal else { return await body() }
        if isSuspect { try await suspects.acquireUnlessCancelled() }
        defer { if isSuspect { suspects.release() } }
        let permits = permits(for: job.task, isFirst: isFirst)
        try await permits.acquireUnlessCancelled()
        defer { permits.release() }
        return await body()
    }

    private func permits(for task: AgentJob.Task, isFirst: Bool) -> AsyncSemaphore {
        guard task.isCausedByPeers else { return own }
        let lane = lanes.withLock { lanes in
            let lane = lanes[task.kind] ?? Lane()
            lanes[task.kind] = lane
            return lane
        }
        return isFirst ? lane.first : lane.again
    }
}
