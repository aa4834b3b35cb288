package import ChatProtocol
internal import HTTPEndpoint
package import Logging
internal import NIOHTTP1

/// The address at which a process serves its metrics and its health.
public struct MonitoringAddress: Sendable, Hashable {
    /// A name or address of this machine. Any interface but the loopback interface shows the ids of the bots to the network.
    public var host: String
    /// The port; 0 for any free one.
    public var port: UInt16

    /// Creates the address.
    public init(host: String = "127.0.0.1", port: UInt16) {
        self.host = host
        self.port = port
    }

    /// True if other machines cannot reach it.
    var isLoopback: Bool { host == "127.0.0.1" || host == "localhost" || host == "::1" }
}

/// The state of a process at one moment, for its monitoring.
package protocol MonitoredState: Sendable {
    /// True if the process works normally.
    var isHealthy: Bool { get }
    /// The answer to a health check.
    var health: JSONValue { get }
    /// Returns the metrics of a registry, and those of the process after them.
    func metrics(behind registry: MetricsRegistry?) -> PrometheusText
}

/// The endpoint that serves `/metrics` and `/healthz` of a process that runs bots.
package final class MonitoringEndpoint: Sendable {
    private let server: HTTPServer
    package var port: Int { server.port }

    private init(_ server: HTTPServer) { self.server = server }

    /// - Throws: ``HostError`` `monitoring`.
    package static func start(
        _ address: MonitoringAddress, registry: MetricsRegistry?, logger: Logger = Logger(label: "parley"),
        state: @escaping @Sendable () async -> any MonitoredState
    ) async throws(HostError) -> MonitoringEndpoint {
        do {
            return MonitoringEndpoint(
                try await HTTPServer.start(host: address.host, port: Int(address.port), logger: logger) {
                    await answer($0, isLoopback: address.isLoopback, registry, state)
                })
        } catch {
            let reason = HTTPServer.isAddressInUse(error) ? "another program listens there: choose another port" : "\(error)"
            throw HostError(.monitoring, "metrics cannot be served on \(address.host):\(address.port): \(reason)")
        }
    }

    private static func answer(
        _ request: HTTPRequest, isLoopback: Bool, _ registry: MetricsRegistry?, _ state: @Sendable () async -> any MonitoredState
    ) async -> HTTPResponse {
        guard !isLoopback || request.namesThisMachine else { return .misdirected }
        guard request.method == .GET || request.method == .HEAD else { return .text(.methodNotAllowed, "") }
        switch request.path {
        case "/metrics": return .metrics(await state().metrics(behind: registry).text)
        case "/healthz":
            let state = await state()
            return .text(state.isHealthy ? .ok : .serviceUnavailable, state.health.text + "\n", contentType: "application/json")
        default: return .text(.notFound, "there are /metrics and /healthz\n")
        }
    }

    package func stop() async { await server.stop() }
}
