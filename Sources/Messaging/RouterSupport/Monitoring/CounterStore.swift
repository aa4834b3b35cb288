package import Logging
import Synchronization
import SystemSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The history of a router's counters, written to a file of the data folder every minute and at the end.
package final class CounterStore<Counters: CounterSet>: Sendable {
    static var fileName: String { "statistics" }
    private static var maximumSize: Int { 1 << 20 }
    private static var saveInterval: Int { 60 }

    /// The counters since the beginning and of the last days.
    package struct Summary: Sendable, Hashable {
        /// The counts since the router was created.
        package var total: Counters
        /// The counts of the last day, the last 7 and the last 30 days, including today (UTC).
        package var day: Counters, week: Counters, month: Counters
        /// The time at which counting began: seconds since 1970.
        package var since: Int64
    }

    private struct State {
        var history: CounterHistory<Counters>
        /// The counts since the start of the process that the history contains.
        var counted = Counters()
        var saved: CounterHistory<Counters>
        /// True while the file could not be read. It may be intact, so it is not replaced before it has been read.
        var isUnread = false
        /// The last day on which something was counted.
        var day: UInt16 = 0
        var seconds = 0
    }

    private let path: String?
    /// The start time of the process: seconds since 1970.
    package let started: Int64
    private let logger: Logger
    private let state: Mutex<State>

    /// Reads the history, if there is one. A damaged file is renamed, so that it is neither lost nor in the way.
    package init(_ storage: RouterStorage, now: Int64, _ logger: Logger) {
        started = now
        self.logger = logger
        var history = CounterHistory<Counters>(since: now)
        var isUnread = false
        if case .folder(let folder) = storage {
            let path = folder + "/" + Self.fileName
            self.path = path
            do throws(SystemError) {
                if let known = try Self.read(path, logger) { history = known }
            } catch {
                isUnread = true
                logger.error(
                    "the statistics cannot be read now: new counts are added when the file can be read", metadata: ["file": "\(path)", "reason": "\(error)"])
            }
        } else {
            path = nil
        }
        state = Mutex(State(history: history, saved: history, isUnread: isUnread))
    }

    /// Reads the history in a file; nil if there is none. A file with other content is renamed.
    ///
    /// - Throws: ``SystemError`` if the system cannot read the file now, whose content may be intact.
    private static func read(_ path: String, _ logger: Logger) throws(SystemError) -> CounterHistory<Counters>? {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try WholeFile.contents(ofFile: path, upTo: maximumSize) } catch {
            guard error.number != ENOENT else { return nil }
            throw error
        }
        if let known = CounterHistory<Counters>(String(decoding: bytes, as: UTF8.self)) { return known }
        logger.error("the statistics are damaged and start at zero", metadata: ["kept as": "\(fileName).damaged"])
        _ = rename(path, path + ".damaged")
        return nil
    }

    /// Reads the file that could not be read at the start, and adds the counts since then.
    ///
    /// - Returns: false if it still cannot be read.
    private func readAgain(_ path: String) -> Bool {
        do throws(SystemError) {
            let known = try Self.read(path, logger)
            state.withLock { state in
                state.isUnread = false
                guard var history = known else { return }
                state.saved = history
                history.add(state.counted, on: state.day)
                state.history = history
            }
            return true
        } catch {
            logger.warning("the statistics cannot be read yet", metadata: ["reason": "\(error)"])
            return false
        }
    }

    /// Adds the counts since the start of the process.
    ///
    /// - Parameter day: today, in days since 1970.
    package func summary(_ counters: Counters, on day: UInt16) -> Summary {
        let history = state.withLock { state in
            state.history.add(counters - state.counted, on: day)
            state.day = day
            // The first reader of the counters may arrive here last.
            state.counted = .maximum(state.counted, counters)
            return state.history
        }
        return Summary(
            total: history.total, day: history.sum(of: 1, until: day), week: history.sum(of: 7, until: day), month: history.sum(of: 30, until: day),
            since: history.since)
    }

    /// Checks whether it is time to save. Called once a second.
    package func isSavingDue() -> Bool {
        state.withLock { state in
            state.seconds += 1
            guard state.seconds >= Self.saveInterval else { return false }
            state.seconds = 0
            return true
        }
    }

    /// Saves the history without synchronization: a loss of power may lose the latest counts, but no more, because the file is replaced as a whole.
    package func save() {
        guard let path else { return }
        if state.withLock(\.isUnread), !readAgain(path) { return }
        guard let history = state.withLock({ $0.history == $0.saved ? nil : $0.history }) else { return }
        do throws(SystemError) {
            try Self.replace(path, Array(history.text.utf8))
        } catch {
            // The next save tries again.
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
