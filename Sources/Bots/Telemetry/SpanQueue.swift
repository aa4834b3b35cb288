internal import AsyncPrimitives
internal import Synchronization

/// The ended spans that wait for their export. Adding never blocks: a span that finds the queue full is dropped.
final class SpanQueue: Sendable {
    private let limit: Int
    private let batch: Int
    private let spans = Mutex<[EndedSpan]>([])
    private let isFull = AsyncSignal()

    init(limit: Int, batch: Int) { (self.limit, self.batch) = (limit, batch) }

    /// Adds a span.
    ///
    /// - Returns: false if it was dropped.
    func add(_ span: EndedSpan) -> Bool {
        let (isAdded, isBatch) = spans.withLock { spans in
            guard spans.count < limit else { return (false, false) }
            spans.append(span)
            return (true, spans.count == batch)
        }
        if isBatch { isFull.signal() }
        return isAdded
    }

    /// Takes the oldest spans, one batch at most.
    func takeBatch() -> [EndedSpan] {
        spans.withLock { spans in
            let taken = Array(spans.prefix(batch))
            spans.removeFirst(taken.count)
            return taken
        }
    }

    /// Puts spans back that could not be exported.
    ///
    /// - Returns: the number of those for which there is no room.
    func putBack(_ taken: [EndedSpan]) -> Int {
        spans.withLock { spans in
            let room = max(0, limit - spans.count)
            spans.insert(contentsOf: taken.suffix(room), at: 0)
            return max(0, taken.count - room)
        }
    }

    /// Waits until a batch is complete.
    func waitForBatch() async throws { try await isFull.waitUnlessCancelled() }
}
