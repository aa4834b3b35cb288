import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore

extension Conversations {
    func group(_ id: GroupID, of user: User) throws -> GroupInfo {
        guard let group = try db.groups.find(id, user: user.userID) else { throw Refusal.store(.groupNotFound(groupID: id)) }
        return group
    }

    func group(named name: String, of user: User) throws -> GroupInfo {
        guard let id = try db.groups.id(named: name, user: user.userID) else { throw Refusal.store(.groupNotFoundByName(groupName: name)) }
        return try group(id, of: user)
    }

    /// A member of a group of the profile.
    func member(_ id: GroupMemberID, in group: GroupInfo) throws -> GroupMember {
        guard let member = try db.members.find(id), member.groupID == group.groupID else {
            throw Refusal.store(.groupMemberNotFound(groupMemberID: id))
        }
        return member
    }

    func member(named name: String, in group: GroupInfo) throws -> GroupMember {
        guard let id = try db.members.id(named: name, group: group.groupID) else {
            throw Refusal.store(.groupMemberNameNotFound(groupID: group.groupID, memberName: name))
        }
        return try member(id, in: group)
    }

    /// The group, or a part of it, that a command names.
    func groupConversation(_ id: GroupID, scope: GroupChatScope?, of user: User) throws -> GroupConversation {
        let group = try group(id, of: user)
        return switch scope {
        case nil: GroupConversation(group)
        case .memberSupport(nil): GroupConversation(group, scope: .memberSupport(groupMember: nil))
        case .memberSupport(let member?): GroupConversation(group, scope: .memberSupport(groupMember: try self.member(member, in: group)))
        }
    }

    /// Refuses what needs a role, or an active membership.
    func require(_ role: GroupMemberRole, in group: GroupInfo) throws {
        let membership = group.membership
        guard membership.role >= role else { throw Refusal.chat(.groupUserRole(groupInfo: group, requiredRole: role)) }
        guard membership.status != .invited else { throw Refusal.chat(.groupNotJoined(groupInfo: group)) }
        guard !membership.status.isRemoved else { throw Refusal.chat(.groupMemberUserRemoved) }
        guard membership.status.isActive else { throw Refusal.chat(.groupMemberNotActive) }
    }

    // MARK: Scopes

    /// The support chat of a member, opened if necessary.
    func supportChat(of member: GroupMember, in group: GroupInfo) throws -> (GroupMember, GroupConversation) {
        var member = member
        if member.supportChat == nil {
            try db.supportChats.open(member: member.groupMemberID, at: now)
            member.supportChat = GroupSupportChat(chatTimestamp: now, unread: 0, memberAttention: 0, mentions: 0)
        }
        return (member, GroupConversation(group, scope: .memberSupport(groupMember: member)))
    }

    /// The support chat of this profile, opened if necessary.
    func ownSupportChat(in group: GroupInfo) throws -> GroupConversation {
        var group = group
        if group.membership.supportChat == nil {
            try db.supportChats.open(member: group.membership.groupMemberID, at: now)
            group.membership.supportChat = GroupSupportChat(chatTimestamp: now, unread: 0, memberAttention: 0, mentions: 0)
        }
        return GroupConversation(group, scope: .memberSupport(groupMember: nil))
    }

    /// The part of a group in which events of a member are shown: a support chat as long as one of the two waits to be let in.
    func conversation(with member: GroupMember, in group: GroupInfo) throws -> (GroupMember, GroupConversation) {
        if member.status.isPending { return try supportChat(of: member, in: group) }
        if group.membership.status.isPending { return (member, try ownSupportChat(in: group)) }
        return (member, GroupConversation(group))
    }

    /// The part of a group in which a message of a member is shown. It is the part for which the right to write was asked, also while this profile waits to be
    /// let in.
    func conversation(
        with member: GroupMember, in group: GroupInfo, content: MessageContent, scope: MessageScope?
    ) throws -> (GroupMember, GroupConversation) {
        if member.status.isPending { return try conversation(with: member, in: group) }
        if !group.membership.status.isPending, content.isReport {
            let (_, support) = try supportChat(of: member, in: group)
            return (member, support)
        }
        guard case .member(let id)? = scope else { return try conversation(with: member, in: group) }
        if id == group.membership.memberID { return (member, try ownSupportChat(in: group)) }
        guard let subject = try db.members.find(id, group: group.groupID) else {
            throw Refusal.store(.groupMemberNotFoundByMemberID(memberID: id))
        }
        let (_, support) = try supportChat(of: subject, in: group)
        return (member, support)
    }
}

extension Conversations {
    /// The members that this profile has connections with: relays of a channel, or all members.
    func connectedMembers(of group: GroupInfo) throws -> [GroupMember] {
        group.usesRelays && !group.isServedHere ? try db.members.relayMembers(of: group.groupID) : try db.members.members(of: group.groupID)
    }

    /// The profile that members of a group are shown.
    func memberProfile(in group: GroupInfo?, of user: User) -> Profile {
        let shown = group.map { $0.isIncognito ? $0.membership.profile.published : user.profile.published } ?? user.profile.published
        return shown.redacted(for: group, role: group?.membership.role ?? .member, isOfMember: false)
    }
}
