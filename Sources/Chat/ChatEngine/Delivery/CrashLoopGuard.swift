import ChatStore
import Logging
import Synchronization
import SystemSupport

/// Knows the events and jobs on which processes crashed, and records those that are being received or tried.
final class CrashLoopGuard: Sendable {
    /// Things that can be noted at once: an event that is parsed, one that is stored, and jobs.
    static let slots = 2 + JobLimits.notedJobs

    private let table: InFlightTable?
    private let isLoaded = Atomic(false)
    private let suspects = Mutex(CrashSuspects())
    /// True if there is a suspect, read without a lock for each event.
    private let hasSuspects = Atomic(false)

    /// - Parameter table: nil if nothing is noted.
    init(table: InFlightTable?) { self.table = table }

    /// Counts the crash of the previous process, if it crashed, and takes over the earlier counts. Call this before anything is recorded.
    /// A second call changes nothing.
    func load(from store: ChatStore, at time: TransactionTime, logger: Logger) async throws {
        guard !isLoaded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let died = table?.leftBehind ?? []
        let known: CrashSuspects
        if died.isEmpty {
            known = CrashSuspects(try await store.read { try $0.quarantine.crashSuspects() })
        } else {
            let end = table?.previousEnd ?? .kill
            var suspects = CrashSuspects(try await store.read { try $0.quarantine.crashSuspects() })
            let counts = suspects.processEnded(by: end, with: died)
            do {
                try await store.write { db in for count in counts { try db.quarantine.set(count, at: time.now) } }
            } catch {
                // The start of an engine does not wait for a failing disk: this process has the counts, and the next one does not.
                logger.warning("the event on which the previous process crashed is not stored", metadata: ["error": "\(error)"])
            }
            known = suspects
            table?.forgetLeftBehind()
            logger.warning("the process before this one died while it received something", metadata: ["events": "\(died.count)", "code": "event.suspect"])
        }
        suspects.withLock { $0 = known }
        hasSuspects.store(!known.isEmpty, ordering: .releasing)
    }

    /// Runs `body` while it is noted that something is being processed.
    func noting<Result>(_ key: InFlightKey?, _ body: () throws -> Result) rethrows -> Result {
        let entry = begin(key)
        defer { end(entry) }
        return try body()
    }

    /// Notes that something is being processed. ``end(_:)`` must follow.
    ///
    /// - Returns: nil if nothing is noted.
    func begin(_ key: InFlightKey?) -> InFlightTable.Entry? {
        guard let table, let key else { return nil }
        return table.begin(key)
    }

    func end(_ entry: InFlightTable.Entry?) { table?.end(entry) }

    /// Tells whether something is to be processed alone.
    func isSuspect(_ key: InFlightKey?) -> Bool { look(key) { $0.isSuspect($1) } }

    /// Tells whether something is not to be processed.
    func isQuarantined(_ key: InFlightKey?) -> Bool { look(key) { $0.isQuarantined($1) } }

    /// Something was processed.
    ///
    /// - Returns: whether there was a count, which has to be removed from the store.
    func clear(_ key: InFlightKey?) -> Bool {
        guard hasSuspects.load(ordering: .acquiring), let key else { return false }
        return suspects.withLock { suspects in
            let wasThere = suspects.clear(key)
            hasSuspects.store(!suspects.isEmpty, ordering: .releasing)
            return wasThere
        }
    }

    private func look(_ key: InFlightKey?, _ question: (CrashSuspects, InFlightKey) -> Bool) -> Bool {
        guard hasSuspects.load(ordering: .acquiring), let key else { return false }
        return suspects.withLock { question($0, key) }
    }
}
