import ChatRules
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire

// Links, and how two parties connect by them.

extension ConnectionSimulator.State {
    /// A connection without a link.
    mutating func newConnection(_ device: String, _ user: AgentUserID, _ stage: SimulatedConnection.Stage) throws(AgentError) -> SimulatedConnection {
        guard let server = devices[device]?.users[user] else { throw AgentError(.noUser) }
        let connection = SimulatedConnection(id: ConnectionID(random.bytes(12)), device: device, user: user, server: server, stage: stage)
        connections[connection.id] = connection
        return connection
    }

    func connection(_ id: ConnectionID) throws(AgentError) -> SimulatedConnection {
        guard let connection = connections[id] else { throw .noConnection(id) }
        return connection
    }

    /// The invitation or address that a full link leads to.
    private func target(of link: ConnectionRequestURI) throws(AgentError) -> SimulatedConnection {
        guard let address = link.request.queues.first?.address else { throw .prohibited("join: a link without queues") }
        guard let id = queues[address.senderID], let target = connections[id] else { throw .gone(address.server) }
        return target
    }

    /// Joins an invitation by its link.
    mutating func join(_ id: ConnectionID, _ link: ConnectionRequestURI, info: Bytes) throws(AgentError) {
        try join(id, to: try target(of: link).id, info: info)
    }

    /// Joins an invitation. The party that made it is asked to allow it.
    mutating func join(_ id: ConnectionID, to invitation: ConnectionID, info: Bytes) throws(AgentError) {
        var connection = try connection(id)
        // An earlier call has done it.
        guard connection.stage == .new else { return }
        guard let target = connections[invitation] else { throw .gone(connection.server) }
        guard target.stage == .invitation, target.peer == nil else { throw .gone(target.server) }
        connection.stage = .duplex
        connection.peer = target.id
        connection.securityCode = Hash.sha256(id.bytes + target.id.bytes)
        connections[id] = connection
        connections[target.id]?.peer = id
        connections[target.id]?.securityCode = connection.securityCode
        let confirmation = ConfirmationID(random.bytes(12))
        confirmations[confirmation] = target.id
        reportDurably(.confirmation(confirmation, pqSupport: false, servers: [connection.server], info: info), of: target.id)
    }

    /// Asks to connect by a contact address. The connection becomes an invitation that its owner can join.
    mutating func ask(_ id: ConnectionID, _ link: ConnectionRequestURI, info: Bytes) throws(AgentError) {
        let connection = try connection(id)
        guard connection.stage == .new else { return }
        let target = try target(of: link)
        guard target.stage == .address else { throw .prohibited("join: not an address") }
        connections[id]?.stage = .invitation
        let request = InvitationID(random.bytes(12))
        requests[request] = id
        reportDurably(.request(request, pqSupport: false, servers: [connection.server], info: info), of: target.id)
    }

    /// Allows the party that has joined. Both hear that they are connected.
    mutating func allow(_ id: ConnectionID, _ confirmation: ConfirmationID, info: Bytes) throws(AgentError) {
        let connection = try connection(id)
        guard connection.stage == .invitation else {
            // A repeated call has nothing to add.
            if connection.stage == .duplex { return }
            throw .prohibited("allowConnection")
        }
        guard confirmations[confirmation] == id, let peer = connection.peer else {
            throw AgentError(.connection(.notFound, context: "no confirmation \(confirmation)"))
        }
        confirmations[confirmation] = nil
        connections[id]?.stage = .duplex
        for party in [id, peer] { connections[party]?.isConnected = true }
        reportDurably(.information(pqSupport: false, info: info), of: peer)
        for party in [peer, id] {
            reportDurably(.connected(pqEncryption: false), of: party)
            deliver(to: party)
        }
    }

    // MARK: Short links

    /// Gives a connection a short link.
    mutating func openLink(
        _ key: LinkKey, to id: ConnectionID, _ request: ConnectionRequestURI, _ content: UserConnectionLinkData, identity: LinkIdentity? = nil
    ) {
        let signingKey = identity?.key ?? Ed25519.generateKeyPair(random).privateKey
        let fixed = FixedLinkData(rootKey: signingKey.publicKey, connectionRequest: request, linkEntityID: identity?.entityID)
        links[key] = SimulatedLink(connection: id, fixed: fixed, user: ConnectionLinkData(content: content), key: signingKey)
        connections[id]?.link = key
    }

    /// Reads a short link. The first agent that reads a one-time link is the only one.
    mutating func open(_ link: ConnectionShortLink, by device: String) throws(AgentError) -> ResolvedLink {
        guard var known = links[link.key], let connection = connections[known.connection] else { throw .gone(link.server) }
        if link.mode == .invitation {
            guard connection.peer == nil, known.openedBy == nil || known.openedBy == device else { throw .gone(link.server) }
            known.openedBy = device
            links[link.key] = known
        }
        return ResolvedLink(fixed: known.fixed, user: known.user)
    }
}

extension SimulatedConnection {
    /// The short link; nil if there is none.
    var shortLink: ConnectionShortLink? {
        guard let link else { return nil }
        return stage == .address
            ? .contact(scheme: .server, type: .contact, server: server, key: link)
            : .invitation(scheme: .server, server: server, linkID: LinkID(Array(link.bytes.prefix(24))), key: link)
    }
}
