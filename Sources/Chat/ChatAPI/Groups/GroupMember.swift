public import ChatProtocol

/// A member of a group.
@JSONMembers
public struct GroupMember: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id.
    public var groupMemberID: GroupMemberID
    /// Group it belongs to.
    public var groupID: GroupID
    /// Position in the group's records of who knows whom.
    public var indexInGroup: Int64 = 0
    /// Id that all members use, base64url.
    public var memberID: MemberID
    /// The role, from which the member's rights follow.
    @JSONName("memberRole") public var role: GroupMemberRole
    /// The way by which the member became known.
    @JSONName("memberCategory") public var category: GroupMemberCategory
    /// The progress of joining or leaving.
    @JSONName("memberStatus") public var status: GroupMemberStatus
    /// The settings for messages of the member.
    @JSONName("memberSettings") public var settings: GroupMemberSettings
    /// True if an admin blocked the member for all.
    public var blockedByAdmin: Bool = false
    /// The inviter.
    public var invitedBy: InvitedBy
    /// Member who invited this one.
    public var invitedByGroupMemberID: GroupMemberID?
    /// Name that is unique in the profile.
    public var localDisplayName: String
    /// The profile that the member published.
    @JSONName("memberProfile") public var profile: LocalProfile
    /// Contact that is the same person.
    @JSONName("memberContactId") public var contactID: ContactID?
    /// Database id of the profile.
    @JSONName("memberContactProfileId") public var profileID: ProfileID
    /// Direct connection with the member.
    @JSONName("activeConn") public var activeConnection: Connection?
    /// Chat protocol versions of the member.
    @JSONName("memberChatVRange") public var chatVersions: ChatVersionRange
    /// When the member was stored.
    public var createdAt: UTCTimestamp
    /// When it last changed.
    public var updatedAt: UTCTimestamp
    /// The conversation of the member with the moderators.
    public var supportChat: GroupSupportChat?
    /// Key that the member signs with.
    @JSONName("memberPubKey") public var publicKey: String?
    /// Link of a member that is a relay.
    public var relayLink: String?
    /// The security code by which this profile has compared its key and that of the member, in a channel.
    @JSONSince(.v70) @JSONName("memberVerifiedCode") public var verifiedCode: ConfirmedSecurityCode?
    /// True if the role is a claim of the member who introduced this one, and above that member's own role. Only Parley says so.
    @JSONName("roleClaimed") public var isRoleClaimed: Bool?

    /// Equal to `groupMemberID`.
    public var id: GroupMemberID { groupMemberID }
}

extension GroupMember {
    /// The role by which programs give rights: a role that an introducer below it has claimed counts as that of a member.
    public var provenRole: GroupMemberRole { isRoleClaimed == true ? min(role, .member) : role }
}

/// Local settings for a member.
@JSONMembers
public struct GroupMemberSettings: JSONObjectConvertible, Hashable {
    /// False while the member is blocked locally.
    @JSONName("showMessages") public var showsMessages: Bool
}

/// Counts of a support chat.
@JSONMembers
public struct GroupSupportChat: JSONObjectConvertible, Hashable {
    /// When it was last active.
    @JSONName("chatTs") public var chatTimestamp: UTCTimestamp
    /// Unread messages.
    public var unread: Int
    /// Unread messages from the member that nobody has answered.
    public var memberAttention: Int
    /// Unread messages that mention this profile.
    public var mentions: Int
    /// When the member last wrote.
    @JSONName("lastMsgFromMemberTs") public var lastMessageFromMemberAt: UTCTimestamp?
}

/// The way by which a member became known.
public struct GroupMemberCategory: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// This profile itself.
    public static let user = GroupMemberCategory(rawValue: "user")
    /// Invited by this profile.
    public static let invitee = GroupMemberCategory(rawValue: "invitee")
    /// The member who invited this profile.
    public static let host = GroupMemberCategory(rawValue: "host")
    /// Was in the group before.
    public static let pre = GroupMemberCategory(rawValue: "pre")
    /// Joined later.
    public static let post = GroupMemberCategory(rawValue: "post")

    /// The words that this version knows.
    public static let allCases: [GroupMemberCategory] = [.user, .invitee, .host, .pre, .post]
}

/// The progress of a member's joining or leaving.
public struct GroupMemberStatus: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
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
    /// An invitation to be introduced was sent.
    public static let introductionInvited = GroupMemberStatus(rawValue: "intro-inv")
    /// The invitation was accepted.
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

/// The inviter of a member.
@JSONForms
public enum InvitedBy: JSONTagged, Hashable {
    /// A contact of this profile.
    @JSONName(["contactID": "byContactId"])
    case contact(contactID: ContactID)
    /// This profile.
    case user
    /// Somebody else.
    case unknown
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// A part of a group that only some members see.
@JSONForms
public enum GroupChatScopeInfo: JSONTagged, Hashable {
    /// The conversation with moderators: of the member given, or of this profile.
    @JSONName(["groupMember": "groupMember_"])
    case memberSupport(groupMember: GroupMember?)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}
