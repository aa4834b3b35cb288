/// The progress of a transfer, as a sequence that ends with the transfer.
///
/// Each iteration follows the transfer again. It throws the error of the transfer, and a ``BotFileError`` `timedOut` when the time is over.
public struct FileProgressSequence: AsyncSequence, Sendable {
    /// The element.
    public typealias Element = FileProgress

    /// Follows the transfer to its end.
    private let follow: @Sendable (@escaping @Sendable (FileProgress) -> Void) async throws -> Void

    init(_ follow: @escaping @Sendable (@escaping @Sendable (FileProgress) -> Void) async throws -> Any) {
        self.follow = { _ = try await follow($0) }
    }

    /// The steps of one iteration.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var steps: AsyncThrowingStream<FileProgress, any Error>.Iterator

        /// The next step; nil when the transfer is complete. A handler that waits gives its place among running handlers to others.
        public mutating func next() async throws -> FileProgress? {
            var steps = self.steps
            defer { self.steps = steps }
            return try await JobSlot.released { try await steps.next() }
        }
    }

    /// Begins to follow the transfer.
    public func makeAsyncIterator() -> Iterator {
        let follow = follow
        // A slow reader needs the present progress only.
        let stream = AsyncThrowingStream<FileProgress, any Error>(bufferingPolicy: .bufferingNewest(1)) { continuation in
            // The reader gives up the place of the handler while it waits, not this task.
            let task = JobSlot.$current.withValue(nil) {
                Task {
                    do {
                        try await follow { continuation.yield($0) }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
        return Iterator(steps: stream.makeAsyncIterator())
    }
}
