package import ChatAPI
package import ChatProtocol
import ListenerSupport
package import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// The API of a core on a WebSocket, as `simplex-chat -p` offers it: programs written for that one can use this one.
///
/// A client sends `{"corrId": "1", "cmd": "/users"}` in a text frame and gets `{"corrId": "1", "resp": …}`; events come without
/// `corrId`. Each client gets all events. There is no password, so the server listens on the loopback interface only and
/// refuses connections that a page in a browser opens.
package final class ChatSocketServer: Sendable {
    /// Bytes of one command: room for a hundred long messages with images.
    static let frameLimit = 1 << 26
    /// Connections at a time, with those that have not asked for a WebSocket yet.
    static let connectionLimit = 64
    /// Bytes that may wait for a client to read them before its commands wait too.
    static let answersLimit = 1 << 20
    /// The time limit for a connection to request a WebSocket.
    static let upgradeLimit = TimeAmount.seconds(10)

    /// The port.
    package let port: Int
    let channel: any Channel
    private let quiescing: OpenSessions

    private init(channel: any Channel, port: Int, sessions: OpenSessions) {
        self.channel = channel
        self.port = port
        quiescing = sessions
    }

    /// Opens the socket.
    ///
    /// - Parameters:
    ///   - port: on 127.0.0.1; 0 for any that is free.
    ///   - version: of the API, for clients that ask for no other with `?api-version=` in the path that they open.
    /// - Throws: ``SocketFault``.
    package static func start(
        _ core: any ChatCore, port: Int, version: APIVersion = .newest, logger: Logger
    ) async throws(SocketFault) -> ChatSocketServer {
        try await start(core, port: port, version: version, upgradeLimit: upgradeLimit, logger: logger)
    }

    static func start(
        _ core: any ChatCore, port: Int, version: APIVersion = .newest, upgradeLimit: TimeAmount, connectionLimit: Int = connectionLimit, logger: Logger
    ) async throws(SocketFault) -> ChatSocketServer {
        let sessions = OpenSessions(limit: connectionLimit)
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelInitializer(AcceptBackoff.initializer("the API socket", logger))
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.writeBufferWaterMark, value: .init(low: answersLimit / 2, high: answersLimit))
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard sessions.admit(channel) else {
                            logger.warning("a client of the API was refused: there are too many", metadata: ["limit": "\(connectionLimit)"])
                            throw ChannelError.ioOnClosedChannel
                        }
                        let patience = channel.eventLoop.scheduleTask(in: upgradeLimit) { channel.close(promise: nil) }
                        channel.closeFuture.whenComplete { _ in patience.cancel() }
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                            withServerUpgrade: (
                                upgraders: [upgrader(core: core, version: version, logger: logger)],
                                completionHandler: { context in
                                    patience.cancel()
                                    context.pipeline.syncOperations.removeHandler(name: refusal, promise: nil)
                                }
                            ))
                        try channel.pipeline.syncOperations.addHandler(UpgradeOnly(), name: refusal)
                    }
                }
                .bind(host: "127.0.0.1", port: port).get()
            return ChatSocketServer(channel: channel, port: channel.localAddress?.port ?? port, sessions: sessions)
        } catch {
            throw SocketFault(.port, "cannot listen on port \(port) of 127.0.0.1: choose another with --port", cause: error)
        }
    }

    /// Closes the socket and all connections.
    package func stop() async {
        try? await channel.close()
        await quiescing.closeAll()
    }

    private static let refusal = "refusal"

    private static func upgrader(core: any ChatCore, version: APIVersion, logger: Logger) -> NIOWebSocketServerUpgrader {
        NIOWebSocketServerUpgrader(
            maxFrameSize: frameLimit,
            shouldUpgrade: { channel, head in
                // Browsers name the page that opens a connection; any page could otherwise use a core on the reader's machine.
                let isRefused = head.headers.contains(name: "Origin") || requestedVersion(head.uri, else: version) == nil
                return channel.eventLoop.makeSucceededFuture(isRefused ? nil : [:])
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1 << 12, maxAccumulatedFrameSize: frameLimit))
                    try channel.pipeline.syncOperations.addHandler(
                        SocketSession(
                            core: core, channel: channel, version: requestedVersion(head.uri, else: version) ?? version, logger: logger))
                }
            })
    }
}

extension ChatSocketServer {
    /// The version of the API that a client asks for in the query of its path, as `/?api-version=6.5`. A version that there is not is refused: a client
    /// that names one would misread every answer.
    ///
    /// - Returns: nil for a version that there is not.
    static func requestedVersion(_ uri: String, else standard: APIVersion) -> APIVersion? {
        guard let query = uri.firstIndex(of: "?") else { return standard }
        let name = "api-version="
        guard let item = uri[uri.index(after: query)...].split(separator: "&").first(where: { $0.hasPrefix(name) }) else { return standard }
        return APIVersion(name: String(item.dropFirst(name.count)))
    }
}

extension ChannelPipeline.SynchronousOperations {
    fileprivate func removeHandler(name: String, promise: EventLoopPromise<Void>?) {
        guard let context = try? context(name: name) else { return }
        removeHandler(context: context, promise: promise)
    }
}

/// Answers requests that do not ask for a WebSocket.
private final class UpgradeOnly: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let headers: HTTPHeaders = ["Connection": "close", "Upgrade": "websocket", "Content-Length": "0"]
        context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .upgradeRequired, headers: headers))), promise: nil)
        let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in loopBound.value.close(promise: nil) }
    }
}
