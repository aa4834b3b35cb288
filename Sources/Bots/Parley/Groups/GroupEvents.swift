package import ChatAPI
internal import ChatProtocol

/// Reads what stored items and events tell of groups.
///
/// Messages, invitations, and joining and waiting members must not be missed. They are read from items, which are in the store and are found there
/// after a crash. The rest is read from events, and told once, as long as the process lives.
enum GroupEvents {
    /// The occasion for handlers that an item is; nil for items without handlers.
    ///
    /// - Parameters:
    ///   - entry: an item as the core has it.
    ///   - chat: its chat as handlers see it.
    static func content(of entry: ItemInChat, in chat: BotChat) -> Incoming.Content? {
        let item = entry.chatItem
        guard item.meta.deleted == nil || isDeletedByBot(item, in: entry.chatInfo) else { return nil }
        switch item.content {
        case .receivedMessage(let content):
            guard isToBeHandled(item, in: entry.chatInfo) else { return nil }
            if case .report(_, let reason) = content.kind, chat.group != nil {
                return .report(ReportContext(chat: chat, item: item, reason: reason))
            }
            return .message(MessageContext(chat: chat, item: item, content: content))
        case .receivedGroupInvitation(let invitation, let role):
            guard invitation.status == .pending else { return nil }
            return .invitation(InvitationContext(chat: chat, invitation: invitation, role: role))
        case .receivedGroupEvent(.memberConnected):
            // In the conversation of a waiting member, it only says that the member can be reached.
            guard entry.chatInfo.groupScope == nil, let member = chat.member(of: item), member.isNewcomer else { return nil }
            return .member(MemberContext(chat: chat, member: member, change: .joined, actor: nil))
        case .receivedGroupEvent(.newMemberPendingReview):
            guard case .group(let group, .memberSupport(let waiting?)?) = entry.chatInfo else { return nil }
            let member = BotMember(group: BotGroup(bot: chat.bot, info: group, effects: chat.effects), member: waiting)
            return .member(MemberContext(chat: chat, member: member, change: .pending, actor: nil))
        default: return nil
        }
    }

    /// Checks whether the bot itself has deleted a message of a member. A handler that did so and was interrupted has still to do the rest.
    private static func isDeletedByBot(_ item: ChatItem, in info: ChatInfo) -> Bool {
        guard case .moderated(_, let moderator)? = item.meta.deleted, let group = info.groupInfo else { return false }
        return moderator.groupMemberID == group.membership.groupMemberID
    }

    /// Checks whether a received message is one for handlers: in groups, history is not.
    static func isToBeHandled(_ item: ChatItem, in info: ChatInfo) -> Bool {
        guard let group = info.groupInfo else { return true }
        guard item.meta.forwardedByMember != nil else { return true }
        // Nothing was written before the creator of the group came: only joining members are sent history. The times of routers, whose clocks may
        // be behind, do not count.
        guard group.membership.status != .creator else { return true }
        // New members get messages from before they joined. These are older than the membership, and another member forwards them.
        // Routers tell the time in whole seconds.
        return item.meta.itemTimestamp.seconds >= historyEnd(of: group).seconds
    }

    /// The member who deleted a message of a group; nil outside of groups, and if it is not known.
    static func member(who deletion: ChatItemDeletion) -> GroupMember? {
        switch deletion.toChatItem?.chatItem.meta.deleted {
        case .moderated(_, let moderator): moderator
        case .deleted: deletion.deletedChatItem.chatItem.direction.member
        default: nil
        }
    }

    /// The time before which forwarded messages are history.
    ///
    /// A subscriber of a channel gets everything from relays. What is posted while it connects with them reaches it as history, too, and is new to
    /// the bot: the time counts at which it subscribed. In groups the time counts at which it was let in.
    private static func historyEnd(of group: GroupInfo) -> UTCTimestamp {
        group.groupProfile.publicGroup == nil ? group.membership.updatedAt : group.membership.createdAt
    }

    /// The occasion for handlers that an event is; nil for events that are not about members and groups, or that an item repeats.
    static func content(of event: ChatEvent, chat: (GroupInfo) -> BotChat) -> Incoming.Content? {
        switch event {
        case .userJoinedGroup(_, let group, let host):
            // A member who still waits to be admitted has not joined.
            guard group.membership.status.isCurrentMember else { return nil }
            return .group(GroupContext(chat: chat(group), change: .joined, actor: host))
        case .groupUpdated(_, let old, let group, let member, _):
            guard old.groupProfile != group.groupProfile else { return nil }
            return .group(GroupContext(chat: chat(group), change: .updated(from: old.groupProfile), actor: member))
        case .deletedMemberUser(_, let group, let member, _, _):
            return .group(GroupContext(chat: chat(group), change: .removed, actor: member))
        case .groupDeleted(_, let group, let member, _):
            return .group(GroupContext(chat: chat(group), change: .deleted, actor: member))
        case .memberRole(_, let group, let actor, let member, let old, let new, _):
            guard member.groupMemberID != group.membership.groupMemberID else {
                return .group(GroupContext(chat: chat(group), change: .role(from: old, to: new), actor: actor))
            }
            return .member(changed(member, .role(from: old, to: new), by: actor, in: chat(group), group))
        case .memberBlockedForAll(_, let group, let actor, let member, let isBlocked, _):
            return .member(changed(member, isBlocked ? .blocked : .unblocked, by: actor, in: chat(group), group))
        case .deletedMember(_, let group, let actor, let member, let withMessages, _):
            return .member(changed(member, .removed(withMessages: withMessages), by: actor, in: chat(group), group))
        case .leftMember(_, let group, let member, _):
            return .member(changed(member, .left, by: nil, in: chat(group), group))
        case .joinedGroupMemberConnecting(_, let group, _, let member):
            // Relays report subscribers to the owner of a channel, without an item in the chat.
            guard group.groupProfile.publicGroup != nil, member.category == .post, !member.status.isPending else { return nil }
            return .member(changed(member, .joined, by: nil, in: chat(group), group))
        case .groupRelayUpdated(_, let group, let member, let relay):
            return .relay(RelayContext(chat: chat(group), member: member, relay: relay))
        default: return nil
        }
    }

    private static func changed(
        _ member: GroupMember, _ change: MemberChange, by actor: GroupMember?, in chat: BotChat, _ group: GroupInfo
    ) -> MemberContext {
        let member = BotMember(group: BotGroup(bot: chat.bot, info: group, effects: chat.effects), member: member)
        return MemberContext(chat: chat, member: member, change: change, actor: actor)
    }
}

extension ItemInChat {
    /// True for a received message that handlers get: in groups, they do not get history.
    package var isForHandlers: Bool { GroupEvents.isToBeHandled(chatItem, in: chatInfo) }
}

extension BotMember {
    /// True for a member who came after the bot, or by its link or invitation.
    fileprivate var isNewcomer: Bool { (member.category == .invitee || member.category == .post) && !isPending }
}
