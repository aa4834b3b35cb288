internal import Logging
internal import Synchronization

/// A change of the disk under a database: it begins to fail, or works again.
package enum DiskHealthChange: Sendable {
    /// Writes fail: nothing is acknowledged until the disk works again.
    case failing(StorageError)
    /// Writes succeed again.
    case healed(failedFor: Duration)
}

/// The health of the disk under a database: reports once when it begins to fail and once when it works again.
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

    /// Records a failure; only failures of the disk count.
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

    /// Records that a commit has reached the disk.
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
