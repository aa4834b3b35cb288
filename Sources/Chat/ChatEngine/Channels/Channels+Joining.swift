import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPCrypto
import SMPWire

// Channels as their subscribers join them.

extension Channels {
    /// Stores the data from the link of a prepared channel, and the key with which this profile signs. Doing it again changes nothing.
    ///
    /// - Parameter contact: The contact who is known to own the channel.
    /// - Throws: `invalidConnectionRequest` if the link is another channel's.
    func beginSubscription(
        _ id: GroupID, _ channel: ChannelLink, link: FullLink, incognito: Bool, contact: GroupOwnerContact?, of user: User
    ) throws -> GroupInfo {
        let group = try transaction.conversations.group(id, of: user)
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
        let joining = try transaction.conversations.group(id, of: user)
        try addOwners(channel.owners, contact: contact, to: joining, of: user)
        return try transaction.conversations.group(id, of: user)
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
