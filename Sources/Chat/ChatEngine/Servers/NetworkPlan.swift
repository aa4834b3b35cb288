import ChatAPI
import ChatProtocol
import SMPClient
import SMPTransport

/// What a network configuration means for those who carry it out.
struct NetworkPlan: Sendable, Hashable {
    var settings = SMPNetworkSettings()
    var routing: PrivateRoutingPolicy

    /// - Parameter operatorDomains: whose routers count as preset ones.
    /// - Throws: `commandError` for words that the configuration cannot have.
    init(_ config: NetworkConfig, operatorDomains: [String]) throws(Refusal) {
        if let text = config.socksProxy {
            guard let proxy = SOCKSProxy(parsing: text) else { throw Refusal.command("socksProxy: \"\(text)\" is not host:port") }
            settings.proxy = proxy
        }
        settings.socksMode = try Self.word(config.socksMode, "socksMode")
        settings.hostMode = try Self.word(config.hostMode, "hostMode")
        settings.requiresHostMode = config.requiredHostMode
        settings.connectTimeout = try Self.time(config.tcpConnectTimeout.interactive, "tcpConnectTimeout")
        settings.responseTimeout = try Self.time(config.tcpTimeout.background, "tcpTimeout")
        settings.pingInterval = try Self.time(config.smpPingInterval, "smpPingInterval")
        guard config.smpPingCount > 0 else { throw Refusal.command("smpPingCount must be above 0") }
        settings.pingCount = config.smpPingCount
        settings.keepAlive = try config.tcpKeepAlive.map { options throws(Refusal) in
            guard min(options.keepIdle, options.keepInterval, options.keepCount) > 0 else { throw Refusal.command("tcpKeepAlive must be above 0") }
            var keepAlive = TCPKeepAlive()
            (keepAlive.idleSeconds, keepAlive.intervalSeconds, keepAlive.probes) = (options.keepIdle, options.keepInterval, options.keepCount)
            return keepAlive
        }
        switch config.smpWebPortServers {
        case "all": settings.webPorts = .all
        case "preset": settings.webPorts = .below(operatorDomains)
        case "off": settings.webPorts = .never
        default: throw Refusal.command("smpWebPortServers cannot be \(config.smpWebPortServers.text)")
        }
        routing = PrivateRoutingPolicy(
            mode: try Self.word(config.smpProxyMode, "smpProxyMode"), fallback: try Self.word(config.smpProxyFallback, "smpProxyFallback"),
            usesSOCKS: settings.hidesAddress, prefersOnion: settings.proxy != nil && settings.hostMode != .public)
    }

    private static func word<Word: RawRepresentable<String>>(_ text: String, _ name: String) throws(Refusal) -> Word {
        guard let word = Word(rawValue: text) else { throw Refusal.command("\(name) cannot be \"\(text)\"") }
        return word
    }

    private static func time(_ microseconds: Int64, _ name: String) throws(Refusal) -> Duration {
        guard microseconds > 0 else { throw Refusal.command("\(name) must be above 0") }
        return .microseconds(microseconds)
    }
}

extension NetworkConfig {
    /// Options as people write them: `socks=off host-mode=public timeout=10`. Those that are not named fall back, or stay for proxying and
    /// times, as with official clients.
    ///
    /// - Throws: `commandError`.
    mutating func change(_ options: String) throws(Refusal) {
        var words: [String: String] = [:]
        for option in options.split(separator: " ") {
            let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            words[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        switch words["socks"] {
        case "off": socksProxy = nil
        case "on": socksProxy = SOCKSProxy().text
        case let text?: socksProxy = text
        case nil: throw Refusal.command("socks= is missing")
        }
        socksMode = words["socks-mode"] ?? SMPNetworkSettings.SOCKSMode.always.rawValue
        hostMode = words["host-mode"] ?? (socksProxy == nil ? SMPNetworkSettings.HostMode.public : .onionViaSOCKS).rawValue
        requiredHostMode = words["required-host-mode"] != nil
        if let mode = words["smp-proxy"] { smpProxyMode = mode }
        switch words["smp-proxy-fallback"] {
        case "yes": smpProxyFallback = PrivateRoutingPolicy.Fallback.allow.rawValue
        case "protected": smpProxyFallback = PrivateRoutingPolicy.Fallback.allowProtected.rawValue
        case "no": smpProxyFallback = PrivateRoutingPolicy.Fallback.prohibit.rawValue
        default: break
        }
        smpWebPortServers = .string(words["smp-web-port-servers"] ?? (words["smp-web-port"] == nil ? "preset" : "all"))
        if let text = words["timeout"] {
            guard let seconds = Int64(text), (1...86_400).contains(seconds) else { throw Refusal.command("timeout=\(text) is not a number of seconds") }
            setTimeout(seconds: seconds)
        }
        logTLSErrors = words["log"] == "on"
    }
}
