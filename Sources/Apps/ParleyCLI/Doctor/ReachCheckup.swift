internal import Hosting

/// The names, ports and proxies between the bots and those who want to reach them, as `parley doctor` sees them.
struct ReachCheckup: Sendable {
    /// The lookup of a name.
    struct Name: Sendable, Equatable {
        var name: String
        /// The number of addresses; nil if the lookup took too long.
        var addresses: Int?
    }

    /// A port at which a process of this configuration is to listen.
    struct Port: Sendable, Equatable {
        enum State: Sendable, Equatable {
            case free
            /// The process that uses the data folder listens.
            case ours
            case taken
        }

        /// The purpose, such as "the router inside the process".
        var purpose: String
        var port: UInt16
        var state: State
        /// The option that names another port.
        var option: String
        /// True if only privileged processes may listen on the port.
        var needsPrivilege = false
        /// The port of earlier starts, which is part of the addresses that were given out; nil if it is the same, or if there was none.
        var earlier: UInt16?
    }

    /// The connection to a proxy or a collector.
    struct Proxy: Sendable, Equatable {
        /// The host and port.
        var address: String
        /// The setting that names it.
        var source: String
        /// The reason why there is no connection; nil if there is one.
        var failure: String?
    }

    /// The address under which the router inside the process is published.
    enum Host: Sendable, Equatable {
        /// Only this machine reaches it.
        case loopback
        /// The name has no address.
        case unknown(String)
        /// An interface of this machine has the address.
        case here(String)
        /// No interface of this machine has the address.
        case elsewhere(String)
        /// It was not looked up.
        case notChecked(String)
    }

    /// The routers of the configuration, for the sentence about who reaches the bots.
    enum Network: Sendable, Equatable {
        case preset(isAccepted: Bool)
        case named(areLocal: Bool)
        case embedded(Host)
    }

    var network: Network
    /// True if the data folder exists: it may hold the acceptance of the operators' conditions.
    var hasFolder: Bool
    var names: [Name] = []
    var ports: [Port] = []
    var proxies: [Proxy] = []
    /// Variables of the environment whose value is not a proxy.
    var invalidProxies: [String] = []

    /// The connections to collectors of OpenTelemetry.
    var collectors: [Proxy] = []
    /// The variable of OpenTelemetry that cannot be used, and the reason; nil for none.
    var telemetryFault: (variable: String, reason: String)?

    var findings: [DoctorFinding] { networkFindings + nameFindings + portFindings + proxyFindings + telemetryFindings }

    private var networkFindings: [DoctorFinding] {
        switch network {
        case .preset(isAccepted: false) where !hasFolder:
            [
                .error(
                    "reach.conditions", nil, "the conditions of use of the preset operators are not accepted",
                    do: "read them, then use --accept-conditions, or `accept-conditions: yes` in bots.yaml")
            ]
        case .preset: [.ok("reach", nil, "phones reach the bots over the routers of the public network")]
        case .named(areLocal: false): [.ok("reach", nil, "phones that reach the named routers reach the bots")]
        case .named(areLocal: true), .embedded(.loopback):
            [
                .warning(
                    "reach.local", nil, "only this machine reaches the bots: their router is on this machine",
                    do: "for phones, use --operators preset --accept-conditions, or --server with a public router")
            ]
        case .embedded(.here(let host)): [.ok("reach", host, "the name of the router inside the process leads to this machine; a firewall is not seen")]
        case .embedded(.notChecked(let host)): [.ok("reach", host, "the name of the router inside the process was not looked up")]
        case .embedded(.elsewhere(let host)):
            [
                .warning(
                    "reach.elsewhere", host, "the name leads to an address that no interface of this machine has",
                    do: "behind a router with address translation, forward the ports to this machine; otherwise correct --router-host")
            ]
        case .embedded(.unknown(let host)):
            [.error("reach.unknown", host, "the name of the router inside the process has no address", do: "correct --router-host, or add the name to the DNS")]
        }
    }

    /// The names without an address. A router that has no other names is not worth a finding of its own.
    var unresolvedNames: Set<String> { Set(names.filter { ($0.addresses ?? 0) == 0 }.map(\.name)) }

    /// The number of names from which on one finding is enough if none of them has an address.
    private static let manyNames = 4

    private var nameFindings: [DoctorFinding] {
        if names.count >= Self.manyNames, unresolvedNames.count == names.count {
            return [
                .error(
                    "name.none", nil, "none of \(names.count) names has an address, as \(names[0].name)",
                    do: "check the network connection, and the name servers in /etc/resolv.conf")
            ]
        }
        var findings: [DoctorFinding] = []
        for name in names {
            switch name.addresses {
            case nil:
                findings.append(.error("name.slow", name.name, "the lookup of the name took too long", do: "check the name servers in /etc/resolv.conf"))
            case 0:
                findings.append(
                    .error("name.unknown", name.name, "the name has no address", do: "correct the name, or check the name servers in /etc/resolv.conf"))
            default: break
            }
        }
        let count = names.count
        if findings.isEmpty, count > 0 {
            findings.append(.ok("name", nil, count == 1 ? "the name \(names[0].name) has an address" : "all \(count) names have addresses"))
        }
        return findings
    }

    private var portFindings: [DoctorFinding] {
        let moved = ports.compactMap { port in
            port.earlier.map { earlier in
                DoctorFinding.warning(
                    "port.moved", "\(port.port)", "addresses that were given out name port \(earlier) of \(port.purpose)",
                    do: "leave out \(port.option), or give out the addresses anew")
            }
        }
        return moved
            + ports.map { port in
                switch port.state {
                case .taken:
                    .error(
                        "port.taken", "\(port.port)", "another program listens on the port of \(port.purpose)",
                        do: "stop it, or name another port with \(port.option)")
                case .free where port.needsPrivilege:
                    .warning(
                        "port.privileged", "\(port.port)", "only privileged processes may listen on the port of \(port.purpose)",
                        do: "name a port above 1023 with \(port.option), or give the unit AmbientCapabilities=CAP_NET_BIND_SERVICE")
                case .free: .ok("port", "\(port.port)", "the port of \(port.purpose) is free")
                case .ours: .ok("port", "\(port.port)", "the running bots listen on the port of \(port.purpose)")
                }
            }
    }

    private var proxyFindings: [DoctorFinding] {
        invalidProxies.map {
            .error("proxy.invalid", $0, "the variable does not name a proxy that can be used", do: "write http://HOST:PORT or socks5h://HOST:PORT")
        }
            + proxies.map { proxy in
                if let failure = proxy.failure {
                    return .error("proxy.unreachable", proxy.address, "the proxy cannot be reached: \(failure)", do: "start it, or correct \(proxy.source)")
                }
                return .ok("proxy", proxy.address, "the proxy accepts connections")
            }
    }

    private var telemetryFindings: [DoctorFinding] {
        let faults = telemetryFault.map { fault in
            DoctorFinding.error("telemetry.invalid", fault.variable, "the variable " + fault.reason, do: "correct it, or set OTEL_SDK_DISABLED=true")
        }
        return (faults.map { [$0] } ?? [])
            + collectors.map { collector in
                guard let failure = collector.failure else { return .ok("telemetry", collector.address, "the collector accepts connections") }
                return .warning(
                    "telemetry.unreachable", collector.address, "the collector cannot be reached: \(failure)", do: "start it, or correct \(collector.source)")
            }
    }
}
