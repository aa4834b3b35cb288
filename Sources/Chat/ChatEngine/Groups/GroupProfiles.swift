import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// Profiles of groups and of members, as members change them.

/// Receives the profiles of groups and of their members.
struct GroupProfiles: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Profiles of groups and of their members.
    var groupProfiles: GroupProfiles { GroupProfiles(transaction: self) }
}

extension GroupProfiles {
    func receive(
        _ profile: GroupProfile, _ received: GroupMessage, from member: GroupMember, in group: inout GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        guard GroupAction.changeGroup.right.permits(member.role) else {
            reportError("x.grp.info with insufficient member permissions", of: user)
            return nil
        }
        guard group.usesRelays || profile.publicGroup == nil else {
            reportError("x.grp.info: publicGroup not allowed in p2p groups", of: user)
            return nil
        }
        guard !group.usesRelays || profile.publicGroup?.publicGroupID == group.groupProfile.publicGroup?.publicGroupID else {
            reportError("x.grp.info: publicGroupId mismatch for channel", of: user)
            return nil
        }
        if group.businessChat != nil {
            let preferences = profile.groupPreferences ?? .business(of: Profile(displayName: "", fullName: ""))
            return try receivePreferences(preferences, received, from: member, in: &group, of: user)
        }
        guard profile != group.groupProfile else { return .group(includesPending: true) }
        let old = group
        try db.groups.update(group, user: user.userID, profile: profile, at: now)
        try transaction.comments.letComment(in: profile, before: old)
        group = try transaction.conversations.group(group.groupID, of: user)
        emit(.groupUpdated(user: user, fromGroup: old, toGroup: group, member: member, signature: received.signature))
        if !profile.isSame(besidesPreferences: old.groupProfile) {
            try transaction.groupItems.addEvent(
                .groupUpdated(groupProfile: profile), from: member, at: received.sentAt, id: received.message.messageID,
                signature: received.signature, in: &group, of: user)
        }
        try addFeatureItems(changedFrom: old, from: member, in: &group, of: user)
        if try !group.usesRelays && db.groupLinks.find(group: group.groupID)?.shortLinkDataSet == true {
            try enqueue(.group(.publishLink(group: group.groupID)), user: user)
        }
        return .group(includesPending: true)
    }

    func receivePreferences(
        _ preferences: GroupPreferences, _ received: GroupMessage, from member: GroupMember, in group: inout GroupInfo, of user: User
    ) throws -> ForwardAudience? {
        guard GroupAction.changeGroup.right.permits(member.role) else {
            reportError("x.grp.prefs with insufficient member permissions", of: user)
            return nil
        }
        guard preferences != group.groupProfile.groupPreferences else { return .group(includesPending: true) }
        let old = group
        var profile = group.groupProfile
        profile.groupPreferences = preferences
        try db.groups.update(group, user: user.userID, profile: profile, at: now)
        try transaction.comments.letComment(in: profile, before: old)
        group = try transaction.conversations.group(group.groupID, of: user)
        emit(.groupUpdated(user: user, fromGroup: old, toGroup: group, member: member, signature: received.signature))
        try addFeatureItems(changedFrom: old, from: member, in: &group, of: user)
        return .group(includesPending: true)
    }

    private func addFeatureItems(changedFrom old: GroupInfo, from member: GroupMember, in group: inout GroupInfo, of user: User) throws {
        var (_, chat) = try transaction.conversations.conversation(with: member, in: group)
        for content in transaction.groupItems.featureItems(changedFrom: old.fullGroupPreferences, to: group.fullGroupPreferences, isSent: false) {
            try transaction.groupItems.addEvent(content, from: member, in: &chat, of: user)
        }
        group = chat.group
    }

    /// Stores the present profile of a member, and reports it if it changed.
    ///
    /// - Parameter received: The message that brought it; nil for the profile that the host sends once after a connection by a link.
    @discardableResult
    func updateProfile(
        of member: GroupMember, to profile: Profile, _ received: GroupMessage?, in group: inout GroupInfo, of user: User
    ) throws -> GroupMember {
        let old = member.profile.published
        guard
            old.redacted(for: group, role: member.role, isOfMember: true) != profile.redacted(for: group, role: member.role, isOfMember: true)
        else { return member }
        if let business = group.businessChat, member.memberID == (business.chatType == .business ? business.businessID : business.customerID) {
            try updateBusinessProfile(profile, by: member, in: &group, of: user)
        }
        var contactUpdate: ChatEvent?
        if let contactID = member.contactID, let contact = try db.contacts.find(contactID, of: user) {
            // A connected contact announces its profile itself.
            guard !contact.isReady || contact.status != .active || (contact.activeConnection?.authErrorCounter ?? 0) >= 1 else { return member }
            var published = profile
            published.preferences = contact.profile.preferences
            published.addUnknownMembers(of: contact.profile.published)
            try db.contacts.update(contact, user: user.userID, profile: published, at: now)
            contactUpdate = .contactUpdated(user: user, fromContact: contact, toContact: try transaction.conversations.contact(contactID, of: user))
        } else {
            try db.members.update(member, user: user.userID, profile: profile, at: now)
        }
        guard let updated = try db.members.find(member.groupMemberID) else { return member }
        guard !group.mutesEvents(of: updated) else { return updated }
        if let received, var chat = try conversation(withProfileOf: updated, in: group) {
            try transaction.groupItems.addEvent(
                .receivedGroupEvent(event: .memberProfileUpdated(fromProfile: old, toProfile: profile)), from: updated, at: received.sentAt,
                id: received.message.messageID, signature: received.signature, in: &chat, of: user)
            group = chat.group
        }
        emit(.groupMemberUpdated(user: user, groupInfo: group, fromMember: member, toMember: updated))
        if let contactUpdate { emit(contactUpdate) }
        return updated
    }

    /// Gives a member the profile that it has sent while it was blocked for all, if it has sent one.
    ///
    /// - Returns: The updated member.
    func showWithheldProfile(of member: GroupMember, in group: inout GroupInfo, of user: User) throws -> GroupMember {
        guard let profile = try db.members.takeWithheldProfile(of: member.groupMemberID), let current = try db.members.find(member.groupMemberID) else {
            return member
        }
        return try updateProfile(of: current, to: profile, nil, in: &group, of: user)
    }

    /// The part of a group in which a new profile of a member is shown; nil for none.
    private func conversation(withProfileOf member: GroupMember, in group: GroupInfo) throws -> GroupConversation? {
        let (_, chat) = try transaction.conversations.conversation(with: member, in: group)
        guard chat.scope == nil, group.usesRelays, !member.isRelay, member.role < .moderator else { return chat }
        // A subscriber's new name is not shown in the channel, but in chats with the subscriber.
        return try member.supportChat == nil ? nil : transaction.conversations.supportChat(of: member, in: group).1
    }

    /// A business chat has the name of its customer.
    private func updateBusinessProfile(_ profile: Profile, by member: GroupMember, in group: inout GroupInfo, of user: User) throws {
        let old = group
        var shown = group.groupProfile
        (shown.displayName, shown.fullName, shown.shortDescription, shown.image) =
            (profile.displayName, profile.fullName, profile.shortDescription, profile.image)
        guard shown != group.groupProfile else { return }
        try db.groups.update(group, user: user.userID, profile: shown, at: now)
        group = try transaction.conversations.group(group.groupID, of: user)
        emit(.groupUpdated(user: user, fromGroup: old, toGroup: group, member: member, signature: nil))
    }
}

extension GroupProfile {
    /// Tells whether two profiles differ in preferences only.
    func isSame(besidesPreferences other: GroupProfile) -> Bool {
        var one = self, two = other
        (one.groupPreferences, two.groupPreferences) = (nil, nil)
        return one == two
    }
}
