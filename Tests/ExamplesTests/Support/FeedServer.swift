import NIOCore
import NIOPosix

/// A web server on a loopback port that answers every request with the same bytes.
struct FeedServer {
    private let channel: any Channel
    let address: String

    /// - Parameters:
    ///   - answer: sent to each request, header included.
    ///   - filler: sent again and again after the answer, until the client has enough; empty for nothing.
    init(answer: String, filler: String = "") async throws {
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Answering(answer: answer, filler: filler)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        address = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/feed.xml"
    }

    func close() async throws { try await channel.close() }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: String, filler: String

        init(answer: String, filler: String) { (self.answer, self.filler) = (answer, filler) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
            filler.isEmpty ? context.close(promise: nil) : fill(context)
        }

        private func fill(_ context: ChannelHandlerContext) {
            let context = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.value.writeAndFlush(wrapOutboundOut(ByteBuffer(string: filler))).assumeIsolated().whenSuccess { self.fill(context.value) }
        }
    }
}
