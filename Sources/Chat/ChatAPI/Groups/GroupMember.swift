public import ChatProtocol

/// A member of a group.
public struct GroupMember: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id.
    public var groupMemberID: GroupMemberID
    /// Group it belongs to.
    public var groupID: GroupID
    /// Position in the group's records of who knows whom.
    public var indexInGroup: Int64
    /// Id that all members use, base64url.
    public var memberID: MemberID
    /// What the member may do.
    public var role: GroupMemberRole
    /// How the member came to be known.
    public var category: GroupMemberCategory
    /// How far joining or leaving is.
    public var status: GroupMemberStatus
    /// Whether messages are shown.
    public var settings: GroupMemberSettings
    /// Whether an admin blocked the member for all.
    public var blockedByAdmin: Bool
    /// Who invited the member.
    public var invitedBy: InvitedBy
    /// Member who invited this one.
    public var invitedByGroupMemberID: GroupMemberID?
    /// Name that is unique in the profile.
    public var localDisplayName: String
    /// What the member published.
    public var profile: LocalProfile
    /// Contact that is the same person.
    public var contactID: ContactID?
    /// Database id of the profile.
    public var profileID: ProfileID
    /// Direct connection with the member.
    public var activeConnection: Connection?
    /// Chat protocol versions of the member.
    public var chatVersions: ChatVersionRange
    /// When the member was stored.
    public var createdAt: UTCTimestamp
    /// When it last changed.
    public var updatedAt: UTCTimestamp
    /// The conversation of the member with the moderators.
    public var supportChat: GroupSupportChat?
    /// Key that the member signs with.
    public var publicKey: String?
    /// Link of a member that is a relay.
    public var relayLink: String?

    /// Equal to `groupMemberID`.
    public var id: GroupMemberID { groupMemberID }

    /// Makes the value from its parts.
    public init(
        groupMemberID: GroupMemberID, groupID: GroupID, indexInGroup: Int64 = 0, memberID: MemberID, role: GroupMemberRole,
        category: GroupMemberCategory, status: GroupMemberStatus, settings: GroupMemberSettings, blockedByAdmin: Bool = false,
        invitedBy: InvitedBy, invitedByGroupMemberID: GroupMemberID? = nil, localDisplayName: String, profile: LocalProfile,
        contactID: ContactID? = nil, profileID: ProfileID, activeConnection: Connection? = nil, chatVersions: ChatVersionRange,
        createdAt: UTCTimestamp, updatedAt: UTCTimestamp, supportChat: GroupSupportChat? = nil, publicKey: String? = nil,
        relayLink: String? = nil
    ) {
        self.groupMemberID = groupMemberID
        self.groupID = groupID
        self.indexInGroup = indexInGroup
        self.memberID = memberID
        self.role = role
        self.category = category
        self.status = status
        self.settings = settings
        self.blockedByAdmin = blockedByAdmin
        self.invitedBy = invitedBy
        self.invitedByGroupMemberID = invitedByGroupMemberID
        self.localDisplayName = localDisplayName
        self.profile = profile
        self.contactID = contactID
        self.profileID = profileID
        self.activeConnection = activeConnection
        self.chatVersions = chatVersions
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.supportChat = supportChat
        self.publicKey = publicKey
        self.relayLink = relayLink
    }
}

extension GroupMember {
    public init(object: JSONObject) throws(JSONError) {
        groupMemberID = try object.required("groupMemberId")
        groupID = try object.required("groupId")
        indexInGroup = try object.optional("indexInGroup") ?? 0
        memberID = try object.required("memberId")
        role = try object.required("memberRole")
        category = try object.required("memberCategory")
        status = try object.required("memberStatus")
        settings = try object.required("memberSettings")
        blockedByAdmin = try object.optional("blockedByAdmin") ?? false
        invitedBy = try object.required("invitedBy")
        invitedByGroupMemberID = try object.optional("invitedByGroupMemberId")
        localDisplayName = try object.required("localDisplayName")
        profile = try object.required("memberProfile")
        contactID = try object.optional("memberContactId")
        profileID = try object.required("memberContactProfileId")
        activeConnection = try object.optional("activeConn")
        chatVersions = try object.required("memberChatVRange")
        createdAt = try object.required("createdAt")
        updatedAt = try object.required("updatedAt")
        supportChat = try object.optional("supportChat")
        publicKey = try object.optional("memberPubKey")
        relayLink = try object.optional("relayLink")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["groupMemberId"] = groupMemberID
        object["groupId"] = groupID
        object["indexInGroup"] = indexInGroup
        object["memberId"] = memberID
        object["memberRole"] = role
        object["memberCategory"] = category
        object["memberStatus"] = status
        object["memberSettings"] = settings
        object["blockedByAdmin"] = blockedByAdmin
        object["invitedBy"] = invitedBy
        object["invitedByGroupMemberId"] = invitedByGroupMemberID
        object["localDisplayName"] = localDisplayName
        object["memberProfile"] = profile
        object["memberContactId"] = contactID
        object["memberContactProfileId"] = profileID
        object["activeConn"] = activeConnection
        object["memberChatVRange"] = chatVersions
        object["createdAt"] = createdAt
        object["updatedAt"] = updatedAt
        object["supportChat"] = supportChat
        object["memberPubKey"] = publicKey
        object["relayLink"] = relayLink
    }
}

/// Local settings for a member.
public struct GroupMemberSettings: JSONObjectConvertible, Hashable {
    /// False while the member is blocked locally.
    public var showsMessages: Bool

    /// Makes the value from its parts.
    public init(showsMessages: Bool) {
        self.showsMessages = showsMessages
    }
}

extension GroupMemberSettings {
    public init(object: JSONObject) throws(JSONError) {
        showsMessages = try object.required("showMessages")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["showMessages"] = showsMessages
    }
}

/// Counts of a support chat.
public struct GroupSupportChat: JSONObjectConvertible, Hashable {
    /// When it was last active.
    public var chatTimestamp: UTCTimestamp
    /// Unread messages.
    public var unread: Int
    /// Unread messages from the member that nobody has answered.
    public var memberAttention: Int
    /// Unread messages that mention this profile.
    public var mentions: Int
    /// When the member last wrote.
    public var lastMessageFromMemberAt: UTCTimestamp?

    /// Makes the value from its parts.
    public init(
        chatTimestamp: UTCTimestamp, unread: Int, memberAttention: Int, mentions: Int,
        lastMessageFromMemberAt: UTCTimestamp? = nil
    ) {
        self.chatTimestamp = chatTimestamp
        self.unread = unread
        self.memberAttention = memberAttention
        self.mentions = mentions
        self.lastMessageFromMemberAt = lastMessageFromMemberAt
    }
}

extension GroupSupportChat {
    public init(object: JSONObject) throws(JSONError) {
        chatTimestamp = try object.required("chatTs")
        unread = try object.required("unread")
        memberAttention = try object.required("memberAttention")
        mentions = try object.required("mentions")
        lastMessageFromMemberAt = try object.optional("lastMsgFromMemberTs")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["chatTs"] = chatTimestamp
        object["unread"] = unread
        object["memberAttention"] = memberAttention
        object["mentions"] = mentions
        object["lastMsgFromMemberTs"] = lastMessageFromMemberAt
    }
}

/// How a member came to be known.
public struct GroupMemberCategory: OpenEnumeration {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// This profile itself.
    public static let user = GroupMemberCategory(rawValue: "user")
    /// Invited by this profile.
    public static let invitee = GroupMemberCategory(rawValue: "invitee")
    /// The one who invited this profile.
    public static let host = GroupMemberCategory(rawValue: "host")
    /// Was in the group before.
    public static let pre = GroupMemberCategory(rawValue: "pre")
    /// Joined later.
    public static let post = GroupMemberCategory(rawValue: "post")

    /// The words that this version knows.
    public static let allCases: [GroupMemberCategory] = [.user, .invitee, .host, .pre, .post]
}

/// How far a member's joining or leaving is.
public struct GroupMemberStatus: OpenEnumeration {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Joining was rejected.
    public static let rejected = GroupMemberStatus(rawValue: "rejected")
    /// Removed by another member.
    public static let removed = GroupMemberStatus(rawValue: "removed")
    /// Left.
    public static let left = GroupMemberStatus(rawValue: "left")
    /// The group was deleted.
    public static let groupDeleted = GroupMemberStatus(rawValue: "deleted")
    /// Known from forwarded messages only.
    public static let unknown = GroupMemberStatus(rawValue: "unknown")
    /// Invited, has not answered.
    public static let invited = GroupMemberStatus(rawValue: "invited")
    /// Waits for the approval of the host.
    public static let pendingApproval = GroupMemberStatus(rawValue: "pending_approval")
    /// Waits for the review of moderators.
    public static let pendingReview = GroupMemberStatus(rawValue: "pending_review")
    /// Introduced to the other members.
    public static let introduced = GroupMemberStatus(rawValue: "introduced")
    /// Has sent an invitation to be introduced with.
    public static let introductionInvited = GroupMemberStatus(rawValue: "intro-inv")
    /// Has accepted the invitation.
    public static let accepted = GroupMemberStatus(rawValue: "accepted")
    /// Announced to the other members.
    public static let announced = GroupMemberStatus(rawValue: "announced")
    /// Connected.
    public static let connected = GroupMemberStatus(rawValue: "connected")
    /// Connected, and introduced to everybody.
    public static let complete = GroupMemberStatus(rawValue: "complete")
    /// Made the group.
    public static let creator = GroupMemberStatus(rawValue: "creator")

    /// The words that this version knows.
    public static let allCases: [GroupMemberStatus] = [
        .rejected, .removed, .left, .groupDeleted, .unknown, .invited, .pendingApproval, .pendingReview, .introduced,
        .introductionInvited, .accepted, .announced, .connected, .complete, .creator,
    ]
}

/// Who invited a member.
public enum InvitedBy: JSONTagged, Hashable {
    /// A contact of this profile.
    case contact(contactID: ContactID)
    /// This profile.
    case user
    /// Somebody else.
    case unknown
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension InvitedBy {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "contact": self = .contact(contactID: try object.required("byContactId"))
        case "user": self = .user
        case "unknown": self = .unknown
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .contact(let contactID): object.write("contact", ["byContactId": contactID])
        case .user: object.write("user")
        case .unknown: object.write("unknown")
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// A part of a group that only some members see.
public enum GroupChatScopeInfo: JSONTagged, Hashable {
    /// The conversation with moderators: of the member given, or of this profile.
    case memberSupport(groupMember: GroupMember?)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension GroupChatScopeInfo {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "memberSupport": self = .memberSupport(groupMember: try object.optional("groupMember_"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .memberSupport(let groupMember): object.write("memberSupport", ["groupMember_": groupMember])
        case .other(_, let json): object.replace(with: json)
        }
    }
}
