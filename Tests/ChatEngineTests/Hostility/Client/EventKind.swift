import ChatProtocol
import ChatRules

/// The kinds of chat messages: one for each case of ``ChatMessageEvent``.
///
/// The switch has no default: with a new event this file no longer compiles, and with the new kind ``HostileMessages`` lacks an attack.
enum EventKind: CaseIterable, Hashable, Sendable {
    case newMessage, fileDescription, updateMessage, deleteMessage, messageDeleted, react, file, acceptFile, acceptFileInvitation,
        cancelFile, info, contact, member, deleteContact, groupInvitation, acceptGroup, groupLinkInvitation, groupLinkRejection,
        groupLinkMember, groupLinkAcceptance, groupRelayInvitation, acceptGroupRelay, testGroupRelay, newGroupRelay, rejectGroupRelay,
        groupRelayCapabilities, groupRoster, acknowledgeRoster, requestRoster, newMember, introduceMember,
        inviteMember, forwardMemberInvitation, memberInfo, memberRole, restrictMember, memberConnected, memberConnectedToAll, removeMember,
        leaveGroup, deleteGroup, groupInfo, groupPreferences, groupDirectInvitation, forwardMessage, probe, checkProbe, confirmProbe,
        callInvitation, callOffer, callAnswer, callExtra, endCall, ok, unknown, fileChunk

    init(_ event: ChatMessageEvent) {
        self =
            switch event {
            case .newMessage: .newMessage
            case .fileDescription: .fileDescription
            case .updateMessage: .updateMessage
            case .deleteMessage: .deleteMessage
            case .messageDeleted: .messageDeleted
            case .react: .react
            case .file: .file
            case .acceptFile: .acceptFile
            case .acceptFileInvitation: .acceptFileInvitation
            case .cancelFile: .cancelFile
            case .info: .info
            case .contact: .contact
            case .member: .member
            case .deleteContact: .deleteContact
            case .groupInvitation: .groupInvitation
            case .acceptGroup: .acceptGroup
            case .groupLinkInvitation: .groupLinkInvitation
            case .groupLinkRejection: .groupLinkRejection
            case .groupLinkMember: .groupLinkMember
            case .groupLinkAcceptance: .groupLinkAcceptance
            case .groupRelayInvitation: .groupRelayInvitation
            case .acceptGroupRelay: .acceptGroupRelay
            case .testGroupRelay: .testGroupRelay
            case .newGroupRelay: .newGroupRelay
            case .rejectGroupRelay: .rejectGroupRelay
            case .groupRelayCapabilities: .groupRelayCapabilities
            case .groupRoster: .groupRoster
            case .acknowledgeRoster: .acknowledgeRoster
            case .requestRoster: .requestRoster
            case .newMember: .newMember
            case .introduceMember: .introduceMember
            case .inviteMember: .inviteMember
            case .forwardMemberInvitation: .forwardMemberInvitation
            case .memberInfo: .memberInfo
            case .memberRole: .memberRole
            case .restrictMember: .restrictMember
            case .memberConnected: .memberConnected
            case .memberConnectedToAll: .memberConnectedToAll
            case .removeMember: .removeMember
            case .leaveGroup: .leaveGroup
            case .deleteGroup: .deleteGroup
            case .groupInfo: .groupInfo
            case .groupPreferences: .groupPreferences
            case .groupDirectInvitation: .groupDirectInvitation
            case .forwardMessage: .forwardMessage
            case .probe: .probe
            case .checkProbe: .checkProbe
            case .confirmProbe: .confirmProbe
            case .callInvitation: .callInvitation
            case .callOffer: .callOffer
            case .callAnswer: .callAnswer
            case .callExtra: .callExtra
            case .endCall: .endCall
            case .ok: .ok
            case .unknown: .unknown
            case .fileChunk: .fileChunk
            }
    }
}
