import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent

// Events of the agent in connections with members.

/// Receives events of connections with members.
struct MemberEvents: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Events of connections with members.
    var memberEvents: MemberEvents { MemberEvents(transaction: self) }
}

extension MemberEvents {
    func receive(_ incoming: Incoming, from member: GroupMember, in group: GroupInfo, context: inout ReceivingContext) throws {
        let user = context.user
        if member.status == .rejected || group.membership.status == .rejected {
            guard try isOfRefusal(incoming, from: member, in: group, of: user) else { return }
        }
        // Nobody comes back by a connection that was still being made at the end of its membership, or of this profile's. A relay may be added again.
        if incoming.isOfHandshake, !member.isRelay, member.status.hasEnded || group.membership.status.hasEnded {
            return reportError("a connection with a member who is not in the group any more", severity: "warning", of: user)
        }
        switch incoming.notification.event {
        case .confirmation(let id, _, _, _):
            try receiveConfirmation(id, transaction.connectionEvents.single(incoming), from: member, in: group, context: &context)
        case .information(_, _): try receiveInformation(transaction.connectionEvents.single(incoming), from: member, in: group, context: &context)
        case .connected: try receiveConnected(member, in: group, context: &context)
        case .joined(let isSecured):
            try db.connections.update(context.record.id, from: .prepared, to: isSecured ? .sendReady : .joined, at: now)
            if isSecured { try transaction.connectionEvents.setStatus(.sendReady, in: &context) }
        case .message(let metadata, _, _):
            try transaction.memberMessages.receiveMessages(metadata, incoming.messages, isRetry: incoming.isRetry, from: member, in: group, context: &context)
        case .receipts(let metadata, let receipts):
            guard metadata.messageID > context.record.lastReceivedMessageID else { return }
            for receipt in receipts {
                let status: ReceiptStatus = receipt.status == .ok ? .ok : .badMessageHash
                try receiveStatus(.received(receipt: status), of: [receipt.messageID], from: member, in: group, context: context)
            }
            guard try transaction.deliveryStatuses.noteReceipts(metadata, in: context) else { return }
            try transaction.memberMessages.receiveIntegrity(metadata, from: member, in: group, of: user)
        case .messageDelayed(let id, let fault):
            try receiveStatus(.warning(error: fault.sendError), of: [id], from: member, in: group, context: context)
            try transaction.connectionEvents.countErrors(fault, isFinal: false, in: context)
        case .messageFailed(let id, let fault):
            try receiveStatus(.error(error: fault.sendError), of: [id], from: member, in: group, context: context)
            guard !transaction.effects.isPremature else { return }
            // One of many members: the errors of single messages are not told.
            try transaction.connectionEvents.countErrors(fault, isFinal: true, in: context)
        case .messagesFailed(let ids, let fault):
            try receiveStatus(.error(error: fault.sendError), of: ids, from: member, in: group, context: context)
            guard !transaction.effects.isPremature else { return }
            transaction.connectionEvents.report(fault, in: context)
            try transaction.connectionEvents.countErrors(fault, isFinal: true, in: context)
        case .sendingContinued:
            guard context.connection.isInactive else { return }
            try transaction.connectionEvents.receiveContinuation(in: context)
            guard let member = try db.members.find(member.groupMemberID) else { return }
            if !group.usesRelays {
                try transaction.outbox.sendPendingMessages(to: member)
            } else if member.isRelay, !group.membership.isRelay, member.status.isCurrent {
                // The roster comes first: what waited may be signed by somebody whom it lists.
                if group.membership.role == .owner { try transaction.rosters.send(to: member, in: group) }
                try transaction.outbox.sendPendingMessages(to: member)
            } else if group.isServedHere, member.status.isCurrent, !member.isRelay {
                // A relay keeps nothing for those whose queues stay full. Their clients know again the posts that they have.
                try transaction.rosters.serve(member, in: group)
                try transaction.groupHistory.send(to: member, in: group)
            }
        case .queueSwitch(let direction, let phase, let stats):
            try receiveSwitch(direction, phase, stats, of: member, in: group, user: user)
        case .ratchetSync(let state, let fault, let stats):
            try receiveRatchetSync(state, fault, stats, of: member, in: group, context: context)
        case .failed(let fault): try receiveFailure(fault, of: member, in: group, context: &context)
        default: transaction.connectionEvents.receiveState(incoming.notification.event)
        }
    }

    /// Tells whether an event counts whose connection was made for a refusal only. Messages of the other side do not count, and none of them is
    /// shown. A joiner who writes has the refusal, and is forgotten.
    private func isOfRefusal(_ incoming: Incoming, from member: GroupMember, in group: GroupInfo, of user: User) throws -> Bool {
        switch incoming.notification.event {
        case .message:
            reportError("a message after a refusal", severity: "warning", of: user)
            if member.status == .rejected { try transaction.groups.forgetRefused(member, of: user) }
            return false
        case .queueSwitch, .ratchetSync, .sendingContinued: return false
        case .failed(let fault): if case .agent(.duplicate) = fault.reason { return false } else { return true }
        default: return true
        }
    }

    // MARK: Connecting

    private func receiveConfirmation(
        _ id: ConfirmationID, _ message: ChatMessage, from member: GroupMember, in group: GroupInfo, context: inout ReceivingContext
    ) throws {
        // What follows was written down when the connection was accepted.
        switch context.connection.status {
        case .accepted, .sendReady, .ready, .deleted: return
        default: try transaction.connectionEvents.setStatus(.requested, in: &context)
        }
        try transaction.connectionEvents.updateVersions(message, in: &context)
        try transaction.connectionEvents.noteCapabilities(message, in: context)
        let user = context.user
        switch (member.category, message.event) {
        case (.invitee, .acceptGroup(let memberID)):
            guard memberID == member.memberID else { return reportError("x.grp.acpt: memberId is different from expected", of: user) }
            guard member.status == .invited else { return reportError("x.grp.acpt: the member was not invited", severity: "warning", of: user) }
            try db.members.update(member.groupMemberID, status: .accepted, at: now)
            try transaction.connectionEvents.allow(id, .ok, context: &context)
        case (.invitee, .acceptGroupRelay(let link, let capabilities)) where member.isRelay && group.membership.role == .owner:
            // The connection continues once the relay's link has been verified.
            try db.relays.update(member: member.groupMemberID, link: link, confirmation: id.bytes, at: now)
            if capabilities != RelayCapabilities() { try db.relays.update(member: member.groupMemberID, capabilities: capabilities, at: now) }
            try enqueue(.channel(.acceptRelay(member: member.groupMemberID)), user: user)
        case (.invitee, .rejectGroupRelay(let reason)) where member.isRelay && group.membership.role == .owner:
            try transaction.connectionEvents.allow(id, .ok, context: &context)
            try transaction.channels.receiveRejection(reason, by: member, in: group, of: user)
        case (.host, .groupLinkInvitation) where !group.awaitsAnswer, (.host, .groupLinkRejection) where !group.awaitsAnswer:
            reportError("an answer to a request to join that this profile did not make", severity: "warning", of: user)
        case (.invitee, _): reportError("CONF from invited member must have x.grp.acpt", of: user)
        case (.host, .groupLinkInvitation(let invitation)):
            guard group.usesRelays == (invitation.groupProfile.publicGroup != nil),
                invitation.groupProfile.publicGroup?.publicGroupID == group.groupProfile.publicGroup?.publicGroupID
            else { return reportError("x.grp.link.inv: publicGroupId mismatch", of: user) }
            let (joined, host) =
                try group.usesRelays
                ? transaction.channels.completeSubscription(group, relay: member, invitation, of: user)
                : transaction.groupInvitations.completePrepared(group, host: member, invitation, of: user)
            try transaction.connectionEvents.allow(id, .info(transaction.conversations.memberProfile(in: joined, of: user)), context: &context)
            emit(.groupLinkConnecting(user: user, groupInfo: joined, hostMember: host))
        case (.host, .groupLinkRejection(let rejection)):
            guard rejection.groupProfile.publicGroup?.publicGroupID == group.groupProfile.publicGroup?.publicGroupID else {
                return reportError("x.grp.link.reject: publicGroupId mismatch", of: user)
            }
            let (rejected, host) = try transaction.groupInvitations.completePrepared(group, host: member, rejection, of: user)
            emit(.groupLinkConnecting(user: user, groupInfo: rejected, hostMember: host))
            emit(.groupLinkRejected(user: user, groupInfo: rejected, reason: rejection.reason))
        case (.host, _):
            reportError("CONF from host member in prepared group must have x.grp.link.inv or x.grp.link.reject", of: user)
        case (_, .memberInfo(let memberID, _)):
            guard memberID == member.memberID else { return reportError("x.grp.mem.info: memberId is different from expected", of: user) }
            try transaction.connectionEvents.allow(
                id, .memberInfo(memberID: group.membership.memberID, transaction.conversations.memberProfile(in: group, of: user)), context: &context)
        default: reportError("CONF from member must have x.grp.mem.info", of: user)
        }
    }

    private func receiveInformation(
        _ message: ChatMessage, from member: GroupMember, in group: GroupInfo, context: inout ReceivingContext
    ) throws {
        guard context.connection.status != .ready else { return }
        try transaction.connectionEvents.setStatus(.sendReady, in: &context)
        try transaction.connectionEvents.updateVersions(message, in: &context)
        try transaction.connectionEvents.noteCapabilities(message, in: context)
        // A rejected member has got the reason now, whatever it answers.
        if member.status == .rejected { return try transaction.groups.forgetRefused(member, of: context.user) }
        // So has the owner of a channel that this relay does not serve.
        if member.category == .host, try transaction.relayRequests.isRefused(group) {
            return try transaction.relayRequests.forget(member, in: group, of: context.user)
        }
        switch message.event {
        case .memberInfo(let memberID, _):
            guard memberID == member.memberID else { return reportError("x.grp.mem.info: memberId is different from expected", of: context.user) }
        case .info, .ok: break
        default: reportError("INFO from member must have x.grp.mem.info, x.info or x.ok", of: context.user)
        }
    }

    private func receiveConnected(_ member: GroupMember, in group: GroupInfo, context: inout ReceivingContext) throws {
        guard context.connection.status != .ready else { return }
        try transaction.connectionEvents.setStatus(.ready, in: &context)
        guard member.status != .rejected, group.membership.status != .rejected else { return }
        if try transaction.channels.endsConnection(withRejected: member, of: context.user) { return }
        var member = try db.members.find(member.groupMemberID) ?? member
        var group = group
        try transaction.outbox.sendPendingMessages(to: member)
        switch member.category {
        case _ where group.usesRelays: try transaction.channels.receiveConnected(&member, in: &group, context: context)
        case .host: try receiveHostConnected(&member, in: &group, of: context.user)
        case .invitee: try receiveInviteeConnected(&member, in: &group, context: context)
        default: try receiveOtherConnected(&member, in: &group, of: context.user)
        }
        context.peer = .member(group, member)
    }

    private func receiveHostConnected(_ host: inout GroupMember, in group: inout GroupInfo, of user: User) throws {
        try db.members.update(host.groupMemberID, status: .connected, at: now)
        host.status = .connected
        if !group.membership.status.isPending {
            try db.members.update(group.membership.groupMemberID, status: .connected, at: now)
        }
        group = try transaction.conversations.group(group.groupID, of: user)
        emit(.userJoinedGroup(user: user, groupInfo: group, hostMember: host))
        var (_, chat) = try transaction.conversations.conversation(with: host, in: group)
        try transaction.groupItems.addEvent(.receivedGroupEncryption(info: group.encryption), from: host, in: &chat, of: user)
        if group.preparedGroup == nil {
            try transaction.groupItems.addFeatureItems(
                transaction.groupItems.featureItems(group.fullGroupPreferences, isSent: false), from: host, in: &chat, of: user)
        }
        try transaction.groupItems.addEvent(.receivedGroupEvent(event: .memberConnected), from: host, in: &chat, of: user)
        if !group.membership.status.isPending, group.preparedGroup?.welcomeSharedMessageID == nil {
            try addWelcome(from: host, in: &chat, of: user)
        }
        group = chat.group
    }

    /// Shows the welcome message of a group, unless it comes with the history.
    func addWelcome(from host: GroupMember, in chat: inout GroupConversation, of user: User) throws {
        guard let welcome = chat.group.groupProfile.description else { return }
        guard !chat.group.allows(.history) || !host.supports(ChatVersions.groupHistoryWelcome) else { return }
        var main = GroupConversation(chat.group)
        try transaction.groupItems.addEvent(.receivedMessage(content: .text(welcome)), from: host, in: &main, of: user)
        chat.group = main.group
    }

    private func receiveInviteeConnected(_ member: inout GroupMember, in group: inout GroupInfo, context: ReceivingContext) throws {
        let user = context.user
        if member.status.isPending {
            try db.groups.update(group.groupID, attentionBy: 1)
            group.membersRequireAttention += 1
        } else {
            try db.members.update(member.groupMemberID, status: .connected, at: now)
            member.status = .connected
            group.groupSummary = try transaction.conversations.group(group.groupID, of: user).groupSummary
        }
        var (shown, chat) = try transaction.conversations.conversation(with: member, in: group)
        try transaction.groupItems.addEvent(.receivedGroupEvent(event: .memberConnected), from: shown, in: &chat, of: user)
        if chat.scope != nil { try transaction.groupItems.addEvent(.receivedGroupEvent(event: .newMemberPendingReview), from: shown, in: &chat, of: user) }
        group = chat.group
        emit(.joinedGroupMember(user: user, groupInfo: group, member: shown))
        if context.connection.viaUserContactLink != nil, member.contactID == nil {
            try transaction.outbox.sendDirectly([.groupLinkMember(transaction.conversations.memberProfile(in: group, of: user))], to: member, in: group)
        }
        try transaction.businessChats.sendWelcome(to: member, in: group, of: user)
        switch member.status {
        case .pendingApproval: break
        case .pendingReview: try transaction.members.introduceToModerators(member, in: group)
        default:
            try transaction.members.introduce(member, in: group)
            let isCustomer = group.businessChat.map { $0.chatType == .customer && $0.customerID == member.memberID } ?? false
            if !isCustomer { try transaction.groupHistory.send(to: member, in: group) }
        }
        shown = member
    }

    private func receiveOtherConnected(_ member: inout GroupMember, in group: inout GroupInfo, of user: User) throws {
        if !member.status.isPending {
            try db.members.update(member.groupMemberID, status: .connected, at: now)
            member.status = .connected
            group.groupSummary = try transaction.conversations.group(group.groupID, of: user).groupSummary
        }
        var (shown, chat) = try transaction.conversations.conversation(with: member, in: group)
        try transaction.groupItems.addEvent(.receivedGroupEvent(event: .memberConnected), from: shown, in: &chat, of: user)
        group = chat.group
        emit(.connectedToGroupMember(user: user, groupInfo: group, member: shown, contact: nil))
        shown = member
        if member.category == .pre { try transaction.probes.probe(member, in: group, of: user) }
        // The member who introduced the two stops forwarding between them.
        let introducer = member.category == .pre ? group.membership.invitedByGroupMemberID : member.invitedByGroupMemberID
        guard let introducer, let host = try db.members.find(introducer) else { return }
        try transaction.outbox.sendDirectly([.memberConnected(memberID: member.memberID)], to: host, in: group)
    }

    // MARK: The state of a connection

    func receiveStatus(
        _ status: GroupSendStatus, of messages: [AgentMessageID], viaProxy: Bool? = nil, from member: GroupMember, in group: GroupInfo,
        context: ReceivingContext
    ) throws {
        var changed: [StoredItem] = []
        for message in messages {
            guard let delivery = try db.deliveries.find(connection: context.record.id, agentMessageID: message) else {
                // There is no record for each member of a relay's forwarded messages.
                if !group.isServedHere { transaction.effects.isPremature = true }
                continue
            }
            changed += try transaction.outbox.updateStatus(of: delivery.items, at: member, to: status, viaProxy: viaProxy, in: group)
        }
        try transaction.deliveryStatuses.announce(statusesOf: changed, in: group, of: context.user)
    }

    /// Tells of a queue that moves, and shows where that begins and ends.
    func receiveSwitch(
        _ direction: QueueDirection, _ phase: AgentSwitchPhase, _ stats: AgentConnectionStats, of member: GroupMember, in group: GroupInfo,
        user: User
    ) throws {
        let progress = SwitchProgress(
            queueDirection: direction == .receive ? .received : .sent, phase: phase.api, connectionStats: stats.api)
        emit(.groupMemberSwitch(user: user, groupInfo: group, member: member, progress: progress))
        guard phase == .started || phase == .completed else { return }
        var (member, chat) = try transaction.conversations.conversation(with: member, in: group)
        if direction == .receive {
            try transaction.groupItems.addEvent(.sentConnectionEvent(event: .switchQueue(phase: phase.api, member: member.reference)), in: &chat, of: user)
        } else {
            try transaction.groupItems.addEvent(.receivedConnectionEvent(event: .switchQueue(phase: phase.api)), from: member, in: &chat, of: user)
        }
        member = chat.supportMember ?? member
    }

    private func receiveRatchetSync(
        _ state: AgentRatchetSyncState, _ fault: AgentError.Crypto?, _ stats: AgentConnectionStats, of member: GroupMember, in group: GroupInfo,
        context: ReceivingContext
    ) throws {
        let user = context.user
        let progress = RatchetSyncProgress(status: state.api, connectionStats: stats.api)
        var (member, chat) = try transaction.conversations.conversation(with: member, in: group)
        if let fault, state == .allowed || state == .required {
            let (error, count) = fault.itemError
            if let last = try db.items.lastItem(ofMember: member.groupMemberID, at: now),
                case .receivedDecryptionError(error, let before) = last.item.content
            {
                let content = ItemContent.receivedDecryptionError(error: error, messageCount: before + count)
                try db.items.update(
                    last.id, content: content, text: content.text, hasLink: false, isEdited: false, isLive: false, deleteAt: nil, at: now)
                emit(.chatItemUpdated(user: user, chatItem: chat.containing(try transaction.conversations.item(last.id, in: .group(chat)).item)))
                return
            }
            emit(.groupMemberRatchetSync(user: user, groupInfo: chat.group, member: member, progress: progress))
            try transaction.groupItems.addEvent(.receivedDecryptionError(error: error, messageCount: count), from: member, in: &chat, of: user)
            return
        }
        let hadCode = context.connection.connectionCode != nil
        if state == .agreed, hadCode {
            try db.connections.update(context.record.id, securityCode: nil)
            member.activeConnection?.connectionCode = nil
        }
        emit(.groupMemberRatchetSync(user: user, groupInfo: chat.group, member: member, progress: progress))
        try transaction.groupItems.addEvent(.receivedConnectionEvent(event: .ratchetSync(status: state.api)), from: member, in: &chat, of: user)
        if state == .agreed, hadCode {
            emit(.groupMemberVerificationReset(user: user, groupInfo: chat.group, member: member))
            try transaction.groupItems.addEvent(.receivedConnectionEvent(event: .verificationCodeReset), from: member, in: &chat, of: user)
        }
    }

    private func receiveFailure(_ fault: AgentError, of member: GroupMember, in group: GroupInfo, context: inout ReceivingContext) throws {
        if case .agent(.duplicate(let dropped?)) = fault.reason {
            if group.isServedHere { return }
            var (member, chat) = try transaction.conversations.conversation(with: member, in: group)
            try transaction.groupItems.addEvent(
                .receivedMessageError(error: .dropped(attempts: dropped.attempts)), from: member, at: UTCTimestamp(seconds: dropped.brokerTime),
                in: &chat, of: context.user)
            member = chat.supportMember ?? member
            return
        }
        let fails = context.connection.status != .ready && !fault.isTemporary && !transaction.connectionEvents.isHostFault(fault)
        if fails { try db.connections.update(context.record.id, status: .failed(connectionError: fault.description), at: now) }
        transaction.connectionEvents.report(fault, in: context)
        if fails { emit(.groupMemberUpdated(user: context.user, groupInfo: group, fromMember: member, toMember: member)) }
    }
}
