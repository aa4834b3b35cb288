package import ChatAPI
package import ChatProtocol

// The messages that answer somebody who asks to join by the link of a group.

extension GroupLinkInvitation {
    /// The invitation of a member whom the group takes.
    ///
    /// - Parameter hostName: The name under which this profile takes part.
    package init(of member: GroupMember, to group: GroupInfo, _ acceptance: GroupAcceptance, hostName: String) {
        self.init(
            fromMember: MemberIDRole(memberID: group.membership.memberID, role: group.membership.role), fromMemberName: hostName,
            invitedMember: MemberIDRole(memberID: member.memberID, role: member.role), groupProfile: group.groupProfile, accepted: acceptance,
            business: group.businessChat, groupSize: Int(group.groupSummary.currentMembers))
    }
}

extension GroupLinkRejection {
    /// The refusal of somebody whom the group does not take.
    package init(of member: GroupMember, from group: GroupInfo, _ reason: GroupRejectionReason) {
        self.init(
            fromMember: MemberIDRole(memberID: group.membership.memberID, role: group.membership.role),
            invitedMember: MemberIDRole(memberID: member.memberID, role: member.role), groupProfile: group.groupProfile, reason: reason)
    }
}
