import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SystemSupport

/// The bounds of the jobs that peers cause: so many at a time, and not for ever.
enum JobLimits {
    /// Jobs of one kind caused by peers that are tried for the first time, side by side.
    static let concurrentJobs = 32
    /// Jobs of one kind caused by peers that are tried again, side by side: those that a silent router holds up must leave the others their turn.
    static let concurrentRetries = 8
    /// Jobs of this profile's own that are tried side by side.
    static let concurrentOwnJobs = 64
    /// Seconds after which a job that a peer has caused is given up …
    static let lifetime: Int64 = 7 * 86_400
    /// … if this process has tried it so often: a process that starts after a long pause must not give up at once.
    static let attemptsBeforeGivingUp = 10

    /// Kinds of jobs caused by peers; see ``AgentJob/Task/isCausedByPeers``.
    private static let kinds = 15
    /// The number of jobs caused by peers that are being tried at once at the most, and noted for the process after one that crashes.
    static let notedJobs = kinds * (concurrentJobs + concurrentRetries)

    /// Tells whether a job that has failed is given up, although it may succeed later.
    static func givesUp(_ job: AgentJob, after attempts: Int, at now: UTCTimestamp) -> Bool {
        job.task.isCausedByPeers && attempts >= attemptsBeforeGivingUp && now.seconds - job.createdAt.seconds >= lifetime
    }
}

extension AgentJob {
    /// The job's name, which is the same in the next process; nil for a job of this profile's own.
    var key: InFlightKey? {
        guard task.isCausedByPeers else { return nil }
        return InFlightKey([Self.keyPrefix] + withUnsafeBytes(of: id.bigEndian) { Array($0) })
    }

    /// Tells it from the names of events.
    private static let keyPrefix: UInt8 = 3
}
