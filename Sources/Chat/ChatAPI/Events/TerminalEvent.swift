public import ChatProtocol

/// An event that official cores report for terminals: in JSON it is the `data` of a `terminalEvent`.
///
/// The official core hands these out over its WebSocket, and keeps them from apps that embed it.
@JSONForms
public indirect enum TerminalEvent: JSONTagged, Hashable {
    /// The host of a group refused to let this profile join by the link.
    @JSONName(["reason": "groupRejectionReason"])
    case groupLinkRejected(user: User, groupInfo: GroupInfo, reason: GroupRejectionReason)
    /// This profile, the host of a group, refuses somebody who asks to join by the link.
    @JSONName(["reason": "groupRejectionReason"])
    case rejectingGroupJoinRequestMember(user: User, groupInfo: GroupInfo, member: GroupMember, reason: GroupRejectionReason)
    /// A contact was made in order to write to a member.
    case newMemberContact(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember)
    /// The security code of a contact changed and has to be compared again.
    case contactVerificationReset(user: User, contact: Contact)
    /// The security code of a member changed and has to be compared again.
    case groupMemberVerificationReset(user: User, groupInfo: GroupInfo, member: GroupMember)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension TerminalEvent {
    /// The profile that it is about; nil for a form that this version does not know.
    public var user: User? {
        switch self {
        case .groupLinkRejected(let user, _, _), .rejectingGroupJoinRequestMember(let user, _, _, _), .newMemberContact(let user, _, _, _),
            .contactVerificationReset(let user, _), .groupMemberVerificationReset(let user, _, _):
            user
        case .other: nil
        }
    }
}
