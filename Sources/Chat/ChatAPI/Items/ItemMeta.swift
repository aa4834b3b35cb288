public import ChatProtocol

/// Ids, times and status of an item.
public struct ItemMeta: JSONObjectConvertible, Hashable {
    /// Database id.
    public var itemID: ChatItemID
    /// When it was sent, by the clock of the router for received items.
    public var itemTimestamp: UTCTimestamp
    /// The text, for lists and search.
    public var text: String
    /// How far delivery or reading is.
    public var status: ItemStatus
    /// Whether it went through a proxy.
    public var sentViaProxy: Bool?
    /// Id that both sides use, base64url.
    public var sharedMessageID: SharedMessageID?
    /// Where it was forwarded from.
    public var forwarded: ForwardedFrom?
    /// Set when it was deleted and only marked.
    public var deleted: ItemDeleted?
    /// Whether it was edited.
    public var isEdited: Bool
    /// Set when it disappears after a time.
    public var timed: ItemTimer?
    /// Whether it is being typed.
    public var isLive: Bool?
    /// Whether it mentions this profile.
    public var userMention: Bool
    /// Whether it has a link.
    public var hasLink: Bool
    /// Whether it can still be deleted for everybody.
    public var isDeletable: Bool
    /// Whether it can still be edited.
    public var isEditable: Bool
    /// Member who passed it on.
    public var forwardedByMember: GroupMemberID?
    /// Whether it was sent in the name of the group.
    public var showGroupAsSender: Bool
    /// Post of a channel that it comments; only cores with comments have it.
    public var parentItemID: ChatItemID?
    /// Number of comments on it; only cores with comments have it.
    public var commentsTotal: Int?
    /// Whether it cannot be commented; only cores with comments have it.
    public var commentsDisabled: Bool?
    /// Whether its signature was good.
    public var signatureStatus: SignatureStatus?
    /// When it was stored.
    public var createdAt: UTCTimestamp
    /// When it last changed.
    public var updatedAt: UTCTimestamp

    /// Makes the value from its parts.
    public init(
        itemID: ChatItemID, itemTimestamp: UTCTimestamp, text: String, status: ItemStatus, sentViaProxy: Bool? = nil,
        sharedMessageID: SharedMessageID? = nil, forwarded: ForwardedFrom? = nil, deleted: ItemDeleted? = nil,
        isEdited: Bool = false, timed: ItemTimer? = nil, isLive: Bool? = nil, userMention: Bool = false, hasLink: Bool = false,
        isDeletable: Bool = false, isEditable: Bool = false, forwardedByMember: GroupMemberID? = nil,
        showGroupAsSender: Bool = false, parentItemID: ChatItemID? = nil, commentsTotal: Int? = nil,
        commentsDisabled: Bool? = nil, signatureStatus: SignatureStatus? = nil, createdAt: UTCTimestamp, updatedAt: UTCTimestamp
    ) {
        self.itemID = itemID
        self.itemTimestamp = itemTimestamp
        self.text = text
        self.status = status
        self.sentViaProxy = sentViaProxy
        self.sharedMessageID = sharedMessageID
        self.forwarded = forwarded
        self.deleted = deleted
        self.isEdited = isEdited
        self.timed = timed
        self.isLive = isLive
        self.userMention = userMention
        self.hasLink = hasLink
        self.isDeletable = isDeletable
        self.isEditable = isEditable
        self.forwardedByMember = forwardedByMember
        self.showGroupAsSender = showGroupAsSender
        self.parentItemID = parentItemID
        self.commentsTotal = commentsTotal
        self.commentsDisabled = commentsDisabled
        self.signatureStatus = signatureStatus
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension ItemMeta {
    public init(object: JSONObject) throws(JSONError) {
        itemID = try object.required("itemId")
        itemTimestamp = try object.required("itemTs")
        text = try object.required("itemText")
        status = try object.required("itemStatus")
        sentViaProxy = try object.optional("sentViaProxy")
        sharedMessageID = try object.optional("itemSharedMsgId")
        forwarded = try object.optional("itemForwarded")
        deleted = try object.optional("itemDeleted")
        isEdited = try object.optional("itemEdited") ?? false
        timed = try object.optional("itemTimed")
        isLive = try object.optional("itemLive")
        userMention = try object.optional("userMention") ?? false
        hasLink = try object.optional("hasLink") ?? false
        isDeletable = try object.optional("deletable") ?? false
        isEditable = try object.optional("editable") ?? false
        forwardedByMember = try object.optional("forwardedByMember")
        showGroupAsSender = try object.optional("showGroupAsSender") ?? false
        parentItemID = try object.optional("parentChatItemId")
        commentsTotal = try object.optional("commentsTotal")
        commentsDisabled = try object.optional("commentsDisabled")
        signatureStatus = try object.optional("msgSigned")
        createdAt = try object.required("createdAt")
        updatedAt = try object.required("updatedAt")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["itemId"] = itemID
        object["itemTs"] = itemTimestamp
        object["itemText"] = text
        object["itemStatus"] = status
        object["sentViaProxy"] = sentViaProxy
        object["itemSharedMsgId"] = sharedMessageID
        object["itemForwarded"] = forwarded
        object["itemDeleted"] = deleted
        object["itemEdited"] = isEdited
        object["itemTimed"] = timed
        object["itemLive"] = isLive
        object["userMention"] = userMention
        object["hasLink"] = hasLink
        object["deletable"] = isDeletable
        object["editable"] = isEditable
        object["forwardedByMember"] = forwardedByMember
        object["showGroupAsSender"] = showGroupAsSender
        object["parentChatItemId"] = parentItemID
        object["commentsTotal"] = commentsTotal
        object["commentsDisabled"] = commentsDisabled
        object["msgSigned"] = signatureStatus
        object["createdAt"] = createdAt
        object["updatedAt"] = updatedAt
    }
}

/// When an item disappears.
public struct ItemTimer: JSONObjectConvertible, Hashable {
    /// Seconds after it was read.
    public var ttl: Int
    /// When it will; absent until it was read.
    public var deleteAt: UTCTimestamp?

    /// Makes the value from its parts.
    public init(ttl: Int, deleteAt: UTCTimestamp? = nil) {
        self.ttl = ttl
        self.deleteAt = deleteAt
    }
}

extension ItemTimer {
    public init(object: JSONObject) throws(JSONError) {
        ttl = try object.required("ttl")
        deleteAt = try object.optional("deleteAt")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["ttl"] = ttl
        object["deleteAt"] = deleteAt
    }
}

/// Outcome of checking a signature.
public struct SignatureStatus: OpenEnumeration {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Good.
    public static let verified = SignatureStatus(rawValue: "verified")
    /// Signed, but the key is not known.
    public static let signedNoKey = SignatureStatus(rawValue: "signedNoKey")

    /// The words that this version knows.
    public static let allCases: [SignatureStatus] = [.verified, .signedNoKey]
}

/// Where a message was forwarded from.
public enum ForwardedFrom: JSONTagged, Hashable {
    /// From where is not known.
    case unknown
    /// From a contact.
    case contact(chatName: String, messageDirection: MessageDirection, contactID: ContactID?, chatItemID: ChatItemID?)
    /// From a group.
    case group(chatName: String, messageDirection: MessageDirection, groupID: GroupID?, chatItemID: ChatItemID?)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ForwardedFrom {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "unknown": self = .unknown
        case "contact":
            self = .contact(
                chatName: try object.required("chatName"), messageDirection: try object.required("msgDir"),
                contactID: try object.optional("contactId"), chatItemID: try object.optional("chatItemId"))
        case "group":
            self = .group(
                chatName: try object.required("chatName"), messageDirection: try object.required("msgDir"),
                groupID: try object.optional("groupId"), chatItemID: try object.optional("chatItemId"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .unknown: object.write("unknown")
        case .contact(let chatName, let messageDirection, let contactID, let chatItemID):
            object.write(
                "contact",
                [
                    "chatName": chatName, "msgDir": messageDirection, "contactId": contactID, "chatItemId": chatItemID,
                ])
        case .group(let chatName, let messageDirection, let groupID, let chatItemID):
            object.write(
                "group",
                [
                    "chatName": chatName, "msgDir": messageDirection, "groupId": groupID, "chatItemId": chatItemID,
                ])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Which way a message went.
public struct MessageDirection: OpenEnumeration {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Received.
    public static let received = MessageDirection(rawValue: "rcv")
    /// Sent.
    public static let sent = MessageDirection(rawValue: "snd")

    /// The words that this version knows.
    public static let allCases: [MessageDirection] = [.received, .sent]
}

/// How an item was deleted and kept as a mark.
public indirect enum ItemDeleted: JSONTagged, Hashable {
    /// By its author.
    case deleted(deletedAt: UTCTimestamp?, chatType: ChatType)
    /// Its author is blocked here.
    case blocked(deletedAt: UTCTimestamp?)
    /// Its author was blocked by an admin.
    case blockedByAdmin(deletedAt: UTCTimestamp?)
    /// By a moderator.
    case moderated(deletedAt: UTCTimestamp?, byMember: GroupMember)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ItemDeleted {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "deleted": self = .deleted(deletedAt: try object.optional("deletedTs"), chatType: try object.required("chatType"))
        case "blocked": self = .blocked(deletedAt: try object.optional("deletedTs"))
        case "blockedByAdmin": self = .blockedByAdmin(deletedAt: try object.optional("deletedTs"))
        case "moderated":
            self = .moderated(deletedAt: try object.optional("deletedTs"), byMember: try object.required("byGroupMember"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .deleted(let deletedAt, let chatType): object.write("deleted", ["deletedTs": deletedAt, "chatType": chatType])
        case .blocked(let deletedAt): object.write("blocked", ["deletedTs": deletedAt])
        case .blockedByAdmin(let deletedAt): object.write("blockedByAdmin", ["deletedTs": deletedAt])
        case .moderated(let deletedAt, let byMember):
            object.write("moderated", ["deletedTs": deletedAt, "byGroupMember": byMember])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Kind of chat.
public struct ChatType: OpenEnumeration {
    public let rawValue: String

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
