import AsyncPrimitives
import ChatAPI
import SMPAgent
package import SMPClient
package import SMPTransport

/// The network settings given where a core is set up. They win over those set by commands in an earlier run; a setting that is not given is as
/// it was set then, or as official clients begin.
package struct NetworkOptions: Sendable, Hashable {
    /// The SOCKS proxy to use, or none.
    package enum Proxy: Sendable, Hashable {
        case none
        case socks(SOCKSProxy)
    }

    /// The raw values are the names in the commands of the official client.
    package typealias SOCKSMode = NetworkConfiguration.SOCKSMode
    package typealias HostMode = NetworkConfiguration.HostMode

    package var proxy: Proxy?
    /// For which hosts the proxy is used.
    package var socksMode: SOCKSMode?
    /// The kind of host of a router that is preferred.
    package var hostMode: HostMode?
    /// True if hosts of the other kind are not used at all.
    package var requiresHostMode: Bool?
    /// For which routers messages go through another router.
    package var privateRouting: PrivateRoutingPolicy.Mode?
    /// The fallback when they cannot.
    package var privateRoutingFallback: PrivateRoutingPolicy.Fallback?
    /// The time limit of a router's answer to a waiting person, in seconds, at most a day: connecting may take half as long in addition, work that
    /// nobody waits for three times as long.
    package var timeout: Int64?
    /// The initial reconnect delay; 2 seconds by default. Later delays grow from it.
    package var retryPause: Duration?

    /// True if routers are shown service certificates, by which all of a profile's queues on a router are subscribed to at once; nil for no.
    /// The API of the official clients has no word for it.
    package var usesServices: Bool?

    package init() {}

    /// Sets the options that are not in the configuration of commands.
    func apply(to client: inout SMPClientConfiguration, _ agent: inout AgentConfiguration) {
        guard let retryPause else { return }
        client.retry.initial = retryPause
        // A request right after the pause must not get the failure from before it.
        client.failureMemory = min(client.failureMemory, retryPause)
        agent.fastRetry.initial = retryPause
    }

    /// A configuration with these options.
    func applied(to config: NetworkConfig) -> NetworkConfig {
        var config = config
        switch proxy {
        case .socks(let proxy): config.socksProxy = proxy.text
        case .some(.none): config.socksProxy = nil
        case nil: break
        }
        if let socksMode { config.socksMode = socksMode.rawValue }
        if let hostMode { config.hostMode = hostMode.rawValue }
        if let requiresHostMode { config.requiredHostMode = requiresHostMode }
        if let privateRouting { config.smpProxyMode = privateRouting.rawValue }
        if let privateRoutingFallback { config.smpProxyFallback = privateRoutingFallback.rawValue }
        if let timeout { config.setTimeout(seconds: timeout) }
        return config
    }
}

extension NetworkConfig {
    /// Sets both limits from the time that a router may take to answer somebody who waits.
    mutating func setTimeout(seconds: Int64) {
        let answer = min(max(seconds, 1), NetworkPlan.longestAnswer) * 1_000_000, connection = answer * 3 / 2
        tcpTimeout = NetworkTimeout(background: answer * 3, interactive: answer)
        tcpConnectTimeout = NetworkTimeout(background: connection * 3, interactive: connection)
    }
}

extension SOCKSProxy {
    /// Reads `host:port`, which keeps connections for different purposes apart; `user:password@` before it are credentials, and `@` alone stands for none.
    package init?(parsing text: String) {
        var authentication = Authentication.isolating, place = Substring(text)
        if let at = text.lastIndex(of: "@") {
            place = text[text.index(after: at)...]
            let parts = text[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch parts.count {
            case 1 where parts[0].isEmpty: authentication = .none
            case 2 where parts.allSatisfy({ (1...255).contains($0.utf8.count) }):
                authentication = .password(user: parts[0], password: parts[1])
            default: return nil
            }
        }
        guard let colon = place.lastIndex(of: ":"), let port = UInt16(place[place.index(after: colon)...]), port > 0 else { return nil }
        var host = place[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        // The official clients take `:9050` for a proxy on this machine.
        self.init(host: host.isEmpty ? "127.0.0.1" : String(host), port: Int(port), authentication: authentication)
    }

    /// The text that ``init(parsing:)`` reads.
    package var text: String {
        let place = (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
        return switch authentication {
        case .none: "@" + place
        case .isolating: place
        case .password(let user, let password): "\(user):\(password)@\(place)"
        }
    }
}
