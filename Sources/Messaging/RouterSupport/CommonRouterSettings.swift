package import SMPProtocol

/// The settings common to all kinds of routers.
package protocol CommonRouterSettings: Sendable {
    /// The address to listen on.
    var host: String { get set }
    /// The port to listen on; 0 takes any free one.
    var port: Int { get set }
    /// The hosts in the router's address; empty: the one listened on, or 127.0.0.1 if that is all interfaces.
    var advertisedHosts: [TransportHost] { get set }
    /// The password for creating something on the router; nil for none.
    var basicAuth: BasicAuth? { get set }
    /// The maximum number of connections.
    var maximumConnections: Int { get set }
    /// The maximum number of connections from one address (one /64 of IPv6); nil: no limit for an address.
    var maximumConnectionsPerAddress: Int? { get set }
    /// The maximum number of connections in their TLS handshake; beyond it, a new one replaces the oldest.
    var maximumHandshakes: Int { get set }
    /// The time limit of the TLS handshake, and again of the protocol's handshake.
    var handshakeTimeout: Duration { get set }
    /// The time after which a silent connection is closed; nil: never.
    var idleTimeout: Duration? { get set }
    /// The lifetime of a certificate in days; nil: unlimited.
    var certificateDays: Int? { get set }
    /// True if an operator can talk to the router on a socket in the data folder.
    var hasControl: Bool { get set }
    /// The address of the metrics endpoint over HTTP; nil for none.
    var metrics: MetricsAddress? { get set }
    /// The durability of accepted data.
    var durability: Durability { get set }
    /// The size of a journal segment in bytes.
    var segmentSize: Int { get set }
    /// The threshold of clearing the journal, in bytes.
    var clearingThreshold: Int { get set }
}

extension CommonRouterSettings {
    /// - Throws: ``RouterError`` `invalidConfiguration` with the reason if a setting is not valid.
    package static func check(_ isValid: Bool, _ reason: String) throws(RouterError) {
        guard isValid else { throw RouterError(.invalidConfiguration, reason) }
    }

    /// Checks the settings that are the same for all kinds.
    ///
    /// - Throws: ``RouterError`` `invalidConfiguration`.
    package func checkCommonSettings() throws(RouterError) {
        let check = Self.check
        let idleTimes = Duration.milliseconds(1)...Duration.seconds(36_500 * 86_400)
        try check((0...65_535).contains(port), "the port is \(port): it must be from 0 to 65535")
        try check(certificateDays.map { (2...999_999).contains($0) } ?? true, "the lifetime of a certificate must be from 2 to 999999 days")
        try check(metrics.map { (0...65_535).contains($0.port) } ?? true, "the port for metrics must be from 0 to 65535")
        try check(maximumConnections > 0, "the maximum number of connections must be at least 1")
        try check(maximumConnectionsPerAddress.map { $0 > 0 } ?? true, "the maximum number of connections from an address must be at least 1")
        try check(maximumHandshakes > 0, "the maximum number of handshakes must be at least 1")
        try check(idleTimeout.map { idleTimes.contains($0) } ?? true, "the time limit for a silent client must be from 1 ms to 36500 days")
        try check((1 << 10...1 << 30).contains(segmentSize), "the size of a segment must be from 1 KiB to 1 GiB")
        try check(clearingThreshold >= 0, "the clearing threshold must not be negative")
    }

    /// Returns the hosts of the router's address.
    ///
    /// - Throws: ``RouterError`` `invalidConfiguration`.
    package func shownHosts() throws(RouterError) -> [TransportHost] {
        guard advertisedHosts.isEmpty else { return advertisedHosts }
        let isAll = ["0.0.0.0", "::", ""].contains(host)
        guard let host = try? TransportHost(parsing: isAll ? "127.0.0.1" : host) else {
            throw RouterError(.invalidConfiguration, "\(host) is not the name of a host")
        }
        return [host]
    }
}
