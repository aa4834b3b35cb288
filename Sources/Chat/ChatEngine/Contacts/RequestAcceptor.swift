import AsyncPrimitives
import ChatAPI
import ChatProtocol
import ChatStore
import SMPAgent
import SMPProtocol
import SMPWire

/// Acceptance of requests to be a contact: a connection of the agent, and the transactions before and after it.
struct RequestAcceptor: Sendable {
    let transactions: TransactionRunner
    let agent: any AgentService
    let locks: KeyedLock<String>
    let leftovers: AgentLeftovers

    /// Accepts a request as the settings of the address say. It can be interrupted anywhere and begun again.
    func acceptInBackground(_ id: UserContactRequestID) async throws {
        // A request that comes twice is accepted twice; the second time finds it done.
        try await locks.withLock("request \(id)") {
            guard let prepared = try await prepareAcceptance(id, announces: true, incognito: nil) else { return }
            let isSecured = try await accept(prepared)
            _ = try await transactions.transaction { transaction in
                try transaction.contactRequests.completeAcceptance(prepared, isSecured: isSecured, announces: true)
            }
        }
    }

    /// A request with the connection that accepts it.
    struct Acceptance: Sendable {
        var request: ContactRequestRecord
        var connection: Bytes
        var connectionID: ChatConnectionID
        var user: User
        var contact: Contact
        var info: Bytes
        var pqSupport: Bool
    }

    /// Prepares the connection that accepts a request, unless there is one.
    ///
    /// - Parameters:
    ///   - announces: Whether an event reports that the request is being accepted.
    ///   - incognito: Whether the contact is shown a random profile made for it; nil for the setting of the address.
    /// - Returns: nil if the request is gone, or the contact is connected already.
    func prepareAcceptance(_ id: UserContactRequestID, announces: Bool, incognito: Bool?) async throws(ChatCoreError) -> Acceptance? {
        let found = try await transactions.query { transaction -> (ContactRequestRecord, User, Contact)? in
            for user in try transaction.db.users.users() {
                guard let request = try transaction.db.contactRequests.find(id, user: user.userID), let contactID = request.request.contactID,
                    let contact = try transaction.db.contacts.find(contactID, of: user)
                else { continue }
                return (request, user, contact)
            }
            return nil
        }
        guard let (request, user, contact) = found, let agentUser = Int64(user.agentUserID) else { return nil }
        if let connection = contact.activeConnection, connection.status != .new { return nil }
        if let connection = contact.activeConnection, let known = Base64URL.decode(connection.agentConnectionID) {
            return try await begin(id, by: ConnectionID(known), user: user, contact: contact, announces: announces, incognito: incognito)
        }
        let made = try await agent.reporting { agent throws(AgentError) in
            try await agent.prepareToAccept(
                user: agentUser, invitation: InvitationID(request.agentInvitationID), pqSupport: request.request.pqSupport)
        }
        let acceptance = try await leftovers.orDiscard(made) { () throws(ChatCoreError) in
            try await begin(id, by: made, user: user, contact: contact, announces: announces, incognito: incognito)
        }
        if acceptance?.connection != made.bytes { leftovers.discard(.connection(.delete(connections: [made.bytes], after: []))) }
        return acceptance
    }

    /// Stores the connection that accepts a request, unless there is one.
    private func begin(
        _ id: UserContactRequestID, by prepared: ConnectionID, user: User, contact: Contact, announces: Bool, incognito: Bool?
    ) async throws(ChatCoreError) -> Acceptance? {
        try await transactions.transaction { transaction -> Acceptance? in
            // Somebody may have been faster.
            guard let request = try transaction.db.contactRequests.find(id, user: user.userID) else { return nil }
            var contact = try transaction.conversations.contact(contact.contactID, of: user)
            if contact.activeConnection == nil {
                contact = try transaction.contactRequests.addAcceptedConnection(prepared.bytes, request: request, incognito: incognito, user: user)
                if announces { transaction.emit(.acceptingContactRequest(user: user, contact: contact)) }
            }
            guard let connection = contact.activeConnection, connection.status == .new,
                let agentID = Base64URL.decode(connection.agentConnectionID)
            else { return nil }
            let shared = transaction.users.sharedProfile(
                of: user, with: contact, incognito: try transaction.users.incognitoProfile(connection), usesProfileTTL: true)
            let info = try transaction.outbox.connectionInfo(
                .info(shared), pqSupport: connection.pqSupport, peerVersion: ChatVersion(clamping: connection.chatVersion))
            return Acceptance(
                request: request, connection: agentID, connectionID: connection.connectionID, user: user, contact: contact,
                info: info, pqSupport: connection.pqSupport)
        }
    }

    func accept(_ acceptance: Acceptance) async throws(AgentError) -> Bool {
        guard let agentUser = Int64(acceptance.user.agentUserID) else { throw AgentError(.noUser) }
        return try await agent.accept(
            user: agentUser, connection: ConnectionID(acceptance.connection),
            invitation: InvitationID(acceptance.request.agentInvitationID), info: acceptance.info, pqSupport: acceptance.pqSupport,
            subscription: .subscribe)
    }
}

extension ContactRequests {
    /// Records that the agent has accepted a request: messages can be sent if the peer's queue is secured.
    ///
    /// - Returns: The updated contact.
    @discardableResult
    func completeAcceptance(_ acceptance: RequestAcceptor.Acceptance, isSecured: Bool, announces: Bool) throws -> Contact {
        let user = try transaction.anyUser(acceptance.user.userID)
        try db.contactRequests.markAccepted(acceptance.request.request.contactRequestID)
        try db.connections.update(acceptance.connectionID, from: .new, to: isSecured ? .sendReady : .accepted, at: now)
        var contact = try transaction.conversations.contact(acceptance.contact.contactID, of: user)
        guard isSecured else { return contact }
        if announces { emit(.contactSndReady(user: user, contact: contact)) }
        try sendWelcome(to: &contact, request: acceptance.request, of: user)
        return contact
    }
}
