import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import GRDB
import SMPAgent
import SMPProtocol
import SMPWire

/// Stores and shows changes of connections: their state, versions, queues, keys and errors.
struct ConnectionEvents: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Changes of connections.
    var connectionEvents: ConnectionEvents { ConnectionEvents(transaction: self) }
}

extension ConnectionEvents {
    /// Records the capabilities that a member of a channel announces.
    func noteCapabilities(_ message: ChatMessage, in context: ReceivingContext) throws {
        guard message.capabilities.contains(.comments), case .member(let group, _) = context.peer, group.usesRelays else { return }
        try db.connections.noteComments(context.record.id)
    }

    func setStatus(_ status: ConnectionStatus, in context: inout ReceivingContext) throws {
        try db.connections.update(context.record.id, status: status, at: now)
        context.record.connection.status = status
        context.contact?.activeConnection?.status = status
    }

    /// Which versions the peer speaks: the agreed one never goes down.
    func updateVersions(_ message: ChatMessage, in context: inout ReceivingContext) throws {
        // The binary form has no versions.
        if case .fileChunk = message.event { return }
        let peer = ChatVersionRange(minVersion: Int(message.versions.min), maxVersion: Int(message.versions.max))
        let current = context.connection.chatVersion
        let agreed = ChatVersions.supported.compatibleVersion(with: message.versions).map(Int.init) ?? current
        let version = max(current, agreed)
        guard peer != context.connection.peerChatVersions || version != current else { return }
        try db.connections.update(context.record.id, chatVersion: ChatVersion(clamping: version), peerVersions: peer)
        context.record.connection.chatVersion = version
        context.record.connection.peerChatVersions = peer
        context.contact?.activeConnection?.chatVersion = version
        context.contact?.activeConnection?.peerChatVersions = peer
        if case .member(let group, var member) = context.peer {
            try db.members.update(member.groupMemberID, versions: peer)
            member.chatVersions = peer
            member.activeConnection?.chatVersion = version
            member.activeConnection?.peerChatVersions = peer
            context.peer = .member(group, member)
            // Connections with members are never post-quantum.
            return
        }
        // Nor are those by the link of a group, whose member is not known yet.
        if version >= Int(ChatVersions.compressionAndPostQuantum), !context.connection.pqSupport, context.connection.groupLinkID == nil {
            try db.connections.update(context.record.id, pqSupport: true)
            context.record.connection.pqSupport = true
            context.record.connection.pqEncryption = true
            context.contact?.activeConnection?.pqSupport = true
            context.contact?.activeConnection?.pqEncryption = true
        }
    }

    /// The value of that counter when a message was given up.
    static let givenUpErrorCount = 999

    /// A queue that is gone, or stays full, makes the connection unusable in the end.
    func countErrors(_ fault: AgentError, isFinal: Bool, in context: ReceivingContext) throws {
        let connection = context.connection
        switch fault.reason {
        case .smp(_, .auth) where isFinal:
            let count = connection.authErrorCounter + 1
            try db.connections.update(connection.connectionID, authErrors: count, quotaErrors: connection.quotaErrorCounter)
            guard count >= Connection.disablingErrorCount else { return }
            if var contact = context.contact {
                contact.activeConnection?.authErrorCounter = count
                emit(.contactDisabled(user: context.user, contact: contact))
            } else {
                emit(.connectionDisabled(connectionEntity: context.entity))
            }
        case .smp(_, .quota):
            guard connection.quotaErrorCounter < Connection.inactiveErrorCount else { return }
            let count = isFinal ? Self.givenUpErrorCount : connection.quotaErrorCounter + 1
            try db.connections.update(connection.connectionID, authErrors: connection.authErrorCounter, quotaErrors: count)
            if count >= Connection.inactiveErrorCount { emit(.connectionInactive(connectionEntity: context.entity, inactive: true)) }
        default: break
        }
    }

    /// The other side takes its messages again.
    func receiveContinuation(in context: ReceivingContext) throws {
        guard context.connection.quotaErrorCounter >= Connection.inactiveErrorCount else { return }
        try db.connections.update(context.record.id, authErrors: context.connection.authErrorCounter, quotaErrors: 0)
        emit(.connectionInactive(connectionEntity: context.entity, inactive: false))
    }

    // MARK: Changes of the connection

    func receiveSwitch(
        _ direction: QueueDirection, _ phase: AgentSwitchPhase, _ stats: AgentConnectionStats, in context: inout ReceivingContext
    ) throws {
        guard var contact = context.contact else { return }
        try addSwitch(direction, phase, stats, to: &contact, of: context.user)
        context.contact = contact
    }

    /// Tells of a queue that moves, and shows where that begins and ends.
    func addSwitch(
        _ direction: QueueDirection, _ phase: AgentSwitchPhase, _ stats: AgentConnectionStats, to contact: inout Contact, of user: User
    ) throws {
        emit(
            .contactSwitch(
                user: user, contact: contact,
                progress: SwitchProgress(
                    queueDirection: direction == .receive ? .received : .sent, phase: phase.api, connectionStats: stats.api)))
        guard phase == .started || phase == .completed else { return }
        // It is our address that changes when our receiving queue moves.
        let content: ItemContent =
            direction == .receive
            ? .sentConnectionEvent(event: .switchQueue(phase: phase.api, member: nil))
            : .receivedConnectionEvent(event: .switchQueue(phase: phase.api))
        try transaction.items.addInternal([content], isSent: direction == .receive, to: &contact, of: user)
    }

    func receiveRatchetSync(
        _ state: AgentRatchetSyncState, _ fault: AgentError.Crypto?, _ stats: AgentConnectionStats, in context: inout ReceivingContext
    ) throws {
        guard var contact = context.contact else { return }
        let user = context.user
        if state == .agreed, contact.activeConnection?.connectionCode != nil {
            try db.connections.update(context.record.id, securityCode: nil)
            contact.activeConnection?.connectionCode = nil
        }
        let progress = RatchetSyncProgress(status: state.api, connectionStats: stats.api)
        if let fault, state == .allowed || state == .required {
            try receiveDecryptionError(fault, progress: progress, contact: &contact, user: user)
        } else {
            let hadCode = context.contact?.activeConnection?.connectionCode != nil
            emit(.contactRatchetSync(user: user, contact: contact, progress: progress))
            try transaction.items.addInternal([.receivedConnectionEvent(event: .ratchetSync(status: state.api))], isSent: false, to: &contact, of: user)
            if state == .agreed, hadCode { try resetVerification(of: &contact, user: user) }
        }
        context.contact = contact
    }

    /// Tells that the security code of a contact changed.
    func resetVerification(of contact: inout Contact, user: User) throws {
        emit(.contactVerificationReset(user: user, contact: contact))
        try transaction.items.addInternal([.receivedConnectionEvent(event: .verificationCodeReset)], isSent: false, to: &contact, of: user)
    }

    /// Errors of one kind in a row are counted in one item.
    private func receiveDecryptionError(
        _ fault: AgentError.Crypto, progress: RatchetSyncProgress, contact: inout Contact, user: User
    ) throws {
        let (error, count) = fault.itemError
        if let last = try db.pages.lastItem(in: .chat(.contact(contact.contactID)), at: now),
            case .receivedDecryptionError(error, let before) = last.item.content
        {
            let content = ItemContent.receivedDecryptionError(error: error, messageCount: before + count)
            try db.items.update(
                last.id, content: content, text: content.text, hasLink: false, isEdited: false, isLive: false, deleteAt: nil, at: now)
            let item = try transaction.items.item(last.id, contact: contact.contactID).item
            emit(.chatItemUpdated(user: user, chatItem: ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)))
            return
        }
        emit(.contactRatchetSync(user: user, contact: contact, progress: progress))
        try transaction.items.addInternal([.receivedDecryptionError(error: error, messageCount: count)], isSent: false, to: &contact, of: user)
    }

    /// Enqueues the agent's acceptance of the party that joined our link.
    func allow(_ id: ConfirmationID, _ event: ChatMessageEvent, context: inout ReceivingContext) throws {
        var isInChannel = false
        if case .member(let group, _) = context.peer { isInChannel = group.usesRelays }
        let info = try transaction.outbox.connectionInfo(
            event, pqSupport: false, peerVersion: ChatVersion(clamping: context.connection.chatVersion), inChannel: isInChannel)
        try enqueue(.connection(.allow(confirmation: id.bytes, info: info)), connection: context.record.agentConnectionID, user: context.user)
        try setStatus(.accepted, in: &context)
    }

    /// Shows that messages of a contact are missing.
    func receiveIntegrity(_ integrity: MessageIntegrity, brokerTime: UTCTimestamp, in context: inout ReceivingContext) throws {
        guard let error = integrity.itemError, case .contact(let contact) = context.peer else { return }
        var conversation = Conversation.contact(contact)
        var draft = ItemDraft(.receivedIntegrityError(error: error), isSent: false)
        draft.timestamp = brokerTime
        try transaction.items.announce(draft, in: &conversation, of: context.user)
        context.update(conversation)
    }

    /// Tells of a message that this version does not act on. It is not kept: nothing could be done with it later.
    func reportUnsupported(_ message: ChatMessage, in context: ReceivingContext) {
        emit(
            .messageError(
                user: context.user, severity: "error", message: "unsupported message: \(message.tag.rawValue)"))
    }

    /// The connection of an event with its peer.
    func context(of record: ConnectionRecord, user: User, securityCodeHash: Bytes? = nil) throws -> ReceivingContext {
        if let id = record.memberID, let member = try db.members.find(id), let group = try db.groups.find(member.groupID, user: user.userID) {
            return ReceivingContext(record: record, user: user, group: group, member: member)
        }
        let contact = try record.contactID.flatMap { try db.contacts.find($0, of: user) }
        return ReceivingContext(record: record, user: user, contact: contact, securityCodeHash: securityCodeHash)
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

    /// The one message that the first message of a connection holds.
    func single(_ incoming: Incoming) throws -> ChatMessage { try singleReceived(incoming).message }

    /// The same, with its signature, which nobody has verified.
    func singleReceived(_ incoming: Incoming) throws -> ReceivedChatMessage {
        guard incoming.messages.count == 1, case .success(let received)? = incoming.messages.first else {
            throw Refusal.chat(.exception(message: "parseChatMessage: single message is expected"))
        }
        return received
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

    /// Events that are passed on and change nothing.
    func receiveState(_ event: AgentEvent) {
        switch event {
        case .down(let server, let connections):
            emit(.subscriptionStatus(server: server.wireString, status: .pending, connections: connections.map(\.description)))
        case .up(let server, let connections):
            emit(.subscriptionStatus(server: server.wireString, status: .active, connections: connections.map(\.description)))
        case .serviceSubscription(let server, let state):
            if let event = state.api { emit(.serviceSubStatus(server: server.wireString, serviceSubEvent: event)) }
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
