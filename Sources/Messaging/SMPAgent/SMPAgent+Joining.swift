import SMPCrypto
package import SMPProtocol
package import SMPWire
import Synchronization

extension SMPAgent {
    /// The version and encryption that a connection by this link would have; nil if no version fits.
    package func compatibility(of link: ConnectionRequestURI, pqSupport: Bool) -> LinkCompatibility? {
        LinkCompatibility(link, pqSupport: pqSupport, core.configuration)
    }

    /// Makes a connection without queues, so that the caller can store its id before `join` does anything outside.
    ///
    /// - Throws: `AGENT A_VERSION` if no version of the link fits.
    package func prepareToJoin(
        user: AgentUserID, link: ConnectionRequestURI, pqSupport: Bool
    ) async throws(AgentError) -> ConnectionID {
        let core = core
        let record = try core.newJoin(user: user, link, pqSupport)
        try await core.stored { try await core.store.apply([.insertConnection(record)]) }
        return record.id
    }

    /// Joins by an invitation or asks to connect by a contact address.
    ///
    /// Each step is stored: after a temporary error the call can be repeated, and when the process ends in the middle
    /// the agent goes on after the restart and reports `joined`.
    ///
    /// - Parameter info: data for the peer in the request, such as a profile.
    /// - Returns: true if the peer's queue is secured and messages may be sent before the peer has allowed the connection.
    package func join(
        user: AgentUserID, connection: ConnectionID, link: ConnectionRequestURI, info: Bytes, pqSupport: Bool,
        subscription: SubscriptionMode = .subscribe
    ) async throws(AgentError) -> Bool {
        try await join(user, connection, JoinRequest(link: link, info: info, pqSupport: pqSupport, subscription: subscription))
    }

    private func join(_ user: AgentUserID, _ connection: ConnectionID, _ request: JoinRequest) async throws(AgentError) -> Bool {
        try await withLive(connection) { access, state throws(AgentError) in
            guard state.record.user == user else { throw .prohibited("join: another user's connection") }
            return try await core.join(request, access)
        }
    }

    /// Joins in the background: it is stored when the call returns, and `joined` follows, also after a restart. A permanent failure is
    /// reported as `failed`; the connection stays until it is deleted.
    ///
    /// - Throws: `AGENT A_VERSION` if no version of the link fits.
    package func joinInBackground(
        user: AgentUserID, link: ConnectionRequestURI, info: Bytes, pqSupport: Bool, subscription: SubscriptionMode = .subscribe
    ) async throws(AgentError) -> ConnectionID {
        try await core.joinInBackground(user: user, link, info, pqSupport, subscription, changes: [])
    }

    /// Accepts a `request` in the background, as ``joinInBackground(user:link:info:pqSupport:subscription:)``.
    package func acceptInBackground(
        user: AgentUserID, invitation: InvitationID, info: Bytes, pqSupport: Bool, subscription: SubscriptionMode = .subscribe
    ) async throws(AgentError) -> ConnectionID {
        let record = try await core.invitation(invitation)
        return try await core.joinInBackground(
            user: user, record.request, info, pqSupport, subscription, changes: [.acceptInvitation(invitation)])
    }

    /// Like `prepareToJoin`, for a request that came to a contact address.
    package func prepareToAccept(
        user: AgentUserID, invitation: InvitationID, pqSupport: Bool
    ) async throws(AgentError) -> ConnectionID {
        let record = try await core.invitation(invitation)
        return try await prepareToJoin(user: user, link: record.request, pqSupport: pqSupport)
    }

    /// Accepts a `request`: joins the invitation in it.
    package func accept(
        user: AgentUserID, connection: ConnectionID, invitation: InvitationID, info: Bytes, pqSupport: Bool,
        subscription: SubscriptionMode = .subscribe
    ) async throws(AgentError) -> Bool {
        let record = try await core.invitation(invitation)
        return try await join(
            user, connection,
            JoinRequest(link: record.request, info: info, pqSupport: pqSupport, subscription: subscription, invitation: invitation))
    }

    /// Forgets a `request`; nothing is sent.
    package func reject(_ invitation: InvitationID) async throws(AgentError) {
        let core = core
        try await core.stored { try await core.store.apply([.deleteInvitation(invitation)]) }
    }

    /// Answers a `confirmation`: our queue is secured, the peer's reply queue is connected, and the peer gets our information, in the
    /// background and also after a restart. `connected` follows.
    package func allowConnection(
        _ connection: ConnectionID, confirmation: ConfirmationID, info: Bytes
    ) async throws(AgentError) {
        try await withLive(connection) { access, state throws(AgentError) in
            guard state.kind == .receive else { throw .prohibited("allowConnection") }
            let record = try await core.stored { try await core.store.confirmation(confirmation) }
            guard let record, record.connection == state.record.row else { throw .notFound("no confirmation \(confirmation)") }
            // A repeated call has nothing to add.
            guard record.ownInfo == nil else { return }
            var transition = Transition(state)
            transition.allow(record, info: info, core.context)
            try await access.commit(transition)
        }
    }
}

extension AgentCore {
    /// A connection without queues, as the link allows.
    fileprivate func newJoin(
        user: AgentUserID, _ link: ConnectionRequestURI, _ pqSupport: Bool
    ) throws(AgentError) -> ConnectionRecord {
        try checkActive()
        guard users.withLock({ $0[user] != nil }) else { throw AgentError(.noUser) }
        guard let compatibility = LinkCompatibility(link, pqSupport: pqSupport, configuration) else { throw .peer(.version) }
        return ConnectionRecord(
            row: random.rowID(), id: ConnectionID(random.bytes(12)), user: user, mode: .invitation,
            agentVersion: compatibility.agentVersion, pqSupport: compatibility.pqSupport)
    }

    /// Stores a connection and that it must join, together with other changes.
    fileprivate func joinInBackground(
        user: AgentUserID, _ link: ConnectionRequestURI, _ info: Bytes, _ pqSupport: Bool, _ subscription: SubscriptionMode,
        changes: [StoreChange]
    ) async throws(AgentError) -> ConnectionID {
        let record = try newJoin(user: user, link, pqSupport)
        try await withConnection(record.id) { access throws(AgentError) in
            var transition = Transition(ConnectionState(record))
            transition.add(.insertConnection(record))
            for change in changes { transition.add(change) }
            transition.start(
                .join(link, info: info, pqSupport: pqSupport, subscribe: subscription == .subscribe), context)
            try await access.commit(transition)
        }
        return record.id
    }

    func invitation(_ id: InvitationID) async throws(AgentError) -> InvitationRecord {
        guard let record = try await stored({ try await store.invitation(id) }) else { throw .notFound("no invitation \(id)") }
        return record
    }
}
