package import AsyncPrimitives
import SMPProtocol
package import SMPTransport
package import SMPWire

/// The settings of a client for connections to routers and for its commands. The defaults are those of the official clients.
package struct SMPClientConfiguration: Sendable {
    /// Versions of the protocol to offer.
    package var versions: VersionRange = SMPVersion.offered
    /// The settings of the network at the start; see ``SMPRouting/setNetwork(_:)``.
    package var network = NetworkConfiguration()
    /// The port of routers whose address names none.
    package var defaultPort: UInt16 = 5223
    /// Ends of the names of routers for ``NetworkConfiguration/WebPortServers/preset``.
    package var presetDomains = [".simplex.im", ".simplexonflux.com"]
    /// The pause between attempts to restore subscriptions.
    package var retry = RetryInterval()
    /// For how long after a failed attempt to connect further commands fail at once with the same error.
    package var failureMemory: Duration = .seconds(3)
    /// The time of silence after which unanswered commands end a connection.
    package var silenceLimit: Duration = .seconds(900)
    /// Queues that are subscribed to in one go; the next go waits for the responses.
    package var subscriptionBatch = 1350
    /// Commands of one connection that may wait for responses; further ones fail with code `overloaded`.
    package var maximumPendingRequests = 16_384
    /// Bytes of commands of one connection that may wait for the router to read them; further ones fail with code
    /// `overloaded`.
    package var maximumOutgoingBytes = 32 << 20
    /// The TLS connections.
    package var transport = SMPTransportClient.Configuration()

    package init() {}

    /// The port of a router.
    func port(of server: SMPServerAddress) -> Int {
        if let port = server.port { return Int(port) }
        switch network.webPortServers {
        case .all: return Self.webPort
        case .preset: return server.hosts.first.map(isPreset) == true ? Self.webPort : Int(defaultPort)
        case .off: return Int(defaultPort)
        }
    }

    private func isPreset(_ host: TransportHost) -> Bool {
        guard case .domain(let name) = host else { return false }
        return presetDomains.contains { name.hasSuffix($0) }
    }

    private static let webPort = 443
}
