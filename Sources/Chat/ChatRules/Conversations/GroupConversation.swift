package import ChatAPI
package import ChatProtocol

/// A group, the support chat of a member in it, or the comments on a post of a channel.
package struct GroupConversation: Sendable {
    package var group: GroupInfo
    /// The support chat; nil for what all members see.
    package var scope: GroupChatScopeInfo?
    /// The post whose comments it is; nil for the group itself, and for support chats.
    package var post: StoredItem?

    package init(_ group: GroupInfo, scope: GroupChatScopeInfo? = nil, post: StoredItem? = nil) {
        self.group = group
        self.scope = scope
        self.post = post
    }

    package var info: ChatInfo { .group(groupInfo: group, scope: scope) }

    package func containing(_ item: ChatItem) -> ItemInChat { ItemInChat(chatInfo: info, chatItem: item) }

    /// The scope as messages carry it.
    package var messageScope: MessageScope? {
        switch scope {
        case .memberSupport(let member): .member(member?.memberID ?? group.membership.memberID)
        case .other, nil: nil
        }
    }

    /// The member whose support chat it is; nil for the group itself, and for the support chat of this profile.
    package var supportMember: GroupMember? {
        if case .memberSupport(let member) = scope { member } else { nil }
    }

    /// The time to live of messages; nil if messages do not disappear, `.some(nil)` if each must say when.
    package var timeToLive: Int?? {
        let preference = group.fullGroupPreferences.timedMessages
        return preference.enable == .on ? .some(preference.ttl) : nil
    }

    /// Tells whether this profile may use a feature that contacts have too.
    package func isAllowedForUser(_ feature: ChatFeature) -> Bool {
        switch feature {
        case .timedMessages: group.allowsUser(.timedMessages)
        case .fullDelete: group.allowsUser(.fullDelete)
        case .reactions: group.allowsUser(.reactions)
        case .voice: group.allowsUser(.voice)
        case .files: group.allowsUser(.files)
        case .sessions: group.allowsUser(.sessions)
        case .calls: false
        }
    }
}

extension GroupChatScopeInfo {
    /// The scope as commands name it.
    package var chatScope: GroupChatScope? {
        switch self {
        case .memberSupport(let member): .memberSupport(member?.groupMemberID)
        case .other: nil
        }
    }
}
