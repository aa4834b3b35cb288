import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPCrypto
import SMPProtocol
import SMPWire

// Members of channels: owners whom the link names, relays, and subscribers whom only relays and moderators know.

extension Channels {
    // MARK: As the relay

    /// Tells moderators of a new subscriber, and the subscriber of them.
    func introduce(_ subscriber: GroupMember, in group: GroupInfo) throws {
        let moderators = try db.members.moderators(of: group.groupID).filter { $0.groupMemberID != subscriber.groupMemberID }
        try transaction.outbox.send(.newMember(transaction.info(of: subscriber, in: group), scope: nil), to: moderators, in: group)
        func introductions(_ members: [GroupMember]) throws -> [ChatMessageEvent] {
            try members.map { moderator in
                .introduceMember(
                    try transaction.info(of: moderator, in: group), restrictions: moderator.blockedByAdmin ? MemberRestrictions(restriction: .blocked) : nil)
            }
        }
        // The roster names the owner who has signed it, and says who the others are.
        try transaction.outbox.sendDirectly(introductions(moderators.filter { $0.role == .owner }), to: subscriber, in: group)
        try transaction.rosters.serve(subscriber, in: group)
        try transaction.outbox.sendDirectly(introductions(moderators.filter { $0.role != .owner }), to: subscriber, in: group)
    }

    // MARK: As the subscriber

    /// A relay introduces an owner or a moderator.
    func receiveIntroduction(
        of info: MemberInfo, restrictions: MemberRestrictions?, from relay: GroupMember, in group: GroupInfo, of user: User
    ) throws {
        guard relay.category == .host, relay.isRelay else { return reportError("x.grp.mem.intro can be only sent by host member", of: user) }
        guard info.memberID != group.membership.memberID else { return }
        guard let known = try db.members.find(info.memberID, group: group.groupID) else {
            var info = info
            // The keys of owners come with the link alone, and those of the roster with it.
            if RosterRules.isPrivileged(info.role) || !BoundMemberID.permits(info.memberID, key: info.key) { info.key = nil }
            info.role = ChannelRules.role(introduced: info.role, known: nil)
            _ = try transaction.members.add(
                info, category: .pre, status: .introduced, invitedBy: nil, isBlocked: restrictions?.restriction == .blocked, in: group, of: user)
            return
        }
        guard !known.isRelay else { return }
        let id = known.groupMemberID
        // Later profiles are signed by the member itself: a relay cannot rename known members.
        if known.status == .unknown { try db.members.update(known, user: user.userID, profile: info.profile, at: now) }
        try db.members.update(id, role: ChannelRules.role(introduced: info.role, known: known), at: now)
        if known.status == .unknown { try db.members.update(id, status: .introduced, at: now) }
        if let versions = info.versions { try db.members.update(id, versions: ChatVersionRange(versions)) }
        emit(.groupMemberUpdated(user: user, groupInfo: group, fromMember: known, toMember: try transaction.conversations.member(id, in: group)))
    }

    /// Stores the owners whom the link of a channel names, with the keys by which their actions are verified.
    ///
    /// - Parameter contact: The contact who is one of them.
    func addOwners(_ owners: [LinkOwner], contact: GroupOwnerContact?, to group: GroupInfo, of user: User) throws {
        for owner in owners {
            let id = MemberID(owner.id)
            if let known = try db.members.find(id, group: group.groupID) {
                if known.category != .user { try db.members.update(known.groupMemberID, publicKey: owner.key) }
                continue
            }
            let contactID = contact.flatMap { $0.memberID == id.description ? $0.contactID : nil }
            _ = try db.members.insert(
                NewMemberRecord(
                    groupID: group.groupID, memberID: id, role: .owner, category: .pre, status: .unknown, contactID: contactID,
                    profile: Profile(displayName: id.shortName, fullName: ""), versions: ChatVersionRange(ChatVersions.supported),
                    publicKey: owner.key), user: user.userID, at: now)
        }
    }

    /// The member that is a relay with this link, made if it is not there.
    func relayMember(_ link: ConnectionShortLink, in group: GroupInfo, of user: User) throws -> GroupMember {
        let text = link.with(scheme: .server).wireString
        if let known = try db.members.relayMember(link: text, group: group.groupID) { return known }
        let tag = random.bytes(12)
        let id = try db.members.insert(
            NewMemberRecord(
                groupID: group.groupID, memberID: MemberID(Bytes("\(group.localDisplayName)_unknown_relay_".utf8).prefix(200) + tag), role: .relay,
                category: .host, status: .accepted, profile: Profile(displayName: MemberID(tag).shortName, fullName: ""),
                versions: ChatVersionRange(ChatVersions.initial), relayLink: text), user: user.userID, at: now)
        return try transaction.conversations.member(id, in: group)
    }

    /// Stores the data of a relay from its link.
    ///
    /// - Throws: `duplicateMemberID` if another member has its identifier.
    func completeRelay(_ relay: GroupMember, memberID: MemberID, key: Ed25519.PublicKey, profile: Profile, of user: User) throws {
        if let other = try db.members.find(memberID, group: relay.groupID), other.groupMemberID != relay.groupMemberID {
            throw Refusal.chat(.groupDuplicateMemberID)
        }
        try db.members.update(relay.groupMemberID, memberID: memberID, publicKey: key)
        try db.members.update(relay, user: user.userID, profile: profile, at: now)
    }

    /// A relay lets this profile subscribe.
    ///
    /// The relay decides about the role. It decides neither about the channel nor about this profile's identity in it.
    func completeSubscription(
        _ group: GroupInfo, relay: GroupMember, _ invitation: GroupLinkInvitation, of user: User
    ) throws -> (GroupInfo, GroupMember) {
        let membership = group.membership
        if membership.status.awaitsAdmission {
            let role = invitation.invitedMember.role
            try db.members.update(membership.groupMemberID, role: role < .moderator && role != .relay ? role : ChannelRules.subscriberRole, at: now)
            try db.members.update(membership.groupMemberID, status: .accepted, at: now)
        }
        let current = try transaction.conversations.group(group.groupID, of: user)
        return (current, try transaction.conversations.member(relay.groupMemberID, in: current))
    }
}
