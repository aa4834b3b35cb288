internal import ChatEngine
internal import SMPClient
internal import SMPTransport

/// The settings of the network for a person to choose. A setting that is not chosen has the value of official clients, or the value that a
/// command of the API has set.
public struct HostNetwork: Sendable, Hashable {
    /// A network setting. The raw values are its names on command lines and in bots.yaml.
    public enum Key: String, Sendable, Hashable, CaseIterable {
        /// A SOCKS5 proxy, `host:port`, optionally with `user:password@` before it; `off` for none. `@host:port` separates connections for
        /// different purposes, which Tor supports.
        case socksProxy = "socks-proxy"
        /// `always`, or `onion` to use the proxy for onion hosts only.
        case socksMode = "socks-mode"
        /// `public`, `onion`, or `onionViaSocks` to use onion hosts if there is a proxy.
        case hostMode = "host-mode"
        /// `on` to never use hosts of the other kind.
        case requiredHostMode = "required-host-mode"
        /// The routers to which messages are sent through another router: `never`, `unknown`, `unprotected`, `always`.
        case smpProxy = "smp-proxy"
        /// The fallback if that is impossible: `yes` sends directly, `protected` does so where that reveals no address, `no` fails.
        case smpProxyFallback = "smp-proxy-fallback"
        /// The time limit for an answer of a router in seconds, 1 to 3600.
        case tcpTimeout = "tcp-timeout"
        /// The initial reconnect delay in milliseconds, 10 to 60000. Later delays grow from it.
        case retryPause = "retry-pause"
        /// `preset` for the routers of the public network's preset operators, whose conditions of use must be accepted; `none` otherwise.
        case operators
        /// `yes` to accept the preset operators' conditions of use; the data folder stores the acceptance.
        case acceptConditions = "accept-conditions"
        /// `on` to connect each profile as a service, whose queues are subscribed to with one command; routers then see which queues belong to
        /// one profile. `off` otherwise.
        case service
    }

    /// The reason why a value is refused.
    public struct Fault: Error, Sendable, CustomStringConvertible {
        /// A textual form, for messages and logs.
        public let description: String
        /// The permitted words, if the value must be one of them.
        public let words: [String]
    }

    private(set) var options = NetworkOptions()
    /// True if new queues are created on the routers of the preset operators. These are the preset routers of official clients of version
    /// 6.5, which any phone can reach.
    public private(set) var usesPresetOperators = false
    /// True if this configuration accepts the preset operators' conditions of use.
    public private(set) var acceptsConditions = false

    /// Creates a configuration without settings.
    public init() {}

    /// Creates settings for the routers of the public network's preset operators, which any phone can reach.
    ///
    /// - Parameter acceptingConditions: whether you accept the operators' conditions of use
    ///   (https://github.com/simplex-chat/simplex-chat/blob/stable/PRIVACY.md). No router is contacted before they are accepted: if this is false,
    ///   and they were not accepted for the data folder before, bots do not start, and ``HostError`` `conditionsNotAccepted` has the address of
    ///   the valid version.
    public static func presetOperators(acceptingConditions: Bool) -> HostNetwork {
        var network = HostNetwork()
        (network.usesPresetOperators, network.acceptsConditions) = (true, acceptingConditions)
        return network
    }

    /// Sets a value.
    ///
    /// - Throws: ``Fault`` for a value that the key cannot have.
    public mutating func set(_ key: Key, to text: String) throws(Fault) {
        switch key {
        case .socksProxy:
            if text == "off" { return options.proxy = NetworkOptions.Proxy.none }
            guard let proxy = SOCKSProxy(parsing: text) else {
                throw Fault(description: "\"\(text.beginning)\" is not host:port of a SOCKS5 proxy", words: [])
            }
            options.proxy = .socks(proxy)
        case .socksMode: options.socksMode = try Self.word(text, Self.words(of: NetworkOptions.SOCKSMode.allCases))
        case .hostMode: options.hostMode = try Self.word(text, Self.words(of: NetworkOptions.HostMode.allCases))
        case .requiredHostMode: options.requiresHostMode = try Self.word(text, [("on", true), ("off", false)])
        case .smpProxy: options.privateRouting = try Self.word(text, Self.words(of: PrivateRoutingPolicy.Mode.allCases))
        case .smpProxyFallback:
            options.privateRoutingFallback = try Self.word(text, [("yes", .allow), ("protected", .allowProtected), ("no", .prohibit)])
        case .operators: usesPresetOperators = try Self.word(text, [("preset", true), ("none", false)])
        case .acceptConditions: acceptsConditions = try Self.word(text, [("yes", true), ("no", false)])
        case .service: options.usesServices = try Self.word(text, [("on", true), ("off", false)])
        case .tcpTimeout:
            guard let seconds = Int64(text), (1...3600).contains(seconds) else {
                throw Fault(description: "\"\(text.beginning)\" is not a number of seconds from 1 to 3600", words: [])
            }
            options.timeout = seconds
        case .retryPause:
            guard let milliseconds = Int64(text), (10...60_000).contains(milliseconds) else {
                throw Fault(description: "\"\(text.beginning)\" is not a number of milliseconds from 10 to 60000", words: [])
            }
            options.retryPause = .milliseconds(milliseconds)
        }
    }

    private static func words<Word: RawRepresentable<String>>(of all: [Word]) -> [(String, Word)] { all.map { ($0.rawValue, $0) } }

    private static func word<Word>(_ text: String, _ words: [(String, Word)]) throws(Fault) -> Word {
        if let word = words.first(where: { $0.0 == text }) { return word.1 }
        let known = words.map(\.0)
        throw Fault(description: "\"\(text.beginning)\" is not one of \(known.joined(separator: ", "))", words: known)
    }
}

extension String {
    /// The beginning of a text, long enough to identify it in a message.
    fileprivate var beginning: String { count > 60 ? prefix(60) + "…" : self }
}
