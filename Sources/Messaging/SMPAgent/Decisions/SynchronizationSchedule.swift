/// When connections whose ratchets are out of step agree on new keys without being asked.
///
/// A peer can put a connection out of step as often as it likes, by messages that cannot be decrypted. So each connection has its pauses, which grow
/// with each time in a day.
struct SynchronizationSchedule: Sendable {
    /// The pauses of one connection before its first agreement in a day, its second and so on; the last one holds for all that follow.
    static let pauses: [Duration] = [.zero, .seconds(60), .seconds(600), .seconds(3_600), .seconds(6 * 3_600)]
    /// After this time without an agreement, a connection begins with the first pause again.
    static let period = Duration.seconds(24 * 3_600)

    private struct History {
        var count: Int
        /// Milliseconds.
        var last: Int64
    }

    /// The connections that agreed on new keys within the period.
    private var histories: [ConnectionID: History] = [:]
    /// Those that may agree now, in the order in which they came, and all that are in it.
    private var ready: [ConnectionID] = []
    private var first = 0
    /// Those whose pause is not over, with the end of it.
    private var delayed: [ConnectionID: Int64] = [:]
    private var waiting: Set<ConnectionID> = []

    /// True if nothing waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// Adds a connection that is out of step.
    ///
    /// - Parameter now: milliseconds.
    mutating func add(_ connection: ConnectionID, now: Int64) {
        guard waiting.insert(connection).inserted else { return }
        if let history = histories[connection], now - history.last >= Self.period.wholeMilliseconds { histories[connection] = nil }
        let due = histories[connection].map { $0.last + Self.pauses[min($0.count, Self.pauses.count - 1)].wholeMilliseconds } ?? now
        if due <= now { ready.append(connection) } else { delayed[connection] = due }
    }

    /// Takes the next connection that may agree now; nil if none may.
    mutating func next(now: Int64) -> ConnectionID? {
        if first == ready.count {
            ready = delayed.filter { $0.value <= now }.sorted { $0.value < $1.value }.map(\.key)
            for connection in ready { delayed[connection] = nil }
            first = 0
        }
        guard first < ready.count else { return nil }
        let connection = ready[first]
        first += 1
        waiting.remove(connection)
        return connection
    }

    /// Counts an agreement that was begun.
    mutating func begun(_ connection: ConnectionID, now: Int64) {
        histories[connection] = History(count: (histories[connection]?.count ?? 0) + 1, last: now)
        guard histories.count > Self.historyLimit else { return }
        histories = histories.filter { now - $0.value.last < Self.period.wholeMilliseconds }
    }

    /// Connections above which histories are looked through for those that are over.
    private static let historyLimit = 4_096
}
