import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPCrypto
import SMPWire

// Channels as their subscribers join them.

extension ChatTransaction {
    /// Makes a channel from its link, before anybody is connected. Its relays are known when it is joined.
    func prepareChannel(_ link: CreatedConnectionLink, _ data: GroupShortLinkData, of user: User) throws -> ChatResponse {
        let profile = data.groupProfile
        guard profile.publicGroup != nil else { throw Refusal.chat(.invalidConnectionRequest) }
        var new = NewGroupRecord(profile: profile)
        new.preparedLink = try FullLink(link).created
        new.welcomeSharedMessageID = profile.description == nil ? nil : newSharedMessageID()
        let id = try db.groups.insert(new, user: user.userID, at: now)
        try db.groups.update(id, usesRelays: true, ownStatus: nil, publicMemberCount: data.publicGroupData?.publicMemberCount)
        // The key comes first: the identifier is bound to it.
        let key = Ed25519.generateKeyPair(random).privateKey
        try db.groups.update(id, memberKey: key)
        try insertMembership(
            id, memberID: BoundMemberID.identifier(for: key.publicKey), role: ChannelRules.subscriberRole, status: .unknown, of: user)
        var group = try group(id, of: user)
        try addBanner(to: &group, of: user)
        var chat = GroupConversation(group)
        for content in featureItems(group.fullGroupPreferences, isSent: false) { _ = try addInChannelsName(content, to: &chat, of: user) }
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
        return try addItem(draft, to: &chat, of: user)
    }

    /// Stores what the link of a prepared channel tells, and the key with which this profile signs. Doing it again changes nothing.
    ///
    /// - Parameter contact: The contact who is known to own the channel.
    /// - Throws: `invalidConnectionRequest` if the link is another channel's.
    func beginSubscription(
        _ id: GroupID, _ channel: ChannelLink, link: FullLink, incognito: Bool, contact: GroupOwnerContact?, of user: User
    ) throws -> GroupInfo {
        let group = try group(id, of: user)
        guard channel.data.groupProfile.publicGroup?.publicGroupID == group.groupProfile.publicGroup?.publicGroupID else {
            throw Refusal.chat(.invalidConnectionRequest)
        }
        let own = group.membership
        if group.groupKeys == nil {
            let key = try db.groups.memberKey(group: id) ?? Ed25519.generateKeyPair(random).privateKey
            try db.groups.update(id, rootKey: channel.rootKey, memberKey: key)
            try db.members.update(own.groupMemberID, publicKey: key.publicKey)
            if incognito, !group.isIncognito {
                let shown = RandomProfile.make(random)
                let profile = try db.profiles.insert(shown, user: user.userID, incognito: true, at: now)
                try db.members.update(
                    own.groupMemberID, incognitoProfile: profile, name: try db.profiles.reserveDisplayName(shown.displayName, user: user.userID))
            }
        }
        if let count = channel.memberCount { try db.groups.update(id, publicMemberCount: count) }
        try db.groups.update(id, startedConnection: false, link: link)
        let joining = try self.group(id, of: user)
        try addOwners(channel.owners, contact: contact, to: joining, of: user)
        return try self.group(id, of: user)
    }

    /// Stores the connection by which this profile joins a channel.
    func insertRelayConnection(_ agentID: Bytes, with relay: GroupMember, tag: GroupLinkID?, incognito: ProfileID?, user: User) throws {
        var new = NewConnectionRecord(userID: user.userID, agentConnectionID: agentID, status: .prepared, chatVersion: ChatVersions.initial.max)
        new.memberID = relay.groupMemberID
        new.groupLinkTag = tag
        new.requestTag = ContactRequestID(random.bytes(16))
        new.incognitoProfileID = incognito
        new.pqSupport = false
        new.isInitiated = true
        _ = try db.connections.insert(new, at: now)
    }
}
