import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent

// Bodies that members send: each message has a savepoint of its own, and what its author's connections do not reach yet is forwarded.

/// Receives messages of members, their own and those that they forward.
struct MemberMessages: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Messages of members.
    var memberMessages: MemberMessages { MemberMessages(transaction: self) }
}

extension MemberMessages {
    /// Members up to which receipts are sent.
    static let receiptLimit: Int64 = 20

    func receiveMessages(
        _ metadata: MessageMetadata, _ messages: [ReceivedChatMessage.ParsingResult], isRetry: Bool, from member: GroupMember, in group: GroupInfo,
        context: inout ReceivingContext
    ) throws {
        transaction.effects.sendsReceipt = asksForReceipt(messages, in: group, of: context.user)
        if !isRetry {
            guard metadata.messageID > context.record.lastReceivedMessageID else { return }
            try db.connections.update(context.record.id, lastReceived: metadata.messageID)
        }
        let user = context.user
        let sentAt = UTCTimestamp(milliseconds: metadata.brokerTime)
        try receiveIntegrity(metadata, from: member, in: group, of: user)
        var forwards: [(audience: ForwardAudience, message: GroupMessage)] = []
        try transaction.connectionEvents.receiveEach(messages, in: &context) { received, context in
            guard let audience = try receive(received, at: sentAt, in: &context) else { return }
            forwards.append((audience, GroupMessage(message: received.message, sentAt: sentAt, signed: received.signed)))
        } unreadable: { text, context in
            guard case .member(let group, let member) = context.peer else { return }
            if group.isServedHere || !member.leavesNotes {
                return emit(.chatError(error: .chat(error: .exception(message: "error parsing chat message: \(text)"))))
            }
            var (shown, chat) = try transaction.conversations.conversation(with: member, in: group)
            try transaction.groupItems.addEvent(.receivedMessageError(error: .parseError(error: text)), from: shown, in: &chat, of: user)
            shown = chat.supportMember ?? shown
        }
        try forward(forwards, in: context)
    }

    /// Shows that messages of a member are missing.
    func receiveIntegrity(_ metadata: MessageMetadata, from member: GroupMember, in group: GroupInfo, of user: User) throws {
        guard let error = metadata.integrity.itemError, member.leavesNotes else { return }
        var (_, chat) = try transaction.conversations.conversation(with: member, in: group)
        try transaction.groupItems.addEvent(
            .receivedIntegrityError(error: error), from: member, at: UTCTimestamp(milliseconds: metadata.brokerTime), in: &chat, of: user)
    }

    private func asksForReceipt(_ messages: [ReceivedChatMessage.ParsingResult], in group: GroupInfo, of user: User) -> Bool {
        guard group.chatSettings.sendsReceipts ?? user.sendsReceiptsToSmallGroups else { return false }
        guard group.groupSummary.currentMembers <= Self.receiptLimit else { return false }
        // Messages from a relay are not confirmed: the relay is not the author, and would get a receipt from each subscriber for each post.
        guard !group.usesRelays || group.isServedHere else { return false }
        return messages.contains { message in
            guard case .success(let received) = message else { return false }
            return received.message.tag.hasDeliveryReceipt
        }
    }

    /// Forwards the messages of one body, runs of messages for the same members together.
    private func forward(_ forwards: [(audience: ForwardAudience, message: GroupMessage)], in context: ReceivingContext) throws {
        // A member who waits for approval talks with the host only.
        guard case .member(let group, let member) = context.peer, group.isForwarder, member.status != .pendingApproval else { return }
        // Messages of a blocked member that the block does not concern are forwarded: that it has left.
        let forwards = member.blockedByAdmin ? forwards.filter { $0.message.message.event.ignoresBlock(of: member) } : forwards
        guard !forwards.isEmpty else { return }
        if group.usesRelays { return try transaction.relayWork.add(forwards, from: member, in: group) }
        var rest = forwards[...]
        while let first = rest.first {
            let run = rest.prefix { $0.audience == first.audience }
            try transaction.forwarding.forward(run.map(\.message), from: member, to: first.audience, in: group)
            rest = rest.dropFirst(run.count)
        }
    }

    /// Receives one message of a body.
    ///
    /// - Returns: The members that it is to be forwarded to.
    private func receive(
        _ received: ReceivedChatMessage, at sentAt: UTCTimestamp, in context: inout ReceivingContext
    ) throws -> ForwardAudience? {
        guard case .member(let group, let member) = context.peer else { return nil }
        if let forward = received.forward {
            try receiveForwarded(received, forward, by: member, in: group, context: &context)
            return nil
        }
        let versions = context.connection.peerChatVersions
        try transaction.connectionEvents.updateVersions(received.message, in: &context)
        if context.connection.peerChatVersions != versions, case .member(let group, let relay) = context.peer, group.usesRelays, relay.isRelay {
            try transaction.channels.noteVersions(of: relay, before: versions, in: group)
        }
        guard case .accept(let signature) = try check(received, of: member, isForwarded: false, at: sentAt, in: group, context: context) else { return nil }
        if let id = received.message.messageID {
            guard try isFirst(id, received.message.event, author: member, forwardedBy: nil, in: group) else { return nil }
        }
        let message = GroupMessage(message: received.message, sentAt: sentAt, signed: received.signed, signature: signature)
        if case .forwardMessage(let forward, let inner) = received.message.event {
            try receiveForwarded(ReceivedChatMessage(message: inner), forward, by: member, in: group, context: &context)
            return nil
        }
        return try receive(message, from: member, in: &context)
    }

    /// Records a message under its id.
    ///
    /// - Returns: False for one that came before: it is reported, and the member that forwarded it needlessly learns that it need not.
    private func isFirst(
        _ id: SharedMessageID, _ event: ChatMessageEvent, author: GroupMember?, forwardedBy: GroupMember?, isSigned: Bool = false,
        in group: GroupInfo
    ) throws -> Bool {
        // Signed messages have no date: a relay could repeat them when they are out of date.
        let isKept = isSigned && forwardedBy != nil
        let isNew = try db.receivedMessages.insert(id, group: group.groupID, author: author, forwardedBy: forwardedBy?.groupMemberID, isKept: isKept, at: now)
        guard !isNew, let earlier = try db.receivedMessages.find(id, group: group.groupID) else { return true }
        if try isOfAnother(event, author, than: earlier.author, in: group) {
            return try db.receivedMessages.insertReusedMessageID(id, group: group.groupID, author: author?.groupMemberID, isKept: isKept, at: now)
        }
        // Every relay passes on every message, and a host passes on that somebody has left: copies are expected.
        if forwardedBy != nil, group.usesRelays || event == .leaveGroup { return false }
        emit(
            .chatError(
                error: .store(
                    error: .duplicateGroupMessage(
                        groupID: group.groupID, sharedMessageID: id, authorGroupMemberID: earlier.author,
                        forwardedByGroupMemberID: earlier.forwardedBy))))
        guard let author, earlier.author == author.groupMemberID else { return false }
        switch (forwardedBy, earlier.forwardedBy) {
        case (let forwarder?, nil): try transaction.outbox.sendDirectly([.memberConnected(memberID: author.memberID)], to: forwarder, in: group)
        case (nil, let forwarder?):
            // The copy of the author replaces the forwarded one.
            try db.receivedMessages.replaceForwarded(id, group: group.groupID)
            if let forwarder = try db.members.find(forwarder) {
                try transaction.outbox.sendDirectly([.memberConnected(memberID: author.memberID)], to: forwarder, in: group)
            }
        default: break
        }
        return false
    }

    /// Tells whether a message counts although another author has used its id: a member who sees its own removal, say, may use the id of it before it comes
    /// to others, by another relay or another connection.
    private func isOfAnother(
        _ event: ChatMessageEvent, _ author: GroupMember?, than earlier: GroupMemberID?, in group: GroupInfo
    ) throws -> Bool {
        guard group.usesRelays || event.governsMembers, let earlier else { return false }
        guard author == nil else { return author?.groupMemberID != earlier }
        // A post in the name of the channel may be that of an owner, under the same id; an ordinary member writes none.
        return try db.members.find(earlier).map { $0.groupMemberID != group.membership.groupMemberID && $0.role < .owner } ?? false
    }

    /// Checks the signature of a message. A message that does not count is recorded in the chat, unless its author no longer takes part.
    private func check(
        _ received: ReceivedChatMessage, of author: GroupMember, isForwarded: Bool, at time: UTCTimestamp, in group: GroupInfo, context: ReceivingContext
    ) throws -> SignatureDecision {
        let decision = SignatureDecision(received.signed, received.message.tag, by: author, in: group)
        guard decision == .refuse else { return decision }
        let standing = MemberStanding(author.status, category: author.category, isForwarded: isForwarded)
        guard standing.belongsToChat else {
            reportError(RightRefusal.standing(standing).text(received.message.tag), of: context.user)
            return decision
        }
        var (shown, chat) = try transaction.conversations.conversation(with: author, in: group)
        try transaction.groupItems.addEvent(.receivedGroupEvent(event: .messageBadSignature), from: shown, at: time, in: &chat, of: context.user)
        shown = chat.supportMember ?? shown
        return decision
    }

    private func receiveForwarded(
        _ received: ReceivedChatMessage, _ forward: MessageForward, by forwarder: GroupMember, in group: GroupInfo, context: inout ReceivingContext
    ) throws {
        let message = received.message
        guard case .allow = RightDecision(.forward, by: ActingMember(forwarder), inChannel: group.usesRelays) else {
            throw Refusal.chat(.groupContactRole(contactName: forwarder.localDisplayName))
        }
        guard case .member(let id, let name) = forward.sender else {
            return try receiveForwardedFromChannel(message, at: forward.brokerTimestamp, by: forwarder, in: group, context: &context)
        }
        // A message in our own name was not sent by us, or comes back.
        guard id != group.membership.memberID else {
            if !group.usesRelays { reportError("x.grp.msg.forward: forwarded message of this member", of: context.user) }
            return
        }
        guard message.event.isForwardedInGroups else {
            return reportError("x.grp.msg.forward: unsupported forwarded event \(message.tag.rawValue)", of: context.user)
        }
        // Every relay gives every subscriber the same roster, again if it asks: what has come of it before decides.
        let isRoster = message.tag == .groupRoster
        let makesUnknown = message.event != .leaveGroup && !isRoster
        guard let (author, isNew) = try transaction.members.author(id, name: name, in: group, makesUnknown: makesUnknown, of: context.user)
        else { return }
        if message.event == .leaveGroup, ActingMember(author).standing == .ended { return }
        // A member that this profile has admitted uses its own connection: messages of others in its name do not count.
        guard group.usesRelays || author.invitedBy != .user || author.readyConnection == nil else {
            return reportError("x.grp.msg.forward: the author has a connection of its own", severity: "warning", of: context.user)
        }
        if isNew { emit(.unknownMemberCreated(user: context.user, groupInfo: group, forwardedByMember: forwarder, member: author)) }
        // Before the signature, as the copy of another relay would be refused again.
        if group.usesRelays, !isRoster, let id = message.messageID, let earlier = try db.receivedMessages.find(id, group: group.groupID) {
            let isAnother = try isOfAnother(message.event, author, than: earlier.author, in: group)
            if try !isAnother || db.receivedMessages.hasReusedMessageID(id, group: group.groupID, author: author.groupMemberID) { return }
        }
        guard
            case .accept(let signature) = try check(received, of: author, isForwarded: true, at: forward.brokerTimestamp, in: group, context: context)
        else { return }
        if !isRoster, let id = message.messageID {
            let isSigned = signature == .verified
            guard try isFirst(id, message.event, author: author, forwardedBy: forwarder, isSigned: isSigned, in: group) else { return }
        }
        var authored = context
        authored.peer = .member(group, author)
        _ = try receive(
            GroupMessage(
                message: message, sentAt: forward.brokerTimestamp, forwardedBy: forwarder, signed: received.signed, signature: signature),
            from: author, in: &authored)
        guard case .member(let changed, _) = authored.peer else { return }
        context.peer = .member(changed, try db.members.find(forwarder.groupMemberID) ?? forwarder)
    }

    /// Receives a message in the name of a channel, whose author its relay does not tell.
    private func receiveForwardedFromChannel(
        _ message: ChatMessage, at time: UTCTimestamp, by forwarder: GroupMember, in group: GroupInfo, context: inout ReceivingContext
    ) throws {
        guard group.usesRelays else { return reportError("x.grp.msg.forward: group without relays", of: context.user) }
        guard message.event.hasNoAuthorInChannels else {
            return reportError("x.grp.msg.forward: event \(message.tag.rawValue) requires author", of: context.user)
        }
        if let id = message.messageID { guard try isFirst(id, message.event, author: nil, forwardedBy: forwarder, in: group) else { return } }
        let received = GroupMessage(message: message, sentAt: time, forwardedBy: forwarder)
        switch message.event {
        case .newMessage(let container): _ = try transaction.channelMessages.receiveContent(container, received, from: nil, in: group, of: context.user)
        case .updateMessage(let update): _ = try transaction.channelMessages.receiveUpdate(update, received, from: nil, in: group, of: context.user)
        case .deleteMessage(let deletion): _ = try transaction.channelMessages.receiveDeletion(deletion, received, from: nil, in: group, of: context.user)
        case .fileDescription(let id, let part): _ = try transaction.receivedFiles.receive(part, ofFileIn: id, from: nil, in: group, of: context.user)
        case .cancelFile(let id): _ = try transaction.receivedFiles.receiveCancellation(ofFileIn: id, from: nil, in: group, of: context.user)
        default: break
        }
        context.peer = .member(
            try db.groups.find(group.groupID, user: context.user.userID) ?? group, try db.members.find(forwarder.groupMemberID) ?? forwarder)
    }

    private func receive(_ received: GroupMessage, from member: GroupMember, in context: inout ReceivingContext) throws -> ForwardAudience? {
        guard case .member(var group, _) = context.peer else { return nil }
        let user = context.user
        if let refusal = try refusal(of: received, from: member, in: group) {
            // It counts once the block ends: the member does not send it again.
            if refusal == .blocked, case .info(let profile) = received.message.event { try db.members.withholdProfile(profile, of: member.groupMemberID) }
            reportError(refusal.text(received.message.tag), of: user)
            return nil
        }
        let audience: ForwardAudience?
        switch received.message.event {
        case .newMessage(let container): return try transaction.groupMessages.receiveContent(container, received, from: member, in: group, of: user)
        case .file(let invitation):
            return try transaction.groupMessages.receiveContent(
                MessageContainer(content: .file(""), file: invitation), received, from: member, in: group, of: user)
        case .updateMessage(let update): return try transaction.groupMessages.receiveUpdate(update, received, from: member, in: group, of: user)
        case .deleteMessage(let deletion): return try transaction.groupMessages.receiveDeletion(deletion, received, from: member, in: group, of: user)
        case .react(let change): return try transaction.groupMessages.receiveReaction(change, received, from: member, in: group, of: user)
        case .fileDescription(let id, let part): return try transaction.receivedFiles.receive(part, ofFileIn: id, from: member, in: group, of: user)
        case .cancelFile(let id): return try transaction.receivedFiles.receiveCancellation(ofFileIn: id, from: member, in: group, of: user)
        case .info(let profile):
            try transaction.groupProfiles.updateProfile(of: member, to: profile, received, in: &group, of: user)
            audience = ForwardAudience(eventsOf: member)
        case .newMember(let info, let scope):
            audience = try transaction.membership.receiveNewMember(info, scope: scope, received, from: member, in: &group, of: user)
        case .memberRole(let id, let role, let key, let version):
            guard try transaction.rosters.admits(version, change: (id, role), from: member, received, in: group, of: user) else { return nil }
            audience = try transaction.membership.receiveRole(of: id, role, key: key, received, from: member, in: &group, of: user)
        case .restrictMember(let id, let restrictions):
            audience = try transaction.membership.receiveRestriction(of: id, restrictions, received, from: member, in: &group, of: user)
        case .removeMember(let id, let withMessages, let version):
            guard try transaction.rosters.admits(version, from: member, received, in: group, of: user) else { return nil }
            audience = try transaction.membership.receiveRemoval(of: id, withMessages: withMessages, received, from: member, in: &group, of: user)
        case .groupRoster(let roster):
            try transaction.rosters.receive(roster, received, from: member, in: group, of: user)
            audience = nil
        case .newGroupRelay(let link): audience = try transaction.channels.receiveRelay(link, from: member, in: group, of: user)
        case .leaveGroup: audience = try transaction.membership.receiveLeave(received, from: member, in: &group, of: user)
        case .deleteGroup:
            try transaction.membership.receiveGroupDeletion(received, from: member, in: &group, of: user)
            audience = group.isServedHere ? .everybodyAtLast : nil
        case .groupInfo(let profile): audience = try transaction.groupProfiles.receive(profile, received, from: member, in: &group, of: user)
        case .groupPreferences(let preferences):
            audience = try transaction.groupProfiles.receivePreferences(preferences, received, from: member, in: &group, of: user)
        default:
            guard received.forwardedBy == nil else { return nil }
            try receiveDirectly(received, from: member, in: &group, of: user)
            audience = nil
        }
        context.peer = .member(try db.groups.find(group.groupID, user: user.userID) ?? group, try db.members.find(member.groupMemberID) ?? member)
        return audience
    }

    /// The refusal of a message for the standing of its author, or a block; nil if neither forbids it. The roles are asked for where the message is
    /// carried out, and the rights to change an item where the item is read. Those to its file are asked for here.
    private func refusal(of received: GroupMessage, from member: GroupMember, in group: GroupInfo) throws -> RightRefusal? {
        let acting = ActingMember(member, isForwarded: received.forwardedBy != nil)
        let event = received.message.event
        switch acting.standing {
        case .rejected, .ended, .invited: return .standing(acting.standing)
        case .member, .underReview, .awaitingApproval: break
        }
        switch event {
        case .fileDescription(let id, _), .cancelFile(let id), .fileChunk(let id, _):
            guard let stored = try db.items.find(group: group, sharedMessageID: id, author: member.memberID, at: now) else {
                return RightDecision(.sendForeignFile, by: acting).refusalOfStanding
            }
            let place = ItemPlace(of: stored, for: member, in: group)
            var action = GroupAction.sendFile(place)
            if case .cancelFile = event { action = .cancelFile(place) }
            return RightDecision(action, by: acting, isHidden: stored.isBlockedByAdmin, inChannel: group.usesRelays).refusal
        default:
            guard let action = GroupAction(event, by: member), action != .nothing else { return nil }
            return RightDecision(action, by: acting, inChannel: group.usesRelays).refusalOfStanding
        }
    }

    /// Messages that only make sense from the member itself.
    private func receiveDirectly(_ received: GroupMessage, from member: GroupMember, in group: inout GroupInfo, of user: User) throws {
        switch received.message.event {
        case .groupLinkMember(let profile): try receiveLinkProfile(profile, from: member, in: &group, of: user)
        case .groupLinkAcceptance(let acceptance, let role, let id):
            try receiveAcceptance(acceptance, of: id, as: role, received, from: member, in: &group, of: user)
        case .introduceMember(let info, let restrictions):
            if group.usesRelays {
                try transaction.channels.receiveIntroduction(of: info, restrictions: restrictions, from: member, in: group, of: user)
            } else {
                try transaction.membership.receiveIntroduction(of: info, restrictions: restrictions, from: member, in: group, of: user)
            }
        case .inviteMember(let id, let invitation): try transaction.membership.receiveInvitation(of: id, invitation, from: member, in: group, of: user)
        case .forwardMemberInvitation(let info, let invitation):
            try transaction.membership.receiveForwardedInvitation(of: info, invitation, from: member, in: group, of: user)
        case .memberConnected(let id): try transaction.membership.receiveConnection(to: id, from: member, in: group)
        case .memberConnectedToAll: break
        case .groupDirectInvitation(let link, let content, let scope):
            if case .refuse(let reason) = WritingDecision(.inviteAsContact(ItemPlace(scope, of: member)), by: member) {
                return reportError(reason, of: user)
            }
            try transaction.memberContacts.receiveInvitation(link, content: content, received, from: member, in: &group, of: user)
        case .probe(let probe): try transaction.probes.receive(probe, from: .member(group, member), of: user)
        case .checkProbe(let hash): try transaction.probes.receive(hash, from: .member(group, member), of: user)
        case .confirmProbe(let probe): try transaction.probes.receiveConfirmation(of: probe, from: .member(group, member), of: user)
        case .acknowledgeRoster(let version, let error):
            try transaction.rosters.receiveAcknowledgement(version, error: error, from: member, in: group, of: user)
        case .requestRoster(let version): try transaction.rosters.receiveRequest(version, from: member, in: group, of: user)
        case .groupRelayCapabilities(let capabilities): try transaction.channels.receiveCapabilities(capabilities, of: member, in: group, of: user)
        case .fileChunk(let id, let chunk):
            if try transaction.rosters.receive(chunk, ofRosterIn: id, from: member, in: &group, of: user) { return }
            try transaction.inlineFiles.receive(chunk, ofFileIn: id, from: member, in: group, of: user)
        default:
            if case .acceptFileInvitation(let id, _, _) = received.message.event, try transaction.inlineFiles.refuseChunks(ofFileIn: id, in: group) { return }
            reportError("unsupported message: \(received.message.tag.rawValue)", of: user)
        }
    }

    /// The host that this profile has joined by a link shows its own profile, once.
    private func receiveLinkProfile(_ profile: Profile, from member: GroupMember, in group: inout GroupInfo, of user: User) throws {
        guard group.viaGroupLinkURI != nil || group.businessChat != nil, member.contactID == nil, member.category == .host,
            try db.members.receiveLinkProfile(member: member.groupMemberID)
        else { return reportError("x.grp.link.mem error: invalid group link host profile update", of: user) }
        let updated = try transaction.groupProfiles.updateProfile(of: member, to: profile, nil, in: &group, of: user)
        // Relays are no contacts.
        if !group.usesRelays { try transaction.probes.probe(updated, in: group, of: user) }
    }

    /// A member, or this profile, is let in, or has to wait on.
    private func receiveAcceptance(
        _ acceptance: GroupAcceptance, of id: MemberID, as role: GroupMemberRole, _ received: GroupMessage, from sender: GroupMember,
        in group: inout GroupInfo, of user: User
    ) throws {
        if id == group.membership.memberID {
            return try receiveOwnAcceptance(acceptance, as: role, from: sender, in: &group, of: user)
        }
        guard let member = try db.members.find(id, group: group.groupID) else {
            return reportError("x.grp.link.acpt error: referenced member does not exist", of: user)
        }
        if case .refuse(let reason) = MemberChangeDecision.acceptance(of: member, as: role, by: sender) { return reportError(reason, of: user) }
        let isConnected = member.activeConnection?.status == .ready
        let accepted = try transaction.members.accept(member, as: role, status: isConnected ? .connected : .announced, in: &group, of: user)
        if member.category == .invitee {
            try transaction.members.introduce(accepted, in: group)
            try transaction.groupHistory.send(to: accepted, in: group)
        }
        var main = GroupConversation(group)
        try transaction.groupItems.addEvent(.receivedGroupEvent(event: .memberConnected), from: accepted, in: &main, of: user)
        var (_, support) = try transaction.conversations.supportChat(of: accepted, in: main.group)
        try transaction.groupItems.addEvent(
            .receivedGroupEvent(event: .memberAccepted(groupMemberID: accepted.groupMemberID, profile: accepted.profile.published)), from: sender,
            at: received.sentAt, id: received.message.messageID, in: &support, of: user)
        group = support.group
        emit(.memberAcceptedByOther(user: user, groupInfo: group, acceptingMember: sender, member: accepted))
    }

    private func receiveOwnAcceptance(
        _ acceptance: GroupAcceptance, as role: GroupMemberRole, from sender: GroupMember, in group: inout GroupInfo, of user: User
    ) throws {
        guard group.membership.status.isPending, GroupAction.letIn.right.permits(sender.role) else {
            return reportError("x.grp.link.acpt for a member who does not wait to be let in", of: user)
        }
        // Nobody gives more than it has.
        let role = min(role, sender.role)
        switch acceptance {
        case .pendingApproval:
            reportError("x.grp.link.acpt: unexpected group acceptance - pending approval", severity: "warning", of: user)
        case .pendingReview:
            let id = group.membership.groupMemberID
            try db.members.update(id, status: .pendingReview, at: now)
            try db.members.update(id, role: role, at: now)
            group = try transaction.conversations.group(group.groupID, of: user)
            var support = try transaction.conversations.ownSupportChat(in: group)
            try transaction.groupItems.addEvent(.sentGroupEvent(event: .userPendingReview), in: &support, of: user)
            group = support.group
            emit(.memberAcceptedByOther(user: user, groupInfo: group, acceptingMember: sender, member: group.membership))
        case .accepted:
            let id = group.membership.groupMemberID
            try db.members.update(id, status: .connected, at: now)
            try db.members.update(id, role: role, at: now)
            group = try transaction.conversations.group(group.groupID, of: user)
            var chat = GroupConversation(group)
            try transaction.groupItems.addEvent(.receivedGroupEncryption(info: chat.group.encryption), from: sender, in: &chat, of: user)
            if group.preparedGroup == nil {
                try transaction.groupItems.addFeatureItems(
                    transaction.groupItems.featureItems(group.fullGroupPreferences, isSent: false), from: sender, in: &chat, of: user)
            }
            if group.preparedGroup?.welcomeSharedMessageID == nil { try transaction.memberEvents.addWelcome(from: sender, in: &chat, of: user) }
            try transaction.groupItems.addEvent(.receivedGroupEvent(event: .userAccepted), from: sender, in: &chat, of: user)
            var support = try transaction.conversations.ownSupportChat(in: chat.group)
            try transaction.groupItems.addEvent(.receivedGroupEvent(event: .userAccepted), from: sender, in: &support, of: user)
            group = support.group
            emit(.userJoinedGroup(user: user, groupInfo: group, hostMember: sender))
        }
    }
}
