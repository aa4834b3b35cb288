package import ChatAPI
import ChatProtocol
import SMPProtocol
import SMPWire

/// The servers of one profile, and whose they are.
package struct UserServerSet {
    package var operators: [ServerOperator]
    package var smpServers: [UserServer] = []
    package var xftpServers: [UserServer] = []
    package var chatRelays: [UserChatRelay] = []

    package init(
        operators: [ServerOperator], smpServers: [UserServer] = [], xftpServers: [UserServer] = [], chatRelays: [UserChatRelay] = []
    ) {
        self.operators = operators
        self.smpServers = smpServers
        self.xftpServers = xftpServers
        self.chatRelays = chatRelays
    }

    /// Operator by operator; last those of nobody known.
    package var byOperator: [UserOperatorServers] {
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
    package func only(_ kind: ServerProtocol) -> UserServerSet {
        UserServerSet(operators: operators, smpServers: kind == .smp ? smpServers : [], xftpServers: kind == .xftp ? xftpServers : [])
    }

    package var onlyRelays: UserServerSet { UserServerSet(operators: operators, chatRelays: chatRelays) }
}

extension ServerOperator {
    /// Tells whether a server is the operator's, by its domain.
    package func runs(_ address: String) -> Bool {
        guard let hosts = RouterHosts.parse(address) else { return false }
        return serverDomains.contains { domain in hosts.contains { $0.belongs(to: domain) } }
    }
}

// MARK: Replacing the servers of one kind

extension UserOperatorServers {
    /// Servers of one protocol replaced: those that came with the core are not used any more, others are deleted, and the new ones are
    /// nobody's.
    package func replacing(_ kind: ServerProtocol, by addresses: [String]) -> UserOperatorServers {
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
    package func replacingRelays(by relays: [NewChatRelay]) -> UserOperatorServers {
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
