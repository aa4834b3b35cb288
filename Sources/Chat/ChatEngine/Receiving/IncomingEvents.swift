import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import GRDB
import SMPAgent
import SMPWire

// What follows from events of the agent. Each is one transaction; an event that comes again changes nothing.

/// Receives events of the agent.
struct IncomingEvents: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Events of the agent.
    var incomingEvents: IncomingEvents { IncomingEvents(transaction: self) }
}

extension IncomingEvents {
    /// Applies an event. Errors in the peer's messages become events; only the database can fail here.
    func receive(_ incoming: Incoming) throws {
        guard let connection = incoming.notification.connection else { return transaction.connectionEvents.receiveState(incoming.notification.event) }
        if case .commandQuarantined(let command) = incoming.notification.event { return try transaction.quarantine.receive(command, of: connection) }
        guard let record = try db.connections.find(agentID: connection.bytes), record.connection.status != .deleted, let user = try db.users.find(record.userID)
        else {
            if case .confirmation = incoming.notification.event, try db.relays.isRelayTest(connection.bytes) {
                if let answer = try? transaction.connectionEvents.single(incoming) {
                    transaction.effects.relayTestAnswers.append((connection.bytes, answer.event))
                }
                return
            }
            // Only the end of deleted connections matters. The agent may take days to send waiting messages to a removed member, who must
            // neither write nor become connected meanwhile.
            transaction.connectionEvents.receiveState(incoming.notification.event)
            if incoming.messageID != nil { emit(.chatError(error: .chat(error: .noConnectionUser(agentConnectionID: connection.description)))) }
            return
        }
        var context = try transaction.connectionEvents.context(of: record, user: user, securityCodeHash: incoming.securityCodeHash)
        if let number = incoming.countedNumber, try db.countedEvents.contains(number) { return }
        if case .message = incoming.notification.event {
            // Each message in it has a savepoint of its own.
            do {
                try receive(incoming, in: &context)
            } catch let refusal as Refusal {
                emit(.chatError(error: refusal.error))
            }
        } else {
            try transaction.connectionEvents.attempt(in: &context) { try receive(incoming, in: &$0) }
        }
        if let number = incoming.countedNumber, !transaction.effects.isPremature { try db.countedEvents.insert(number, at: now) }
    }

    /// Passes over an event that the store will never take. Of a message its chat tells that there was one.
    ///
    /// - Parameter text: the text in the chat.
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
            var (shown, chat) = try transaction.conversations.conversation(with: member, in: group)
            try transaction.groupItems.addEvent(content, from: shown, in: &chat, of: user)
            shown = chat.supportMember ?? shown
            return
        }
        guard var contact = try record.contactID.flatMap({ try db.contacts.find($0, of: user) }) else { return }
        try transaction.items.addInternal(
            [content], isSent: false, to: &contact, of: user)
    }

    private func receive(_ incoming: Incoming, in context: inout ReceivingContext) throws {
        if case .subscriptionEnded = incoming.notification.event {
            guard let contact = context.contact else { return emit(.subscriptionEnd(user: context.user, connectionEntity: context.entity)) }
            return emit(.contactAnotherClient(user: context.user, contact: contact))
        }
        switch context.peer {
        case .address(let id): return try receive(incoming, forAddress: id, in: context)
        case .groupLink(let id): return try receive(incoming, forGroupLink: id, in: context)
        case .member(let group, let member): return try transaction.memberEvents.receive(incoming, from: member, in: group, context: &context)
        case .contact, .pending: break
        }
        switch incoming.notification.event {
        case .confirmation(let id, let pqSupport, _, _):
            try transaction.handshakes.receiveConfirmation(id, pqSupport: pqSupport, transaction.connectionEvents.single(incoming), in: &context)
        case .information(_, _): try transaction.handshakes.receiveInformation(transaction.connectionEvents.single(incoming), in: &context)
        case .connected(let pqEncryption): try transaction.handshakes.receiveConnected(pqEncryption: pqEncryption, in: &context)
        case .joined(let isSecured):
            try db.connections.update(context.record.id, from: .prepared, to: isSecured ? .sendReady : .joined, at: now)
        case .message(let metadata, _, _): try transaction.receivedMessages.receive(metadata, incoming.messages, isRetry: incoming.isRetry, in: &context)
        case .receipts(let metadata, let receipts): try transaction.deliveryStatuses.receiveReceipts(metadata, receipts, in: &context)
        case .messageDelayed(let id, let fault):
            try transaction.deliveryStatuses.receiveStatus(.sendWarning(error: fault.sendError), of: [id], in: context)
            try transaction.connectionEvents.countErrors(fault, isFinal: false, in: context)
        case .messageFailed(let id, let fault): try transaction.deliveryStatuses.receiveFailure(of: [id], fault, in: context)
        case .messagesFailed(let ids, let fault): try transaction.deliveryStatuses.receiveFailure(of: ids, fault, in: context)
        case .sendingContinued: try transaction.connectionEvents.receiveContinuation(in: context)
        case .queueSwitch(let direction, let phase, let stats): try transaction.connectionEvents.receiveSwitch(direction, phase, stats, in: &context)
        case .ratchetSync(let state, let fault, let stats): try transaction.connectionEvents.receiveRatchetSync(state, fault, stats, in: &context)
        case .failed(let fault):
            if case .agent(.duplicate(let dropped?)) = fault.reason, var contact = context.contact {
                var draft = ItemDraft(.receivedMessageError(error: .dropped(attempts: dropped.attempts)), isSent: false)
                draft.timestamp = UTCTimestamp(seconds: dropped.brokerTime)
                let item = try transaction.items.add(draft, to: &contact, of: context.user)
                emit(.newChatItems(user: context.user, chatItems: [ItemInChat(chatInfo: .direct(contact: contact), chatItem: item)]))
                return
            }
            if context.connection.status != .ready, !fault.isTemporary, !transaction.connectionEvents.isHostFault(fault) {
                try db.connections.update(context.record.id, status: .failed(connectionError: fault.description), at: now)
            }
            transaction.connectionEvents.report(fault, in: context)
        case .created, .request, .queueDeleted, .down, .up, .serverConnected, .serverDisconnected, .receiveQueuesDeleted, .connectionsDeleted,
            .userDeleted, .connectionsFailed, .suspended, .serviceSubscription, .queuesChanged, .sent, .subscriptionEnded,
            .commandQuarantined:
            // Events about sent messages are for the tracker.
            transaction.connectionEvents.receiveState(incoming.notification.event)
        }
    }

    private func receive(_ incoming: Incoming, forAddress address: UserContactLinkID, in context: ReceivingContext) throws {
        switch incoming.notification.event {
        case .request(let id, let pqSupport, _, _):
            try transaction.contactRequests.receive(id, pqSupport: pqSupport, transaction.connectionEvents.single(incoming), forAddress: address, in: context)
            try release(id, in: context)
        case .messageFailed(_, let fault), .messagesFailed(_, let fault), .failed(let fault): transaction.connectionEvents.report(fault, in: context)
        default: transaction.connectionEvents.receiveState(incoming.notification.event)
        }
    }

    private func receive(_ incoming: Incoming, forGroupLink link: UserContactLinkID, in context: ReceivingContext) throws {
        switch incoming.notification.event {
        case .request(let id, _, _, _):
            let received = try transaction.connectionEvents.singleReceived(incoming)
            try transaction.joinRequests.receive(id, received.message, signed: received.signed, forLink: link, in: context)
            try release(id, in: context)
        case .messageFailed(_, let fault), .messagesFailed(_, let fault), .failed(let fault): transaction.connectionEvents.report(fault, in: context)
        default: transaction.connectionEvents.receiveState(incoming.notification.event)
        }
    }

    /// Rejects a request that nobody can answer, because nothing was stored of it: it would be one of those that wait for an answer, which an address
    /// keeps only so many of.
    private func release(_ id: InvitationID, in context: ReceivingContext) throws {
        guard try db.contactRequests.find(agentInvitationID: id.bytes) == nil, try !db.members.hasMember(invitationID: id.bytes),
            try !db.groups.hasGroup(relayInvitation: id.bytes), !transaction.effects.jobs.contains(where: { $0.task.answers(id.bytes) })
        else { return }
        try enqueue(.connection(.reject(invitation: id.bytes)), user: context.user)
    }
}

extension AgentJob.Task {
    /// Tells whether the job answers a request.
    fileprivate func answers(_ invitation: Bytes) -> Bool {
        if case .channel(.answerTest(invitation, _, _)) = self { true } else { false }
    }
}
