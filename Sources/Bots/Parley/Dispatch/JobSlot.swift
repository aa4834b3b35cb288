/// The place that a job has among those that run at once.
///
/// A job that waits for a person gives its place to others meanwhile: a few questions that nobody answers would otherwise stop all bots of the process.
struct JobSlot: Sendable {
    /// The place of the job that the current task belongs to; nil outside of jobs.
    @TaskLocal static var current: JobSlot?

    /// Gives the place to others. Returns false if it is not given away, because too many wait already or the job is over.
    let release: @Sendable () -> Bool
    /// Takes a place back, also if all are taken by now.
    let take: @Sendable () -> Void

    /// Runs a wait without the place of the current job.
    static func released<Result>(
        isolation: isolated (any Actor)? = #isolation, during wait: () async throws -> Result
    ) async rethrows -> Result {
        guard let slot = current, slot.release() else { return try await wait() }
        defer { slot.take() }
        return try await wait()
    }
}
