package import ChatAPI
package import ChatProtocol

// The decisions about members: who may change whom. Pure functions of roles and states. The rights are those of the table, ``GroupAction/right``.

/// The decision about a change of a member that another member asks for.
package enum MemberChangeDecision: Hashable {
    case apply
    case ignore
    case refuse(String)

    /// A change of role: administrators change those who are not above them.
    ///
    /// An owner can make anybody an owner, and so can an administrator no one: the new role is not above the sender's. In channels only owners give and take
    /// the roles of the roster.
    package static func role(
        of member: GroupMember, to role: GroupMemberRole, by sender: GroupMember, inChannel: Bool = false
    ) -> MemberChangeDecision {
        guard GroupAction.setRole.right.permits(sender.role, over: [member.role, role], inChannel: inChannel) else {
            return .refuse("x.grp.mem.role with insufficient member permissions")
        }
        return .apply
    }

    /// A block for all: moderators block those who are not above them.
    package static func block(_ member: GroupMember, _ isBlocked: Bool, by sender: GroupMember) -> MemberChangeDecision {
        guard member.blockedByAdmin != isBlocked else { return .ignore }
        guard GroupAction.block.right.permits(sender.role, over: [member.role]) else {
            return .refuse("x.grp.mem.restrict with insufficient member permissions")
        }
        return .apply
    }

    /// A removal: administrators remove those who are not above them.
    package static func removal(of member: GroupMember, by sender: GroupMember) -> MemberChangeDecision {
        guard GroupAction.remove.right.permits(sender.role, over: [member.role]) else {
            return .refuse("x.grp.mem.del with insufficient member permissions")
        }
        return .apply
    }

    /// The acceptance of a member who waits to be let in: moderators let in, and none above themselves.
    package static func acceptance(of member: GroupMember, as role: GroupMemberRole, by sender: GroupMember) -> MemberChangeDecision {
        guard GroupAction.letIn.right.permits(sender.role, over: [role]) else { return .refuse("x.grp.link.acpt with insufficient member permissions") }
        guard member.status.isPending else { return .refuse("x.grp.link.acpt for a member who does not wait to be let in") }
        return .apply
    }
}

/// The decision about a member that another one announces.
package enum AnnouncementDecision: Hashable {
    /// A new member.
    case add
    /// A member who was known by forwarded messages only.
    case complete
    case ignore
    case refuse(String)

    /// - Parameter inChannel: True for a group with relays, which do not tell who is on the roster.
    package init(of info: MemberInfo, by host: GroupMember, known: GroupMember?, membership: GroupMember, inChannel: Bool = false) {
        guard info.memberID != membership.memberID else {
            self = .ignore
            return
        }
        guard info.memberID != host.memberID else {
            self = .refuse("x.grp.mem.new error: a member announces itself")
            return
        }
        let isListed = known.map { RosterRules.isPrivileged($0.role) } ?? false
        if inChannel, RosterRules.isPrivileged(info.role), !isListed {
            self = .refuse("x.grp.mem.new: the member is not on the owner's roster")
            return
        }
        switch known?.status {
        case nil: self = .add
        // A contact tells its profile itself.
        case .unknown? where known?.contactID == nil: self = .complete
        default: self = .refuse("x.grp.mem.new error: member already exists")
        }
    }

    /// True if a host may bring in a member of a role: administrators do, and none above themselves. Relays of a channel bring in subscribers, and tell the
    /// profiles of those whom the roster lists.
    ///
    /// - Parameter known: The member, if this profile knows it.
    package static func mayIntroduce(_ role: GroupMemberRole, by host: GroupMember, known: GroupMember? = nil, inChannel: Bool = false) -> Bool {
        let isListed = inChannel && host.isRelay && known.map { RosterRules.lists($0.role) } ?? false
        return GroupAction.announceMember.right.permits(host.role, over: isListed ? [] : [role], inChannel: inChannel)
    }
}

/// The decision about an invitation that a host passes on.
package enum PassedInvitationDecision: Hashable {
    case join
    /// The connection is there already.
    case ignore
    case refuse(String)

    /// - Parameters:
    ///   - member: The member who invites; nil if this profile does not know it.
    ///   - host: The member who passes the invitation on.
    package init(from member: GroupMember?, by host: GroupMember) {
        // The announcement comes over the same connection, before the invitation.
        guard let member, member.status != .unknown, member.invitedByGroupMemberID.map({ $0 == host.groupMemberID }) ?? true else {
            self = .refuse("x.grp.mem.fwd: the host has not announced the member")
            return
        }
        switch MemberStanding(member.status, category: member.category, isForwarded: false) {
        case .member, .underReview: self = member.activeConnection.map { $0.status == .deleted } ?? true ? .join : .ignore
        case .awaitingApproval, .invited, .rejected, .ended: self = .refuse("x.grp.mem.fwd: the member is not in the group")
        }
    }
}
