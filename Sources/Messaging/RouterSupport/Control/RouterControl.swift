import ListenerSupport
package import Logging
package import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Answers an operator on a socket in the data folder: a line in, a line of JSON out. Who may open the folder may do all.
package final class RouterControl: Sendable {
    /// The answer to a line.
    package typealias Answering = @Sendable (String) async throws(ControlError) -> String

    static let fileName = "control.sock"
    /// Bytes of the longest line.
    static let maximumLength = 512
    private let channel: any Channel

    private init(_ channel: any Channel) { self.channel = channel }

    /// - Throws: ``RouterError`` `transport`.
    package static func start(
        in folder: String, group: any EventLoopGroup, logger: Logger, answer: @escaping Answering
    ) async throws(RouterError) -> RouterControl {
        let path = folder + "/" + fileName
        // The folder is this process's alone, so a socket in it is left of one that was killed.
        unlink(path)
        do {
            let channel = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 16)
                .serverChannelInitializer(AcceptBackoff.initializer("the control socket", logger))
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(ControlHandler(answer: answer))
                    }
                }
                .bind(unixDomainSocketPath: path).get()
            // Between the two the folder keeps others out: it is readable by its owner only.
            guard chmod(path, 0o600) == 0 else {
                let reason = String(cString: strerror(errno))
                try? await channel.close()
                throw RouterError(.transport, "the control socket \(path) cannot be kept from others: \(reason)")
            }
            return RouterControl(channel)
        } catch {
            throw error as? RouterError ?? RouterError(.transport, "the control socket \(path) cannot be made", cause: error)
        }
    }

    package func stop() async {
        try? await channel.close()
    }
}

/// One connection of an operator.
private final class ControlHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: RouterControl.Answering
    private var line = ByteBuffer()
    private var isAnswering = false

    init(answer: @escaping RouterControl.Answering) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var input = unwrapInboundIn(data)
        line.writeBuffer(&input)
        takeLine(context)
    }

    private func takeLine(_ context: ChannelHandlerContext) {
        guard !isAnswering else { return }
        guard let end = line.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else {
            if line.readableBytes > RouterControl.maximumLength { context.close(promise: nil) }
            return
        }
        let text = line.readString(length: end - line.readerIndex) ?? ""
        line.moveReaderIndex(forwardBy: 1)
        isAnswering = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let (answer, loop) = (answer, context.eventLoop)
        Task {
            let reply: String
            do throws(ControlError) {
                reply = try await answer(text)
            } catch {
                reply = error.reply
            }
            loop.execute {
                let (handler, context) = bound.value
                handler.write(reply, context)
            }
        }
    }

    private func write(_ reply: String, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: reply + "\n")), promise: nil)
        isAnswering = false
        takeLine(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
