import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPAgent
import SMPWire

// The ways into a group: invitations of contacts, and links, for the joiner and for the host.

/// Receives invitations to groups.
struct GroupInvitations: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Invitations to groups.
    var groupInvitations: GroupInvitations { GroupInvitations(transaction: self) }
}

extension GroupInvitations {
    // MARK: Invitations of contacts

    /// Invitations to groups that one contact can leave open; further ones are refused.
    static let openInvitationLimit: Int64 = 100

    /// A contact invites to a group.
    func receive(
        _ invitation: GroupInvitation, id: SharedMessageID?, brokerTime: UTCTimestamp, from contact: Contact,
        in context: inout ReceivingContext
    ) throws {
        let user = context.user
        guard invitation.groupProfile.publicGroup == nil else { return reportError("x.grp.inv: can't invite to channel", of: user) }
        let from = invitation.fromMember, invited = invitation.invitedMember
        guard from.role >= .admin, from.role >= invited.role else {
            throw Refusal.chat(.groupContactRole(contactName: contact.localDisplayName))
        }
        guard from.memberID != invited.memberID else { throw Refusal.chat(.groupDuplicateMemberID) }
        if let known = try db.groups.find(user: user.userID, invitationLink: invitation.connectionRequest) {
            try repeatInvitation(invitation, to: known, of: user)
        }
        let known = try db.groups.find(user: user.userID, invitationLink: invitation.connectionRequest)
        guard try known != nil || db.members.openInvitations(from: contact.contactID) < Self.openInvitationLimit else {
            return reportError("x.grp.inv: as many invitations of the contact are open as are kept", of: user)
        }
        let group = try known ?? addGroup(invitation, from: contact, of: user)
        var conversation = Conversation.contact(contact)
        var draft = ItemDraft(
            .receivedGroupInvitation(
                invitation: GroupInvitationItem(
                    groupID: group.groupID, groupMemberID: group.membership.groupMemberID, localDisplayName: group.localDisplayName,
                    groupProfile: group.groupProfile, status: .pending),
                memberRole: invited.role), isSent: false)
        draft.timestamp = brokerTime
        draft.sharedMessageID = id
        let item = try transaction.items.add(draft, to: &conversation, of: user)
        try db.groups.update(group.groupID, invitationItem: item.id)
        emit(.newChatItems(user: user, chatItems: [conversation.containing(item)]))
        emit(
            .receivedGroupInvitation(user: user, groupInfo: group, contact: contact, fromMemberRole: from.role, memberRole: invited.role))
        if case .contact(let contact) = conversation { context.peer = .contact(contact) }
    }

    private func addGroup(_ invitation: GroupInvitation, from contact: Contact, of user: User) throws -> GroupInfo {
        var new = NewGroupRecord(profile: invitation.groupProfile)
        new.invitationLink = invitation.connectionRequest
        new.business = invitation.business
        let id = try db.groups.insert(new, user: user.userID, at: now)
        let peer = contact.activeConnection?.peerChatVersions ?? ChatVersionRange(ChatVersions.initial)
        let host = try db.members.insert(
            NewMemberRecord(
                groupID: id, memberID: invitation.fromMember.memberID, role: invitation.fromMember.role, category: .host, status: .invited,
                name: .shared(contact.localDisplayName), contactID: contact.contactID, profile: contact.profile.published,
                profileID: contact.profile.profileID,
                versions: ChatVersionRange(
                    minVersion: peer.minVersion, maxVersion: max(peer.minVersion, min(peer.maxVersion, Int(ChatVersions.supported.max))))),
            user: user.userID, at: now)
        // A contact who knows this profile by a random one invites that.
        try transaction.members.insertMembership(
            id, memberID: invitation.invitedMember.memberID, role: invitation.invitedMember.role, status: .invited,
            invitedBy: .contact(contactID: contact.contactID), host: host, incognitoProfile: contact.activeConnection?.customUserProfileID, of: user)
        var group = try transaction.conversations.group(id, of: user)
        try transaction.groupItems.addBanner(to: &group, of: user)
        return try transaction.conversations.group(id, of: user)
    }

    /// The same invitation again, perhaps with another role.
    private func repeatInvitation(_ invitation: GroupInvitation, to group: GroupInfo, of user: User) throws {
        guard group.membership.status == .invited else { return }
        let invited = invitation.invitedMember
        if invited.memberID != group.membership.memberID || invited.role != group.membership.role {
            try db.members.update(group.membership.groupMemberID, memberID: invited.memberID, role: invited.role, at: now)
        }
        if group.groupProfile != invitation.groupProfile {
            try db.groups.update(group, user: user.userID, profile: invitation.groupProfile, at: now)
        }
    }

    /// Shows in the chat with the inviting contact what became of an invitation.
    func update(to group: GroupInfo, _ status: GroupInvitationStatus, of user: User) throws {
        guard let id = try db.groups.invitationItem(group: group.groupID), let stored = try db.items.find(id, user: user.userID, at: now),
            case .receivedGroupInvitation(var invitation, let role) = stored.item.content, invitation.status == .pending
        else { return }
        invitation.status = status
        let content = ItemContent.receivedGroupInvitation(invitation: invitation, memberRole: role)
        try db.items.update(
            id, content: content, text: content.text, hasLink: false, isEdited: false, isLive: false, deleteAt: nil, at: now)
        let conversation = try transaction.conversations.conversation(of: stored, user: user)
        emit(.chatItemUpdated(user: user, chatItem: conversation.containing(try transaction.conversations.item(id, in: conversation).item)))
    }

    // MARK: Links, for the joiner

    /// The host of a group lets this profile join, which asked by a link without knowing that it is one of a group.
    func receiveLinkInvitation(
        _ invitation: GroupLinkInvitation, _ id: ConfirmationID, in context: inout ReceivingContext
    ) throws {
        let user = context.user
        guard try context.mayTurnIntoGroup(db) else { return reportError("x.grp.link.inv: this profile did not ask to join", severity: "warning", of: user) }
        let card = context.contact
        // A contact that was only a card of a business gives way to the chat with the business.
        if let card {
            try db.connections.detachConnections(ofContact: card.contactID)
            try db.contacts.delete(card, user: user.userID)
        }
        let group = try addGroup(
            invitation.groupProfile, business: invitation.business, host: invitation.fromMember, hostName: invitation.fromMemberName,
            invited: invitation.invitedMember,
            status: GroupMemberStatus(accepting: invitation.accepted ?? .accepted, admission: invitation.groupProfile.memberAdmission), in: context)
        guard let host = try db.members.host(of: group.groupID) else { return }
        context.peer = .member(group, host)
        context.record.memberID = host.groupMemberID
        context.record.contactID = nil
        if let card {
            var shown = group
            try transaction.groupItems.addBanner(to: &shown, of: user)
            try transaction.connectionEvents.allow(id, .info(transaction.conversations.memberProfile(in: group, of: user)), context: &context)
            emit(.businessLinkConnecting(user: user, groupInfo: shown, hostMember: host, fromContact: card))
        } else {
            emit(.groupLinkConnecting(user: user, groupInfo: group, hostMember: host))
            try transaction.connectionEvents.allow(id, .info(transaction.conversations.memberProfile(in: group, of: user)), context: &context)
        }
    }

    /// The host of a group refuses to let this profile join. It is answered all the same: the host forgets the request then.
    func receiveLinkRejection(
        _ rejection: GroupLinkRejection, _ id: ConfirmationID, in context: inout ReceivingContext
    ) throws {
        let user = context.user
        guard try context.mayTurnIntoGroup(db) else { return reportError("x.grp.link.reject: this profile did not ask to join", severity: "warning", of: user) }
        let group = try addGroup(
            rejection.groupProfile, business: nil, host: rejection.fromMember, hostName: rejection.fromMember.memberID.shortName,
            invited: rejection.invitedMember, status: .rejected, in: context)
        guard let host = try db.members.host(of: group.groupID) else { return }
        context.peer = .member(group, host)
        context.record.memberID = host.groupMemberID
        emit(.groupLinkConnecting(user: user, groupInfo: group, hostMember: host))
        emit(.groupLinkRejected(user: user, groupInfo: group, reason: rejection.reason))
        try transaction.connectionEvents.allow(id, .info(transaction.conversations.memberProfile(in: group, of: user)), context: &context)
    }

    private func addGroup(
        _ profile: GroupProfile, business: BusinessChatInfo?, host: MemberIDRole, hostName: String, invited: MemberIDRole,
        status: GroupMemberStatus, in context: ReceivingContext
    ) throws -> GroupInfo {
        let user = context.user
        var new = NewGroupRecord(profile: profile)
        new.business = business
        new.viaLink = try db.connections.link(ofConnection: context.record.id).flatMap { try? FullLink($0) }
        let id = try db.groups.insert(new, user: user.userID, at: now)
        let hostID = try db.members.insert(
            NewMemberRecord(
                groupID: id, memberID: host.memberID, role: host.role, category: .host, status: .accepted,
                profile: Profile(displayName: hostName, fullName: ""), versions: context.connection.peerChatVersions),
            user: user.userID, at: now)
        try db.connections.update(context.record.id, member: hostID, at: now)
        try transaction.members.insertMembership(
            id, memberID: invited.memberID, role: invited.role, status: status, host: hostID,
            incognitoProfile: context.connection.customUserProfileID, of: user)
        return try transaction.conversations.group(id, of: user)
    }

    /// The host of a prepared group lets this profile join.
    func completePrepared(
        _ group: GroupInfo, host: GroupMember, _ invitation: GroupLinkInvitation, of user: User
    ) throws -> (GroupInfo, GroupMember) {
        let status = GroupMemberStatus(accepting: invitation.accepted ?? .accepted, admission: invitation.groupProfile.memberAdmission)
        return try complete(
            group, host: host, profile: invitation.groupProfile, business: invitation.business, from: invitation.fromMember,
            name: invitation.fromMemberName, invited: invitation.invitedMember, status: status, of: user)
    }

    func completePrepared(
        _ group: GroupInfo, host: GroupMember, _ rejection: GroupLinkRejection, of user: User
    ) throws -> (GroupInfo, GroupMember) {
        if group.usesRelays {
            // A relay says nothing about a channel but whether it takes the subscriber. Another one may have taken it.
            if group.membership.status.awaitsAdmission { try db.members.update(group.membership.groupMemberID, status: .rejected, at: now) }
            return (try transaction.conversations.group(group.groupID, of: user), host)
        }
        return try complete(
            group, host: host, profile: rejection.groupProfile, business: nil, from: rejection.fromMember,
            name: rejection.fromMember.memberID.shortName, invited: rejection.invitedMember, status: .rejected, of: user)
    }

    private func complete(
        _ group: GroupInfo, host: GroupMember, profile: GroupProfile, business: BusinessChatInfo?, from: MemberIDRole, name: String,
        invited: MemberIDRole, status: GroupMemberStatus, of user: User
    ) throws -> (GroupInfo, GroupMember) {
        let own = group.membership.groupMemberID
        try db.members.update(own, memberID: invited.memberID, role: invited.role, at: now)
        try db.members.update(own, status: status, at: now)
        try db.members.update(host, user: user.userID, profile: Profile(displayName: name, fullName: ""), at: now)
        try db.members.update(host.groupMemberID, memberID: from.memberID, role: from.role, at: now)
        if profile != group.groupProfile { try db.groups.update(group, user: user.userID, profile: profile, at: now) }
        if group.businessChat != nil, let business { try db.groups.update(group.groupID, business: business) }
        let completed = try transaction.conversations.group(group.groupID, of: user)
        return (completed, try transaction.conversations.member(host.groupMemberID, in: completed))
    }
}

extension MemberID {
    /// A name for a member of whom nothing else is known.
    var shortName: String { String(Base64URL.encode(bytes).prefix(7)) }
}
