internal import ChatEngine
internal import ChatRules
internal import SMPClient
package import SMPProtocol
internal import SMPTransport
internal import SMPWire

/// A router that a configuration names, without its password in any text.
package struct RouterTarget: Sendable, Hashable {
    enum Address: Sendable, Hashable {
        case messages(SMPServerWithAuth)
        case files(XFTPServerWithAuth)
    }

    let address: Address

    /// True for a file router.
    package var isForFiles: Bool { if case .files = address { true } else { false } }

    /// The address without the password.
    package var text: String {
        switch address {
        case .messages(let router): router.server.wireString
        case .files(let router): router.server.wireString
        }
    }

    /// The names and network addresses.
    package var hosts: [TransportHost] {
        switch address {
        case .messages(let router): router.server.hosts
        case .files(let router): router.server.hosts
        }
    }

    /// The first host, with the port if the address names one: a short name for reports.
    package var name: String {
        let port =
            switch address {
            case .messages(let router): router.server.port
            case .files(let router): router.server.port
            }
        let host = hosts.first?.wireString ?? ""
        return port.map { "\(host):\($0)" } ?? host
    }

    /// True if the address has a password.
    package var hasPassword: Bool {
        switch address {
        case .messages(let router): router.basicAuth != nil
        case .files(let router): router.basicAuth != nil
        }
    }

    /// Reads the address of a router.
    ///
    /// - Throws: ``HostError`` `serverAddress`.
    package init(_ text: String) throws(HostError) {
        address = text.hasPrefix("xftp:") ? .files(try CoreHost.fileAddress(text)) : .messages(try CoreHost.address(text))
    }

    /// The routers that a configuration names: those of the preset operators that new profiles can get, or the listed ones. Empty for routers inside the
    /// process.
    ///
    /// - Throws: ``HostError`` `serverAddress`, `serversAndOperators`.
    package static func all(in configuration: HostConfiguration) throws(HostError) -> [RouterTarget] {
        try configuration.requireOneNetwork()
        if configuration.network.usesPresetOperators {
            return PresetOperator.publicNetwork.flatMap { provider in
                (provider.smpServers + provider.xftpServers).filter(\.isEnabled).compactMap { try? RouterTarget($0.address) }
            }
        }
        var targets: [RouterTarget] = []
        for text in configuration.servers { targets.append(RouterTarget(address: .messages(try CoreHost.address(text)))) }
        for text in configuration.fileServers { targets.append(RouterTarget(address: .files(try CoreHost.fileAddress(text)))) }
        return targets
    }

    private init(address: Address) { self.address = address }
}

/// The way to routers that a configuration of the network sets.
package struct RouterNetwork: Sendable {
    let settings: NetworkConfiguration

    /// - Parameter network: the settings of a bots.yaml and the command line.
    package init(_ network: HostNetwork) {
        let options = network.options
        var settings = NetworkConfiguration()
        if case .some(.socks(let proxy)) = options.proxy { settings.socksProxy = proxy }
        if let mode = options.socksMode { settings.socksMode = mode }
        if let mode = options.hostMode { settings.hostMode = mode }
        if let isRequired = options.requiresHostMode { settings.isHostModeRequired = isRequired }
        self.settings = settings
    }

    /// The SOCKS proxy; nil for none.
    package var proxy: (host: String, port: Int)? { settings.socksProxy.map { ($0.host, $0.port) } }

    /// The hosts of a router that this machine looks up by itself: names, in the order in which they are tried.
    package func lookedUpNames(of target: RouterTarget) -> [String] { reached(target).filter { $0.isName && !settings.usesProxy(for: $0) }.map(\.description) }

    /// The hosts of a router that are tried, in their order.
    package func reached(_ target: RouterTarget) -> [TransportHost] {
        switch target.address {
        case .messages(let router): settings.hosts(of: router.server)
        case .files(let router): settings.hosts(of: router.server)
        }
    }

    /// True if no connection to the router shows it the address of this machine.
    package func hidesAddress(from target: RouterTarget) -> Bool {
        switch target.address {
        case .messages(let router): settings.hidesAddress(from: router.server)
        case .files(let router): settings.hidesAddress(from: router.server)
        }
    }
}

extension TransportHost {
    /// True for a domain name.
    fileprivate var isName: Bool { if case .domain = self { true } else { false } }
}
