public import ChatProtocol

/// A person or bot that a profile can talk to directly.
@JSONMembers
public struct Contact: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id.
    public var contactID: ContactID
    /// Name that is unique among the contacts and groups of the profile.
    public var localDisplayName: String
    /// The profile that the contact published.
    public var profile: LocalProfile
    /// The connection that messages go over; absent when there is none (any more).
    @JSONName("activeConn") public var activeConnection: Connection?
    /// True if the contact belongs into the list of chats.
    public var contactUsed: Bool = true
    /// The status: active, or deleted by either side.
    @JSONName("contactStatus") public var status: ContactStatus
    /// Notification and receipt settings of the chat.
    public var chatSettings: ChatSettings
    /// The preferences of this profile for this contact, beyond its general ones.
    public var userPreferences: ChatPreferences
    /// The preferences of both sides together.
    public var mergedPreferences: ContactUserPreferences
    /// When the contact was stored.
    public var createdAt: UTCTimestamp
    /// When it last changed.
    public var updatedAt: UTCTimestamp
    /// When the chat was last active; chats are ordered by it.
    @JSONName("chatTs") public var chatTimestamp: UTCTimestamp?
    /// Set for a contact that was made from a link.
    public var preparedContact: PreparedContact?
    /// Request that the contact was made from, while it awaits an answer.
    public var contactRequestID: UserContactRequestID?
    /// Group member that the contact was made from.
    public var contactGroupMemberID: GroupMemberID?
    /// True if that member has been sent an invitation.
    @JSONName("contactGrpInvSent") public var contactGroupInvitationSent: Bool = false
    /// Invitation received from a group member.
    @JSONName("groupDirectInv") public var groupDirectInvitation: GroupDirectInvitation?
    /// Tags that the chat carries.
    public var chatTags: [ChatTagID] = []
    /// Seconds after which messages are deleted; 0 never, absent as the profile is set.
    public var chatItemTTL: Int64?
    /// Colours chosen for the chat; kept for the apps.
    public var uiThemes: JSONValue?
    /// True if the conversation was deleted and the contact kept.
    public var chatDeleted: Bool = false
    /// Any JSON object that a bot keeps with the contact.
    public var customData: JSONValue?

    /// Equal to `contactID`.
    public var id: ContactID { contactID }
}

/// The status of a contact.
public struct ContactStatus: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Neither side has deleted the contact.
    public static let active = ContactStatus(rawValue: "active")
    /// The other side has deleted it.
    public static let deleted = ContactStatus(rawValue: "deleted")
    /// This profile has deleted it and kept the conversation.
    public static let deletedByUser = ContactStatus(rawValue: "deletedByUser")

    /// The words that this version knows.
    public static let allCases: [ContactStatus] = [.active, .deleted, .deletedByUser]
}

/// The link that a contact was made from, before or after connecting.
@JSONMembers
public struct PreparedContact: JSONObjectConvertible, Hashable {
    /// The link to connect by.
    @JSONName("connLinkToConnect") public var connectionLink: CreatedConnectionLink
    /// The kind of link: an invitation or an address.
    @JSONName("uiConnLinkType") public var linkType: ConnectionLinkMode
    /// Shared id of the welcome message shown before connecting.
    @JSONName("welcomeSharedMsgId") public var welcomeSharedMessageID: SharedMessageID?
    /// Shared id of the message sent with the request.
    @JSONName("requestSharedMsgId") public var requestSharedMessageID: SharedMessageID?
}

/// Invitation of a group member to talk directly.
@JSONMembers
public struct GroupDirectInvitation: JSONObjectConvertible, Hashable {
    /// The link to connect by.
    @JSONName("groupDirectInvLink") public var link: String
    /// Group that the member belongs to.
    @JSONName("fromGroupId_") public var fromGroupID: GroupID?
    /// The member.
    @JSONName("fromGroupMemberId_") public var fromGroupMemberID: GroupMemberID?
    /// The connection with the member.
    @JSONName("fromGroupMemberConnId_") public var fromGroupMemberConnectionID: ChatConnectionID?
    /// True if connecting has begun.
    @JSONName("groupDirectInvStartedConnection") public var startedConnection: Bool = false
}

/// Settings of one chat.
@JSONMembers
public struct ChatSettings: JSONObjectConvertible, Hashable {
    /// Which messages count as unread and notify.
    @JSONName("enableNtfs") public var notifications: NotificationFilter
    /// The setting for receipts; absent as the profile is set.
    @JSONName("sendRcpts") public var sendsReceipts: Bool?
    /// True if the chat is marked as a favourite.
    @JSONName("favorite") public var isFavorite: Bool
}

/// Which messages of a chat notify.
public struct NotificationFilter: OpenEnumeration {
    /// The word on the wire.
    public let rawValue: String

    /// Wraps a word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// None: the chat is muted.
    public static let none = NotificationFilter(rawValue: "none")
    /// All of them.
    public static let all = NotificationFilter(rawValue: "all")
    /// Only those that mention the profile.
    public static let mentions = NotificationFilter(rawValue: "mentions")

    /// The words that this version knows.
    public static let allCases: [NotificationFilter] = [.none, .all, .mentions]
}
