import ChatAPI
import ChatProtocol

// The decisions about members: who may change whom. Pure functions of roles and states.

/// The decision about a change of a member that another member asks for.
enum MemberChangeDecision: Hashable {
    case apply
    case ignore
    case refuse(String)

    /// A change of role: administrators change those who are not above them.
    ///
    /// An owner can make anybody an owner, and so can an administrator no one: the new role is not above the sender's.
    static func role(of member: GroupMember, to role: GroupMemberRole, by sender: GroupMember) -> MemberChangeDecision {
        guard sender.role >= .admin, sender.role >= member.role, sender.role >= role else {
            return .refuse("x.grp.mem.role with insufficient member permissions")
        }
        return .apply
    }

    /// A block for all: moderators block those who are not above them.
    static func block(_ member: GroupMember, _ isBlocked: Bool, by sender: GroupMember) -> MemberChangeDecision {
        guard member.blockedByAdmin != isBlocked else { return .ignore }
        guard sender.role >= .moderator, sender.role >= member.role else {
            return .refuse("x.grp.mem.restrict with insufficient member permissions")
        }
        return .apply
    }

    /// A removal: administrators remove those who are not above them.
    static func removal(of member: GroupMember, by sender: GroupMember) -> MemberChangeDecision {
        guard sender.role >= .admin, sender.role >= member.role else { return .refuse("x.grp.mem.del with insufficient member permissions") }
        return .apply
    }

    /// The acceptance of a member who waits to be let in: moderators let in, and none above themselves.
    static func acceptance(of member: GroupMember, as role: GroupMemberRole, by sender: GroupMember) -> MemberChangeDecision {
        guard sender.role >= .moderator, sender.role >= role else { return .refuse("x.grp.link.acpt with insufficient member permissions") }
        guard member.status.isPending else { return .refuse("x.grp.link.acpt for a member who does not wait to be let in") }
        return .apply
    }
}

/// The decision about a member that another one announces.
enum AnnouncementDecision: Hashable {
    /// A new member.
    case add
    /// A member who was known by forwarded messages only.
    case complete
    case ignore
    case refuse(String)

    init(of info: MemberInfo, by host: GroupMember, known: GroupMember?, membership: GroupMember) {
        guard info.memberID != membership.memberID else {
            self = .ignore
            return
        }
        switch known?.status {
        case nil: self = .add
        case .unknown?: self = .complete
        default: self = .refuse("x.grp.mem.new error: member already exists")
        }
    }

    /// True if a host may bring in a member of a role: administrators do, and none above themselves.
    static func mayIntroduce(_ role: GroupMemberRole, by host: GroupMember) -> Bool { host.role >= .admin && host.role >= role }
}
