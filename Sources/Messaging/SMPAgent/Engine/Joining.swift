import Logging
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire

/// The parameters of a call to join.
struct JoinRequest: Sendable {
    let link: ConnectionRequestURI
    let info: Bytes
    let pqSupport: Bool
    let subscription: SubscriptionMode
    /// The request that is accepted by this.
    var invitation: InvitationID?
    /// True if the store has a command to do this, which lasts until it is done or has failed permanently.
    var isStored = false
}

extension AgentCore {
    /// Joins by a link, going on from whatever an earlier attempt has reached.
    ///
    /// While it is not finished, the store has a command that finishes it after a restart. An error ends that: the caller repeats the
    /// call if it wants to.
    func join(_ request: JoinRequest, _ access: ConnectionAccess) async throws(AgentError) -> Bool {
        do {
            return switch request.link {
            case .invitation: try await joinInvitation(request, access)
            case .contact: try await askToConnect(request, access)
            }
        } catch {
            if !request.isStored, let row = access.active.state?.record.row { store.applyLater([.deleteJoinCommands(row)]) }
            throw error
        }
    }

    private static func command(_ request: JoinRequest, _ record: ConnectionRecord, _ random: any RandomSource, at time: Int64) -> StoreChange {
        .insertCommand(
            CommandRecord(
                row: random.rowID(), connection: record.row,
                kind: .join(
                    request.link, info: request.info, pqSupport: request.pqSupport,
                    subscribe: request.subscription == .subscribe), createdAt: time))
    }

    // MARK: Invitations

    private func joinInvitation(_ request: JoinRequest, _ access: ConnectionAccess) async throws(AgentError) -> Bool {
        guard let link = CompatibleInvitation(request.link, configuration) else { throw .peer(.version) }
        var state = try await access.state()
        // An earlier attempt has stored our confirmation: it is on its way.
        if state.kind == .duplex, state.record.lastSentID > 0, let queue = state.sendQueues.first {
            // It may have been the stored command, which does not know the request.
            if let invitation = request.invitation { store.applyLater([.acceptInvitation(invitation)]) }
            return queue.senderCanSecure && state.record.agentVersion >= AgentVersion.ratchetOnConfirmation
        }
        switch state.kind {
        case .new: state = try await startJoining(link, request, access)
        case .send, .duplex: break
        case .receive, .contact: throw .prohibited("join: the connection is \(state.kind.rawValue)")
        }
        var transition = Transition(state)
        let isSecured = try await secureSendQueue(&transition)
        let made = state.kind == .send ? try await createReplyQueues(link, request, transition) : []
        for queue in made { transition.add(queue) }
        guard let sendQueue = transition.state.sendQueues.first, !transition.state.receiveQueues.isEmpty else {
            throw AgentError(.internal("join: a queue is missing"))
        }
        let reached = transition
        var refusal: AgentError?
        try await storing(made, of: reached.record, request.subscription) { () throws(AgentError) in
            refusal = try await confirm(sendQueue, request, reached, access)
        }
        if let refusal { throw refusal }
        return isSecured
    }

    /// Stores keys, ratchet and queue before anything is sent, and that the joining must be finished.
    private func startJoining(
        _ link: CompatibleInvitation, _ request: JoinRequest, _ access: ConnectionAccess
    ) async throws(AgentError) -> ConnectionState {
        let address = link.queue.address
        // Opening a short link has secured the queue already.
        let opened = try await stored { try await store.invitationLink(server: address.server, senderID: address.senderID) }
        var transition = Transition(try await access.state())
        try transition.startJoining(link, pqSupport: request.pqSupport, linkKey: opened?.senderKey, context)
        if let opened { transition.add(.deleteInvitationLink(server: opened.server, linkID: opened.linkID)) }
        if !request.isStored { transition.add(Self.command(request, transition.record, random, at: now)) }
        try await access.commit(transition)
        return try await access.state()
    }

    /// Secures the peer's queue as its sender, if it is one that its sender secures. Doing that twice is the same as once: that it is done is
    /// stored with what follows.
    ///
    /// - Returns: true if messages can be sent to it before the peer answers.
    func secureSendQueue(_ transition: inout Transition) async throws(AgentError) -> Bool {
        let record = transition.record
        guard let queue = transition.state.sendQueues.first, queue.senderCanSecure else { return false }
        if queue.status == .new {
            try await sendPrivately(
                .skey(queue.privateKey.publicKey), name: "SKEY", entity: queue.senderID, key: queue.privateKey, to: queue.server,
                for: record.owner)
            transition.updateSendQueue(queue.row) { $0.status = .secured }
        }
        return record.agentVersion >= AgentVersion.ratchetOnConfirmation
    }

    /// Makes the queues that the peer will send to.
    private func createReplyQueues(
        _ link: CompatibleInvitation, _ request: JoinRequest, _ transition: Transition
    ) async throws(AgentError) -> [ReceiveQueue] {
        let record = transition.record
        guard let sendQueue = transition.state.sendQueues.first else { throw AgentError(.internal("join: no queue to send to")) }
        let server = try server(of: record.user, avoiding: [link.queue.address.server])
        let queue = try await createQueue(
            PreparedQueue(random), on: server, for: record.owner, mode: .invitation,
            clientVersions: VersionRange(sendQueue.clientVersion), subscription: request.subscription)
        let additions = await createAdditions(
            besides: server.server, for: record.owner, clientVersions: VersionRange(sendQueue.clientVersion),
            subscription: request.subscription)
        return [queue] + additions
    }

    /// Stores our confirmation, and with it what was done on the way. From here on the joining is a message that will be sent.
    ///
    /// - Returns: why there can be no confirmation; the rest is stored.
    private func confirm(
        _ sendQueue: SendQueue, _ request: JoinRequest, _ reached: Transition, _ access: ConnectionAccess
    ) async throws(AgentError) -> AgentError? {
        var transition = reached
        var surplus: [ReceiveQueue] = []
        do throws(AgentError) {
            surplus = try announcing(reached.state.receiveQueues) { queues throws(AgentError) in
                transition = reached
                let replyQueues = queues.map { SMPQueueInfo(clientVersion: $0.clientVersion, address: $0.senderAddress) }
                try transition.enqueueConfirmation(
                    .connectionInfoReply(replyQueues, info: request.info), parameters: reached.state.sentParameters, queue: sendQueue.row, context)
            }
        } catch {
            // What routers have made must be known: it is deleted with the connection.
            try await access.commit(reached)
            return error
        }
        for queue in surplus { transition.removeReceiveQueue(queue.row) }
        if !request.isStored { transition.add(.deleteJoinCommands(reached.connection)) }
        if let invitation = request.invitation { transition.add(.acceptInvitation(invitation)) }
        try await access.commit(transition)
        await discard(surplus, for: reached.record.owner)
        return nil
    }

    /// Makes a message that announces queues besides other things: all of them or, if that is too long, as many as fit.
    ///
    /// - Returns: those that do not.
    private func announcing(
        _ queues: [ReceiveQueue], _ make: ([ReceiveQueue]) throws(AgentError) -> Void
    ) throws(AgentError) -> [ReceiveQueue] {
        var count = queues.count
        while true {
            do throws(AgentError) {
                try make(Array(queues.prefix(count)))
                break
            } catch {
                guard count > 1, case .command(.large, _) = error.reason else { throw error }
                count -= 1
            }
        }
        let surplus = Array(queues.dropFirst(count))
        if !surplus.isEmpty { log.warning("a connection has fewer queues than it should: its profile leaves no room to announce them") }
        return surplus
    }

    /// Asks the router of a contact address to pass on an invitation to us.
    private func askToConnect(_ request: JoinRequest, _ access: ConnectionAccess) async throws(AgentError) -> Bool {
        guard let contact = CompatibleContact(request.link, configuration) else { throw .peer(.version) }
        let address = contact.queue.address
        var state = try await access.state()
        switch state.kind {
        case .new: state = try await createInvitation(contact, request, access)
        case .receive where state.receiveQueues[0].status == .new: break
        default: throw .prohibited("join: the connection is \(state.kind.rawValue)")
        }
        guard let queue = state.receiveQueues.first, let keys = state.agreementKeys else {
            throw AgentError(.internal("join: the keys of the invitation are missing"))
        }
        var replyAddress = queue.senderAddress
        replyAddress.mode = replyAddress.mode ?? .messaging
        let parameters = keys.offer(configuration.ratchetVersions)
        var command: SMPCommand?
        let surplus = try announcing(state.receiveQueues) { queues throws(AgentError) in
            let invitation = link(replyAddress, Array(queues.dropFirst()), parameters, nil)
            let envelope = AgentEnvelope.invitation(version: contact.agentVersion, request: invitation, info: request.info)
            command = try Self.sealOnce(envelope, contact.queue, random)
        }
        guard let command else { throw AgentError(.internal("join: no request")) }
        if !surplus.isEmpty {
            var transition = Transition(state)
            for queue in surplus { transition.removeReceiveQueue(queue.row) }
            try await access.commit(transition)
            await discard(surplus, for: state.record.owner)
        }
        try await sendPrivately(command, name: "SEND", entity: address.senderID, key: nil, to: address.server, for: state.record.owner)
        if !request.isStored { store.applyLater([.deleteJoinCommands(state.record.row)]) }
        return false
    }

    /// Makes the queue and keys of the invitation that goes to a contact address.
    private func createInvitation(
        _ contact: CompatibleContact, _ request: JoinRequest, _ access: ConnectionAccess
    ) async throws(AgentError) -> ConnectionState {
        let state = try await access.state()
        let pq = PQInitialKeys.joiningContact(
            compatible: contact.agentVersion >= AgentVersion.pqRatchet, support: request.pqSupport)
        let offer = agreementOffer(proposingKEM: pq.proposesKEM(shortLink: false))
        let server = try server(of: state.record.user, avoiding: [contact.queue.address.server])
        let queue = try await createQueue(
            PreparedQueue(random), on: server, for: state.record.owner, mode: .invitation,
            clientVersions: configuration.clientVersions, subscription: request.subscription)
        let additions = await createAdditions(
            besides: server.server, for: state.record.owner, clientVersions: configuration.clientVersions, subscription: request.subscription)
        let made = [queue] + additions
        var transition = Transition(state)
        transition.updateRecord {
            $0.agentVersion = contact.agentVersion
            $0.pqSupport = request.pqSupport && contact.agentVersion >= AgentVersion.pqRatchet
        }
        for queue in made { transition.add(queue) }
        transition.setAgreementKeys(offer.keys)
        if !request.isStored { transition.add(Self.command(request, transition.record, random, at: now)) }
        let reached = transition
        try await storing(made, of: reached.record, request.subscription) { () throws(AgentError) in try await access.commit(reached) }
        return try await access.state()
    }

    /// Encrypts an envelope with a key that is used once.
    private static func sealOnce(
        _ envelope: AgentEnvelope, _ queue: SMPQueueInfo, _ random: any RandomSource
    ) throws(AgentError) -> SMPCommand {
        let keys = X25519.generateKeyPair(random)
        do {
            let secret = try BoxSecret(keys.privateKey, with: queue.address.encryptionKey)
            let client = try ClientEnvelope(
                sealing: ClientMessage(body: envelope.wireBytes), secret: secret, clientVersion: queue.clientVersion,
                encryptionKey: keys.publicKey, nonce: .random(random))
            return .send(MessageFlags(notification: true), client.wireBytes)
        } catch {
            throw AgentError(receiving: error)
        }
    }
}
