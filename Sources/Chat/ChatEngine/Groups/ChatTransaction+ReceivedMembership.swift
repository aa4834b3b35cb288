import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPWire

// Changes of the members of a group that other members announce.

extension ChatTransaction {
    // MARK: Announcements and introductions

    /// A member has joined, by way of the sender.
    func receiveNewMember(
        _ info: MemberInfo, scope: MessageScope?, _ received: GroupMessage, from host: GroupMember, in group: inout GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        guard AnnouncementDecision.mayIntroduce(info.role, by: host, inChannel: group.usesRelays) else {
            throw Refusal.chat(.groupContactRole(contactName: host.localDisplayName))
        }
        let status: GroupMemberStatus = scope == nil ? .announced : .pendingReview
        let known = try db.members.find(info.memberID, group: group.groupID)
        if group.usesRelays, let key = info.key {
            // One identifier has one key, whichever relay tells of it. A member of whom only the key was known is completed, and keeps that key.
            let isSecond = known.map { $0.status != .unknown && $0.signingKey != nil && $0.signingKey != key } ?? false
            guard BoundMemberID.permits(info.memberID, key: key), !isSecond else {
                reportError("x.grp.mem.new: another key for the identifier of a member", of: user)
                return nil
            }
        }
        let member: GroupMember
        switch AnnouncementDecision(of: info, by: host, known: known, membership: group.membership) {
        case .ignore: return nil
        case .refuse(let reason):
            // Every relay announces a member.
            if !group.usesRelays { reportError(reason, of: user) }
            return nil
        case .add: member = try addMember(info, category: .post, status: status, invitedBy: host, in: group, of: user)
        case .complete:
            guard let known else { return nil }
            member = try complete(known, with: info, status: status, invitedBy: host, in: group, of: user)
            emit(.unknownMemberAnnounced(user: user, groupInfo: group, announcingMember: host, unknownMember: known, announcedMember: member))
        }
        if member.status.isPending {
            try db.groups.update(group.groupID, attentionBy: 1)
            group.membersRequireAttention += 1
        }
        try publishMemberCount(of: &group, user: user)
        group = try self.group(group.groupID, of: user)
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
        if scope != nil { (announced, chat) = try supportChat(of: member, in: group) }
        if !group.usesRelays {
            try addEvent(
                .receivedGroupEvent(event: .memberAdded(groupMemberID: member.groupMemberID, profile: member.profile.published)), from: host,
                at: received.sentAt, id: received.message.messageID, in: &chat, of: user)
        }
        if scope != nil {
            try addEvent(.receivedGroupEvent(event: .newMemberPendingReview), from: host, at: received.sentAt, in: &chat, of: user)
        }
        group = chat.group
        emit(.joinedGroupMemberConnecting(user: user, groupInfo: group, hostMember: host, member: announced))
    }

    /// Stores a member that another one tells of.
    func addMember(
        _ info: MemberInfo, category: GroupMemberCategory, status: GroupMemberStatus, invitedBy inviter: GroupMember?, isBlocked: Bool = false,
        in group: GroupInfo, of user: User
    ) throws -> GroupMember {
        let id = try db.members.insert(
            NewMemberRecord(
                groupID: group.groupID, memberID: info.memberID, role: info.role, category: category, status: status,
                invitedByMember: inviter?.groupMemberID, profile: info.profile,
                versions: ChatVersionRange(info.versions ?? ChatVersions.initial), isBlocked: isBlocked,
                publicKey: group.usesRelays ? info.key : nil),
            user: user.userID, at: now)
        return try member(id, in: group)
    }

    /// Completes a member who was known by forwarded messages only.
    private func complete(
        _ member: GroupMember, with info: MemberInfo, status: GroupMemberStatus, invitedBy inviter: GroupMember, in group: GroupInfo, of user: User
    ) throws -> GroupMember {
        let id = member.groupMemberID
        try db.members.update(member, user: user.userID, profile: info.profile, at: now)
        // What the link or a signed event told of an owner is not changed by what a relay says, nor is a key that is known.
        try db.members.update(id, role: group.usesRelays ? ChannelRules.role(introduced: info.role, known: member) : info.role, at: now)
        try db.members.update(id, status: status, at: now)
        if let key = info.key, !group.usesRelays || member.publicKey == nil { try db.members.update(id, publicKey: key) }
        try db.members.update(
            id, category: .post, invitedBy: inviter.groupMemberID, versions: info.versions.map(ChatVersionRange.init) ?? member.chatVersions)
        guard let updated = try db.members.find(id) else { throw Refusal.store(.groupMemberNotFound(groupMemberID: id)) }
        return updated
    }

    /// The member of a forwarded message, made if it is not known.
    ///
    /// - Returns: nil if it is not known and must not be made.
    func author(
        _ id: MemberID, name: String, in group: GroupInfo, makesUnknown: Bool, of user: User
    ) throws -> (member: GroupMember, isNew: Bool)? {
        if let known = try db.members.find(id, group: group.groupID) { return (known, false) }
        guard makesUnknown else { return nil }
        let shown = name.isEmpty ? String(Base64URL.encode(id.bytes).prefix(7)) : name
        let info = MemberInfo(
            memberID: id, role: group.unknownMemberRole, versions: ChatVersions.supported, profile: Profile(displayName: shown, fullName: ""))
        return (try addMember(info, category: .pre, status: .unknown, invitedBy: nil, in: group, of: user), true)
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
        let member = try addMember(
            info, category: .pre, status: .introduced, invitedBy: nil, isBlocked: restrictions?.restriction == .blocked, in: group, of: user)
        try enqueue(.createMemberConnection(member: member.groupMemberID), user: user)
    }

    /// The agent has made the connection for a member that was introduced: the host passes its link on. The connection is deleted if the member is
    /// gone meanwhile.
    func inviteIntroduced(
        _ id: GroupMemberID, connection: Bytes, link: String, of user: User
    ) throws {
        guard let member = try db.members.find(id), let group = try db.groups.find(member.groupID, user: user.userID), member.activeConnection == nil,
            !member.status.hasEnded, !group.membership.status.hasEnded, let host = try db.members.host(of: group.groupID)
        else { return try enqueue(.delete(connections: [connection], after: []), user: user) }
        try insertConnection(connection, with: member, status: .new, introducedBy: host, user: user)
        try sendDirectly([.inviteMember(memberID: member.memberID, IntroInvitation(groupConnectionRequest: link))], to: host, in: group)
        if member.status == .introduced { try db.members.update(id, status: .introductionInvited, at: now) }
    }

    /// Stores the connection with a member.
    func insertConnection(
        _ agentID: Bytes, with member: GroupMember, status: ConnectionStatus, viaGroupLink: UserContactLinkID? = nil, viaAddress: UserContactLinkID? = nil,
        introducedBy host: GroupMember? = nil, user: User
    ) throws {
        let peer = member.chatVersions
        var new = NewConnectionRecord(
            userID: user.userID, agentConnectionID: agentID, status: status,
            chatVersion: ChatVersions.connectionVersion(local: ChatVersions.supported, peer: member.versionRange))
        new.peerVersions = peer
        new.memberID = member.groupMemberID
        new.viaGroupLink = viaGroupLink
        new.viaAddress = viaAddress
        new.pqSupport = false
        if let host {
            new.level = (host.activeConnection?.level ?? 0) + 1
            new.viaContact = host.contactID
        }
        _ = try db.connections.insert(new, at: now)
    }

    /// A joining member invites an introduced one, by way of this profile. Only those learn of the member whom this profile has introduced to it: one
    /// who waits for approval reaches nobody, one who waits for a review reaches the moderators.
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
        try send(.forwardMemberInvitation(MemberInfo(member, in: group), invitation), to: [introduced], in: group)
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
        try enqueue(.joinMember(member: member.groupMemberID, link: invitation.groupConnectionRequest), user: user)
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
        of id: MemberID, _ role: GroupMemberRole, _ received: GroupMessage, from sender: GroupMember, in group: inout GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        let isUser = id == group.membership.memberID
        var known = isUser ? group.membership : try db.members.find(id, group: group.groupID)
        if known == nil, group.usesRelays, sender.role >= .admin {
            // Subscribers do not know each other. One who is given a role is going to write.
            known = try author(id, name: "", in: group, makesUnknown: true, of: user)?.member
        }
        guard let member = known else {
            reportError("x.grp.mem.role with unknown member ID", of: user)
            return nil
        }
        if case .refuse(let reason) = MemberChangeDecision.role(of: member, to: role, by: sender) {
            reportError(reason, of: user)
            return nil
        }
        try db.members.update(member.groupMemberID, role: role, at: now)
        var changed = member
        changed.role = role
        if isUser { try showMembership(in: &group, of: user) }
        let event: ReceivedGroupEvent =
            isUser ? .userRole(role: role) : .memberRole(groupMemberID: member.groupMemberID, profile: member.profile.published, role: role)
        try addEvent(
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
        // The one who is blocked is told for the convenience of the sender, and has nothing to do.
        guard id != group.membership.memberID else { return nil }
        let isBlocked = restrictions.restriction == .blocked
        guard GroupAction.block.right.permits(sender.role), let (member, isNew) = try author(id, name: "", in: group, makesUnknown: true, of: user) else {
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
        try addEvent(
            event, from: sender, at: received.sentAt, id: received.message.messageID, signature: received.signature, in: &group, of: user)
        emit(
            .memberBlockedForAll(
                user: user, groupInfo: group, byMember: sender, member: blocked, blocked: isBlocked, signature: received.signature))
        if !isBlocked { _ = try showWithheldProfile(of: blocked, in: &group, of: user) }
        return ForwardAudience(eventsOf: member)
    }
}

extension MemberInfo {
    /// A member as others are told of it.
    init(_ member: GroupMember, in group: GroupInfo) {
        self.init(
            memberID: member.memberID, role: member.role, versions: VersionRange(member.activeConnection?.peerChatVersions ?? member.chatVersions),
            profile: member.profile.published.redacted(for: group, role: member.role), key: member.signingKey)
    }
}
