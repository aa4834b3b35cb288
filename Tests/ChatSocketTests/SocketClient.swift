import ChatProtocol
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// A client that sends texts and reads what comes.
final class SocketClient: Sendable {
    struct Closed: Error {}

    private let channel: any Channel
    private let frames: AsyncStream<String>

    private init(_ channel: any Channel, _ frames: AsyncStream<String>) {
        self.channel = channel
        self.frames = frames
    }

    static func connect(port: Int, path: String = "/", headers: HTTPHeaders = [:]) async throws -> SocketClient {
        let (frames, continuation) = AsyncStream.makeStream(of: String.self)
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: headers.adding(["Host": "127.0.0.1:\(port)"]))
        let upgrade = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                let upgrader = NIOTypedWebSocketClientUpgrader<Bool>(maxFrameSize: 1 << 20) { channel, _ in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Reader(continuation))
                        return true
                    }
                }
                let configuration = NIOTypedHTTPClientUpgradeConfiguration(upgradeRequestHead: head, upgraders: [upgrader]) { channel in
                    channel.eventLoop.makeSucceededFuture(false)
                }
                return (
                    channel,
                    try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: .init(upgradeConfiguration: configuration))
                )
            }
        }
        guard try await upgrade.1.get() else {
            try? await upgrade.0.close()
            throw Closed()
        }
        return SocketClient(upgrade.0, frames)
    }

    func send(_ text: String) async throws {
        try await channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: channel.allocator.buffer(string: text)))
    }

    func next() async throws -> JSONValue {
        for await frame in frames { return try JSONValue(parsing: frame) }
        throw Closed()
    }

    func close() async { try? await channel.close() }
}

extension HTTPHeaders {
    fileprivate func adding(_ others: HTTPHeaders) -> HTTPHeaders {
        var headers = self
        headers.add(contentsOf: others)
        return headers
    }
}

private final class Reader: ChannelInboundHandler, Sendable {
    typealias InboundIn = WebSocketFrame
    private let continuation: AsyncStream<String>.Continuation

    init(_ continuation: AsyncStream<String>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        if frame.opcode == .text { continuation.yield(String(buffer: frame.unmaskedData)) }
    }

    func channelInactive(context: ChannelHandlerContext) { continuation.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
