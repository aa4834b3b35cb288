import ListenerSupport
package import Logging
package import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The control socket in the data folder: an operator sends a line, and gets a line of JSON. Anyone who can open the folder can send every command.
package final class RouterControl: Sendable {
    /// The answer to a line.
    package typealias Answering = @Sendable (String) async throws(ControlError) -> String

    static let fileName = "control.sock"
    /// The maximum length of a line in bytes.
    static let maximumLength = 512
    private let channel: any Channel

    private init(_ channel: any Channel) { self.channel = channel }

    /// - Throws: ``RouterError`` `transport`.
    package static func start(
        in folder: String, group: any EventLoopGroup, logger: Logger, answer: @escaping Answering
    ) async throws(RouterError) -> RouterControl {
        let path = folder + "/" + fileName
        // Only this process uses the folder, so a socket in it is left over from a killed process.
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
            // Until then the folder protects the socket: only its owner can open it.
            guard chmod(path, 0o600) == 0 else {
                let reason = String(cString: strerror(errno))
                try? await channel.close()
                throw RouterError(.transport, "the control socket \(path) cannot be restricted to its owner: \(reason)")
            }
            return RouterControl(channel)
        } catch {
            throw error as? RouterError ?? RouterError(.transport, "the control socket \(path) cannot be created", cause: error)
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
