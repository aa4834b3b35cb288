package import NIOCore
import NIOHTTP1
import NIOPosix

/// A request for a page of an HTTP/1.1 server nearby, over a connection of its own.
///
/// There is no TLS, no redirection and no second attempt: it is for programs on the same machine or in the same network.
package struct HTTPGet: Sendable {
    /// Why there is no answer.
    package enum Failure: Error, Sendable, Hashable {
        /// No connection, or it ended too early.
        case connection
        /// The answer is no HTTP.
        case malformed
        case tooLarge
        case timeout
    }

    /// The status and the body of an answer.
    package struct Answer: Sendable {
        package let status: Int
        package let body: [UInt8]
    }

    package var host: String
    package var port: Int
    /// The path with its query, percent-encoded.
    package var target: String
    package var headers: [(name: String, value: String)] = []
    /// Bytes of a body that is taken.
    package var limit: Int
    /// From the beginning of the connection to the end of the answer.
    package var timeout: TimeAmount

    package init(host: String, port: Int, target: String, limit: Int, timeout: TimeAmount) {
        self.host = host
        self.port = port
        self.target = target
        self.limit = limit
        self.timeout = timeout
    }

    /// Connects, asks and waits for the whole answer. Cancelling the task ends the connection.
    package func perform(group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton) async throws(Failure) -> Answer {
        let loop = group.any()
        let promise = loop.makePromise(of: Answer.self)
        let deadline = loop.scheduleTask(in: timeout) { promise.fail(Failure.timeout) }
        let connected = ClientBootstrap(group: loop).connectTimeout(timeout).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                try channel.pipeline.syncOperations.addHandler(AnswerReader(limit: limit, promise))
            }
        }.connect(host: host, port: port)
        connected.whenFailure { _ in promise.fail(Failure.connection) }
        connected.whenSuccess { channel in
            // At once if it has been given up meanwhile.
            promise.futureResult.whenComplete { _ in channel.close(promise: nil) }
            var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: target)
            head.headers.add(name: "Host", value: host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
            head.headers.add(name: "Connection", value: "close")
            for (name, value) in headers { head.headers.add(name: name, value: value) }
            channel.write(HTTPClientRequestPart.head(head), promise: nil)
            channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        }
        let result = await withTaskCancellationHandler {
            await Self.result(of: promise.futureResult)
        } onCancel: {
            promise.fail(Failure.connection)
        }
        deadline.cancel()
        return try result.get()
    }

    private static func result(of future: EventLoopFuture<Answer>) async -> Result<Answer, Failure> {
        do {
            return .success(try await future.get())
        } catch {
            return .failure(error as? Failure ?? .connection)
        }
    }

    /// Puts an answer together, up to a limit.
    private final class AnswerReader: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        private let limit: Int
        private let promise: EventLoopPromise<Answer>
        private var status: Int?
        private var body: [UInt8] = []

        init(limit: Int, _ promise: EventLoopPromise<Answer>) {
            self.limit = limit
            self.promise = promise
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): status = Int(head.status.code)
            case .body(let bytes):
                guard body.count + bytes.readableBytes <= limit else {
                    promise.fail(Failure.tooLarge)
                    return context.close(promise: nil)
                }
                body += bytes.readableBytesView
            case .end:
                if let status { promise.succeed(Answer(status: status, body: body)) } else { promise.fail(Failure.malformed) }
                context.close(promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            promise.fail(error is HTTPParserError ? Failure.malformed : Failure.connection)
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { promise.fail(Failure.connection) }
    }
}
