import Logging
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Keeps the history of what a router counts, and writes it to a file of the data folder every minute and at the end.
final class StatisticsKeeper: Sendable {
    static let fileName = "statistics"
    private static let maximumSize = 1 << 20
    private static let saveInterval = 60

    private struct State {
        var history: StatisticsHistory
        /// Since the process was started, as far as the history has it.
        var counted = RouterStatistics.Counters()
        var saved: StatisticsHistory
        var seconds = 0
    }

    private let path: String?
    private let started: Int64
    private let logger: Logger
    private let state: Mutex<State>

    /// Reads the history, if there is one. One that cannot be read is put aside, so that it is neither lost nor in the way.
    init(_ storage: RouterConfiguration.Storage, now: Int64, _ logger: Logger) {
        started = now
        self.logger = logger
        var history = StatisticsHistory(since: now)
        if case .folder(let folder) = storage {
            let path = folder + "/" + Self.fileName
            self.path = path
            if let text = Self.read(path) {
                if let known = StatisticsHistory(text) {
                    history = known
                } else {
                    logger.error("the statistics cannot be read and begin anew", metadata: ["kept as": "\(Self.fileName).damaged"])
                    _ = rename(path, path + ".damaged")
                }
            }
        } else {
            path = nil
        }
        state = Mutex(State(history: history, saved: history))
    }

    /// Adds what was counted, and fills in the figures of the last days.
    func fill(_ statistics: inout RouterStatistics, _ counters: RouterStatistics.Counters, on day: UInt16) {
        let history = state.withLock { state in
            state.history.add(counters - state.counted, on: day)
            state.counted = counters
            return state.history
        }
        statistics.counters = history.total
        statistics.day = history.sum(of: 1, until: day)
        statistics.week = history.sum(of: 7, until: day)
        statistics.month = history.sum(of: 30, until: day)
        statistics.since = history.since
        statistics.started = started
    }

    /// Once a second: whether it is time to save.
    func isSavingDue() -> Bool {
        state.withLock { state in
            state.seconds += 1
            guard state.seconds >= Self.saveInterval else { return false }
            state.seconds = 0
            return true
        }
    }

    /// Statistics are worth no synchronization: a loss of power may lose the last of them, never more, as the file is replaced whole.
    func save() {
        guard let path else { return }
        guard let history = state.withLock({ $0.history == $0.saved ? nil : $0.history }) else { return }
        let temporary = path + ".new"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        let bytes = Array(history.text.utf8)
        let isWritten = file >= 0 && writeAll(file, bytes)
        if file >= 0 { close(file) }
        guard isWritten, rename(temporary, path) == 0 else {
            // Tried again when it is time to save again.
            return logger.warning("the statistics cannot be saved", metadata: ["reason": "\(String(cString: strerror(errno)))"])
        }
        state.withLock { $0.saved = history }
    }

    private static func read(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: maximumSize)
        let count = readSome(file, &bytes)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

private func writeAll(_ file: Int32, _ bytes: [UInt8]) -> Bool { write(file, bytes, bytes.count) == bytes.count }
private func readSome(_ file: Int32, _ bytes: inout [UInt8]) -> Int { read(file, &bytes, bytes.count) }
