package import SMPAgent
package import SMPProtocol
import Synchronization

/// A user and a file router that the user's transfers use.
package struct FileServerKey: Hashable, Sendable {
    package var user: Int64
    package var server: XFTPServerAddress

    package init(user: Int64, server: XFTPServerAddress) {
        self.user = user
        self.server = server
    }
}

/// A counter for each file router of a user. The raw values are the names in the chat API. Sizes are bytes of chunks.
package enum FileServerCounter: String, Sendable, Hashable, CaseIterable {
    case uploads, uploadsSize, uploadAttempts, uploadErrs
    case downloads, downloadsSize, downloadAttempts, downloadAuthErrs, downloadErrs
    case deletions, deleteAttempts, deleteErrs
}

/// The counts for one file router of a user.
package struct FileServerStatistics: Sendable, Hashable {
    private var counts: [FileServerCounter: Int64] = [:]

    package init() {}

    package subscript(_ counter: FileServerCounter) -> Int64 {
        get { counts[counter, default: 0] }
        set { counts[counter] = newValue == 0 ? nil : newValue }
    }

    /// True if nothing was counted.
    package var isEmpty: Bool { counts.isEmpty }

    /// Adds each counter.
    package static func + (one: FileServerStatistics, other: FileServerStatistics) -> FileServerStatistics {
        var sum = one
        for (counter, count) in other.counts { sum[counter] &+= count }
        return sum
    }
}

/// The state of the file routers of all users, and the counters since the start of the process.
package struct FileServersSummary: Sendable {
    package var statistics: [FileServerKey: FileServerStatistics]
    package var sessions: [FileServerKey: SessionCounts]
    /// The requests under way: uploads, downloads and deletions.
    package var requests: [FileServerKey: [FileServerCounter: Int]]

    package init(
        statistics: [FileServerKey: FileServerStatistics] = [:], sessions: [FileServerKey: SessionCounts] = [:],
        requests: [FileServerKey: [FileServerCounter: Int]] = [:]
    ) {
        self.statistics = statistics
        self.sessions = sessions
        self.requests = requests
    }
}

/// The counters of requests to file routers.
///
/// Descriptions can name any number of routers; only the first ``limit`` are counted.
final class FileStatisticsRegistry: Sendable {
    static let limit = 1_000

    private struct State {
        var counts: [FileServerKey: FileServerStatistics] = [:]
        var requests: [FileServerKey: [FileServerCounter: Int]] = [:]
    }

    private let state = Mutex(State())

    func add(_ counter: FileServerCounter, _ key: FileServerKey, _ count: Int64 = 1) {
        state.withLock { state in
            guard state.counts[key] != nil || state.counts.count < Self.limit else { return }
            state.counts[key, default: FileServerStatistics()][counter] &+= count
        }
    }

    /// Counts a request that begins; ``end(_:_:)`` must follow.
    ///
    /// - Parameter counter: the counter of attempts.
    func begin(_ counter: FileServerCounter, _ key: FileServerKey) {
        add(counter, key)
        state.withLock { $0.requests[key, default: [:]][counter, default: 0] += 1 }
    }

    func end(_ counter: FileServerCounter, _ key: FileServerKey) {
        state.withLock { state in
            let left = (state.requests[key]?[counter] ?? 1) - 1
            state.requests[key]?[counter] = left > 0 ? left : nil
            if state.requests[key]?.isEmpty == true { state.requests[key] = nil }
        }
    }

    var all: (counts: [FileServerKey: FileServerStatistics], requests: [FileServerKey: [FileServerCounter: Int]]) {
        state.withLock { ($0.counts, $0.requests) }
    }

    /// Resets the counters.
    func reset() { state.withLock { $0.counts = [:] } }
}
