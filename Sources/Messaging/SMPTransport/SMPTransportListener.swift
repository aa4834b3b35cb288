import ListenerSupport
package import Logging
package import NIOCore
import NIOPosix
import Synchronization

/// Accepts connections from SMP clients.
package final class SMPTransportListener: Sendable {
    /// The settings for accepting connections.
    package struct Configuration: Sendable {
        /// The address to listen on.
        package var host = "0.0.0.0"
        /// The port, or 0 for any free one.
        package var port = 5223
        /// The certificates to show.
        package var credential: ServerCredential
        /// Application protocols to accept, most wanted first.
        package var applicationProtocols = TLSContext.smpProtocols
        /// True if clients are asked for certificates, which only services have.
        package var requestsClientCertificate = true
        /// The longest time for a TLS handshake.
        package var handshakeTimeout: Duration = .seconds(60)
        /// Connections open at once; further ones are closed when they arrive.
        package var maximumConnections = 20_000
        /// Connections open at once from one address, or from one /64 of IPv6, and connections made from it in a minute; nil: no bound but
        /// ``maximumConnections``. It does not concern connections from this machine itself.
        package var maximumConnectionsPerAddress: Int?
        /// Connections in their TLS handshake at once. When there are more, those that have been in it for longest are closed; an eighth
        /// may come from one address.
        package var maximumHandshakes = 2_000
        /// When and how often a silent peer is probed by TCP.
        package var keepAlive: TCPKeepAlive? = TCPKeepAlive()
        /// The logger for refusals of the system to accept connections.
        package var logger = Logger(label: "listener")

        package init(credential: ServerCredential) { self.credential = credential }
    }

    /// The port that is listened on.
    package let port: Int

    let channel: any Channel
    private let connections: AcceptedConnections
    private let presented: Presented
    private let configuration: Configuration

    private init(channel: any Channel, connections: AcceptedConnections, presented: Presented, configuration: Configuration) {
        self.channel = channel
        self.connections = connections
        self.presented = presented
        self.configuration = configuration
        port = channel.localAddress?.port ?? 0
    }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - onConnection: called on the event loop of a connection when its TLS handshake is over; it should start receiving
    ///     there or in a task, and may refuse by closing.
    ///   - onFailure: called for every connection that did not get through its handshake.
    /// - Throws: ``ConnectionError``: `listenFailed`, `tlsFailed` or `invalidCredential`.
    package static func start(
        _ configuration: Configuration, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        onFailure: @escaping @Sendable (ConnectionError) -> Void = { _ in },
        onConnection: @escaping @Sendable (SMPConnection) -> Void
    ) async throws(ConnectionError) -> SMPTransportListener {
        try await start(configuration, group: group, onFailure: onFailure) { connection, _ in onConnection(connection) }
    }

    /// Starts to listen, and reports for each connection which of several credentials it received.
    ///
    /// - Throws: ``ConnectionError``: `listenFailed`, `tlsFailed` or `invalidCredential`.
    package static func start(
        _ configuration: Configuration, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        onFailure: @escaping @Sendable (ConnectionError) -> Void = { _ in },
        onConnection: @escaping @Sendable (SMPConnection, ServerCredential) -> Void
    ) async throws(ConnectionError) -> SMPTransportListener {
        try await start(
            configuration, group: group, onFailure: onFailure, open: SMPConnection.open(acknowledgesAtOnce: false), onConnection: onConnection)
    }

    /// Starts to listen for another protocol than that of blocks.
    ///
    /// - Parameter open: adds the handlers of the protocol to a channel whose TLS handshake is over; see ``ByteStreamHandler``. Called on the
    ///   channel's event loop.
    /// - Throws: ``ConnectionError``: `listenFailed`, `tlsFailed` or `invalidCredential`.
    package static func start<Connection>(
        _ configuration: Configuration, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        onFailure: @escaping @Sendable (ConnectionError) -> Void = { _ in },
        open: @escaping @Sendable (any Channel, TLSHandshake) throws -> Connection,
        onConnection: @escaping @Sendable (Connection, ServerCredential) -> Void
    ) async throws(ConnectionError) -> SMPTransportListener {
        let presented = Presented(configuration.credential, try context(configuration, configuration.credential))
        let connections = AcceptedConnections(
            .init(
                connections: configuration.maximumConnections, connectionsPerAddress: configuration.maximumConnectionsPerAddress,
                handshakes: configuration.maximumHandshakes))
        let (timeout, keepAlive) = (TimeAmount(configuration.handshakeTimeout), configuration.keepAlive)
        do {
            let channel = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 1024)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelInitializer(AcceptBackoff.initializer("the router", configuration.logger))
                .childChannelOption(.autoRead, value: false)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.writeBufferWaterMark, value: .fewBlocks)
                .childChannelOption(.maxMessagesPerRead, value: 1)
                .childChannelOption(.recvAllocator, value: BlockReadAllocator())
                .childChannelInitializer { channel in
                    let key = ObjectIdentifier(channel)
                    return channel.eventLoop.makeCompletedFuture {
                        guard connections.add(channel) else {
                            throw ConnectionError(.closed, "there are as many connections as allowed")
                        }
                        try keepAlive?.apply(to: channel)
                        limitUnsent(channel)
                        let (credential, context) = presented.now
                        let session = try TLSSession(context, verifying: .client, allocator: channel.allocator)
                        try channel.pipeline.syncOperations.addHandlers([
                            OpenSSLHandler(session),
                            HandshakeHandler(timeout: timeout, open: open) { result in
                                switch result {
                                case .success(let connection):
                                    connections.finishHandshake(key)
                                    onConnection(connection, credential)
                                case .failure(let error): onFailure(error)
                                }
                            },
                        ])
                    }
                }
                .bind(host: configuration.host, port: configuration.port).get()
            return SMPTransportListener(channel: channel, connections: connections, presented: presented, configuration: configuration)
        } catch {
            throw ConnectionError(
                .listenFailed, "cannot listen on \(configuration.host):\(configuration.port)", cause: error)
        }
    }

    private static func context(_ configuration: Configuration, _ credential: ServerCredential) throws(ConnectionError) -> TLSContext {
        try TLSContext.server(
            credential: credential, applicationProtocols: configuration.applicationProtocols,
            requestsClientCertificate: configuration.requestsClientCertificate)
    }

    /// Shows another credential to connections that are made from now on; those that are open stay.
    ///
    /// - Throws: ``ConnectionError`` `tlsFailed` or `invalidCredential`; nothing changes then.
    package func present(_ credential: ServerCredential) throws(ConnectionError) {
        presented.set(credential, try Self.context(configuration, credential))
    }

    /// Connections that are open now, those in their handshake included.
    package var connectionCount: Int { connections.count }

    /// Stops listening and closes all connections. Returns when their sockets are closed; may be called again.
    package func close() async {
        channel.close(promise: nil)
        try? await channel.closeFuture.get()
        let open = connections.stop()
        for connection in open { connection.close(promise: nil) }
        for connection in open { try? await connection.closeFuture.get() }
    }
}

/// The credential that a listener shows to clients.
private final class Presented: Sendable {
    private let value: Mutex<(ServerCredential, TLSContext)>

    init(_ credential: ServerCredential, _ context: TLSContext) { value = Mutex((credential, context)) }

    var now: (ServerCredential, TLSContext) { value.withLock { $0 } }

    func set(_ credential: ServerCredential, _ context: TLSContext) { value.withLock { $0 = (credential, context) } }
}
