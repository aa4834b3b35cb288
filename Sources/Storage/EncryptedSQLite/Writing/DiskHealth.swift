internal import Logging
internal import Synchronization

/// The disk under a database began to fail, or works again.
package enum DiskHealthChange: Sendable {
    /// Writes fail: nothing is acknowledged until it works again.
    case failing(StorageError)
    /// Writes succeed again.
    case healed(failedFor: Duration)
}

/// Notices when the disk under a database begins to fail and when it works again, and tells each once.
final class DiskHealth: Sendable {
    private let label: String
    private let logger: Logger
    private let report: @Sendable (DiskHealthChange) -> Void
    private let failingSince = Mutex<ContinuousClock.Instant?>(nil)

    init(label: String, logger: Logger, report: @escaping @Sendable (DiskHealthChange) -> Void) {
        self.label = label
        self.logger = logger
        self.report = report
    }

    /// Something failed; only what is the disk's counts.
    func note(failure: any Error) {
        guard StorageError.isOfDisk(failure) else { return }
        let isFirst = failingSince.withLock { since in
            defer { since = since ?? .now }
            return since == nil
        }
        guard isFirst else { return }
        let error = StorageError.wrapping(failure, "the \(label) database cannot be written")
        logger.error(
            "the disk fails: nothing is acknowledged until it works again",
            metadata: ["code": "storage.\(error.code.rawValue)", "database": "\(label)", "error": "\(error.message)"])
        report(.failing(error))
    }

    /// A commit reached the disk.
    func noteCommit() {
        guard
            let since = failingSince.withLock({ since in
                defer { since = nil }
                return since
            })
        else { return }
        let duration = ContinuousClock.now - since
        logger.notice(
            "the disk works again", metadata: ["code": "storage.healed", "database": "\(label)", "seconds": "\(duration.components.seconds)"])
        report(.healed(failedFor: duration))
    }
}
