/// Decides which failures of a resolver are logged: the first, and then at most one a minute.
struct ResolverFailures: Sendable {
    /// The shortest time between two records, in nanoseconds.
    static let interval: Int64 = 60_000_000_000

    private var lastRecord: Int64?
    private var unrecorded = 0

    init() {}

    /// Counts a failure.
    ///
    /// - Parameter now: nanoseconds of a clock that only goes forward.
    /// - Returns: the number of failures since the last record if this one is to be recorded.
    mutating func add(at now: Int64) -> Int? {
        unrecorded += 1
        if let lastRecord, now - lastRecord < Self.interval { return nil }
        lastRecord = now
        defer { unrecorded = 0 }
        return unrecorded
    }
}
