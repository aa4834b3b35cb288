public import ChatProtocol

/// Ids, times and status of an item.
@JSONMembers
public struct ItemMeta: JSONObjectConvertible, Hashable {
    /// Database id.
    public var itemID: ChatItemID
    /// When it was sent, by the clock of the router for received items.
    @JSONName("itemTs") public var itemTimestamp: UTCTimestamp
    /// The text, for lists and search.
    @JSONName("itemText") public var text: String
    /// The progress of delivery or reading.
    @JSONName("itemStatus") public var status: ItemStatus
    /// True if it went through a proxy.
    public var sentViaProxy: Bool?
    /// Id that both sides use, base64url.
    @JSONName("itemSharedMsgId") public var sharedMessageID: SharedMessageID?
    /// Where it was forwarded from.
    @JSONName("itemForwarded") public var forwarded: ForwardedFrom?
    /// Set when it was deleted and only marked.
    @JSONName("itemDeleted") public var deleted: ItemDeleted?
    /// True if it was edited.
    @JSONName("itemEdited") public var isEdited: Bool = false
    /// Set when it disappears after a time.
    @JSONName("itemTimed") public var timed: ItemTimer?
    /// True if it is being typed.
    @JSONName("itemLive") public var isLive: Bool?
    /// True if it mentions this profile.
    public var userMention: Bool = false
    /// True if it has a link.
    public var hasLink: Bool = false
    /// True if it can still be deleted for everybody.
    @JSONName("deletable") public var isDeletable: Bool = false
    /// True if it can still be edited.
    @JSONName("editable") public var isEditable: Bool = false
    /// Member who passed it on.
    public var forwardedByMember: GroupMemberID?
    /// True if it was sent in the name of the group.
    public var showGroupAsSender: Bool = false
    /// Post of a channel that it comments; only cores with comments have it.
    @JSONName("parentChatItemId") public var parentItemID: ChatItemID?
    /// Number of comments on it; only cores with comments have it.
    public var commentsTotal: Int?
    /// True if it cannot be commented; only cores with comments have it.
    public var commentsDisabled: Bool?
    /// The outcome of checking its signature.
    @JSONFlattened public var verification: MessageVerification = .unsigned
    /// When it was stored.
    public var createdAt: UTCTimestamp
    /// When it last changed.
    public var updatedAt: UTCTimestamp
}

/// When an item disappears.
@JSONMembers
public struct ItemTimer: JSONObjectConvertible, Hashable {
    /// Seconds after it was read.
    public var ttl: Int
    /// When it will; absent until it was read.
    public var deleteAt: UTCTimestamp?
}

extension ItemMeta {
    /// The outcome of checking the signature of a signed item; nil for an item without signature.
    public var signatureStatus: SignatureStatus? { verification.status }
}

/// Outcome of checking a signature.
public struct SignatureStatus: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Good.
    public static let verified = SignatureStatus(rawValue: "verified")
    /// Signed, but the key is not known.
    public static let signedNoKey = SignatureStatus(rawValue: "signedNoKey")

    /// The words that this version knows.
    public static let allCases: [SignatureStatus] = [.verified, .signedNoKey]
}

/// Where a message was forwarded from.
@JSONForms
public enum ForwardedFrom: JSONTagged, Hashable {
    /// From where is not known.
    case unknown
    /// From a contact.
    @JSONName(["messageDirection": "msgDir"])
    case contact(chatName: String, messageDirection: MessageDirection, contactID: ContactID?, chatItemID: ChatItemID?)
    /// From a group.
    @JSONName(["messageDirection": "msgDir"])
    case group(chatName: String, messageDirection: MessageDirection, groupID: GroupID?, chatItemID: ChatItemID?)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Which way a message went.
public struct MessageDirection: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Received.
    public static let received = MessageDirection(rawValue: "rcv")
    /// Sent.
    public static let sent = MessageDirection(rawValue: "snd")

    /// The words that this version knows.
    public static let allCases: [MessageDirection] = [.received, .sent]
}

/// The deletion of an item that was kept as a mark.
@JSONForms
public indirect enum ItemDeleted: JSONTagged, Hashable {
    /// By its author.
    @JSONName(["deletedAt": "deletedTs"])
    case deleted(deletedAt: UTCTimestamp?, chatType: ChatType)
    /// Its author is blocked here.
    @JSONName(["deletedAt": "deletedTs"])
    case blocked(deletedAt: UTCTimestamp?)
    /// Its author was blocked by an admin.
    @JSONName(["deletedAt": "deletedTs"])
    case blockedByAdmin(deletedAt: UTCTimestamp?)
    /// By a moderator.
    @JSONName(["deletedAt": "deletedTs", "byMember": "byGroupMember"])
    case moderated(deletedAt: UTCTimestamp?, byMember: GroupMember)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Kind of chat.
public struct ChatType: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// With a contact.
    public static let direct = ChatType(rawValue: "direct")
    /// A group.
    public static let group = ChatType(rawValue: "group")
    /// Notes to oneself.
    public static let local = ChatType(rawValue: "local")
    /// A request.
    public static let contactRequest = ChatType(rawValue: "contactRequest")
    /// A connection without a contact.
    public static let contactConnection = ChatType(rawValue: "contactConnection")

    /// The words that this version knows.
    public static let allCases: [ChatType] = [.direct, .group, .local, .contactRequest, .contactConnection]
}
