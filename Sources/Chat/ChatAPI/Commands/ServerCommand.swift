import ChatProtocol

/// Commands about servers and the network.
public enum ServerCommand: Sendable, Hashable {
    /// Tells the servers of a profile, by operator.
    case userServers(user: UserID)
    /// Replaces the servers of a profile.
    case setUserServers(user: UserID, [UserOperatorServers])
    /// Checks a list of servers.
    case validate(user: UserID, [UserOperatorServers])
    /// Tells the servers of one protocol of the active profile.
    case protocolServers(ServerProtocol)
    /// Replaces the servers of one protocol of the active profile.
    case setProtocolServers(ServerProtocol, [String])
    /// Tests a server.
    case test(user: UserID?, server: String)
    /// Tests a chat relay by its address.
    case testRelay(user: UserID?, address: String)
    /// Tells the chat relays of the active profile.
    case relays
    /// Replaces the chat relays of the active profile.
    case setRelays([NewChatRelay])
    /// Tells the operators and their conditions of use.
    case operators
    /// Changes operators.
    case setOperators([ServerOperator])
    /// Changes what operators are used for.
    case setOperatorRoles([ServerOperatorRoles])
    /// Tells the conditions of use.
    case conditions
    /// Notes that conditions were shown.
    case setConditionsNotified(UsageConditionsID)
    /// Accepts conditions for operators.
    case acceptConditions(UsageConditionsID, operators: [ServerOperatorID])
    /// Tells how the core connects to servers.
    case networkConfig
    /// Sets how the core connects to servers.
    case setNetworkConfig(NetworkConfig)
    /// Changes some of it: options as people write them, such as `socks=off timeout=10`.
    case changeNetwork(String)
    /// Tells the core what an app knows of the network.
    case setNetworkInfo(UserNetworkInfo)
    /// Connects to all servers anew.
    case reconnectAll
    /// Connects to one server anew.
    case reconnect(user: UserID, server: String)
}

/// A protocol that servers speak.
public enum ServerProtocol: String, Sendable, Hashable {
    /// They route messages.
    case smp
    /// They store files.
    case xftp
    /// They notify.
    case ntf
}

/// A chat relay to be used.
public struct NewChatRelay: Sendable, Hashable {
    /// Name.
    public var name: String
    /// Address: a short link.
    public var address: String

    /// Names a relay.
    public init(name: String, address: String) {
        self.name = name
        self.address = address
    }
}

/// The uses of an operator's servers.
public struct ServerOperatorRoles: Sendable, Hashable {
    /// The operator.
    public var operatorID: ServerOperatorID
    /// True if the servers are used.
    public var enabled: Bool
    /// The uses of SMP routers.
    public var smpRoles: ServerRoles
    /// The uses of file routers.
    public var xftpRoles: ServerRoles

    /// Sets the uses of the servers.
    public init(operatorID: ServerOperatorID, enabled: Bool, smpRoles: ServerRoles, xftpRoles: ServerRoles) {
        self.operatorID = operatorID
        self.enabled = enabled
        self.smpRoles = smpRoles
        self.xftpRoles = xftpRoles
    }
}

extension ServerCommand {
    var commandString: String {
        switch self {
        case .userServers(let user): "/_servers \(user)"
        case .setUserServers(let user, let servers): "/_servers \(user) \(CommandText.json(servers))"
        case .validate(let user, let servers): "/_validate_servers \(user) \(CommandText.json(servers))"
        case .protocolServers(let kind): "/\(kind.rawValue)"
        case .setProtocolServers(let kind, let servers): "/\(kind.rawValue) \(servers.isEmpty ? "default" : servers.joined(separator: " "))"
        case .test(let user?, let server): "/_server test \(user) \(server)"
        case .test(nil, let server): "/\(server.prefix { $0 != ":" }) test \(server)"
        case .testRelay(let user?, let address): "/_relay test \(user) \(address)"
        case .testRelay(nil, let address): "/relay test \(address)"
        case .relays: "/relays"
        case .setRelays(let relays): "/relays " + relays.map { "name=\($0.name) \($0.address)" }.joined(separator: " ")
        case .operators: "/_operators"
        case .setOperators(let operators): "/_operators \(CommandText.json(operators))"
        case .setOperatorRoles(let roles): "/operators " + roles.map(\.words).joined(separator: ",")
        case .conditions: "/_conditions"
        case .setConditionsNotified(let id): "/_conditions_notified \(id)"
        case .acceptConditions(let id, let operators): "/_accept_conditions \(id) \(CommandText.list(operators))"
        case .networkConfig: "/network"
        case .setNetworkConfig(let config): "/_network \(CommandText.json(config))"
        case .changeNetwork(let options): "/network \(options)"
        case .setNetworkInfo(let info): "/_network info \(CommandText.json(info))"
        case .reconnectAll: "/reconnect"
        case .reconnect(let user, let server): "/reconnect \(user) \(server)"
        }
    }
}

extension ServerOperatorRoles {
    fileprivate var words: String {
        "\(operatorID):\(CommandText.flag(enabled)):smp=\(smpRoles.word):xftp=\(xftpRoles.word)"
    }
}

extension ServerRoles {
    fileprivate var word: String {
        switch (storage, proxy) {
        case (true, true): "on"
        case (true, false): "storage"
        case (false, true): "proxy"
        case (false, false): "off"
        }
    }
}
