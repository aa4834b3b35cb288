import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPCrypto
import SMPWire

// Groups and business chats that are shown before anybody is connected, and their place in plans.

/// Prepares groups that a link leads to, before this profile joins them.
struct PreparedGroups: TransactionFeature {
    let transaction: ChatTransaction
}

extension ChatTransaction {
    /// Groups that a link leads to.
    var preparedGroups: PreparedGroups { PreparedGroups(transaction: self) }
}

extension PreparedGroups {
    /// Makes a group from a link, before anybody is connected.
    ///
    /// - Parameter domain: The domain that was resolved to the link; nil for none.
    func prepare(
        _ link: CreatedConnectionLink, isDirect: Bool, _ data: GroupShortLinkData, user id: UserID, domain: String? = nil
    ) throws -> ChatResponse {
        let user = try transaction.user(id)
        guard isDirect else { return try prepareChannel(link, data, of: user, domain: domain) }
        guard data.groupProfile.publicGroup == nil else { throw Refusal.chat(.invalidConnectionRequest) }
        return try prepare(
            link, data.groupProfile, isBusiness: false, welcome: data.groupProfile.description.map { .text($0) }, of: user)
    }

    /// Makes a business chat from the address of a business, before anybody is connected.
    func prepareBusinessChat(
        _ link: CreatedConnectionLink, _ data: ContactShortLinkData, of user: User, domain: String? = nil
    ) throws -> ChatResponse {
        let profile = GroupProfile(business: data.profile, preferences: .business(of: data.profile))
        return try prepare(link, profile, isBusiness: true, welcome: data.message, of: user, domain: domain)
    }

    private func prepare(
        _ link: CreatedConnectionLink, _ profile: GroupProfile, isBusiness: Bool, welcome: MessageContent?, of user: User, domain: String? = nil
    ) throws -> ChatResponse {
        var new = NewGroupRecord(profile: profile)
        new.preparedLink = try FullLink(link).created
        new.welcomeSharedMessageID = welcome == nil ? nil : newSharedMessageID()
        let name = try db.profiles.reserveDisplayName(profile.displayName, user: user.userID)
        new.localDisplayName = name
        // The ids are placeholders until the host tells those of the group.
        let tag = random.bytes(12)
        let host = MemberID(Bytes("\(name)_unknown_host_".utf8) + tag), own = MemberID(Bytes("\(name)_user_unknown_id".utf8))
        if isBusiness { new.business = BusinessChatInfo(chatType: .business, businessID: host, customerID: own) }
        let id = try db.groups.insert(new, user: user.userID, at: now)
        if let domain { try db.resolvedDomains.set(domain, of: id) }
        let hostID = try db.members.insert(
            NewMemberRecord(
                groupID: id, memberID: host, role: .admin, category: .host, status: .accepted,
                profile: Profile(displayName: MemberID(tag).shortName, fullName: ""), versions: ChatVersionRange(ChatVersions.initial)),
            user: user.userID, at: now)
        try transaction.members.insertMembership(id, memberID: own, role: .member, status: .unknown, host: hostID, of: user)
        var group = try transaction.conversations.group(id, of: user)
        try transaction.groupItems.addBanner(to: &group, of: user)
        var chat = GroupConversation(group)
        for content in transaction.groupItems.featureItems(group.fullGroupPreferences, isSent: false) {
            _ = try addInGroupsName(content, from: hostID, to: &chat, of: user)
        }
        var items: [ChatItem] = []
        if let welcome {
            var item = try addInGroupsName(
                .receivedMessage(content: welcome), id: new.welcomeSharedMessageID, from: hostID, to: &chat, of: user)
            // Official cores show the id only when the item is read again.
            item.meta.sharedMessageID = nil
            items = [item]
        }
        let stats = items.first.map { ChatStats(unreadCount: 1, minUnreadItemID: $0.meta.itemID) } ?? ChatStats()
        return .newPreparedChat(user: user, chat: Chat(chatInfo: GroupConversation(group).info, chatItems: items, chatStats: stats))
    }

    /// Adds an item of a prepared group, which the group shows, not its host.
    private func addInGroupsName(
        _ content: ItemContent, id: SharedMessageID? = nil, from host: GroupMemberID, to chat: inout GroupConversation, of user: User
    ) throws -> ChatItem {
        var draft = ItemDraft(content, isSent: false)
        draft.sharedMessageID = id
        draft.group.memberID = host
        draft.group.isAsGroup = true
        return try transaction.groupItems.add(draft, to: &chat, of: user)
    }

    /// Shows the message that was sent with a request to join.
    func addRequestMessage(_ message: MessageContent, to group: GroupInfo, of user: User) throws {
        guard let id = group.preparedGroup?.requestSharedMessageID else { return }
        var chat = GroupConversation(group)
        var draft = ItemDraft(.sentMessage(content: message), isSent: true)
        draft.sharedMessageID = id
        var item = try transaction.groupItems.add(draft, to: &chat, of: user)
        item.meta.sharedMessageID = nil
        emit(.newChatItems(user: user, chatItems: [chat.containing(item)]))
    }

    // MARK: Plans

    /// The plan for the link of a group.
    func plan(
        _ link: FullLink, linkInfo: GroupShortLinkInfo?, data: GroupShortLinkData?, owner: OwnerVerification?, user: User
    ) throws -> GroupLinkPlan {
        if let own = try db.groups.ownGroup(user: user.userID, linkKey: link.key) { return .ownLink(groupInfo: own) }
        if let group = try db.groups.find(user: user.userID, viaLinkKey: link.key) {
            return plan(of: group, linkInfo: linkInfo, data: data, owner: owner)
        }
        guard let record = try db.connections.find(user: user.userID, linkKey: link.key) else {
            return .ok(linkInfo: linkInfo, linkData: data, ownerVerification: owner)
        }
        guard let id = record.contactID, let contact = try db.contacts.find(id, of: user) else { return .connectingConfirmReconnect }
        return !contact.isReady && contact.status == .active
            ? .connectingProhibit(groupInfo: nil) : .ok(linkInfo: linkInfo, linkData: data, ownerVerification: owner)
    }

    /// The plan for a link by which a group was joined before.
    func plan(
        of group: GroupInfo, linkInfo: GroupShortLinkInfo? = nil, data: GroupShortLinkData? = nil, owner: OwnerVerification? = nil
    ) -> GroupLinkPlan {
        let status = group.membership.status
        if status == .rejected || status.isActive { return .known(groupInfo: group, ownerVerification: owner) }
        if status.isRemoved { return .ok(linkInfo: linkInfo, linkData: data, ownerVerification: owner) }
        return .connectingProhibit(groupInfo: group)
    }

    /// The plan for the short link of a group that is known here.
    func knownPlan(_ text: String, _ full: (String) throws -> FullLink, user: User) throws -> (FullLink, ConnectionPlan)? {
        if let (group, link) = try db.groups.ownGroup(user: user.userID, shortLink: text) {
            return (try full(link), .groupLink(plan: .ownLink(groupInfo: group)))
        }
        guard let group = try db.groups.find(user: user.userID, preparedFrom: text), let prepared = group.preparedGroup,
            !group.membership.status.isRemoved
        else { return nil }
        return (try full(prepared.connectionLink.fullLink), .groupLink(plan: .known(groupInfo: group, ownerVerification: nil)))
    }

    /// Stores the present data of a known group's link.
    ///
    /// - Returns: The group, and whether its profile changed. A change of the number of members is not reported.
    func update(_ id: GroupID, fromLink data: GroupShortLinkData?, of user: User) throws -> (GroupInfo, isUpdated: Bool) {
        let group = try transaction.conversations.group(id, of: user)
        guard let profile = data?.groupProfile, group.businessChat == nil,
            profile.publicGroup?.publicGroupID == group.groupProfile.publicGroup?.publicGroupID
        else { return (group, false) }
        let count = group.membership.role == .owner ? nil : data?.publicGroupData?.publicMemberCount
        let isUpdated = profile != group.groupProfile
        guard isUpdated || (count != nil && count != group.groupSummary.publicMemberCount) else { return (group, false) }
        if let count, group.usesRelays { try db.groups.update(id, publicMemberCount: count) }
        if isUpdated { try db.groups.update(group, user: user.userID, profile: profile, at: now) }
        return (try transaction.conversations.group(id, of: user), isUpdated)
    }
}

extension PreparedGroups {
    /// Makes a channel from its link, before anybody is connected. Its relays are known when it is joined.
    func prepareChannel(
        _ link: CreatedConnectionLink, _ data: GroupShortLinkData, of user: User, domain: String? = nil
    ) throws -> ChatResponse {
        let profile = data.groupProfile
        guard profile.publicGroup != nil else { throw Refusal.chat(.invalidConnectionRequest) }
        var new = NewGroupRecord(profile: profile)
        new.preparedLink = try FullLink(link).created
        new.welcomeSharedMessageID = profile.description == nil ? nil : newSharedMessageID()
        let id = try db.groups.insert(new, user: user.userID, at: now)
        if let domain { try db.resolvedDomains.set(domain, of: id) }
        try db.groups.update(id, usesRelays: true, ownStatus: nil, publicMemberCount: data.publicGroupData?.publicMemberCount)
        // The key comes first: the identifier is bound to it.
        let key = Ed25519.generateKeyPair(random).privateKey
        try db.groups.update(id, memberKey: key)
        try transaction.members.insertMembership(
            id, memberID: BoundMemberID.identifier(for: key.publicKey), role: ChannelRules.subscriberRole, status: .unknown, of: user)
        var group = try transaction.conversations.group(id, of: user)
        try transaction.groupItems.addBanner(to: &group, of: user)
        var chat = GroupConversation(group)
        for content in transaction.groupItems.featureItems(group.fullGroupPreferences, isSent: false) {
            _ = try addInChannelsName(content, to: &chat, of: user)
        }
        var items: [ChatItem] = []
        if let welcome = profile.description {
            var item = try addInChannelsName(.receivedMessage(content: .text(welcome)), id: new.welcomeSharedMessageID, to: &chat, of: user)
            // Official cores show the id only when the item is read again.
            item.meta.sharedMessageID = nil
            items = [item]
        }
        let stats = items.first.map { ChatStats(unreadCount: 1, minUnreadItemID: $0.meta.itemID) } ?? ChatStats()
        return .newPreparedChat(user: user, chat: Chat(chatInfo: GroupConversation(group).info, chatItems: items, chatStats: stats))
    }

    /// Adds an item of a channel, which nobody else has written.
    private func addInChannelsName(
        _ content: ItemContent, id: SharedMessageID? = nil, to chat: inout GroupConversation, of user: User
    ) throws -> ChatItem {
        var draft = ItemDraft(content, isSent: false)
        draft.sharedMessageID = id
        draft.group.isAsGroup = true
        return try transaction.groupItems.add(draft, to: &chat, of: user)
    }
}
