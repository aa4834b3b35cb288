import ChatAPI
import ChatProtocol
import ChatRules
import SMPClient
import SMPTransport

/// The agent's settings that follow from a network configuration.
struct NetworkPlan: Sendable, Hashable {
    /// The most seconds that a router may be given to answer: a day.
    static let longestAnswer: Int64 = 86_400
    /// The range of limits and pauses, in microseconds: up to ten days, which is more than all that follows from ``longestAnswer``.
    static let times: ClosedRange<Int64> = 1...864_000_000_000
    /// Pings without an answer after which a connection is closed.
    static let pings = 1...10_000

    var settings = NetworkConfiguration()

    /// - Throws: `commandError` for words and numbers that the configuration cannot have.
    init(_ config: NetworkConfig) throws(Refusal) {
        if let text = config.socksProxy {
            guard let proxy = SOCKSProxy(parsing: text) else { throw Refusal.command("socksProxy: \"\(text)\" is not host:port") }
            settings.socksProxy = proxy
        }
        for (time, name) in [
            (config.tcpConnectTimeout.interactive, "tcpConnectTimeout"), (config.tcpConnectTimeout.background, "tcpConnectTimeout"),
            (config.tcpTimeout.interactive, "tcpTimeout"), (config.tcpTimeout.background, "tcpTimeout"),
            (config.smpPingInterval, "smpPingInterval"),
        ] { try Self.check(time, name, in: Self.times) }
        try Self.check(config.tcpTimeoutPerKb, "tcpTimeoutPerKb", in: 0...Self.times.upperBound)
        try Self.check(config.smpPingCount, "smpPingCount", in: Self.pings)
        if let options = config.tcpKeepAlive {
            try Self.check(options.keepIdle, "tcpKeepAlive.keepIdle", in: TCPKeepAlive.secondsRange)
            try Self.check(options.keepInterval, "tcpKeepAlive.keepIntvl", in: TCPKeepAlive.secondsRange)
            try Self.check(options.keepCount, "tcpKeepAlive.keepCnt", in: TCPKeepAlive.probesRange)
        }
        guard case .string(let webPorts) = config.smpWebPortServers else {
            throw Refusal.command("smpWebPortServers cannot be \(config.smpWebPortServers.text)")
        }
        settings.socksMode = try Self.word(config.socksMode, "socksMode")
        settings.hostMode = try Self.word(config.hostMode, "hostMode")
        settings.isHostModeRequired = config.requiredHostMode
        settings.sessionMode = try Self.word(config.sessionMode, "sessionMode")
        settings.privateRouting = try Self.word(config.smpProxyMode, "smpProxyMode")
        settings.privateRoutingFallback = try Self.word(config.smpProxyFallback, "smpProxyFallback")
        settings.webPortServers = try Self.word(webPorts, "smpWebPortServers")
        settings.connectTimeout = Self.limit(config.tcpConnectTimeout)
        settings.responseTimeout = Self.limit(config.tcpTimeout)
        settings.timeoutPerKilobyte = .microseconds(config.tcpTimeoutPerKb)
        settings.keepAlive = config.tcpKeepAlive.map { options in
            var keepAlive = TCPKeepAlive()
            (keepAlive.idleSeconds, keepAlive.intervalSeconds, keepAlive.probes) = (options.keepIdle, options.keepInterval, options.keepCount)
            return keepAlive
        }
        settings.pingInterval = .microseconds(config.smpPingInterval)
        settings.pingCount = config.smpPingCount
        settings.logsTLSErrors = config.logTLSErrors
    }

    private static func check<Number: BinaryInteger>(_ number: Number, _ name: String, in range: ClosedRange<Number>) throws(Refusal) {
        guard range.contains(number) else {
            throw Refusal.command("\(name) must be from \(range.lowerBound) to \(range.upperBound)")
        }
    }

    private static func limit(_ timeout: NetworkTimeout) -> NetworkConfiguration.Limit {
        .init(background: .microseconds(timeout.background), interactive: .microseconds(timeout.interactive))
    }

    private static func word<Word: RawRepresentable<String>>(_ text: String, _ name: String) throws(Refusal) -> Word {
        guard let word = Word(rawValue: text) else { throw Refusal.command("\(name) cannot be \"\(text)\"") }
        return word
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
        socksMode = words["socks-mode"] ?? NetworkOptions.SOCKSMode.always.rawValue
        hostMode = words["host-mode"] ?? (socksProxy == nil ? NetworkOptions.HostMode.public : .onionViaSOCKS).rawValue
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
            guard let seconds = Int64(text), (1...NetworkPlan.longestAnswer).contains(seconds) else {
                throw Refusal.command("timeout=\(text) is not a number of seconds")
            }
            setTimeout(seconds: seconds)
        }
        logTLSErrors = words["log"] == "on"
    }
}
