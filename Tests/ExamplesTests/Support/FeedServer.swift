import NIOCore
import NIOPosix

/// A web server on a loopback port that answers every request with the same bytes.
struct FeedServer {
    private let channel: any Channel
    let address: String

    /// - Parameters:
    ///   - answer: sent to each request, header included.
    ///   - rest: sent after the answer, with nothing behind it and the connection left open; empty to close the connection instead.
    init(answer: String, rest: String = "") async throws {
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Answering(answer: answer, rest: rest)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        address = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/feed.xml"
    }

    func close() async throws { try await channel.close() }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: String, rest: String

        init(answer: String, rest: String) { (self.answer, self.rest) = (answer, rest) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer + rest)), promise: nil)
            if rest.isEmpty { context.close(promise: nil) }
        }
    }
}
