import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPWire

// Forwarding: an administrator who has introduced two members passes on their messages until they are connected.

/// Forwards messages between members that are not connected.
struct Forwarding: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Messages between members that are not connected.
    var forwarding: Forwarding { Forwarding(transaction: self) }
}

extension Forwarding {
    /// Forwards messages of a member to those to whom it was introduced and is not connected yet. That it has left everybody hears to whom it was introduced:
    /// it may have told this profile alone, and have kept its connections with the others.
    func forward(_ messages: [GroupMessage], from sender: GroupMember, to audience: ForwardAudience, in group: GroupInfo) throws {
        let relations = try db.members.relations(ofMember: sender.groupMemberID)
        try forward(messages.filter { $0.message.event != .leaveGroup }, from: sender, to: audience, relations.forwardedIndexes, in: group)
        try forward(messages.filter { $0.message.event == .leaveGroup }, from: sender, to: audience, relations.introducedIndexes, in: group)
    }

    private func forward(
        _ messages: [GroupMessage], from sender: GroupMember, to audience: ForwardAudience, _ indexes: [Int64], in group: GroupInfo
    ) throws {
        guard !messages.isEmpty, !indexes.isEmpty else { return }
        let receivers = try db.members.members(of: group.groupID, indexes: indexes).filter { member in
            switch audience {
            case .group(let includesPending): member.status.isCurrent || (includesPending && member.status.isPending)
            case .channel, .comments, .everybodyAtLast: member.status.isCurrent
            case .support(let subject):
                member.groupMemberID == subject
                    || (member.role >= .moderator && member.status.isCurrent && member.supports(ChatVersions.groupKnocking))
            }
        }
        try forward(messages, from: sender, to: receivers, in: group)
    }

    /// Forwards messages of a member to others. Those whose queues are full get them once there is room, and those whose connections are not made yet
    /// get nothing: their own connection comes first.
    func forward(_ messages: [GroupMessage], from sender: GroupMember, to receivers: [GroupMember], in group: GroupInfo) throws {
        let connected = receivers.compactMap { member in member.openConnection.map { (member, $0) } }
        guard !messages.isEmpty, !connected.isEmpty else { return }
        let forwards = messages.map { MessageForward(sender: .member(sender.memberID, name: sender.shortName), brokerTimestamp: $0.sentAt) }
        let elements = zip(forwards, messages).map { forward, message in forward.element(message.element) }
        try forward(elements, to: connected.filter { $0.0.supports(Outbox.binaryForwarding) })
        let old = connected.filter { !$0.0.supports(Outbox.binaryForwarding) && $0.0.supports(ChatVersions.groupForwarding) }
        guard !old.isEmpty else { return }
        // A message that is too long in this form is left out, so that the others are sent.
        let nested = zip(forwards, messages).compactMap { try? OutgoingMessage(.forwardMessage($0, $1.message), id: newSharedMessageID()) }
        let waiting = old.filter(\.1.isInactive).map(\.0.groupMemberID)
        try db.pendingMessages.insert(nested.map { ($0.body, nil) }, for: waiting, at: now)
        var encoder = OutgoingBodyEncoder(nested)
        for (member, connection) in old where !connection.isInactive {
            for body in try encoder.bodies(for: connection, isBatched: member.supports(ChatVersions.directBatching), store: db.deliveries.insertBody) {
                transaction.effects.deliveries.append(try db.deliveries.insert(to: DeliveryTarget(connection), body: body.stored, notifies: false, at: now))
            }
        }
    }

    /// Sends elements in binary batches, or keeps them for members whose queues are full.
    private func forward(_ elements: [Bytes], to members: [(GroupMember, Connection)]) throws {
        let waiting = members.filter { $0.0.readyConnection == nil }.map(\.0.groupMemberID)
        try db.pendingMessages.insert(elements.map { ($0, nil) }, for: waiting, at: now)
        let ready = members.filter { $0.0.readyConnection != nil }
        guard !ready.isEmpty else { return }
        for body in Outbox.binaryBatches(elements) {
            let stored = try db.deliveries.insertBody(body)
            for (_, connection) in ready {
                transaction.effects.deliveries.append(try db.deliveries.insert(to: DeliveryTarget(connection), body: stored, notifies: false, at: now))
            }
        }
    }
}
