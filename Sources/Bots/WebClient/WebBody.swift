internal import NIOCore
internal import NIOHTTP1

/// The body of an answer, in parts as they come. It can be read once.
///
/// Reading throws ``WebError`` if the body is larger than the limit, too slow, or not complete.
public struct WebBody: AsyncSequence {
    /// A part of the body: at least one byte.
    public typealias Element = [UInt8]

    let parts: Parts

    /// Reads the parts one after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let parts: Parts

        /// The next part; nil at the end of the body.
        public mutating func next() async throws -> [UInt8]? { try await parts.next() }
    }

    /// The parts, from where the body was read to.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(parts: parts) }

    /// The parts of an answer, bound to the task that reads them.
    final class Parts {
        private var iterator: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
        private let watch: ExchangeWatch
        private let limit: Int
        private var count = 0
        private var isOver = false

        init(_ iterator: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator, _ watch: ExchangeWatch, limit: Int) {
            self.iterator = iterator
            self.watch = watch
            self.limit = limit
        }

        func head() async throws -> WebResponse {
            while let part = try await part() {
                guard case .head(let head) = part else { continue }
                guard (200...599).contains(head.status.code) else { throw WebError(.malformed, "the answer has the status \(head.status.code)") }
                return WebResponse(status: Int(head.status.code), url: "", headers: head.headers.map { WebResponse.Header($0.name, $0.value) })
            }
            throw incomplete
        }

        func next() async throws -> [UInt8]? {
            guard !isOver else { return nil }
            while let part = try await part() {
                switch part {
                case .head: continue
                case .body(let buffer):
                    count += buffer.readableBytes
                    guard count <= limit else { throw WebError(.tooLarge, "the body is larger than \(limit) bytes") }
                    if buffer.readableBytes > 0 { return [UInt8](buffer.readableBytesView) }
                case .end:
                    // A body without a length ends with its connection, also with one that is closed here.
                    if let reason = watch.reason { throw reason }
                    try Task.checkCancellation()
                    isOver = true
                    return nil
                }
            }
            throw incomplete
        }

        private var incomplete: WebError { watch.reason ?? WebError(.notReached, "the connection ended before the answer was complete") }

        private func part() async throws -> HTTPClientResponsePart? {
            do {
                return try await watch.wait { try await iterator.next() }
            } catch {
                if let reason = watch.reason { throw reason }
                if error is CancellationError { throw error }
                switch error as? HTTPParserError {
                case .invalidEOFState: throw WebError(.notReached, "the connection ended before the answer was complete")
                case .some: throw WebError(.malformed, "the answer is not HTTP")
                case nil: throw WebError(.notReached, "the connection broke: \(error)")
                }
            }
        }
    }
}
