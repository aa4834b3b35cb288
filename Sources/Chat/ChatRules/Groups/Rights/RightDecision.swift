package import ChatAPI
package import ChatProtocol

/// The standing of a member in its group, as far as rights depend on it.
package enum MemberStanding: CaseIterable, Hashable, Sendable {
    /// Belongs to the group: connected, or introduced, announced or known by forwarded messages.
    case member
    /// Waits for a review. The moderators know the member.
    case underReview
    /// Waits for the host, whom alone it knows.
    case awaitingApproval
    /// Invited, and has not accepted.
    case invited
    /// Refused when it asked to join.
    case rejected
    /// Removed, left, or in a group that was deleted.
    case ended

    /// - Parameter isForwarded: True if another member passes the message on. What a member wrote before it left may come after its leave, by
    ///   another way; what a removed member wrote does not count.
    package init(_ status: GroupMemberStatus, category: GroupMemberCategory, isForwarded: Bool) {
        switch status {
        case .introduced, .introductionInvited, .accepted, .announced, .connected, .complete, .creator, .unknown: self = .member
        case .pendingReview: self = .underReview
        case .pendingApproval: self = .awaitingApproval
        // The host of a group that this profile joins is stored as invited until the connection is made.
        case .invited: self = category == .host ? .member : .invited
        case .left: self = isForwarded ? .member : .ended
        case .rejected: self = .rejected
        default: self = .ended
        }
    }

    /// True for members and for those who wait to be let in. Messages of others leave no trace in the chat, not even an error.
    package var belongsToChat: Bool {
        switch self {
        case .member, .underReview, .awaitingApproval: true
        case .invited, .rejected, .ended: false
        }
    }
}

extension GroupMember {
    /// True if the chat shows that something of the member could not be read or is missing.
    package var leavesNotes: Bool { MemberStanding(status, category: category, isForwarded: false).belongsToChat }
}

/// The properties of a member that determine its rights.
package struct ActingMember: Hashable, Sendable {
    package var role: GroupMemberRole
    package var standing: MemberStanding
    package var isBlocked: Bool
    /// True for the member who invited or admitted this profile.
    package var isHost: Bool
    /// True for a member whom this profile brought into the group.
    package var isInvitee: Bool

    package init(role: GroupMemberRole, standing: MemberStanding = .member, isBlocked: Bool = false, isHost: Bool = false, isInvitee: Bool = false) {
        self.role = role
        self.standing = standing
        self.isBlocked = isBlocked
        self.isHost = isHost
        self.isInvitee = isInvitee
    }

    /// - Parameter isForwarded: True if another member passes the message on.
    package init(_ member: GroupMember, isForwarded: Bool = false) {
        self.init(
            role: member.role, standing: MemberStanding(member.status, category: member.category, isForwarded: isForwarded),
            // Relays write nothing of their own: a block of one would only silence others.
            isBlocked: member.blockedByAdmin && !member.isRelay, isHost: member.category == .host, isInvitee: member.category == .invitee)
    }
}

/// The reason why a member may not do something.
package enum RightRefusal: Hashable, Sendable {
    case standing(MemberStanding)
    case blocked
    case role
    case origin

    /// The text for the log of errors.
    package func text(_ tag: ChatEventTag) -> String {
        switch self {
        case .standing(.member), .origin: "\(tag.rawValue): not from this member"
        case .standing(.underReview), .standing(.awaitingApproval): "\(tag.rawValue): the member waits to be let in"
        case .standing(.invited): "\(tag.rawValue): the member has not joined"
        case .standing(.rejected): "\(tag.rawValue): the member was refused"
        case .standing(.ended): "\(tag.rawValue): the member is no longer in the group"
        case .blocked: "\(tag.rawValue): member is blocked (ignoring)"
        case .role: "\(tag.rawValue) with insufficient member permissions"
        }
    }
}

extension ChatMessageEvent {
    /// Tells whether a member that is blocked for all may do this as before, by the table of rights.
    package func ignoresBlock(of member: GroupMember) -> Bool {
        GroupAction(self, by: member).map { $0 != .nothing && $0.right.block == .none } ?? false
    }
}

/// The decision whether a member may do something.
package enum RightDecision: Hashable, Sendable {
    case allow
    /// Stores the change of the member, and hides it.
    case hide
    case refuse(RightRefusal)

    /// - Parameters:
    ///   - others: The roles of members whom the action is about, and roles that it gives.
    ///   - isHidden: True if the action changes an item that is out of sight.
    ///   - inChannel: True for a group with relays.
    package init(
        _ action: GroupAction, by member: ActingMember, over others: [GroupMemberRole] = [], isHidden: Bool = false, inChannel: Bool = false
    ) {
        let right = action.right
        guard right.standings.contains(member.standing) else {
            self = .refuse(member.standing == .member ? .role : .standing(member.standing))
            return
        }
        switch (right.block, member.isBlocked) {
        case (.refuses, true):
            self = .refuse(.blocked)
            return
        case (.refusesVisible, true) where !isHidden:
            self = .refuse(.blocked)
            return
        default: break
        }
        guard right.permits(member.role, over: others, inChannel: inChannel) else {
            self = .refuse(.role)
            return
        }
        switch right.origin {
        case .host where !member.isHost: self = .refuse(.origin)
        case .invitee where !member.isInvitee: self = .refuse(.origin)
        default: self = right.block == .hides && member.isBlocked ? .hide : .allow
        }
    }

    /// The refusal; nil for a permitted action.
    package var refusal: RightRefusal? { if case .refuse(let refusal) = self { refusal } else { nil } }

    /// The refusal for a reason that has nothing to do with roles; nil for other reasons, and for a permitted action.
    package var refusalOfStanding: RightRefusal? {
        switch self {
        case .refuse(.standing(let standing)): .standing(standing)
        case .refuse(.blocked): .blocked
        default: nil
        }
    }
}
