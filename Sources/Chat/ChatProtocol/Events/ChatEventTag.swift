/// The tag of an event, as `x.msg.new`. Tags of newer clients are kept.
public struct ChatEventTag: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }
    init(_ text: String) { rawValue = text }

    /// A textual form, for messages and logs.
    public var description: String { rawValue }

    /// True if clients take a message with this tag: it starts with `x.`, or is the binary `F`.
    public var isValid: Bool { rawValue.utf8.starts(with: "x.".utf8) || self == .fileChunk }

    /// The tag of ``ChatMessageEvent/newMessage``.
    public static let newMessage = ChatEventTag("x.msg.new")
    /// The tag of ``ChatMessageEvent/fileDescription``.
    public static let fileDescription = ChatEventTag("x.msg.file.descr")
    /// The tag of ``ChatMessageEvent/updateMessage``.
    public static let updateMessage = ChatEventTag("x.msg.update")
    /// The tag of ``ChatMessageEvent/deleteMessage``.
    public static let deleteMessage = ChatEventTag("x.msg.del")
    /// The tag of ``ChatMessageEvent/messageDeleted``.
    public static let messageDeleted = ChatEventTag("x.msg.deleted")
    /// The tag of ``ChatMessageEvent/react``.
    public static let react = ChatEventTag("x.msg.react")
    /// The tag of ``ChatMessageEvent/file``.
    public static let file = ChatEventTag("x.file")
    /// The tag of ``ChatMessageEvent/acceptFile``.
    public static let acceptFile = ChatEventTag("x.file.acpt")
    /// The tag of ``ChatMessageEvent/acceptFileInvitation``.
    public static let acceptFileInvitation = ChatEventTag("x.file.acpt.inv")
    /// The tag of ``ChatMessageEvent/cancelFile``.
    public static let cancelFile = ChatEventTag("x.file.cancel")
    /// The tag of ``ChatMessageEvent/info``.
    public static let info = ChatEventTag("x.info")
    /// The tag of ``ChatMessageEvent/contact``.
    public static let contact = ChatEventTag("x.contact")
    /// The tag of ``ChatMessageEvent/member``.
    public static let member = ChatEventTag("x.member")
    /// The tag of ``ChatMessageEvent/deleteContact``.
    public static let deleteContact = ChatEventTag("x.direct.del")
    /// The tag of ``ChatMessageEvent/groupInvitation``.
    public static let groupInvitation = ChatEventTag("x.grp.inv")
    /// The tag of ``ChatMessageEvent/acceptGroup``.
    public static let acceptGroup = ChatEventTag("x.grp.acpt")
    /// The tag of ``ChatMessageEvent/groupLinkInvitation``.
    public static let groupLinkInvitation = ChatEventTag("x.grp.link.inv")
    /// The tag of ``ChatMessageEvent/groupLinkRejection``.
    public static let groupLinkRejection = ChatEventTag("x.grp.link.reject")
    /// The tag of ``ChatMessageEvent/groupLinkMember``.
    public static let groupLinkMember = ChatEventTag("x.grp.link.mem")
    /// The tag of ``ChatMessageEvent/groupLinkAcceptance``.
    public static let groupLinkAcceptance = ChatEventTag("x.grp.link.acpt")
    /// The tag of ``ChatMessageEvent/groupRelayInvitation``.
    public static let groupRelayInvitation = ChatEventTag("x.grp.relay.inv")
    /// The tag of ``ChatMessageEvent/acceptGroupRelay``.
    public static let acceptGroupRelay = ChatEventTag("x.grp.relay.acpt")
    /// The tag of ``ChatMessageEvent/testGroupRelay``.
    public static let testGroupRelay = ChatEventTag("x.grp.relay.test")
    /// The tag of ``ChatMessageEvent/newGroupRelay``.
    public static let newGroupRelay = ChatEventTag("x.grp.relay.new")
    /// The tag of ``ChatMessageEvent/rejectGroupRelay``.
    public static let rejectGroupRelay = ChatEventTag("x.grp.relay.reject")
    /// The tag of ``ChatMessageEvent/groupRelayCapabilities``.
    public static let groupRelayCapabilities = ChatEventTag("x.grp.relay.cap")
    /// The tag of ``ChatMessageEvent/groupRoster``.
    public static let groupRoster = ChatEventTag("x.grp.roster")
    /// The tag of ``ChatMessageEvent/acknowledgeRoster``.
    public static let acknowledgeRoster = ChatEventTag("x.grp.roster.ack")
    /// The tag of ``ChatMessageEvent/requestRoster``.
    public static let requestRoster = ChatEventTag("x.grp.roster.request")
    /// The tag of ``ChatMessageEvent/newMember``.
    public static let newMember = ChatEventTag("x.grp.mem.new")
    /// The tag of ``ChatMessageEvent/introduceMember``.
    public static let introduceMember = ChatEventTag("x.grp.mem.intro")
    /// The tag of ``ChatMessageEvent/inviteMember``.
    public static let inviteMember = ChatEventTag("x.grp.mem.inv")
    /// The tag of ``ChatMessageEvent/forwardMemberInvitation``.
    public static let forwardMemberInvitation = ChatEventTag("x.grp.mem.fwd")
    /// The tag of ``ChatMessageEvent/memberInfo``.
    public static let memberInfo = ChatEventTag("x.grp.mem.info")
    /// The tag of ``ChatMessageEvent/memberRole``.
    public static let memberRole = ChatEventTag("x.grp.mem.role")
    /// The tag of ``ChatMessageEvent/restrictMember``.
    public static let restrictMember = ChatEventTag("x.grp.mem.restrict")
    /// The tag of ``ChatMessageEvent/memberConnected``.
    public static let memberConnected = ChatEventTag("x.grp.mem.con")
    /// The tag of ``ChatMessageEvent/memberConnectedToAll``.
    public static let memberConnectedToAll = ChatEventTag("x.grp.mem.con.all")
    /// The tag of ``ChatMessageEvent/removeMember``.
    public static let removeMember = ChatEventTag("x.grp.mem.del")
    /// The tag of ``ChatMessageEvent/leaveGroup``.
    public static let leaveGroup = ChatEventTag("x.grp.leave")
    /// The tag of ``ChatMessageEvent/deleteGroup``.
    public static let deleteGroup = ChatEventTag("x.grp.del")
    /// The tag of ``ChatMessageEvent/groupInfo``.
    public static let groupInfo = ChatEventTag("x.grp.info")
    /// The tag of ``ChatMessageEvent/groupPreferences``.
    public static let groupPreferences = ChatEventTag("x.grp.prefs")
    /// The tag of ``ChatMessageEvent/groupDirectInvitation``.
    public static let groupDirectInvitation = ChatEventTag("x.grp.direct.inv")
    /// The tag of ``ChatMessageEvent/forwardMessage``.
    public static let forwardMessage = ChatEventTag("x.grp.msg.forward")
    /// The tag of ``ChatMessageEvent/probe``.
    public static let probe = ChatEventTag("x.info.probe")
    /// The tag of ``ChatMessageEvent/checkProbe``.
    public static let checkProbe = ChatEventTag("x.info.probe.check")
    /// The tag of ``ChatMessageEvent/confirmProbe``.
    public static let confirmProbe = ChatEventTag("x.info.probe.ok")
    /// The tag of ``ChatMessageEvent/callInvitation``.
    public static let callInvitation = ChatEventTag("x.call.inv")
    /// The tag of ``ChatMessageEvent/callOffer``.
    public static let callOffer = ChatEventTag("x.call.offer")
    /// The tag of ``ChatMessageEvent/callAnswer``.
    public static let callAnswer = ChatEventTag("x.call.answer")
    /// The tag of ``ChatMessageEvent/callExtra``.
    public static let callExtra = ChatEventTag("x.call.extra")
    /// The tag of ``ChatMessageEvent/endCall``.
    public static let endCall = ChatEventTag("x.call.end")
    /// The tag of ``ChatMessageEvent/ok``.
    public static let ok = ChatEventTag("x.ok")
    /// The tag of ``ChatMessageEvent/fileChunk``.
    public static let fileChunk = ChatEventTag("F")
}

extension ChatEventTag {
    /// True if a message with this event wakes the receiver's device.
    public var hasNotification: Bool { Self.notifying.contains(self) }

    /// True if the sender asks for a delivery receipt.
    public var hasDeliveryReceipt: Bool { Self.receipted.contains(self) }

    /// True if relays and members take this event only with a valid signature, in groups with relays.
    public var requiresSignature: Bool { Self.signed.contains(self) }

    /// True if a host forwards messages with this event to members that are not connected to the sender. Messages with a
    /// file that travels inline are an exception, see ``ChatMessageEvent/isForwardedInGroups``.
    public var isForwardedInGroups: Bool { Self.forwarded.contains(self) }

    private static let notifying: Set<ChatEventTag> = [
        .newMessage, .file, .contact, .groupInvitation, .forwardMemberInvitation, .deleteGroup, .callInvitation,
    ]
    private static let receipted: Set<ChatEventTag> = [.newMessage, .groupInvitation, .callInvitation]
    private static let signed: Set<ChatEventTag> = [
        .deleteGroup, .groupInfo, .groupPreferences, .removeMember, .memberRole, .restrictMember, .leaveGroup, .info,
        .newGroupRelay, .groupRoster,
    ]
    private static let forwarded: Set<ChatEventTag> = [
        .newMessage, .fileDescription, .updateMessage, .deleteMessage, .react, .cancelFile, .info, .newMember, .memberRole,
        .restrictMember, .removeMember, .leaveGroup, .deleteGroup, .groupInfo, .groupPreferences,
        .newGroupRelay, .groupRoster,
    ]
}

extension ChatMessageEvent {
    /// The tag under which the event is sent.
    public var tag: ChatEventTag {
        switch self {
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
        case .unknown(let tag, _): tag
        case .fileChunk: .fileChunk
        }
    }

    /// True if a host forwards the event to members that are not connected to the sender.
    public var isForwardedInGroups: Bool {
        if case .newMessage(let container) = self, container.file?.inline != nil { return false }
        return tag.isForwardedInGroups
    }
}
