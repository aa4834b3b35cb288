import ChatAPI
import ChatProtocol
import ChatRules
import ChatStore
import SMPWire

extension MemberInfo {
    /// A member in the form that other members receive.
    init(_ member: GroupMember, in group: GroupInfo) {
        self.init(
            memberID: member.memberID, role: member.role, versions: VersionRange(member.activeConnection?.peerChatVersions ?? member.chatVersions),
            profile: member.profile.published.redacted(for: group, role: member.role, isOfMember: member.contactID == nil), key: member.signingKey)
    }
}

extension ChatTransaction {
    /// A member in the form that other members receive, with what newer clients have announced of it.
    func info(of member: GroupMember, in group: GroupInfo) throws -> MemberInfo {
        var info = MemberInfo(member, in: group)
        info.unknownMembers = try db.keptMembers.members(ofMember: member.groupMemberID)
        return info
    }
}
