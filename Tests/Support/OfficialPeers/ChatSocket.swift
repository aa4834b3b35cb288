package import ChatProtocol
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
package import ProcessSupport

/// The WebSocket that the official client opens for programs that drive it: one text frame per command, response and event.
package final class ChatSocket: Sendable {
    private let channel: any Channel

    private init(channel: any Channel) { self.channel = channel }

    /// Connects to a port of 127.0.0.1.
    ///
    /// - Parameters:
    ///   - path: with its query.
    ///   - receive: takes each frame; called on the connection's event loop.
    ///   - closed: called once, when the connection is gone.
    package static func connect(
        port: Int, path: String = "/", receive: @escaping @Sendable (JSONValue) -> Void, closed: @escaping @Sendable () -> Void
    ) async throws(PeerError) -> ChatSocket {
        do {
            let upgrade = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                            configuration: .init(upgradeConfiguration: configuration(port: port, path: path, receive: receive, closed: closed)))
                    }
                }
            guard let channel = try await upgrade.get() else {
                throw PeerError(.connection, "port \(port) does not speak WebSocket")
            }
            return ChatSocket(channel: channel)
        } catch {
            throw error as? PeerError ?? PeerError(.connection, "no connection to port \(port)", cause: error)
        }
    }

    /// Sends one text.
    package func send(_ text: String) async throws(PeerError) {
        let data = channel.allocator.buffer(string: text)
        do {
            try await channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: data))
        } catch {
            throw PeerError(.connection, "the client's connection is gone", cause: error)
        }
    }

    package func close() async { try? await channel.close() }

    private static func configuration(
        port: Int, path: String, receive: @escaping @Sendable (JSONValue) -> Void, closed: @escaping @Sendable () -> Void
    ) -> NIOTypedHTTPClientUpgradeConfiguration<(any Channel)?> {
        let upgrader = NIOTypedWebSocketClientUpgrader<(any Channel)?>(maxFrameSize: 1 << 26) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                    NIOWebSocketFrameAggregator(minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1 << 16, maxAccumulatedFrameSize: 1 << 26))
                try channel.pipeline.syncOperations.addHandler(FrameHandler(receive: receive, closed: closed))
                return channel
            }
        }
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: ["Host": "127.0.0.1:\(port)"])
        return NIOTypedHTTPClientUpgradeConfiguration(upgradeRequestHead: head, upgraders: [upgrader]) { channel in
            channel.eventLoop.makeSucceededFuture(nil)
        }
    }
}

/// Parses the frames that come.
private final class FrameHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame
    private let receive: @Sendable (JSONValue) -> Void
    private let closed: @Sendable () -> Void

    init(receive: @escaping @Sendable (JSONValue) -> Void, closed: @escaping @Sendable () -> Void) {
        self.receive = receive
        self.closed = closed
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text:
            guard let value = try? JSONValue(parsing: Array(frame.unmaskedData.readableBytesView)) else {
                // Whoever waits for this frame is better told at once.
                return context.close(promise: nil)
            }
            receive(value)
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        closed()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
