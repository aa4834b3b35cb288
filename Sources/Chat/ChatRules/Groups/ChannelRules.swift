package import ChatAPI
package import ChatProtocol

// The rules of groups with relays: who passes on what, and what is shown of it. Pure functions of groups and members.

extension GroupMember {
    /// True for a member that passes on messages and writes none.
    package var isRelay: Bool { role == .relay }
}

extension GroupInfo {
    /// True if this profile relays for the group.
    package var isServedHere: Bool { usesRelays && membership.isRelay }

    /// True if this profile gets posts from relays, and does not own the group.
    package var isSubscribed: Bool { usesRelays && !membership.isRelay && membership.role != .owner && membership.status.isCurrent }

    /// Tells whether events of a member are not shown: subscribers of a channel do not see others come, go or change.
    package func mutesEvents(of member: GroupMember) -> Bool {
        usesRelays && !membership.isRelay && !member.isRelay && membership.role < .moderator && member.role < .moderator
    }

    /// The role of members of whom nothing but messages is known.
    package var unknownMemberRole: GroupMemberRole { usesRelays ? ChannelRules.subscriberRole(in: self) : .author }

    /// The encryption as items show it.
    package var encryption: EncryptionInfo { EncryptionInfo(isPublic: groupProfile.publicGroup == nil ? nil : true, pqEnabled: false) }

    /// True if messages that name nobody as their sender are sent in the name of the group.
    package var sendsAsGroup: Bool { usesRelays && membership.role == .owner }
}

package enum ChannelRules {
    /// The role of those who join a channel by its link, and cannot comment.
    package static let subscriberRole = GroupMemberRole.observer

    /// True if the link is that of a channel. What other kinds of public groups ask of those who join is not known.
    package static func knowsKind(of data: GroupShortLinkData) -> Bool { data.groupProfile.publicGroup.map { $0.groupType == .channel } ?? true }

    /// True for those who decide what the history of a channel has: its owners, admins and moderators.
    package static func isEditor(_ member: GroupMember, in group: GroupInfo) -> Bool { group.usesRelays && member.role >= .moderator }

    /// The role of those who join a channel by its link.
    ///
    /// - Parameter knowComments: False for a client that does not know comments, nor the role of those who write them.
    package static func subscriberRole(in group: GroupInfo, knowComments: Bool = true) -> GroupMemberRole {
        group.allows(.comments) && knowComments ? .commenter : subscriberRole
    }

    /// Tells whether a relay may tell this profile of a member with a role: relays let in subscribers. Who writes or decides about others is on the roster.
    package static func mayAnnounce(_ role: GroupMemberRole) -> Bool { !RosterRules.isPrivileged(role) && role != .relay }

    /// The role of a member that a relay introduces.
    ///
    /// The announcement of a relay does not change data from the link, from the roster or from another signed event, and gives nobody a role that only an
    /// owner gives.
    package static func role(introduced: GroupMemberRole, known: GroupMember?) -> GroupMemberRole {
        if let known, known.status != .unknown || RosterRules.isPrivileged(known.role) { return known.role }
        return mayAnnounce(introduced) ? introduced : known?.role ?? subscriberRole
    }
}

extension ChatMessageEvent {
    /// True for content that can be sent in the name of a channel.
    package var hasNoAuthorInChannels: Bool {
        switch self {
        case .newMessage, .fileDescription, .updateMessage, .deleteMessage, .cancelFile: true
        default: false
        }
    }
}
