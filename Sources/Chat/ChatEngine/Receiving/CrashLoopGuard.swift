import Logging
import Synchronization
import SystemSupport

/// Knows which events processes died of, and notes which are being received now.
final class CrashLoopGuard: Sendable {
    /// Events that can be noted at once: one that is parsed and one that is stored.
    static let slots = 2

    private let table: InFlightTable?
    private let suspects = Mutex(CrashSuspects())
    /// True if there is a suspect, read without a lock for each event.
    private let hasSuspects = Atomic(false)

    /// - Parameter table: nil if nothing is noted.
    init(table: InFlightTable?) { self.table = table }

    /// Counts what the process before this one died of, if it did, and takes over what was counted before.
    func load(from store: ChatStore, at time: TransactionTime, logger: Logger) async throws {
        let died = table?.leftBehind ?? []
        let known: CrashSuspects
        if died.isEmpty {
            known = CrashSuspects(try await store.read { try $0.crashSuspects() })
        } else {
            let end = table?.previousEnd ?? .kill
            known = try await store.write(isPersistent: true) { db in
                var suspects = CrashSuspects(try db.crashSuspects())
                for count in suspects.processEnded(by: end, with: died) { try db.set(count, at: time.now) }
                return suspects
            }
            table?.forgetLeftBehind()
            logger.warning("the process before this one died while it received something", metadata: ["events": "\(died.count)", "code": "event.suspect"])
        }
        suspects.withLock { $0 = known }
        hasSuspects.store(!known.isEmpty, ordering: .releasing)
    }

    /// Runs `body` while it is noted that something is being processed.
    func noting<Result>(_ key: InFlightKey?, _ body: () throws -> Result) rethrows -> Result {
        guard let table, let key else { return try body() }
        let entry = table.begin(key)
        defer { table.end(entry) }
        return try body()
    }

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
