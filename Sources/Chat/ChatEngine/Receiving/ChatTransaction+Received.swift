import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import GRDB
import SMPAgent
import SMPProtocol
import SMPWire

// What follows from events of the agent. Each is one transaction; an event that comes again changes nothing.

/// The party at the other end of a connection.
enum Peer: Sendable {
    /// Anyone who uses a link or an address, before there is a contact.
    case pending
    case contact(Contact)
    case member(GroupInfo, GroupMember)
    /// The parties that use an address of this profile.
    case address(UserContactLinkID)
    /// The parties that use the link of a group of this profile.
    case groupLink(UserContactLinkID)
}

/// The connection that an event is received over, with its profile and its peer.
struct ReceivingContext {
    var record: ConnectionRecord
    let user: User
    var peer: Peer
    /// The hash behind the security code of the connection, where the event needs it.
    let securityCodeHash: Bytes?

    init(record: ConnectionRecord, user: User, contact: Contact?, securityCodeHash: Bytes? = nil) {
        self.record = record
        self.user = user
        self.securityCodeHash = securityCodeHash
        peer = record.addressID.map(Peer.address) ?? record.groupLinkID.map(Peer.groupLink) ?? contact.map(Peer.contact) ?? .pending
    }

    init(record: ConnectionRecord, user: User, group: GroupInfo, member: GroupMember) {
        self.record = record
        self.user = user
        securityCodeHash = nil
        peer = .member(group, member)
    }

    var connection: Connection { record.connection }

    /// Whether the connection may turn out to be one with the host of a group: this profile asked for it by an address, and knows nobody by it yet. A
    /// contact that has written is more than the card of a business.
    func mayTurnIntoGroup(_ db: Database) throws -> Bool {
        guard try db.connections.usesAddressOfPeer(record.id) else { return false }
        guard let contact else { return true }
        return try contact.status == .active && !db.items.hasReceivedMessages(from: contact)
    }

    /// The contact, once there is one.
    var contact: Contact? {
        get { if case .contact(let contact) = peer { contact } else { nil } }
        set {
            // A change through an optional chain is written back, also where there is no contact: another kind of peer stays.
            if let newValue { peer = .contact(newValue) } else if case .contact = peer { peer = .pending }
        }
    }

    /// The connection as errors show it.
    var entity: ConnectionEntity {
        switch peer {
        case .address(let id):
            .userContact(connection: connection, userContact: UserContact(userContactLinkID: id, connectionRequest: ""))
        case .groupLink(let id):
            .userContact(connection: connection, userContact: UserContact(userContactLinkID: id, connectionRequest: ""))
        case .contact(let contact): .contact(connection: connection, contact: contact)
        case .member(let group, let member): .member(connection: connection, groupInfo: group, member: member)
        case .pending: .contact(connection: connection, contact: nil)
        }
    }
}

extension ChatTransaction {
    /// Applies an event. Errors of what the peer sent become events; only the database can fail here.
    func receive(_ incoming: Incoming) throws {
        guard let connection = incoming.notification.connection else { return receiveState(incoming.notification.event) }
        if case .commandQuarantined(let command) = incoming.notification.event { return try receive(command, of: connection) }
        guard let record = try db.connections.find(agentID: connection.bytes), record.connection.status != .deleted, let user = try db.users.find(record.userID)
        else {
            if case .confirmation = incoming.notification.event, try db.relays.isRelayTest(connection.bytes) {
                if let answer = try? single(incoming) { effects.relayTestAnswers.append((connection.bytes, answer.event)) }
                return
            }
            // Of deleted connections only their end is of interest. The agent may take days to send what waits for a removed member, who must
            // neither write nor become connected meanwhile.
            receiveState(incoming.notification.event)
            if incoming.messageID != nil { emit(.chatError(error: .chat(error: .noConnectionUser(agentConnectionID: connection.description)))) }
            return
        }
        var context = try context(of: record, user: user, securityCodeHash: incoming.securityCodeHash)
        if let number = incoming.countedNumber, try db.countedEvents.contains(number) { return }
        if case .message = incoming.notification.event {
            // Each message in it has a savepoint of its own.
            do {
                try receive(incoming, in: &context)
            } catch let refusal as Refusal {
                emit(.chatError(error: refusal.error))
            }
        } else {
            try attempt(in: &context) { try receive(incoming, in: &$0) }
        }
        if let number = incoming.countedNumber, !effects.isPremature { try db.countedEvents.insert(number, at: now) }
    }

    /// The connection of an event with its peer.
    func context(of record: ConnectionRecord, user: User, securityCodeHash: Bytes? = nil) throws -> ReceivingContext {
        if let id = record.memberID, let member = try db.members.find(id), let group = try db.groups.find(member.groupID, user: user.userID) {
            return ReceivingContext(record: record, user: user, group: group, member: member)
        }
        let contact = try record.contactID.flatMap { try db.contacts.find($0, of: user) }
        return ReceivingContext(record: record, user: user, contact: contact, securityCodeHash: securityCodeHash)
    }

    /// Passes over an event that the store will never take. Of a message its chat tells that there was one.
    ///
    /// - Parameter text: what the chat tells.
    func setAside(_ incoming: Incoming, _ cause: ChatCoreError, shown text: String = "the message could not be stored") throws {
        emit(.chatError(error: cause.chatError ?? .store(error: .internalError(message: cause.message))))
        guard let number = incoming.messageID, let connection = incoming.notification.connection,
            let record = try db.connections.find(agentID: connection.bytes), let user = try db.users.find(record.userID),
            number > record.lastReceivedMessageID
        else { return }
        try db.connections.update(record.id, lastReceived: number)
        let content = ItemContent.receivedMessageError(error: .parseError(error: text))
        if let id = record.memberID, let member = try db.members.find(id), let group = try db.groups.find(member.groupID, user: user.userID) {
            guard member.leavesNotes else { return }
            var (shown, chat) = try conversation(with: member, in: group)
            try addEvent(content, from: shown, in: &chat, of: user)
            shown = chat.supportMember ?? shown
            return
        }
        guard var contact = try record.contactID.flatMap({ try db.contacts.find($0, of: user) }) else { return }
        try addInternalItems(
            [content], isSent: false, to: &contact, of: user)
    }

    /// Receives a part of an event in a savepoint. If it is refused, nothing of it stays, and an event reports the error.
    ///
    /// - Returns: False if it was refused.
    @discardableResult
    func attempt(in context: inout ReceivingContext, _ body: (inout ReceivingContext) throws -> Void) throws -> Bool {
        var changed = context
        switch try attempt({ try body(&changed) }) {
        case .success:
            context = changed
            return true
        case .failure(let refusal):
            emit(.chatError(error: refusal.error))
            return false
        }
    }

    private func receive(_ incoming: Incoming, in context: inout ReceivingContext) throws {
        if case .subscriptionEnded = incoming.notification.event {
            guard let contact = context.contact else { return emit(.subscriptionEnd(user: context.user, connectionEntity: context.entity)) }
            return emit(.contactAnotherClient(user: context.user, contact: contact))
        }
        switch context.peer {
        case .address(let id): return try receive(incoming, forAddress: id, in: context)
        case .groupLink(let id): return try receive(incoming, forGroupLink: id, in: context)
        case .member(let group, let member): return try receive(incoming, from: member, in: group, context: &context)
        case .contact, .pending: break
        }
        switch incoming.notification.event {
        case .confirmation(let id, let pqSupport, _, _):
            try receiveConfirmation(id, pqSupport: pqSupport, single(incoming), in: &context)
        case .information(_, _): try receiveInformation(single(incoming), in: &context)
        case .connected(let pqEncryption): try receiveConnected(pqEncryption: pqEncryption, in: &context)
        case .joined(let isSecured):
            try db.connections.update(context.record.id, from: .prepared, to: isSecured ? .sendReady : .joined, at: now)
        case .message(let metadata, _, _): try receiveMessage(metadata, incoming.messages, isRetry: incoming.isRetry, in: &context)
        case .receipts(let metadata, let receipts): try receiveReceipts(metadata, receipts, in: &context)
        case .messageDelayed(let id, let fault):
            try receiveStatus(.sendWarning(error: fault.sendError), of: [id], in: context)
            try countErrors(fault, isFinal: false, in: context)
        case .messageFailed(let id, let fault): try receiveFailure(of: [id], fault, in: context)
        case .messagesFailed(let ids, let fault): try receiveFailure(of: ids, fault, in: context)
        case .sendingContinued: try receiveContinuation(in: context)
        case .queueSwitch(let direction, let phase, let stats): try receiveSwitch(direction, phase, stats, in: &context)
        case .ratchetSync(let state, let fault, let stats): try receiveRatchetSync(state, fault, stats, in: &context)
        case .failed(let fault):
            if case .agent(.duplicate(let dropped?)) = fault.reason, var contact = context.contact {
                var draft = ItemDraft(.receivedMessageError(error: .dropped(attempts: dropped.attempts)), isSent: false)
                draft.timestamp = UTCTimestamp(seconds: dropped.brokerTime)
                let item = try addItem(draft, to: &contact, of: context.user)
                emit(.newChatItems(user: context.user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)]))
                return
            }
            if context.connection.status != .ready, !fault.isTemporary, !isHostFault(fault) {
                try db.connections.update(context.record.id, status: .failed(connectionError: fault.description), at: now)
            }
            report(fault, in: context)
        case .created, .request, .queueDeleted, .down, .up, .serverConnected, .serverDisconnected, .receiveQueuesDeleted, .connectionsDeleted,
            .userDeleted, .connectionsFailed, .suspended, .serviceSubscription, .queuesChanged, .sent, .subscriptionEnded,
            .commandQuarantined:
            // What is sent is for the tracker.
            receiveState(incoming.notification.event)
        }
    }

    /// The one message that the first message of a connection holds.
    func single(_ incoming: Incoming) throws -> ChatMessage {
        guard incoming.messages.count == 1, case .success(let received)? = incoming.messages.first else {
            throw Refusal.chat(.exception(message: "parseChatMessage: single message is expected"))
        }
        return received.message
    }

    func isHostFault(_ fault: AgentError) -> Bool {
        switch fault.reason {
        case .broker(_, .host), .broker(_, .transport(.version)): true
        default: false
        }
    }

    /// Tells of an error in a connection.
    func report(_ fault: AgentError, in context: ReceivingContext) {
        emit(
            .chatError(
                error: .agent(
                    error: fault.api, agentConnectionID: context.connection.agentConnectionID, entity: context.entity)))
    }

    private func receive(_ incoming: Incoming, forAddress address: UserContactLinkID, in context: ReceivingContext) throws {
        switch incoming.notification.event {
        case .request(let id, let pqSupport, _, _):
            try receiveRequest(id, pqSupport: pqSupport, single(incoming), forAddress: address, in: context)
            try release(id, in: context)
        case .messageFailed(_, let fault), .messagesFailed(_, let fault), .failed(let fault): report(fault, in: context)
        default: receiveState(incoming.notification.event)
        }
    }

    private func receive(_ incoming: Incoming, forGroupLink link: UserContactLinkID, in context: ReceivingContext) throws {
        switch incoming.notification.event {
        case .request(let id, _, _, _):
            try receiveJoinRequest(id, single(incoming), forLink: link, in: context)
            try release(id, in: context)
        case .messageFailed(_, let fault), .messagesFailed(_, let fault), .failed(let fault): report(fault, in: context)
        default: receiveState(incoming.notification.event)
        }
    }

    /// Rejects a request that nobody can answer, because nothing was stored of it: it would be one of those that wait for an answer, which an address
    /// keeps only so many of.
    private func release(_ id: InvitationID, in context: ReceivingContext) throws {
        guard try db.contactRequests.find(agentInvitationID: id.bytes) == nil, try !db.members.hasMember(invitationID: id.bytes),
            try !db.groups.hasGroup(relayInvitation: id.bytes), !effects.jobs.contains(where: { $0.task.answers(id.bytes) })
        else { return }
        try enqueue(.reject(invitation: id.bytes), user: context.user)
    }

    /// Events that are told on and change nothing.
    func receiveState(_ event: AgentEvent) {
        switch event {
        case .down(let server, let connections):
            emit(.subscriptionStatus(server: server.wireString, status: .pending, connections: connections.map(\.description)))
        case .up(let server, let connections):
            emit(.subscriptionStatus(server: server.wireString, status: .active, connections: connections.map(\.description)))
        case .serverConnected(let server):
            for host in server.hosts.prefix(1) { emit(.hostConnected(protocolName: "smp", transportHost: host.description)) }
        case .serverDisconnected(let server):
            for host in server.hosts.prefix(1) { emit(.hostDisconnected(protocolName: "smp", transportHost: host.description)) }
        case .receiveQueuesDeleted(let queues):
            emit(
                .agentReceiveQueuesDeleted(
                    deletedQueues: queues.map {
                        DeletedReceiveQueue(
                            agentConnectionID: $0.connection.description, server: $0.server.wireString,
                            agentQueueID: Base64URL.encode($0.recipientID.bytes), error: $0.error?.api)
                    }))
        case .connectionsDeleted(let connections):
            emit(.agentConnectionsDeleted(agentConnectionIDs: connections.map(\.description)))
        case .userDeleted(let user): emit(.agentUserDeleted(agentUserID: user))
        case .suspended: emit(.chatSuspended)
        case .failed(let fault): emit(.chatError(error: .agent(error: fault.api, agentConnectionID: "", entity: nil)))
        case .connectionsFailed(let failures):
            emit(
                .chatErrors(
                    errors: failures.map {
                        .agent(error: $0.error.api, agentConnectionID: $0.connection?.description ?? "", entity: nil)
                    }))
        default: break
        }
    }
}

extension AgentJob.Task {
    /// Tells whether the job answers a request.
    fileprivate func answers(_ invitation: Bytes) -> Bool {
        if case .answerRelayTest(invitation, _, _) = self { true } else { false }
    }
}
