import SMPClient
package import SMPCrypto
package import SMPProtocol
import SMPWire
import SystemSupport

extension SMPAgent {
    /// Sets the data of a connection's short link; makes the link if a contact address has none.
    ///
    /// - Throws: `CMD PROHIBITED` for an invitation without a short link, or link data whose owners are not valid.
    package func setShortLink(
        _ connection: ConnectionID, linkData: UserConnectionLinkData, clientData: String? = nil
    ) async throws(AgentError) -> ConnectionShortLink {
        try await withLive(connection) { access, state throws(AgentError) in
            guard let queue = state.receiveQueues.first, state.kind == .contact || state.kind == .receive,
                linkData.mode == state.record.mode
            else { throw .prohibited("setConnShortLink: invalid connection or mode") }
            try core.checkOwners(linkData, queue.link)
            let link: PreparedLink
            if let credentials = queue.link {
                link = try core.changedLink(credentials, linkData)
            } else {
                guard state.kind == .contact else { throw .prohibited("setConnShortLink: no ShortLinkCreds in invitation") }
                var address = queue.senderAddress
                address.mode = .contact
                let request = core.link(address, [], nil, clientData)
                link = try core.prepareLink(to: request, data: linkData)
            }
            guard let linkID = link.linkID else { throw AgentError(.internal("setConnShortLink: the link has no id")) }
            var transition = Transition(state)
            let credentials = ShortLinkCredentials(
                linkID: linkID, linkKey: link.linkKey, privateKey: link.privateKey, rootKey: queue.link?.rootKey,
                encryptedFixedData: link.data.fixedData)
            // Stored first: a link whose setting is interrupted is set again with the same keys.
            if queue.link == nil {
                transition.updateReceiveQueue(queue.row) { $0.link = credentials }
                try await access.commit(transition)
            }
            try await core.send(
                .lset(linkID, link.data), name: "LSET", entity: queue.recipientID, key: queue.privateKey, to: queue.server,
                for: state.record.owner)
            FailPoint.agentLinkSet.pass()
            return queue.shortLink(credentials, state.record.mode)
        }
    }

    /// Deletes the link's data on the router.
    package func deleteShortLink(_ connection: ConnectionID) async throws(AgentError) {
        try await withLive(connection) { access, state throws(AgentError) in
            guard let queue = state.receiveQueues.first, state.kind == .contact || state.kind == .receive else {
                throw .prohibited("deleteConnShortLink: not contact address")
            }
            try await core.send(
                .ldel, name: "LDEL", entity: queue.recipientID, key: queue.privateKey, to: queue.server, for: state.record.owner)
        }
    }

    /// The key that signs the data of a connection's short link; nil without a link.
    package func linkPrivateKey(of connection: ConnectionID) async throws(AgentError) -> Ed25519.PrivateKey? {
        try await core.withConnection(connection) { access throws(AgentError) in
            try await access.liveState().receiveQueues.first?.link?.privateKey
        }
    }

    /// Gets and verifies the data of a short link.
    ///
    /// A one-time link is secured with a key that ``join(user:connection:link:info:pqSupport:subscription:)`` uses later: only the
    /// agent that resolved it can resolve it again.
    ///
    /// - Throws: `AGENT A_LINK` if the data does not match the link; `SMP AUTH` if it is gone or taken.
    package func resolveShortLink(user: AgentUserID, link: ConnectionShortLink) async throws(AgentError) -> ResolvedLink {
        try core.checkActive()
        let secrets = try core.linkSecrets(link.key, link.mode)
        let senderID: SenderID
        let data: QueueLinkData
        switch link {
        case .invitation(_, let server, let linkID, let key):
            (senderID, data) = try await core.secureLink(server, linkID, key, user)
        case .contact(_, _, let server, _):
            let response = try await core.requestPrivately(
                SMPRequest(entity: secrets.linkID ?? .none, command: .lget), to: server,
                for: SessionOwner(user: user, entity: secrets.linkID?.bytes)
            ).message
            guard case .lnk(let itsSenderID, let itsData) = response else {
                throw AgentError(unexpected: response, to: "LGET", server: server)
            }
            (senderID, data) = (itsSenderID, itsData)
        }
        return try core.open(data, link, senderID, secrets)
    }

    /// Forgets the key of a one-time link that was resolved and will not be joined.
    package func forgetInvitationLink(_ link: ConnectionShortLink) async throws(AgentError) {
        guard case .invitation(_, let server, let linkID, _) = link else { return }
        let core = core
        try await core.stored { try await core.store.apply([.deleteInvitationLink(server: server, linkID: linkID)]) }
    }
}

extension AgentCore {
    func linkSecrets(_ key: LinkKey, _ mode: ConnectionMode) throws(AgentError) -> LinkSecrets {
        do {
            return try LinkSecrets(key, mode: mode)
        } catch {
            throw AgentError(receiving: error)
        }
    }

    fileprivate func checkOwners(_ data: UserConnectionLinkData, _ link: ShortLinkCredentials?) throws(AgentError) {
        guard case .contact(let contact) = data else { return }
        guard let link else {
            guard contact.owners.isEmpty else { throw .prohibited("setConnShortLink: no link credentials with additional owners") }
            return
        }
        let ownKey = link.privateKey.publicKey
        guard link.rootKey == nil || contact.owners.contains(where: { $0.key == ownKey }) else {
            throw .prohibited("setConnShortLink: no current owner in link data")
        }
        do {
            try contact.validateOwners(root: link.rootKey ?? ownKey)
        } catch {
            throw .prohibited("setConnShortLink: \(error.message)")
        }
    }

    /// The link with other user data.
    fileprivate func changedLink(
        _ credentials: ShortLinkCredentials, _ data: UserConnectionLinkData
    ) throws(AgentError) -> PreparedLink {
        let signed = SignedLinkData(
            ConnectionLinkData(agentVersions: configuration.agentVersions, content: data), signedBy: credentials.privateKey)
        let secrets = try linkSecrets(credentials.linkKey, data.mode)
        do {
            let userData = try signed.seal(secrets.dataKey, nonce: .random(random))
            return PreparedLink(
                linkKey: credentials.linkKey, privateKey: credentials.privateKey, linkID: credentials.linkID,
                data: QueueLinkData(fixedData: credentials.encryptedFixedData, userData: userData))
        } catch {
            throw AgentError(error)
        }
    }

    /// Secures the queue of a one-time link, with the same key each time, and gets the link's data.
    fileprivate func secureLink(
        _ server: SMPServerAddress, _ linkID: LinkID, _ key: LinkKey, _ user: AgentUserID
    ) async throws(AgentError) -> (SenderID, QueueLinkData) {
        var record: InvitationLinkRecord
        let known = try await stored { try await store.invitationLink(server: server, linkID: linkID) }
        if let known, known.linkKey == key {
            record = known
        } else {
            record = InvitationLinkRecord(
                server: server, linkID: linkID, linkKey: key, senderKey: configuration.queueKeys.generateKey(random))
            let change = StoreChange.setInvitationLink(record)
            try await stored { try await store.apply([change]) }
        }
        let response = try await requestPrivately(
            SMPRequest(entity: linkID, command: .lkey(record.senderKey.publicKey), authKey: record.senderKey), to: server,
            for: SessionOwner(user: user, entity: linkID.bytes)
        ).message
        guard case .lnk(let senderID, let data) = response else { throw AgentError(unexpected: response, to: "LKEY", server: server) }
        record.senderID = senderID
        let change = StoreChange.setInvitationLink(record)
        try await stored { try await store.apply([change]) }
        return (senderID, data)
    }

    /// Decrypts and verifies a link's data, and that it leads to the queue that the router says it belongs to.
    fileprivate func open(
        _ data: QueueLinkData, _ link: ConnectionShortLink, _ senderID: SenderID, _ secrets: LinkSecrets
    ) throws(AgentError) -> ResolvedLink {
        var fixed: FixedLinkData
        let user: ConnectionLinkData
        do {
            (fixed, user) = try data.open(link.key, mode: link.mode, dataKey: secrets.dataKey)
        } catch {
            throw AgentError(error)
        }
        guard let address = fixed.connectionRequest.request.queues.first?.address, address.senderID == senderID,
            let host = link.server.hosts.first, address.server.hosts.contains(host)
        else { throw .peer(.link("different address")) }
        // The link may name the router by another of its addresses: that one is known to work.
        if address.server != link.server { fixed.connectionRequest = fixed.connectionRequest.with(server: link.server) }
        return ResolvedLink(fixed: fixed, user: user)
    }
}

extension ConnectionRequestURI {
    /// The same link with another address of the first queue's router.
    func with(server: SMPServerAddress) -> ConnectionRequestURI {
        var request = request
        if !request.queues.isEmpty { request.queues[0].address.server = server }
        return switch self {
        case .invitation(_, let parameters): .invitation(request, parameters)
        case .contact: .contact(request)
        }
    }
}
