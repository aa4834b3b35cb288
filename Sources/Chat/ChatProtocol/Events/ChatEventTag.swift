/// The tag of an event, as `x.msg.new`. Tags of newer clients are kept.
public struct ChatEventTag: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    init(_ text: String) { rawValue = text }

    public var description: String { rawValue }

    /// Whether clients take a message with this tag: it starts with `x.`, or is the binary `F`.
    public var isValid: Bool { rawValue.utf8.starts(with: "x.".utf8) || self == .fileChunk }

    public static let newMessage = ChatEventTag("x.msg.new")
    public static let fileDescription = ChatEventTag("x.msg.file.descr")
    public static let updateMessage = ChatEventTag("x.msg.update")
    public static let deleteMessage = ChatEventTag("x.msg.del")
    public static let messageDeleted = ChatEventTag("x.msg.deleted")
    public static let react = ChatEventTag("x.msg.react")
    public static let file = ChatEventTag("x.file")
    public static let acceptFile = ChatEventTag("x.file.acpt")
    public static let acceptFileInvitation = ChatEventTag("x.file.acpt.inv")
    public static let cancelFile = ChatEventTag("x.file.cancel")
    public static let info = ChatEventTag("x.info")
    public static let contact = ChatEventTag("x.contact")
    public static let member = ChatEventTag("x.member")
    public static let deleteContact = ChatEventTag("x.direct.del")
    public static let groupInvitation = ChatEventTag("x.grp.inv")
    public static let acceptGroup = ChatEventTag("x.grp.acpt")
    public static let groupLinkInvitation = ChatEventTag("x.grp.link.inv")
    public static let groupLinkRejection = ChatEventTag("x.grp.link.reject")
    public static let groupLinkMember = ChatEventTag("x.grp.link.mem")
    public static let groupLinkAcceptance = ChatEventTag("x.grp.link.acpt")
    public static let groupRelayInvitation = ChatEventTag("x.grp.relay.inv")
    public static let acceptGroupRelay = ChatEventTag("x.grp.relay.acpt")
    public static let testGroupRelay = ChatEventTag("x.grp.relay.test")
    public static let newMember = ChatEventTag("x.grp.mem.new")
    public static let introduceMember = ChatEventTag("x.grp.mem.intro")
    public static let inviteMember = ChatEventTag("x.grp.mem.inv")
    public static let forwardMemberInvitation = ChatEventTag("x.grp.mem.fwd")
    public static let memberInfo = ChatEventTag("x.grp.mem.info")
    public static let memberRole = ChatEventTag("x.grp.mem.role")
    public static let restrictMember = ChatEventTag("x.grp.mem.restrict")
    public static let memberConnected = ChatEventTag("x.grp.mem.con")
    public static let memberConnectedToAll = ChatEventTag("x.grp.mem.con.all")
    public static let removeMember = ChatEventTag("x.grp.mem.del")
    public static let leaveGroup = ChatEventTag("x.grp.leave")
    public static let deleteGroup = ChatEventTag("x.grp.del")
    public static let groupInfo = ChatEventTag("x.grp.info")
    public static let groupPreferences = ChatEventTag("x.grp.prefs")
    public static let groupDirectInvitation = ChatEventTag("x.grp.direct.inv")
    public static let forwardMessage = ChatEventTag("x.grp.msg.forward")
    public static let probe = ChatEventTag("x.info.probe")
    public static let checkProbe = ChatEventTag("x.info.probe.check")
    public static let confirmProbe = ChatEventTag("x.info.probe.ok")
    public static let callInvitation = ChatEventTag("x.call.inv")
    public static let callOffer = ChatEventTag("x.call.offer")
    public static let callAnswer = ChatEventTag("x.call.answer")
    public static let callExtra = ChatEventTag("x.call.extra")
    public static let endCall = ChatEventTag("x.call.end")
    public static let ok = ChatEventTag("x.ok")
    public static let fileChunk = ChatEventTag("F")
}

extension ChatEventTag {
    /// Whether a message with this event wakes the receiver's device.
    public var hasNotification: Bool { Self.notifying.contains(self) }

    /// Whether the sender asks for a delivery receipt.
    public var hasDeliveryReceipt: Bool { Self.receipted.contains(self) }

    /// Whether relays and members take this event only with a valid signature, in groups with relays.
    public var requiresSignature: Bool { Self.signed.contains(self) }

    /// Whether a host forwards messages with this event to members that are not connected to the sender. Messages with a
    /// file that travels inline are an exception, see ``ChatMessageEvent/isForwardedInGroups``.
    public var isForwardedInGroups: Bool { Self.forwarded.contains(self) }

    private static let notifying: Set<ChatEventTag> = [
        .newMessage, .file, .contact, .groupInvitation, .forwardMemberInvitation, .deleteGroup, .callInvitation,
    ]
    private static let receipted: Set<ChatEventTag> = [.newMessage, .groupInvitation, .callInvitation]
    private static let signed: Set<ChatEventTag> = [
        .deleteGroup, .groupInfo, .groupPreferences, .removeMember, .memberRole, .restrictMember, .leaveGroup, .info,
    ]
    private static let forwarded: Set<ChatEventTag> = [
        .newMessage, .fileDescription, .updateMessage, .deleteMessage, .react, .cancelFile, .info, .newMember, .memberRole,
        .restrictMember, .removeMember, .leaveGroup, .deleteGroup, .groupInfo, .groupPreferences,
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

    /// Whether a host forwards the event to members that are not connected to the sender.
    public var isForwardedInGroups: Bool {
        if case .newMessage(let container) = self, container.file?.inline != nil { return false }
        return tag.isForwardedInGroups
    }
}
