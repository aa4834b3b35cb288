package import Logging
import Synchronization
import SystemSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The history of what a message router counts.
typealias StatisticsStore = CounterStore<RouterStatistics.Counters>

/// Keeps the history of what a router counts, and writes it to a file of the data folder every minute and at the end.
package final class CounterStore<Counters: CounterSet>: Sendable {
    static var fileName: String { "statistics" }
    private static var maximumSize: Int { 1 << 20 }
    private static var saveInterval: Int { 60 }

    /// The counters since the beginning and of the last days.
    package struct Summary: Sendable, Hashable {
        /// Since the router was made.
        package var total: Counters
        /// Of the last day, the last 7 and the last 30, today included (UTC).
        package var day: Counters, week: Counters, month: Counters
        /// The time at which counting began: seconds since 1970.
        package var since: Int64
    }

    private struct State {
        var history: CounterHistory<Counters>
        /// Since the process was started, as far as the history has it.
        var counted = Counters()
        var saved: CounterHistory<Counters>
        var seconds = 0
    }

    private let path: String?
    /// The start time of the process: seconds since 1970.
    package let started: Int64
    private let logger: Logger
    private let state: Mutex<State>

    /// Reads the history, if there is one. One that cannot be read is put aside, so that it is neither lost nor in the way.
    package init(_ storage: RouterConfiguration.Storage, now: Int64, _ logger: Logger) {
        started = now
        self.logger = logger
        var history = CounterHistory<Counters>(since: now)
        if case .folder(let folder) = storage {
            let path = folder + "/" + Self.fileName
            self.path = path
            do throws(SystemError) {
                let bytes = try WholeFile.contents(ofFile: path, upTo: Self.maximumSize)
                if let known = CounterHistory<Counters>(String(decoding: bytes, as: UTF8.self)) {
                    history = known
                } else {
                    Self.putAside(path, "it is damaged", logger)
                }
            } catch {
                if error.number != ENOENT { Self.putAside(path, error.description, logger) }
            }
        } else {
            path = nil
        }
        state = Mutex(State(history: history, saved: history))
    }

    private static func putAside(_ path: String, _ reason: String, _ logger: Logger) {
        logger.error("the statistics cannot be read and begin anew", metadata: ["kept as": "\(fileName).damaged", "reason": "\(reason)"])
        _ = rename(path, path + ".damaged")
    }

    /// Adds what was counted since the process was started.
    ///
    /// - Parameter day: today, in days since 1970.
    package func summary(_ counters: Counters, on day: UInt16) -> Summary {
        let history = state.withLock { state in
            state.history.add(counters - state.counted, on: day)
            // Who has read the counters first may come here last.
            state.counted = .maximum(state.counted, counters)
            return state.history
        }
        return Summary(
            total: history.total, day: history.sum(of: 1, until: day), week: history.sum(of: 7, until: day), month: history.sum(of: 30, until: day),
            since: history.since)
    }

    /// Once a second: whether it is time to save.
    package func isSavingDue() -> Bool {
        state.withLock { state in
            state.seconds += 1
            guard state.seconds >= Self.saveInterval else { return false }
            state.seconds = 0
            return true
        }
    }

    /// Statistics are worth no synchronization: a loss of power may lose the last of them, never more, as the file is replaced whole.
    package func save() {
        guard let path else { return }
        guard let history = state.withLock({ $0.history == $0.saved ? nil : $0.history }) else { return }
        do throws(SystemError) {
            try Self.replace(path, Array(history.text.utf8))
        } catch {
            // Tried again when it is time to save again.
            return logger.warning("the statistics cannot be saved", metadata: ["reason": "\(error)"])
        }
        state.withLock { $0.saved = history }
    }

    private static func replace(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
        let temporary = path + ".new"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError() }
        defer { close(file) }
        try WholeFile.write(bytes, to: file)
        guard rename(temporary, path) == 0 else { throw SystemError() }
    }
}

extension StatisticsStore {
    /// Adds what was counted, and fills in the figures of the last days.
    func fill(_ statistics: inout RouterStatistics, _ counters: RouterStatistics.Counters, on day: UInt16) {
        let summary = summary(counters, on: day)
        statistics.counters = summary.total
        statistics.day = summary.day
        statistics.week = summary.week
        statistics.month = summary.month
        statistics.since = summary.since
        statistics.started = started
    }
}
