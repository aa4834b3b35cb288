import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

// Members of channels are connected.

extension Channels {
    func receiveConnected(_ member: inout GroupMember, in group: inout GroupInfo, context: ReceivingContext) throws {
        switch (member.category, group.isServedHere) {
        case (.host, true): try receiveOwnerConnected(&member, in: &group, of: context.user)
        case (.host, false): try receiveRelayConnected(&member, in: &group, of: context.user)
        case (.invitee, true): try receiveSubscriberConnected(&member, in: &group, of: context.user)
        case (.invitee, false) where member.isRelay: try receiveOwnRelayConnected(&member, in: &group, of: context.user)
        default: reportError("a connection that channels do not have", of: context.user)
        }
    }

    private func noteConnected(_ member: inout GroupMember, in group: inout GroupInfo, of user: User) throws {
        try db.members.update(member.groupMemberID, status: .connected, at: now)
        group = try transaction.conversations.group(group.groupID, of: user)
        member = try transaction.conversations.member(member.groupMemberID, in: group)
    }

    /// Notes that this profile is connected with the channel. Its record keeps the time at which that was first so: that of a further connection says
    /// nothing about it.
    private func noteMembershipConnected(in group: GroupInfo) throws {
        let membership = group.membership
        guard !membership.status.isRemoved, membership.status != .connected else { return }
        try db.members.update(membership.groupMemberID, status: .connected, at: now)
    }

    /// The owner who has invited this relay is connected: the relay is at work.
    private func receiveOwnerConnected(_ owner: inout GroupMember, in group: inout GroupInfo, of user: User) throws {
        try noteMembershipConnected(in: group)
        try noteConnected(&owner, in: &group, of: user)
        emit(.userJoinedGroup(user: user, groupInfo: group, hostMember: owner))
        var chat = GroupConversation(group)
        try transaction.groupItems.addEvent(.receivedGroupEvent(event: .memberConnected), from: owner, in: &chat, of: user)
        group = chat.group
    }

    /// A relay is connected to this subscriber; only the first opens the chat.
    private func receiveRelayConnected(_ relay: inout GroupMember, in group: inout GroupInfo, of user: User) throws {
        let isFirst = try db.members.connectedRelays(of: group.groupID) == 0
        try noteMembershipConnected(in: group)
        try noteConnected(&relay, in: &group, of: user)
        emit(.userJoinedGroup(user: user, groupInfo: group, hostMember: relay))
        var chat = GroupConversation(group)
        if isFirst { try transaction.groupItems.addEvent(.receivedGroupEncryption(info: group.encryption), from: relay, in: &chat, of: user) }
        try transaction.groupItems.addEvent(.receivedGroupEvent(event: .memberConnected), from: relay, in: &chat, of: user)
        group = chat.group
    }

    /// A subscriber is connected to this relay: it learns of the owners and gets the history, and moderators learn of it.
    private func receiveSubscriberConnected(_ subscriber: inout GroupMember, in group: inout GroupInfo, of user: User) throws {
        if subscriber.status.isPending {
            try db.groups.update(group.groupID, attentionBy: 1)
        } else {
            try noteConnected(&subscriber, in: &group, of: user)
        }
        var (shown, chat) = try transaction.conversations.conversation(with: subscriber, in: group)
        try transaction.groupItems.addEvent(.receivedGroupEvent(event: .memberConnected), from: shown, in: &chat, of: user)
        group = chat.group
        emit(.joinedGroupMember(user: user, groupInfo: group, member: shown))
        shown = subscriber
        try transaction.outbox.sendDirectly([.groupLinkMember(transaction.conversations.memberProfile(in: group, of: user))], to: subscriber, in: group)
        guard !subscriber.status.isPending else { return }
        try introduce(subscriber, in: group)
        try transaction.groupHistory.send(to: subscriber, in: group)
    }

    /// A relay of this profile's channel is connected: subscribers can come by it, or will once it has the roster.
    private func receiveOwnRelayConnected(_ relay: inout GroupMember, in group: inout GroupInfo, of user: User) throws {
        try noteConnected(&relay, in: &group, of: user)
        // A relay that knows rosters takes subscribers once it has this one: nobody could come to it in the name of a moderator.
        if relay.supports(ChatVersions.groupRoster) {
            try transaction.rosters.send(to: relay, in: group)
        } else {
            try transaction.groups.publishLink(of: group, user: user)
        }
    }
}
