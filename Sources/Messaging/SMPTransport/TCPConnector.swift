import AsyncPrimitives
package import NIOCore
internal import NIOPosix
import Synchronization

/// Opens TCP connections.
package struct TCPConnector: Sendable {
    private let group: any EventLoopGroup
    private let keepAlive: TCPKeepAlive?
    private let resolver: (any Resolver & Sendable)?

    package init(group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, keepAlive: TCPKeepAlive? = TCPKeepAlive()) {
        self.init(group: group, keepAlive: keepAlive, resolver: nil)
    }

    /// - Parameter resolver: finds the addresses of names; nil for the system's.
    init(group: any EventLoopGroup, keepAlive: TCPKeepAlive?, resolver: (any Resolver & Sendable)?) {
        self.group = group
        self.keepAlive = keepAlive
        self.resolver = resolver
    }

    /// Opens a TCP connection. A name can have several addresses, and each that is tried has a channel: only the first that is connected is begun with,
    /// and the others are closed. If the task is cancelled, all are closed, and a name that is still being looked up is not waited for.
    ///
    /// - Parameter begin: called once at most, on the event loop of the channel, which is active and reads nothing yet.
    package func connect(
        host: String, port: Int, _ timeout: TimeAmount, begin: @escaping @Sendable (any Channel) throws -> Void
    ) async throws(ConnectionError) -> any Channel {
        let keepAlive = keepAlive
        let channels = ConnectingChannels()
        let bootstrap = ClientBootstrap(group: group)
            .resolver(resolver)
            .connectTimeout(timeout)
            .channelOption(.autoRead, value: false)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.writeBufferWaterMark, value: .smpBlocks)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: BlockReadAllocator())
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channels.add(channel)
                    try keepAlive?.apply(to: channel)
                    limitUnsent(channel)
                }
            }
        // An address needs no resolver, which has threads of its own and is shared by the whole process.
        let address = try? SocketAddress(ipAddress: host, port: port)
        let connecting = address.map { bootstrap.connect(to: $0) } ?? bootstrap.connect(host: host, port: port)
        let outcome = Promise<Result<any Channel, ConnectionError>>()
        connecting.flatMap { channel in
            // In the next turn: the pipeline learns only after this that it is active.
            channel.eventLoop.submit {
                do {
                    guard channel.isActive else { throw ConnectionError(.disconnected, "\(host):\(port) went away at once") }
                    try begin(channel)
                    return channel
                } catch {
                    channel.close(promise: nil)
                    throw error
                }
            }
        }.whenComplete { outcome.resolve($0.mapError { Self.error($0, to: "\(host):\(port)") }) }
        return try await withTaskCancellationHandler {
            await outcome.value()
        } onCancel: {
            outcome.resolve(.failure(Self.cancelled))
            channels.close()
        }.get()
    }

    private static let cancelled = ConnectionError(.cancelled, "connecting was cancelled")

    private static func error(_ error: any Error, to peer: String) -> ConnectionError {
        if let error = error as? ConnectionError { return error }
        if case .connectTimeout? = error as? ChannelError { return ConnectionError(.timedOut, "\(peer) did not answer in time", cause: error) }
        return ConnectionError(.connectFailed, "no connection to \(peer)", cause: error)
    }
}

/// The channels of one attempt to connect, all of which are closed when it is cancelled.
private final class ConnectingChannels: Sendable {
    private struct State {
        var channels: [any Channel] = []
        var isClosed = false
    }

    private let state = Mutex(State())

    /// - Throws: ``ConnectionError`` `cancelled` for a channel that comes after ``close()``.
    func add(_ channel: any Channel) throws(ConnectionError) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.channels.append(channel) }
            return state.isClosed
        }
        if isClosed { throw ConnectionError(.cancelled, "connecting was cancelled") }
    }

    func close() {
        let channels = state.withLock { state in
            state.isClosed = true
            defer { state.channels = [] }
            return state.channels
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
