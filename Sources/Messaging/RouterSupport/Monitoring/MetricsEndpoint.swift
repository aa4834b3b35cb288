import HTTPEndpoint
package import Logging
package import NIOCore
import NIOHTTP1

/// An HTTP endpoint that serves metrics at `/metrics` to anyone who can reach the address.
package final class MetricsEndpoint: Sendable {
    package var port: Int { server.port }
    private let server: HTTPServer

    private init(_ server: HTTPServer) { self.server = server }

    /// - Throws: ``RouterError`` `addressInUse` or `transport`.
    package static func start(
        on address: MetricsAddress, group: any EventLoopGroup, logger: Logger, text: @escaping @Sendable () -> String
    ) async throws(RouterError) -> MetricsEndpoint {
        let isLoopback = ["127.0.0.1", "localhost", "::1"].contains(address.host)
        do {
            return MetricsEndpoint(
                try await HTTPServer.start(host: address.host, port: address.port, group: group, logger: logger) { request in
                    guard !isLoopback || request.namesThisMachine else { return .misdirected }
                    return switch (request.method, request.path) {
                    case (.GET, "/metrics"), (.HEAD, "/metrics"): .metrics(text())
                    case (.GET, _), (.HEAD, _): .text(.notFound, "metrics are at /metrics\n")
                    default: .text(.methodNotAllowed, "")
                    }
                })
        } catch {
            let isInUse = HTTPServer.isAddressInUse(error)
            throw RouterError(
                isInUse ? .addressInUse : .transport, "metrics cannot be served on \(address.host):\(address.port)", cause: error)
        }
    }

    package func stop() async { await server.stop() }
}
