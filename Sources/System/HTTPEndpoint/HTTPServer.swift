import ListenerSupport
package import Logging
package import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A small HTTP/1.1 server for the endpoints of a process: metrics, health, webhooks.
///
/// It reads each request completely, within ``Limits``, and answers the requests of a connection one after another. It has no TLS: use it on the
/// loopback interface or behind a proxy.
package final class HTTPServer: Sendable {
    /// A function that answers a request. It has no time limit; the connection waits.
    package typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

    /// The limits of the resources that clients can use.
    package struct Limits: Sendable {
        /// Bytes of a request's body. A larger one is answered with 413.
        package var body = 64 * 1024
        /// The maximum number of connections. A new one replaces the one that has sent no complete request for the longest time, or else one that has been
        /// idle for a second; if all are answering, the new one is closed.
        package var connections = 64
        /// The time limit for a client to send a request, or to read the next part of an answer.
        package var patience: TimeAmount = .seconds(60)

        package init() {}
    }

    /// Bytes that are read from a client at a time, which bounds the kept requests of a client that does not wait for answers.
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
    /// - Parameter port: the port; 0 for any free one.
    /// - Throws: `IOError` if the address cannot be used; see ``isAddressInUse(_:)``.
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

    /// Checks whether an error of ``start(host:port:group:limits:logger:handler:)`` means that another program uses the address.
    package static func isAddressInUse(_ error: any Error) -> Bool { (error as? IOError)?.errnoCode == EADDRINUSE }

    /// Closes the server and its connections.
    package func stop() async {
        try? await channel.close()
        await clients.closeAll()
    }
}
