// The meaning of the states of a membership.

extension GroupMemberStatus {
    /// True for members who belong to the group, connected or not.
    public var isCurrent: Bool {
        switch self {
        case .introduced, .introductionInvited, .accepted, .announced, .connected, .complete, .creator: true
        default: false
        }
    }

    /// True for members who wait to be let in.
    public var isPending: Bool { self == .pendingApproval || self == .pendingReview }

    /// True for members whose membership is over.
    public var isRemoved: Bool {
        switch self {
        case .rejected, .removed, .left, .groupDeleted: true
        default: false
        }
    }
}
