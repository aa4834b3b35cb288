import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPCrypto
import SMPWire

// Changes of the members of a group that other members announce.

/// Receives joins, changes and departures of members.
struct Membership: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Joins, changes and departures of members.
    var membership: Membership { Membership(transaction: self) }
}

extension Membership {
    // MARK: Announcements and introductions

    /// A member has joined, by way of the sender.
    func receiveNewMember(
        _ info: MemberInfo, scope: MessageScope?, _ received: GroupMessage, from host: GroupMember, in group: inout GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        let known = try db.members.find(info.memberID, group: group.groupID)
        guard AnnouncementDecision.mayIntroduce(info.role, by: host, known: known, inChannel: group.usesRelays) else {
            throw Refusal.chat(.groupContactRole(contactName: host.localDisplayName))
        }
        let status: GroupMemberStatus = scope == nil ? .announced : .pendingReview
        if group.usesRelays, let key = info.key {
            // One identifier has one key, whichever relay announces it. A member of whom only the key was known is completed, and keeps that key.
            let isSecond = known.map { $0.status != .unknown && $0.signingKey != nil && $0.signingKey != key } ?? false
            guard BoundMemberID.permits(info.memberID, key: key), !isSecond else {
                reportError("x.grp.mem.new: another key for the identifier of a member", of: user)
                return nil
            }
        }
        let member: GroupMember
        switch AnnouncementDecision(of: info, by: host, known: known, membership: group.membership, inChannel: group.usesRelays) {
        case .ignore: return nil
        case .refuse(let reason):
            // Every relay announces a member.
            if !group.usesRelays { reportError(reason, of: user) }
            return nil
        case .add: member = try transaction.members.add(info, category: .post, status: status, invitedBy: host, in: group, of: user)
        case .complete:
            guard let known else { return nil }
            member = try transaction.members.complete(known, with: info, status: status, invitedBy: host, in: group, of: user)
            emit(.unknownMemberAnnounced(user: user, groupInfo: group, announcingMember: host, unknownMember: known, announcedMember: member))
        }
        if member.status.isPending {
            try db.groups.update(group.groupID, attentionBy: 1)
            group.membersRequireAttention += 1
        }
        try transaction.groups.publishMemberCount(of: &group, user: user)
        group = try transaction.conversations.group(group.groupID, of: user)
        try announce(member, byScope: scope, received, from: host, in: &group, of: user)
        if scope != nil, let current = try db.members.find(member.groupMemberID) { return ForwardAudience(eventsOf: current) }
        return ForwardAudience(eventsOf: member).map { audience in
            if case .group = audience { .group(includesPending: false) } else { audience }
        }
    }

    private func announce(
        _ member: GroupMember, byScope scope: MessageScope?, _ received: GroupMessage, from host: GroupMember, in group: inout GroupInfo,
        of user: User
    ) throws {
        var announced = member
        var chat = GroupConversation(group)
        if scope != nil { (announced, chat) = try transaction.conversations.supportChat(of: member, in: group) }
        if !group.usesRelays {
            try transaction.groupItems.addEvent(
                .receivedGroupEvent(event: .memberAdded(groupMemberID: member.groupMemberID, profile: member.profile.published)), from: host,
                at: received.sentAt, id: received.message.messageID, in: &chat, of: user)
        }
        if scope != nil {
            try transaction.groupItems.addEvent(.receivedGroupEvent(event: .newMemberPendingReview), from: host, at: received.sentAt, in: &chat, of: user)
        }
        group = chat.group
        emit(.joinedGroupMemberConnecting(user: user, groupInfo: group, hostMember: host, member: announced))
    }

    /// The host introduces a member to this profile, which invites it to a connection.
    func receiveIntroduction(
        of info: MemberInfo, restrictions: MemberRestrictions?, from host: GroupMember, in group: GroupInfo, of user: User
    ) throws {
        guard host.category == .host else { return reportError("x.grp.mem.intro can be only sent by host member", of: user) }
        guard info.memberID != group.membership.memberID, try db.members.find(info.memberID, group: group.groupID) == nil else {
            return reportError("x.grp.mem.intro ignored: member already exists", of: user)
        }
        guard GroupAction.introduceMember.right.permits(host.role) else {
            throw Refusal.chat(.groupContactRole(contactName: host.localDisplayName))
        }
        guard let versions = info.versions, versions.max >= ChatVersions.groupDirectInvitation else {
            return reportError("x.grp.mem.intro: member chat version range incompatible", of: user)
        }
        let member = try transaction.members.add(
            info, category: .pre, status: .introduced, invitedBy: nil, isBlocked: restrictions?.restriction == .blocked,
            isRoleClaimed: host.role < info.role, in: group, of: user)
        try enqueue(.group(.createConnection(member: member.groupMemberID)), user: user)
    }

    /// A joining member invites an introduced one, by way of this profile. Only members whom this profile has introduced to it are notified of the member:
    /// a member who waits for approval reaches nobody, one who waits for a review reaches the moderators.
    func receiveInvitation(
        of id: MemberID, _ invitation: IntroInvitation, from member: GroupMember, in group: GroupInfo, of user: User
    ) throws {
        guard RightDecision(.inviteMember, by: ActingMember(member), inChannel: group.usesRelays) == .allow else {
            return reportError("x.grp.mem.inv can be only sent by invitee member", of: user)
        }
        guard let introduced = try db.members.find(id, group: group.groupID) else {
            return reportError("x.grp.mem.inv error: referenced member does not exist", of: user)
        }
        var relations = try db.members.relations(ofMember: member.groupMemberID)
        guard introduced.status.isCurrent, relations.passInvitation(to: introduced.indexInGroup) else {
            return reportError("x.grp.mem.inv error: members were not introduced, or the invitation was passed on", of: user)
        }
        try db.members.update(member.groupMemberID, relations: relations)
        try transaction.outbox.send(.forwardMemberInvitation(transaction.info(of: member, in: group), invitation), to: [introduced], in: group)
    }

    /// The host passes on the invitation of a member who joins.
    func receiveForwardedInvitation(
        of info: MemberInfo, _ invitation: IntroInvitation, from host: GroupMember, in group: GroupInfo, of user: User
    ) throws {
        guard AnnouncementDecision.mayIntroduce(info.role, by: host) else {
            throw Refusal.chat(.groupContactRole(contactName: host.localDisplayName))
        }
        guard info.memberID != group.membership.memberID else { return }
        // Hosts of other programs pass on what anybody sends who came by their link. Whom they have not announced, they have not let in.
        let known = try db.members.find(info.memberID, group: group.groupID)
        switch PassedInvitationDecision(from: known, by: host) {
        case .refuse(let reason): return reportError(reason, of: user)
        case .ignore: return
        case .join: break
        }
        guard let member = known else { return }
        if !member.status.isPending { try db.members.update(member.groupMemberID, status: .introductionInvited, at: now) }
        try enqueue(.group(.join(member: member.groupMemberID, link: invitation.groupConnectionRequest)), user: user)
    }

    /// A member reports that it is connected to another one: nothing is forwarded between them any more.
    func receiveConnection(to id: MemberID, from member: GroupMember, in group: GroupInfo) throws {
        guard let other = try db.members.find(id, group: group.groupID) else { throw Refusal.store(.groupMemberNotFoundByMemberID(memberID: id)) }
        var relations = try db.members.relations(ofMember: member.groupMemberID)
        relations.connect(other.indexInGroup, reported: .subjectConnected)
        try db.members.update(member.groupMemberID, relations: relations)
        relations = try db.members.relations(ofMember: other.groupMemberID)
        relations.connect(member.indexInGroup, reported: .referencedConnected)
        try db.members.update(other.groupMemberID, relations: relations)
    }

    // MARK: Roles and restrictions

    func receiveRole(
        of id: MemberID, _ role: GroupMemberRole, key: Ed25519.PublicKey? = nil, _ received: GroupMessage, from sender: GroupMember,
        in group: inout GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        let isUser = id == group.membership.memberID
        var known = isUser ? group.membership : try db.members.find(id, group: group.groupID)
        if known == nil, group.usesRelays, sender.role >= .admin {
            // Subscribers do not know each other. A subscriber with a new role is going to write.
            known = try transaction.members.author(id, name: "", in: group, makesUnknown: true, of: user)?.member
        }
        guard let member = known else {
            reportError("x.grp.mem.role with unknown member ID", of: user)
            return nil
        }
        if case .refuse(let reason) = MemberChangeDecision.role(of: member, to: role, by: sender, inChannel: group.usesRelays) {
            reportError(reason, of: user)
            return nil
        }
        if group.usesRelays, sender.role == .owner, RosterRules.lists(role) {
            if let key {
                if RosterKeyDecision(key, of: member, isServedHere: group.isServedHere) == .pin { try db.members.update(member.groupMemberID, publicKey: key) }
            } else if !RosterRules.lists(member.role), !isUser, !group.isServedHere {
                // A relay has claimed the key that is known. The roster has the one that counts.
                try db.members.update(member.groupMemberID, publicKey: nil)
            }
        }
        // The roster with this change may have come first.
        if group.usesRelays, member.role == role { return ForwardAudience(eventsOf: member) }
        try db.members.update(member.groupMemberID, role: role, isClaimed: sender.isRoleClaimed == true, at: now)
        var changed = member
        changed.role = role
        if isUser { try transaction.groups.showMembership(in: &group, of: user) }
        let event: ReceivedGroupEvent =
            isUser ? .userRole(role: role) : .memberRole(groupMemberID: member.groupMemberID, profile: member.profile.published, role: role)
        try transaction.groupItems.addEvent(
            event, from: sender, at: received.sentAt, id: received.message.messageID, signature: received.signature, in: &group, of: user)
        emit(
            .memberRole(
                user: user, groupInfo: group, byMember: sender, member: changed, fromRole: member.role, toRole: role, signature: received.signature))
        return ForwardAudience(eventsOf: member)
    }

    func receiveRestriction(
        of id: MemberID, _ restrictions: MemberRestrictions, _ received: GroupMessage, from sender: GroupMember, in group: inout GroupInfo,
        of user: User
    ) throws -> ForwardAudience? {
        // The blocked member gets the message for the convenience of the sender, and ignores it.
        guard id != group.membership.memberID else { return nil }
        let isBlocked = restrictions.restriction == .blocked
        guard GroupAction.block.right.permits(sender.role),
            let (member, isNew) = try transaction.members.author(id, name: "", in: group, makesUnknown: true, of: user)
        else {
            reportError("x.grp.mem.restrict with insufficient member permissions", of: user)
            return nil
        }
        switch MemberChangeDecision.block(member, isBlocked, by: sender) {
        case .ignore: return nil
        case .refuse(let reason):
            reportError(reason, of: user)
            return nil
        case .apply: break
        }
        try db.members.update(member.groupMemberID, isBlocked: isBlocked, at: now)
        var blocked = member
        blocked.blockedByAdmin = isBlocked
        let event = ReceivedGroupEvent.memberBlocked(
            groupMemberID: member.groupMemberID, profile: member.profile.published, blocked: isBlocked)
        if isNew { emit(.unknownMemberBlocked(user: user, groupInfo: group, blockedByMember: sender, member: blocked)) }
        try transaction.groupItems.addEvent(
            event, from: sender, at: received.sentAt, id: received.message.messageID, signature: received.signature, in: &group, of: user)
        emit(
            .memberBlockedForAll(
                user: user, groupInfo: group, byMember: sender, member: blocked, blocked: isBlocked, signature: received.signature))
        if !isBlocked { _ = try transaction.groupProfiles.showWithheldProfile(of: blocked, in: &group, of: user) }
        return ForwardAudience(eventsOf: member)
    }
}
