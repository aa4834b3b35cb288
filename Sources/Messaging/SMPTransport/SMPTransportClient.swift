import AsyncPrimitives
package import NIOCore
internal import NIOPosix
import SMPCrypto
package import SMPWire
import Synchronization

/// Opens connections to SMP servers.
///
/// One client serves any number of servers and connections; they share the event loops of its group.
package struct SMPTransportClient: Sendable {
    /// The settings for opening connections.
    package struct Configuration: Sendable {
        /// The longest time for the TCP connection, and again for the TLS handshake and for that with a proxy.
        package var connectTimeout: Duration = .seconds(15)
        /// Application protocols to offer, most wanted first.
        package var applicationProtocols = TLSContext.smpProtocols
        /// Certificates to show a server that asks: for services only.
        package var serviceCredential: ServerCredential?
        /// A SOCKS proxy to connect through.
        package var proxy: SOCKSProxy?
        /// When and how often a silent peer is probed by TCP.
        package var keepAlive: TCPKeepAlive? = TCPKeepAlive()

        package init() {}
    }

    /// The outcome of one handshake.
    private typealias ConnectAttempt<Connection: Sendable> = Promise<Result<Connection, ConnectionError>>
    private typealias Opening<Connection> = @Sendable (any Channel, TLSHandshake) throws -> Connection

    private let configuration: Configuration
    private let context: TLSContext
    private let connector: TCPConnector

    /// - Throws: ``ConnectionError`` `tlsFailed` or `invalidCredential`.
    package init(
        configuration: Configuration = Configuration(), group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) throws(ConnectionError) {
        try self.init(configuration: configuration, group: group, resolver: nil)
    }

    /// - Parameter resolver: finds the addresses of names; nil for the system's.
    init(configuration: Configuration, group: any EventLoopGroup, resolver: (any Resolver & Sendable)?) throws(ConnectionError) {
        self.configuration = configuration
        connector = TCPConnector(group: group, keepAlive: configuration.keepAlive, resolver: resolver)
        context = try TLSContext.client(
            applicationProtocols: configuration.applicationProtocols, credential: configuration.serviceCredential)
    }

    /// Connects, and checks that the server's identity certificate has the fingerprint of its address.
    ///
    /// - Parameters:
    ///   - host: a name or an address.
    ///   - port: 1 to 65,535.
    ///   - keyHash: the SHA-256 hash of the server's identity certificate, 32 bytes.
    ///   - purpose: the purpose of the connection: an isolating proxy separates connections with different purposes.
    ///   - limit: instead of the configuration's.
    ///   - usesProxy: whether the configuration's proxy is used, if there is one.
    /// - Throws: ``ConnectionError``: `connectFailed`, `timedOut`, `wrongIdentity`, `wrongProtocol`, `tlsFailed`,
    ///   `disconnected`, `cancelled`, or `unsupported` for a request that a proxy cannot fulfil.
    package func connect(
        host: String, port: Int, keyHash: Bytes, purpose: String = "", timeout limit: Duration? = nil, usesProxy: Bool = true
    ) async throws(ConnectionError) -> SMPConnection {
        try await connect(
            host: host, port: port, keyHash: keyHash, purpose: purpose, timeout: limit, usesProxy: usesProxy,
            open: SMPConnection.open(acknowledgesAtOnce: true))
    }

    /// Connects for another protocol than that of blocks.
    ///
    /// - Parameter open: adds the handlers of the protocol to the channel, whose TLS handshake is over; see ``ByteStreamHandler``. Called on
    ///   the channel's event loop.
    /// - Throws: ``ConnectionError``, as for blocks.
    package func connect<Connection: Sendable>(
        host: String, port: Int, keyHash: Bytes, purpose: String = "", timeout limit: Duration? = nil, usesProxy: Bool = true,
        open: @escaping @Sendable (any Channel, TLSHandshake) throws -> Connection
    ) async throws(ConnectionError) -> Connection {
        guard let socksPort = UInt16(exactly: port), port > 0 else {
            throw ConnectionError(.connectFailed, "\(port) is not a port")
        }
        let attempt = ConnectAttempt<Connection>()
        let timeout = TimeAmount(limit ?? configuration.connectTimeout)
        let channel: any Channel
        if let proxy = configuration.proxy, usesProxy {
            let handshake = try SOCKSHandshake(host: host, port: socksPort, credentials: credentials(proxy, purpose))
            channel = try await connector.connect(host: proxy.host, port: proxy.port, timeout) { [self] channel in
                try channel.pipeline.syncOperations.addHandler(
                    SOCKSHandler(handshake, timeout: timeout) {
                        attempt.resolve(.failure($0))
                    } addHandlers: {
                        try addHandlers(to: $0, keyHash, timeout, open, attempt)
                    })
            }
        } else {
            channel = try await connector.connect(host: host, port: port, timeout) { [self] in try addHandlers(to: $0, keyHash, timeout, open, attempt) }
        }
        let result = await withTaskCancellationHandler {
            await attempt.value()
        } onCancel: {
            channel.close(promise: nil)
        }
        if Task.isCancelled {
            channel.close(promise: nil)
            throw Self.cancelled
        }
        return try result.get()
    }

    private func credentials(_ proxy: SOCKSProxy, _ purpose: String) -> (user: String, password: String)? {
        switch proxy.authentication {
        case .none: nil
        case .password(let user, let password): (user, password)
        case .isolating: (Base64URL.encode(Hash.sha256(Bytes(purpose.utf8))), "")
        }
    }

    /// Begins TLS on a channel that is active.
    private func addHandlers<Connection: Sendable>(
        to channel: any Channel, _ keyHash: Bytes, _ timeout: TimeAmount, _ open: @escaping Opening<Connection>, _ attempt: ConnectAttempt<Connection>
    ) throws {
        let session = try TLSSession(context, verifying: .server(fingerprint: keyHash), allocator: channel.allocator)
        let handshake = HandshakeHandler(timeout: timeout, acknowledgesAtOnce: true, open: open) { attempt.resolve($0) }
        try channel.pipeline.syncOperations.addHandler(handshake)
        // Last: it starts as soon as it is added.
        try channel.pipeline.syncOperations.addHandler(OpenSSLHandler(session), position: .before(handshake))
    }

    private static let cancelled = ConnectionError(.cancelled, "connecting was cancelled")
}
