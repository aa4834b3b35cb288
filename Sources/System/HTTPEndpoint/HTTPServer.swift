import ListenerSupport
package import Logging
package import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A small HTTP/1.1 server for the endpoints of a process: metrics, health, webhooks.
///
/// It reads each request whole, within ``Limits``, and answers the requests of a connection one after another. It has no TLS: it belongs on the
/// loopback interface or behind a proxy.
package final class HTTPServer: Sendable {
    /// An answer to a request. It may take its time; the connection waits.
    package typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

    /// The bounds of what a client can make the server hold.
    package struct Limits: Sendable {
        /// Bytes of a request's body. A larger one is answered with 413.
        package var body = 64 * 1024
        /// Connections at a time. A new one takes the place of one that has sent no whole request for longest, or else has been idle for a second; if all
        /// are at work, it is closed.
        package var connections = 64
        /// The longest time for a client to send a request, or to read an answer's next part.
        package var patience: TimeAmount = .seconds(60)

        package init() {}
    }

    /// Bytes that are read from a client in one go: it bounds the requests that are kept of a client that does not wait for the answers.
    static let readSize = 8 * 1024

    /// The port that the server listens on.
    package let port: Int
    let channel: any Channel
    private let clients: HTTPClients

    private init(_ channel: any Channel, _ clients: HTTPClients) {
        self.channel = channel
        self.clients = clients
        port = channel.localAddress?.port ?? 0
    }

    /// Starts to listen.
    ///
    /// - Parameter port: 0 for any that is free.
    /// - Throws: `IOError` if the address cannot be used; ``isAddressInUse(_:)`` tells one case.
    package static func start(
        host: String, port: Int, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, limits: Limits = Limits(),
        logger: Logger = Logger(label: "http"), handler: @escaping Handler
    ) async throws -> HTTPServer {
        let clients = HTTPClients(limit: limits.connections)
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 16)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer(AcceptBackoff.initializer("the HTTP endpoint", logger))
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: readSize))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard clients.admit(channel) else { return channel.close(promise: nil) }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    let id = ObjectIdentifier(channel)
                    try channel.pipeline.syncOperations.addHandler(HTTPConnectionHandler(limits, handler) { clients.note($0, of: id) })
                }
            }
            .bind(host: host, port: port).get()
        return HTTPServer(channel, clients)
    }

    /// Checks whether an error of ``start(host:port:group:limits:handler:)`` says that another program uses the address.
    package static func isAddressInUse(_ error: any Error) -> Bool { (error as? IOError)?.errnoCode == EADDRINUSE }

    /// Closes the server and its connections.
    package func stop() async {
        try? await channel.close()
        await clients.closeAll()
    }
}
