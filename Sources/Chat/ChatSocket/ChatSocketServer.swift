package import ChatAPI
package import ChatProtocol
import Foundation
import ListenerSupport
package import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// The API of a core on a WebSocket, as `simplex-chat -p` offers it: programs written for that one can use this one.
///
/// A client sends `{"corrId": "1", "cmd": "/users"}` in a text frame and gets `{"corrId": "1", "resp": …}`; events come without
/// `corrId`. Each client gets all events. The server refuses connections that a page in a browser opens. `GET /healthz` on the same port is the health
/// check.
package final class ChatSocketServer: Sendable {
    /// Bytes of one command: room for a hundred long messages with images.
    static let frameLimit = 1 << 26
    /// Connections at a time, with those that have not asked for a WebSocket yet.
    static let connectionLimit = 64
    /// Bytes that may wait for a client to read them before its commands wait too.
    static let answersLimit = 1 << 20
    /// The time limit for a connection to request a WebSocket, and to get the answer of the health check.
    static let upgradeLimit = TimeAmount.seconds(10)

    /// The place where a server listens, the clients that it lets in, and its health.
    package struct Settings: Sendable {
        package var endpoint: SocketEndpoint
        /// The version of the API, for clients that ask for no other with `?api-version=` in the path that they open.
        package var version = APIVersion.newest
        /// The secret that clients present; nil for none.
        package var token: SocketToken?
        /// The answer to a health check.
        package var health: @Sendable () async -> SocketHealth = { SocketHealth(isHealthy: true, details: ["status": "ok"]) }
        /// The number before that of the first event: microseconds of the clock, so that a later process gives higher numbers.
        var firstEvent = Int64(Date().timeIntervalSince1970 * 1_000_000)
        var upgradeLimit = ChatSocketServer.upgradeLimit
        var connectionLimit = ChatSocketServer.connectionLimit

        package init(_ endpoint: SocketEndpoint) { self.endpoint = endpoint }
    }

    /// The place where the server listens, with the chosen port.
    package let endpoint: SocketEndpoint
    /// The port; 0 for a Unix socket.
    package var port: Int { if case .tcp(_, let port) = endpoint { port } else { 0 } }
    let channel: any Channel
    private let quiescing: OpenSessions
    private let history: EventHistory

    private init(channel: any Channel, endpoint: SocketEndpoint, sessions: OpenSessions, history: EventHistory) {
        self.channel = channel
        self.endpoint = endpoint.bound(to: channel.localAddress?.port)
        quiescing = sessions
        self.history = history
    }

    /// Opens the socket on a port of 127.0.0.1; 0 for any that is free.
    ///
    /// - Throws: ``SocketFault``.
    package static func start(
        _ core: any ChatCore, port: Int, version: APIVersion = .newest, logger: Logger
    ) async throws(SocketFault) -> ChatSocketServer {
        var settings = Settings(.loopback(port: port))
        settings.version = version
        return try await start(core, settings, logger: logger)
    }

    /// Opens the socket.
    ///
    /// - Throws: ``SocketFault``.
    package static func start(_ core: any ChatCore, _ settings: Settings, logger: Logger) async throws(SocketFault) -> ChatSocketServer {
        let sessions = OpenSessions(limit: settings.connectionLimit)
        let history = EventHistory(core, version: settings.version, start: settings.firstEvent, logger: logger)
        let gate = SocketGate(version: settings.version, token: settings.token, isLocal: settings.endpoint.isLocal)
        let refusals = SocketRefusals(logger)
        let connection = Connection(core: core, gate: gate, history: history, settings: settings, refusals: refusals, logger: logger)
        let isTCP = if case .tcp = settings.endpoint { true } else { false }
        do {
            var bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelInitializer(AcceptBackoff.initializer("the API socket", logger))
                .childChannelOption(.writeBufferWaterMark, value: .init(low: answersLimit / 2, high: answersLimit))
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard sessions.admit(channel, isArriving: true) else {
                            refusals.noteFull(limit: settings.connectionLimit)
                            throw ChannelError.ioOnClosedChannel
                        }
                        try connection.configure(channel, sessions)
                    }
                }
            if isTCP {
                bootstrap = bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1).childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            }
            return ChatSocketServer(channel: try await bind(bootstrap, settings.endpoint), endpoint: settings.endpoint, sessions: sessions, history: history)
        } catch {
            history.stop()
            switch settings.endpoint {
            case .tcp(let host, let port):
                throw SocketFault(.port, "cannot listen on port \(port) of \(host): choose another with --port or --listen", cause: error)
            case .unix(let path): throw SocketFault(.localSocket, "cannot listen on the socket \(path): choose another path with --listen", cause: error)
            }
        }
    }

    private static func bind(_ bootstrap: ServerBootstrap, _ endpoint: SocketEndpoint) async throws -> any Channel {
        switch endpoint {
        case .tcp(let host, let port): try await bootstrap.bind(host: host, port: port).get()
        case .unix(let path):
            try await SocketPath(path).withPrivate(isShared: true) { try await bootstrap.withBoundSocket($0).get() }
        }
    }

    /// Closes the socket and all connections.
    package func stop() async {
        if case .unix(let path) = endpoint { unlink(path) }
        history.stop()
        try? await channel.close()
        await quiescing.closeAll()
    }
}

/// The parts of a server that each of its connections uses.
private struct Connection: Sendable {
    let core: any ChatCore
    let gate: SocketGate
    let history: EventHistory
    let settings: ChatSocketServer.Settings
    let refusals: SocketRefusals
    let logger: Logger

    private static let plainRequests = "requests"

    /// Adds the handlers of a new connection.
    func configure(_ channel: any Channel, _ sessions: OpenSessions) throws {
        let patience = channel.eventLoop.scheduleTask(in: settings.upgradeLimit) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in patience.cancel() }
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withServerUpgrade: (
                upgraders: [upgrader()],
                completionHandler: { context in
                    patience.cancel()
                    sessions.keep(context.channel)
                    let pipeline = context.pipeline.syncOperations
                    if let requests = try? pipeline.context(name: Self.plainRequests) { pipeline.removeHandler(context: requests, promise: nil) }
                }
            ))
        try channel.pipeline.syncOperations.addHandler(
            SocketRequestHandler(gate, health: settings.health, refused: refusals.note), name: Self.plainRequests)
    }

    private func upgrader() -> NIOWebSocketServerUpgrader {
        NIOWebSocketServerUpgrader(
            maxFrameSize: ChatSocketServer.frameLimit,
            shouldUpgrade: { channel, head in
                let isUpgrade = if case .upgrade = gate.decision(on: head) { true } else { false }
                return channel.eventLoop.makeSucceededFuture(isUpgrade ? [:] : nil)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    guard case .upgrade(let version, let since) = gate.decision(on: head) else { throw ChannelError.ioOnClosedChannel }
                    try channel.pipeline.syncOperations.addHandler(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1 << 12, maxAccumulatedFrameSize: ChatSocketServer.frameLimit))
                    try channel.pipeline.syncOperations.addHandler(
                        SocketSession(
                            core: core, channel: channel, version: version, numbered: since.map { (history, $0) }, logger: logger))
                }
            })
    }
}
