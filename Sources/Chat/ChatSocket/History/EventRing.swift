import ChatAPI
import DequeModule

/// The recent events with their numbers, up to a count and a size. A value without I/O.
struct EventRing: Sendable {
    /// The next event behind a number, or a gap.
    enum Step: Sendable {
        case event(Int64, ChatEvent)
        /// The events behind a number are gone, up to another one.
        case lost(through: Int64)
    }

    private struct Record: Sendable {
        /// nil: events that the core has lost.
        let event: ChatEvent?
        let size: Int
    }

    private let countLimit: Int
    private let byteLimit: Int
    private var records: Deque<Record> = []
    private var bytes = 0
    /// The number of the newest event.
    private(set) var last: Int64

    /// - Parameter last: the number before the first one.
    init(after last: Int64, countLimit: Int, byteLimit: Int) {
        self.last = last
        self.countLimit = countLimit
        self.byteLimit = byteLimit
    }

    /// The number before the oldest event that is kept.
    var start: Int64 { last - Int64(records.count) }

    /// Adds an event, and drops the oldest ones above the limits.
    ///
    /// - Parameters:
    ///   - event: nil for events that the core has lost.
    ///   - size: in bytes of JSON.
    mutating func append(_ event: ChatEvent?, size: Int) {
        records.append(Record(event: event, size: size))
        bytes += size
        last += 1
        while records.count > 1, records.count > countLimit || bytes > byteLimit {
            guard let oldest = records.popFirst() else { return }
            bytes -= oldest.size
        }
    }

    /// The next step for a client that has all events up to `number`; nil if it has all. A number that was never given is of another process.
    func next(after number: Int64) -> Step? {
        if number == last { return nil }
        guard number >= start, number < last else { return .lost(through: start) }
        guard let event = records[Int(number - start)].event else { return .lost(through: number + 1) }
        return .event(number + 1, event)
    }
}
