import ChatAPI
import ChatProtocol
import SMPAgent
import SMPProtocol
import SMPWire

/// The servers of one profile, and whose they are.
struct UserServerSet {
    var operators: [ServerOperator]
    var smpServers: [UserServer] = []
    var xftpServers: [UserServer] = []
    var chatRelays: [UserChatRelay] = []

    /// Operator by operator; last those of nobody known.
    var byOperator: [UserOperatorServers] {
        var groups = operators.map { UserOperatorServers(serverOperator: $0, smpServers: [], xftpServers: [], chatRelays: []) }
        groups.append(UserOperatorServers(smpServers: [], xftpServers: [], chatRelays: []))
        for server in smpServers { groups[index(of: server)].smpServers.append(server) }
        for server in xftpServers { groups[index(of: server)].xftpServers.append(server) }
        for relay in chatRelays {
            let owner = operators.firstIndex { !Set($0.serverDomains).isDisjoint(with: relay.domains) }
            groups[owner ?? operators.count].chatRelays.append(relay)
        }
        return groups
    }

    private func index(of server: UserServer) -> Int {
        operators.firstIndex { $0.runs(server.server) } ?? operators.count
    }

    /// The servers of one protocol and nothing else.
    func only(_ kind: ServerProtocol) -> UserServerSet {
        UserServerSet(operators: operators, smpServers: kind == .smp ? smpServers : [], xftpServers: kind == .xftp ? xftpServers : [])
    }

    var onlyRelays: UserServerSet { UserServerSet(operators: operators, chatRelays: chatRelays) }

    /// Routers that the agent is to use, and what for.
    var usedRouters: [AgentServer] {
        smpServers.compactMap { server in
            guard server.enabled, let address = try? SMPServerWithAuth(wireString: server.server) else { return nil }
            let owner = operators.first { $0.runs(server.server) }
            guard owner?.enabled ?? true else { return nil }
            return AgentServer(
                address, operatorID: owner?.operatorID?.rawValue, isForStorage: owner?.smpRoles.storage ?? true, isForProxy: owner?.smpRoles.proxy ?? true)
        }
    }
}

extension ServerOperator {
    /// Tells whether a server is the operator's, by its domain.
    func runs(_ address: String) -> Bool {
        guard let hosts = RouterHosts.parse(address) else { return false }
        return serverDomains.contains { domain in hosts.contains { $0.belongs(to: domain) } }
    }
}

// MARK: Replacing the servers of one kind

extension UserOperatorServers {
    /// Servers of one protocol replaced: those that came with the core are not used any more, others are deleted, and the new ones are
    /// nobody's.
    func replacing(_ kind: ServerProtocol, by addresses: [String]) -> UserOperatorServers {
        let new = serverOperator == nil ? addresses.map { UserServer(server: $0, isPreset: false, enabled: true, deleted: false) } : []
        var copy = self
        switch kind {
        case .smp: copy.smpServers = smpServers.map(\.dropped) + new
        case .xftp: copy.xftpServers = xftpServers.map(\.dropped) + new
        case .ntf: break
        }
        return copy
    }

    /// The same with relays.
    func replacingRelays(by relays: [NewChatRelay]) -> UserOperatorServers {
        var copy = self
        copy.chatRelays = chatRelays.map { relay in
            var relay = relay
            if relay.preset { relay.enabled = false } else { relay.deleted = true }
            return relay
        }
        guard serverOperator == nil else { return copy }
        copy.chatRelays += relays.map {
            UserChatRelay(
                address: $0.address, relayProfile: RelayProfile(displayName: $0.name, fullName: ""), domains: [""], preset: false, enabled: true,
                deleted: false)
        }
        return copy
    }
}

extension UserServer {
    fileprivate var dropped: UserServer {
        var copy = self
        if isPreset { copy.enabled = false } else { copy.deleted = true }
        return copy
    }
}
