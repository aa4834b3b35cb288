import ChatAPI
import ChatProtocol
import Logging
import SMPAgent
import SMPProtocol
import SMPWire

// What becomes of messages that the agent is given, and of other work that it is given.

extension EngineCore {
    /// The agent does not take a message.
    func undeliverable(_ delivery: Delivery, _ fault: AgentFault) async {
        do {
            try await transaction(isPersistent: true) { transaction in
                let items = try transaction.db.items(ofDelivery: delivery.id)
                try transaction.db.abandonDelivery(delivery.id)
                guard let record = try transaction.db.connection(delivery.connectionID),
                    let user = try transaction.db.user(record.userID), let id = record.contactID,
                    let contact = try transaction.db.contact(id, of: user)
                else { return }
                let context = ReceivingContext(record: record, user: user, contact: contact)
                let changed = try items.compactMap { item in
                    try transaction.changeStatus(of: item, to: .sendError(error: fault.sendError), viaProxy: nil, contact: contact)
                }
                if !changed.isEmpty {
                    let items = changed.map { ItemInChat(chatInfo: .direct(contact: contact), chatItem: $0) }
                    transaction.emit(.chatItemsStatusesUpdated(user: user, chatItems: items))
                }
                transaction.report(fault, in: context)
            }
        } catch {
            logger.error("a message that could not be sent could not be marked", metadata: ["error": "\(error.code)"])
        }
    }

    /// Does a piece of work.
    func perform(_ work: AgentWork) async throws {
        switch work.task {
        case .allow(let confirmation, let info):
            do throws(AgentFault) {
                try await agent.allowConnection(ConnectionID(work.connection), confirmation: ConfirmationID(confirmation), info: info)
            } catch {
                if error.isTemporary { throw error }
                // Done before a crash, or the connection is gone since.
                logger.debug("a connection could not be allowed", metadata: ["error": "\(error.code)"])
                await report(error, connection: work.connection)
            }
        case .accept(let request): try await acceptInBackground(request)
        case .reject(let invitation): try await ignoringPermanent { () async throws(AgentFault) in try await agent.reject(InvitationID(invitation)) }
        case .delete(let connections, let messages): try await delete(connections, after: messages)
        case .publishAddress: try await publishAddress(agentUser: work.agentUserID)
        case .setServers: try await setServers(agentUser: work.agentUserID)
        case .deleteUser(let deleteQueues):
            try await ignoringPermanent { () async throws(AgentFault) in try await agent.deleteUser(work.agentUserID, deleteQueues: deleteQueues) }
        }
    }

    private func delete(_ connections: [Bytes], after messages: [Delivery]) async throws(AgentFault) {
        if !messages.isEmpty {
            for result in await agent.send(messages.map(\.request)) {
                if case .failure(let fault) = result, fault.isTemporary { throw fault }
            }
        }
        try await ignoringPermanent { () async throws(AgentFault) in
            try await agent.delete(connections.map { ConnectionID($0) }, waitDelivery: !messages.isEmpty)
        }
    }

    func unperformable(_ work: AgentWork, _ error: any Error) async {
        logger.warning("work of the agent could not be done", metadata: ["kind": "\(work.task.kind)", "error": "\(error)"])
        hub.publish(.chatError(error: ChatCoreError(thrown: error).chatError ?? .store(error: .internalError(message: work.task.kind))))
    }

    /// What was done before, or cannot be done any more, is done.
    private func ignoringPermanent(_ call: () async throws(AgentFault) -> Void) async throws(AgentFault) {
        do throws(AgentFault) {
            try await call()
        } catch {
            if error.isTemporary { throw error }
            logger.debug("work of the agent is obsolete", metadata: ["error": "\(error.code)"])
        }
    }

    /// Tells of an error in a connection that nobody waits for.
    private func report(_ fault: AgentFault, connection: Bytes) async {
        do {
            try await transaction { transaction in
                guard let record = try transaction.db.connection(agentID: connection), let user = try transaction.db.user(record.userID)
                else { return }
                let contact = try record.contactID.flatMap { try transaction.db.contact($0, of: user) }
                transaction.report(fault, in: ReceivingContext(record: record, user: user, contact: contact))
            }
        } catch {
            logger.debug("an error could not be reported", metadata: ["error": "\(error.code)"])
        }
    }
}

// MARK: Accepting requests

extension EngineCore {
    /// Accepts a request because the address says so. It can be broken off anywhere and begun again.
    private func acceptInBackground(_ id: UserContactRequestID) async throws {
        // A request that comes twice is accepted twice, and the second time finds that it is done.
        try await turns.take("request \(id)") {
            guard let prepared = try await prepareAcceptance(id, announces: true) else { return }
            let isSecured = try await accept(prepared)
            _ = try await transaction { transaction in
                try transaction.completeAcceptance(prepared, isSecured: isSecured, announces: true)
            }
        }
    }

    /// What is needed to accept a request.
    struct Acceptance: Sendable {
        var request: ContactRequestRecord
        var connection: Bytes
        var connectionID: Int64
        var user: User
        var contact: Contact
        var info: Bytes
        var pqSupport: Bool
    }

    /// Gives a request the connection by which it is accepted, unless it has one.
    ///
    /// - Parameter announces: Whether subscribers are told that the request is being accepted.
    /// - Returns: nil if the request is gone, or the contact is connected already.
    func prepareAcceptance(_ id: UserContactRequestID, announces: Bool) async throws(ChatCoreError) -> Acceptance? {
        let found = try await query { transaction -> (ContactRequestRecord, User, Contact)? in
            for user in try transaction.db.users() {
                guard let request = try transaction.db.contactRequest(id, user: user.userID), let contactID = request.request.contactID,
                    let contact = try transaction.db.contact(contactID, of: user)
                else { continue }
                return (request, user, contact)
            }
            return nil
        }
        guard let (request, user, contact) = found, let agentUser = Int64(user.agentUserID) else { return nil }
        if let connection = contact.activeConnection, connection.status != .new { return nil }
        if let connection = contact.activeConnection, let known = Base64URL.decode(connection.agentConnectionID) {
            return try await begin(id, by: ConnectionID(known), user: user, contact: contact, announces: announces)
        }
        let made = try await agent { agent throws(AgentFault) in
            try await agent.prepareToAccept(
                user: agentUser, invitation: InvitationID(request.agentInvitationID), pqSupport: request.request.pqSupport)
        }
        let acceptance = try await orDiscard(made) { () throws(ChatCoreError) in
            try await begin(id, by: made, user: user, contact: contact, announces: announces)
        }
        if acceptance?.connection != made.bytes { discard(.delete(connections: [made.bytes], after: [])) }
        return acceptance
    }

    /// Writes down by which connection a request is accepted, unless that is decided already.
    private func begin(
        _ id: UserContactRequestID, by prepared: ConnectionID, user: User, contact: Contact, announces: Bool
    ) async throws(ChatCoreError) -> Acceptance? {
        try await transaction { transaction -> Acceptance? in
            // Somebody may have been faster.
            guard let request = try transaction.db.contactRequest(id, user: user.userID) else { return nil }
            var contact = try transaction.contact(contact.contactID, of: user)
            if contact.activeConnection == nil {
                contact = try transaction.addAcceptedConnection(prepared.bytes, request: request, user: user)
                if announces { transaction.emit(.acceptingContactRequest(user: user, contact: contact)) }
            }
            guard let connection = contact.activeConnection, connection.status == .new,
                let agentID = Base64URL.decode(connection.agentConnectionID)
            else { return nil }
            let shared = transaction.sharedProfile(of: user, with: contact, incognito: nil, usesProfileTTL: true)
            let info = try transaction.connectionInfo(
                .info(shared), pqSupport: connection.pqSupport, peerVersion: ChatVersion(clamping: connection.chatVersion))
            return Acceptance(
                request: request, connection: agentID, connectionID: connection.connectionID, user: user, contact: contact,
                info: info, pqSupport: connection.pqSupport)
        }
    }

    func accept(_ acceptance: Acceptance) async throws(AgentFault) -> Bool {
        guard let agentUser = Int64(acceptance.user.agentUserID) else { throw AgentFault(.noUser) }
        return try await agent.accept(
            user: agentUser, connection: ConnectionID(acceptance.connection),
            invitation: InvitationID(acceptance.request.agentInvitationID), info: acceptance.info, pqSupport: acceptance.pqSupport,
            subscription: .subscribe)
    }
}

extension ChatTransaction {
    /// The request is accepted: messages can be sent if the peer's queue is secured.
    ///
    /// - Returns: the contact as it is now.
    @discardableResult
    func completeAcceptance(_ acceptance: EngineCore.Acceptance, isSecured: Bool, announces: Bool) throws -> Contact {
        let user = try anyUser(acceptance.user.userID)
        try db.markContactRequestAccepted(acceptance.request.request.contactRequestID)
        try db.updateConnection(acceptance.connectionID, from: .new, to: isSecured ? .sendReady : .accepted, at: now)
        var contact = try contact(acceptance.contact.contactID, of: user)
        guard isSecured else { return contact }
        if announces { emit(.contactSndReady(user: user, contact: contact)) }
        try sendWelcome(to: &contact, request: acceptance.request, of: user)
        return contact
    }

    /// Whether the last message that was sent is protected by post-quantum encryption; a change is shown.
    func noteSendEncryption(_ isPQ: Bool, connection id: Int64) throws {
        guard let record = try db.connection(id) else { return }
        let before = record.connection.pqSendEnabled
        guard before != isPQ, before != nil || isPQ else { return }
        try db.updateConnection(id, pqSending: isPQ)
        guard let user = try db.user(record.userID), let contactID = record.contactID, var contact = try db.contact(contactID, of: user)
        else { return }
        let receives = record.connection.pqReceiveEnabled == true
        guard (before == true && receives) != (isPQ && receives) else { return }
        let content: ItemContent =
            before == nil
            ? .sentDirectEncryption(info: EncryptionInfo(pqEnabled: isPQ)) : .sentConnectionEvent(event: .pqEnabled(enabled: isPQ))
        try addInternalItems([content], isSent: true, to: &contact, of: user)
        emit(.contactPQEnabled(user: user, contact: contact, pqEnabled: isPQ))
    }
}
