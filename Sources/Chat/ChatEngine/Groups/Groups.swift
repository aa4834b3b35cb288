import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPCrypto
import SMPWire

// What commands do with whole groups: making, leaving, deleting them, their profile and their link.

/// Makes, changes and deletes groups, and publishes their links.
struct Groups: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Groups.
    var groups: Groups { Groups(transaction: self) }
}

extension Groups {
    // MARK: Making

    func create(_ profile: GroupProfile, incognito: Bool, user id: UserID) throws -> ChatResponse {
        let user = try transaction.user(id)
        try transaction.users.checkName(profile.displayName)
        guard profile.publicGroup == nil else { throw Refusal.command("a group without relays cannot be public: use /_public group") }
        let shown = try incognito ? db.profiles.insert(RandomProfile.make(random), user: user.userID, incognito: true, at: now) : nil
        let id = try db.groups.insert(NewGroupRecord(profile: profile), user: user.userID, at: now)
        try transaction.members.insertMembership(
            id, memberID: MemberID(random.bytes(12)), role: .owner, status: .creator, invitedBy: .user, incognitoProfile: shown, of: user)
        let group = try transaction.conversations.group(id, of: user)
        var chat = GroupConversation(group)
        var banner = ItemDraft(.chatBanner, isSent: true)
        banner.timestamp = UTCTimestamp(seconds: 0)
        try transaction.groupItems.announce(banner, in: &chat, of: user)
        try addOwnOpening(to: &chat, of: user)
        return .groupCreated(user: user, groupInfo: group)
    }

    /// The items at the head of a group of this profile, below the banner.
    func addOwnOpening(to chat: inout GroupConversation, of user: User) throws {
        try transaction.groupItems.addEvent(.sentGroupEncryption(info: chat.group.encryption), in: &chat, of: user)
        try transaction.groupItems.addFeatureItems(
            transaction.groupItems.featureItems(chat.group.fullGroupPreferences, isSent: true), from: nil, in: &chat, of: user)
    }

    /// Gives a prepared group, which nobody is connected to yet, to another profile.
    func move(_ id: GroupID, to newUserID: UserID) throws -> ChatResponse {
        let user = try transaction.user()
        let group = try transaction.conversations.group(id, of: user)
        guard group.preparedGroup != nil else { throw Refusal.command("group doesn't have link to connect") }
        let host = try db.members.host(of: id)
        guard host != nil || group.usesRelays else { throw Refusal.store(.groupHostMemberNotFound(groupID: id)) }
        // A channel has no host before it is being joined.
        guard host?.activeConnection == nil, !group.usesRelays || host == nil else { throw Refusal.command("host member already has connection") }
        let newUser = try transaction.anyUser(newUserID)
        try db.groups.move(group, host: host, from: user.userID, to: newUser, at: now)
        return .groupUserChanged(user: user, fromGroup: group, newUser: newUser, toGroup: try transaction.conversations.group(id, of: newUser))
    }

    // MARK: Inviting

    /// Checks an invitation, and sends it again to a contact that was invited before.
    ///
    /// - Returns: nil for a contact that is invited for the first time.
    func repeatInvitation(of contactID: ContactID, to id: GroupID, as role: GroupMemberRole) throws -> ChatResponse? {
        let user = try transaction.user()
        let group = try transaction.conversations.group(id, of: user)
        let contact = try transaction.conversations.contact(contactID, of: user)
        try transaction.conversations.require(max(.admin, role), in: group)
        guard contact.activeConnection?.customUserProfileID == nil else { throw Refusal.chat(.contactIncognitoCantInvite) }
        guard !group.usesRelays else { throw Refusal.command("can't invite contact to channel") }
        guard !group.isIncognito else { throw Refusal.chat(.groupIncognitoCantInvite) }
        _ = try transaction.outbox.sendingConnection(contact)
        let known = try db.members.memberships(ofContact: contactID).first { member in
            member.groupID == id && member.status != .rejected && member.status != .removed && member.status != .left
        }
        guard var member = known else { return nil }
        guard member.status == .invited else { throw Refusal.chat(.groupDuplicateMember(contactName: contact.localDisplayName)) }
        guard let link = try db.members.sentInvitationLink(member: member.groupMemberID) else {
            throw Refusal.chat(.groupCantResendInvitation(groupInfo: group, contactName: contact.localDisplayName))
        }
        if member.role != role { try db.members.update(member.groupMemberID, role: role, at: now) }
        member.role = role
        try sendInvitation(to: group, as: member, by: link, to: contact, of: user)
        return .sentGroupInvitation(user: user, groupInfo: group, contact: contact, member: member)
    }

    func invite(
        _ contactID: ContactID, to id: GroupID, as role: GroupMemberRole, connection: Bytes, link: String
    ) throws -> ChatResponse {
        let user = try transaction.user()
        let group = try transaction.conversations.group(id, of: user)
        let contact = try transaction.conversations.contact(contactID, of: user)
        let peer = contact.activeConnection?.peerChatVersions ?? ChatVersionRange(ChatVersions.initial)
        let memberID = try db.members.insert(
            NewMemberRecord(
                groupID: id, memberID: MemberID(random.bytes(12)), role: role, category: .invitee, status: .invited, invitedBy: .user,
                invitedByMember: group.membership.groupMemberID, name: .shared(contact.localDisplayName), contactID: contactID,
                profile: contact.profile.published, profileID: contact.profile.profileID, versions: peer, sentInvitationLink: link),
            user: user.userID, at: now)
        let member = try transaction.conversations.member(memberID, in: group)
        try transaction.members.insertConnection(connection, with: member, status: .new, user: user)
        try sendInvitation(to: group, as: member, by: link, to: contact, of: user)
        return .sentGroupInvitation(user: user, groupInfo: group, contact: contact, member: member)
    }

    /// Sends an invitation and shows it in the chat with the contact.
    private func sendInvitation(to group: GroupInfo, as member: GroupMember, by link: String, to contact: Contact, of user: User) throws {
        let membership = group.membership
        let invitation = GroupInvitation(
            fromMember: MemberIDRole(memberID: membership.memberID, role: membership.role),
            invitedMember: MemberIDRole(memberID: member.memberID, role: member.role), connectionRequest: link, groupProfile: group.groupProfile,
            business: group.businessChat, groupLinkID: nil,
            groupSize: Int(group.groupSummary.currentMembers))
        var conversation = Conversation.contact(contact)
        var draft = ItemDraft(
            .sentGroupInvitation(
                invitation: GroupInvitationItem(
                    groupID: group.groupID, groupMemberID: member.groupMemberID, localDisplayName: group.localDisplayName,
                    groupProfile: group.groupProfile, status: .pending),
                memberRole: member.role), isSent: true)
        let id = newSharedMessageID()
        draft.sharedMessageID = id
        draft.timer = conversation.sentTimer(ttl: nil, isLive: false, at: time.steady)
        let item = try transaction.items.add(draft, to: &conversation, of: user)
        try transaction.outbox.send([OutgoingMessage(.groupInvitation(invitation), id: id, itemID: item.meta.itemID)], to: contact)
        emit(.newChatItems(user: user, chatItems: [conversation.containing(item)]))
    }

    /// The invitation to a group that this profile has not joined yet.
    func invitation(to id: GroupID, of user: User) throws -> (User, GroupInfo, GroupMember, String) {
        let group = try transaction.conversations.group(id, of: user)
        guard let link = try db.groups.invitationLink(group: id), let host = try db.members.host(of: id) else {
            throw Refusal.store(.groupInvitationNotFound)
        }
        // A second join is reported as official cores report it.
        guard group.membership.status == .invited else { throw Refusal.store(.groupAlreadyJoined) }
        guard let contactID = host.contactID, let contact = try db.contacts.find(contactID, of: user) else {
            throw Refusal.store(.contactNotFoundByMemberID(groupMemberID: host.groupMemberID))
        }
        guard contact.activeConnection != nil else { throw Refusal.chat(.contactNotActive(contact: contact)) }
        return (user, group, host, link)
    }

    // MARK: Leaving and deleting

    func leave(_ id: GroupID) throws -> ChatResponse {
        let user = try transaction.user()
        var group = try transaction.conversations.group(id, of: user)
        try transaction.fileTransfers.cancelAll(in: .group(id))
        let message = try transaction.outbox.outgoing(.leaveGroup, in: group)
        if group.isServedHere {
            // Owners are notified at once, because their later posts need another relay; subscribers are notified after the accepted posts.
            let owners = try transaction.conversations.connectedMembers(of: group).filter { $0.role == .owner && $0.status.isCurrent }
            try transaction.outbox.send([message], to: owners, in: group)
            try transaction.relayWork.endService(of: group, with: message)
            // An owner who invites this relay again gets a refusal, until the operator allows it.
            try db.groups.update(group.groupID, relayOwnStatus: .rejected)
            group.relayOwnStatus = .rejected
        } else {
            let members = try transaction.conversations.connectedMembers(of: group)
            try transaction.outbox.send([message], to: members.filter { $0.status.isCurrent || $0.status.isPending }, in: group)
            try transaction.members.deleteConnections(of: members, afterDelivery: true, keepsRows: false, user: user)
        }
        var chat = group.membership.status.isPending ? try transaction.conversations.ownSupportChat(in: group) : GroupConversation(group)
        try transaction.groupItems.addEvent(.sentGroupEvent(event: .userLeft), id: message.id, signature: message.signature, in: &chat, of: user)
        group = chat.group
        try deleteLink(of: group, user: user)
        try db.members.update(group.membership.groupMemberID, status: .left, at: now)
        try showMembership(in: &group, of: user)
        return .leftMemberUser(user: user, groupInfo: group)
    }

    /// Deletes a group here and, as its owner, for all.
    func delete(_ id: GroupID) throws -> ChatResponse {
        let user = try transaction.user()
        let group = try transaction.conversations.group(id, of: user)
        let isOwner = group.membership.role == .owner
        guard isOwner || !group.membership.status.isCurrent else {
            throw Refusal.chat(.groupUserRole(groupInfo: group, requiredRole: .owner))
        }
        let members = try transaction.conversations.connectedMembers(of: group)
        let tells = isOwner && group.membership.status.isActive
        let message = try transaction.outbox.outgoing(.deleteGroup, in: group)
        if tells { try transaction.outbox.send([message], to: members.filter { $0.status.isCurrent || $0.status.isPending }, in: group) }
        try deleteLink(of: group, user: user)
        try transaction.members.deleteConnections(of: members, afterDelivery: tells, keepsRows: false, user: user)
        try transaction.groupInvitations.update(to: group, .rejected, of: user)
        try db.groups.delete(group, user: user.userID)
        transaction.effects.removesFiles = true
        return .groupDeletedUser(user: user, groupInfo: group, isSigned: tells && message.isSigned)
    }

    /// Puts the stored membership into the reported group, with the time by which it counts.
    func showMembership(in group: inout GroupInfo, of user: User) throws {
        let current = try transaction.conversations.group(group.groupID, of: user)
        (group.membership, group.updatedAt) = (current.membership, current.updatedAt)
    }

    // MARK: The profile

    /// Changes the profile of a group, here and at the members.
    ///
    /// - Returns: The response, and whether the data of the group's link must be updated.
    func update(_ old: GroupInfo, to profile: GroupProfile, of user: User) throws -> ChatResponse {
        try transaction.conversations.require(.owner, in: old)
        if profile.displayName != old.groupProfile.displayName { try transaction.users.checkName(profile.displayName) }
        // A channel stays what it is, whether the command repeats that or not.
        var profile = profile
        guard profile.publicGroup == nil || profile.publicGroup?.publicGroupID == old.groupProfile.publicGroup?.publicGroupID else {
            throw Refusal.command("the identity of a group cannot be changed")
        }
        // What newer versions say of a public group is not its identity: the command decides on that.
        let unknown = profile.publicGroup?.unknownMembers
        profile.publicGroup = old.groupProfile.publicGroup
        if let unknown { profile.publicGroup?.unknownMembers = unknown }
        try db.groups.update(old, user: user.userID, profile: profile, at: now)
        try transaction.comments.letComment(in: profile, before: old)
        let group = try transaction.conversations.group(old.groupID, of: user)
        let members = try transaction.conversations.connectedMembers(of: old).filter { $0.status.isCurrent || $0.status.isPending }
        let id = newSharedMessageID()
        var signature: SignatureStatus?
        if let business = group.businessChat {
            let isNew: (GroupMember) -> Bool = { $0.supports(ChatVersions.businessChatPreferences) }
            let older = members.filter { !isNew($0) }
            if !older.isEmpty, let titled = try db.members.find(business.businessID, group: group.groupID) {
                // Clients that know no preferences of business chats get the whole profile, by the name of the business.
                var shown = profile
                (shown.displayName, shown.fullName) = (titled.profile.displayName, titled.profile.fullName)
                (shown.shortDescription, shown.image) = (titled.profile.shortDescription, titled.profile.image)
                try transaction.outbox.send(.groupInfo(shown), to: older, in: group)
            }
            let preferences = profile.groupPreferences ?? .business(of: Profile(displayName: "", fullName: ""))
            try transaction.outbox.send([OutgoingMessage(.groupPreferences(preferences), id: id)], to: members.filter(isNew), in: group)
        } else {
            let message = try transaction.outbox.outgoing(.groupInfo(profile), id: id, in: group)
            try transaction.outbox.send([message], to: members, in: group)
            signature = message.signature
            if group.usesRelays { try db.groups.changeLink(of: group.groupID) }
        }
        var chat = GroupConversation(group)
        if !profile.isSame(besidesPreferences: old.groupProfile) {
            try transaction.groupItems.addEvent(.sentGroupEvent(event: .groupUpdated(groupProfile: profile)), id: id, signature: signature, in: &chat, of: user)
        }
        for content in transaction.groupItems.featureItems(changedFrom: old.fullGroupPreferences, to: group.fullGroupPreferences, isSent: true) {
            try transaction.groupItems.addEvent(content, in: &chat, of: user)
        }
        return .groupUpdated(user: user, fromGroup: old, toGroup: group, member: nil, isSigned: signature != nil)
    }

    // MARK: The link

    func link(of group: GroupInfo) throws -> GroupLink {
        guard let link = try db.groupLinks.find(group: group.groupID) else { throw Refusal.store(.groupLinkNotFound(groupInfo: group)) }
        return link
    }

    func setLinkRole(_ role: GroupMemberRole, of id: GroupID) throws -> ChatResponse {
        let user = try transaction.user()
        let group = try transaction.conversations.group(id, of: user)
        _ = try link(of: group)
        try transaction.conversations.require(.admin, in: group)
        guard role <= .member else { throw Refusal.chat(.groupMemberInitialRole(groupInfo: group, initialRole: role)) }
        try db.groupLinks.update(group: id, role: role)
        return .groupLink(user: user, groupInfo: group, groupLink: try link(of: group))
    }

    /// Deletes the link of a group, if there is one.
    func deleteLink(of group: GroupInfo, user: User) throws {
        guard let link = try db.groupLinks.find(group: group.groupID) else { return }
        if let connection = try db.connections.find(ofGroupLink: link.userContactLinkID) {
            try enqueue(.connection(.delete(connections: [connection.agentConnectionID], after: [])), user: user)
            try db.connections.delete(connection.id)
        }
        try db.groupLinks.delete(group: group.groupID)
    }
}
