internal import ArgumentParser
internal import Parley

/// Options about how routers are reached, named as those of the official client.
struct NetworkArguments: ParsableArguments {
    @Option(
        name: .customLong("socks-proxy"),
        help: "Reach routers through a SOCKS5 proxy: host:port, whose streams are isolated by credentials, @host:port for no credentials, or off.")
    var socksProxy: String?

    @Option(name: .customLong("socks-mode"), help: "Use the proxy always, or for onion hosts only: always, onion.")
    var socksMode: String?

    @Option(name: .customLong("host-mode"), help: "Which hosts of a router are preferred: public, onion, onionViaSocks.")
    var hostMode: String?

    @Flag(name: .customLong("required-host-mode"), help: "Do not use hosts of the other kind at all.")
    var requiredHostMode = false

    @Option(
        name: .customLong("smp-proxy"),
        help: "Send through another router, which hides your address from the recipient's: never, unknown, unprotected, always.")
    var smpProxy: String?

    @Option(
        name: .customLong("smp-proxy-fallback"),
        help: "Send directly when that cannot be done: yes, protected (where it shows no address), no.")
    var smpProxyFallback: String?

    @Option(name: .customLong("tcp-timeout"), help: "Seconds within which a router is to answer.")
    var tcpTimeout: String?

    @Option(name: .customLong("retry-pause"), help: "Initial reconnect delay, in milliseconds.")
    var retryPause: String?

    @Option(
        name: .customLong("service"),
        help: "Subscribe to all of a profile's queues on a router at once, which shows the router that they are one profile's: on, off.")
    var service: String?

    @Option(
        name: .customLong("operators"),
        help: "preset: use the routers of the public network's operators, which every phone reaches, on their conditions of use. none: do not.")
    var operators: String?

    @Flag(name: .customLong("accept-conditions"), help: "Accept the conditions of use of the preset operators; kept for the data folder.")
    var acceptConditions = false

    /// The settings of the command line, over those of a file.
    func network(over file: HostNetwork = HostNetwork()) throws(ValidationError) -> HostNetwork {
        let said: [(HostNetwork.Key, String?)] = [
            (.socksProxy, socksProxy), (.socksMode, socksMode), (.hostMode, hostMode), (.requiredHostMode, requiredHostMode ? "on" : nil),
            (.smpProxy, smpProxy), (.smpProxyFallback, smpProxyFallback), (.tcpTimeout, tcpTimeout), (.retryPause, retryPause), (.service, service),
            (.operators, operators), (.acceptConditions, acceptConditions ? "yes" : nil),
        ]
        var network = file
        for (key, text) in said {
            guard let text else { continue }
            do throws(HostNetwork.Fault) {
                try network.set(key, to: text)
            } catch {
                throw ValidationError("--\(key.rawValue): \(error)")
            }
        }
        return network
    }

    func validate() throws { _ = try network() }
}
