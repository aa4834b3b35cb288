public import ChatProtocol

/// A person or bot that a profile can talk to directly.
public struct Contact: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id.
    public var contactID: ContactID
    /// Name that is unique among the contacts and groups of the profile.
    public var localDisplayName: String
    /// What the contact published.
    public var profile: LocalProfile
    /// The connection that messages go over; absent when there is none (any more).
    public var activeConnection: Connection?
    /// Whether the contact belongs into the list of chats.
    public var contactUsed: Bool
    /// Whether either side has deleted the contact.
    public var status: ContactStatus
    /// Notification and receipt settings of the chat.
    public var chatSettings: ChatSettings
    /// What this profile allows this contact, beyond its general preferences.
    public var userPreferences: ChatPreferences
    /// What both sides together allow.
    public var mergedPreferences: ContactUserPreferences
    /// When the contact was stored.
    public var createdAt: UTCTimestamp
    /// When it last changed.
    public var updatedAt: UTCTimestamp
    /// When the chat was last active; chats are ordered by it.
    public var chatTimestamp: UTCTimestamp?
    /// Set for a contact that was made from a link.
    public var preparedContact: PreparedContact?
    /// Request that the contact was made from, while it awaits an answer.
    public var contactRequestID: UserContactRequestID?
    /// Group member that the contact was made from.
    public var contactGroupMemberID: GroupMemberID?
    /// Whether that member has been sent an invitation.
    public var contactGroupInvitationSent: Bool
    /// Invitation received from a group member.
    public var groupDirectInvitation: GroupDirectInvitation?
    /// Tags that the chat carries.
    public var chatTags: [ChatTagID]
    /// Seconds after which messages are deleted; 0 never, absent as the profile is set.
    public var chatItemTTL: Int64?
    /// Colours chosen for the chat; kept for the apps.
    public var uiThemes: JSONValue?
    /// Whether the conversation was deleted and the contact kept.
    public var chatDeleted: Bool
    /// Any JSON object that a bot keeps with the contact.
    public var customData: JSONValue?

    /// Equal to `contactID`.
    public var id: ContactID { contactID }

    /// Makes the value from its parts.
    public init(
        contactID: ContactID, localDisplayName: String, profile: LocalProfile, activeConnection: Connection? = nil,
        contactUsed: Bool = true, status: ContactStatus, chatSettings: ChatSettings, userPreferences: ChatPreferences,
        mergedPreferences: ContactUserPreferences, createdAt: UTCTimestamp, updatedAt: UTCTimestamp,
        chatTimestamp: UTCTimestamp? = nil, preparedContact: PreparedContact? = nil,
        contactRequestID: UserContactRequestID? = nil, contactGroupMemberID: GroupMemberID? = nil,
        contactGroupInvitationSent: Bool = false, groupDirectInvitation: GroupDirectInvitation? = nil,
        chatTags: [ChatTagID] = [], chatItemTTL: Int64? = nil, uiThemes: JSONValue? = nil, chatDeleted: Bool = false,
        customData: JSONValue? = nil
    ) {
        self.contactID = contactID
        self.localDisplayName = localDisplayName
        self.profile = profile
        self.activeConnection = activeConnection
        self.contactUsed = contactUsed
        self.status = status
        self.chatSettings = chatSettings
        self.userPreferences = userPreferences
        self.mergedPreferences = mergedPreferences
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.chatTimestamp = chatTimestamp
        self.preparedContact = preparedContact
        self.contactRequestID = contactRequestID
        self.contactGroupMemberID = contactGroupMemberID
        self.contactGroupInvitationSent = contactGroupInvitationSent
        self.groupDirectInvitation = groupDirectInvitation
        self.chatTags = chatTags
        self.chatItemTTL = chatItemTTL
        self.uiThemes = uiThemes
        self.chatDeleted = chatDeleted
        self.customData = customData
    }
}

extension Contact {
    public init(object: JSONObject) throws(JSONError) {
        contactID = try object.required("contactId")
        localDisplayName = try object.required("localDisplayName")
        profile = try object.required("profile")
        activeConnection = try object.optional("activeConn")
        contactUsed = try object.optional("contactUsed") ?? true
        status = try object.required("contactStatus")
        chatSettings = try object.required("chatSettings")
        userPreferences = try object.required("userPreferences")
        mergedPreferences = try object.required("mergedPreferences")
        createdAt = try object.required("createdAt")
        updatedAt = try object.required("updatedAt")
        chatTimestamp = try object.optional("chatTs")
        preparedContact = try object.optional("preparedContact")
        contactRequestID = try object.optional("contactRequestId")
        contactGroupMemberID = try object.optional("contactGroupMemberId")
        contactGroupInvitationSent = try object.optional("contactGrpInvSent") ?? false
        groupDirectInvitation = try object.optional("groupDirectInv")
        chatTags = try object.optional("chatTags") ?? []
        chatItemTTL = try object.optional("chatItemTTL")
        uiThemes = try object.optional("uiThemes")
        chatDeleted = try object.optional("chatDeleted") ?? false
        customData = try object.optional("customData")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["contactId"] = contactID
        object["localDisplayName"] = localDisplayName
        object["profile"] = profile
        object["activeConn"] = activeConnection
        object["contactUsed"] = contactUsed
        object["contactStatus"] = status
        object["chatSettings"] = chatSettings
        object["userPreferences"] = userPreferences
        object["mergedPreferences"] = mergedPreferences
        object["createdAt"] = createdAt
        object["updatedAt"] = updatedAt
        object["chatTs"] = chatTimestamp
        object["preparedContact"] = preparedContact
        object["contactRequestId"] = contactRequestID
        object["contactGroupMemberId"] = contactGroupMemberID
        object["contactGrpInvSent"] = contactGroupInvitationSent
        object["groupDirectInv"] = groupDirectInvitation
        object["chatTags"] = chatTags
        object["chatItemTTL"] = chatItemTTL
        object["uiThemes"] = uiThemes
        object["chatDeleted"] = chatDeleted
        object["customData"] = customData
    }
}

/// Whether a contact is still one.
public struct ContactStatus: OpenEnumeration {
    public let rawValue: String

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
public struct PreparedContact: JSONObjectConvertible, Hashable {
    /// The link to connect by.
    public var connectionLink: CreatedConnectionLink
    /// Whether it is an invitation or an address.
    public var linkType: ConnectionLinkMode
    /// Shared id of the welcome message shown before connecting.
    public var welcomeSharedMessageID: SharedMessageID?
    /// Shared id of the message sent with the request.
    public var requestSharedMessageID: SharedMessageID?

    /// Makes the value from its parts.
    public init(
        connectionLink: CreatedConnectionLink, linkType: ConnectionLinkMode, welcomeSharedMessageID: SharedMessageID? = nil,
        requestSharedMessageID: SharedMessageID? = nil
    ) {
        self.connectionLink = connectionLink
        self.linkType = linkType
        self.welcomeSharedMessageID = welcomeSharedMessageID
        self.requestSharedMessageID = requestSharedMessageID
    }
}

extension PreparedContact {
    public init(object: JSONObject) throws(JSONError) {
        connectionLink = try object.required("connLinkToConnect")
        linkType = try object.required("uiConnLinkType")
        welcomeSharedMessageID = try object.optional("welcomeSharedMsgId")
        requestSharedMessageID = try object.optional("requestSharedMsgId")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["connLinkToConnect"] = connectionLink
        object["uiConnLinkType"] = linkType
        object["welcomeSharedMsgId"] = welcomeSharedMessageID
        object["requestSharedMsgId"] = requestSharedMessageID
    }
}

/// Invitation of a group member to talk directly.
public struct GroupDirectInvitation: JSONObjectConvertible, Hashable {
    /// The link to connect by.
    public var link: String
    /// Group that the member belongs to.
    public var fromGroupID: GroupID?
    /// The member.
    public var fromGroupMemberID: GroupMemberID?
    /// The connection with the member.
    public var fromGroupMemberConnectionID: Int64?
    /// Whether connecting has begun.
    public var startedConnection: Bool

    /// Makes the value from its parts.
    public init(
        link: String, fromGroupID: GroupID? = nil, fromGroupMemberID: GroupMemberID? = nil,
        fromGroupMemberConnectionID: Int64? = nil, startedConnection: Bool = false
    ) {
        self.link = link
        self.fromGroupID = fromGroupID
        self.fromGroupMemberID = fromGroupMemberID
        self.fromGroupMemberConnectionID = fromGroupMemberConnectionID
        self.startedConnection = startedConnection
    }
}

extension GroupDirectInvitation {
    public init(object: JSONObject) throws(JSONError) {
        link = try object.required("groupDirectInvLink")
        fromGroupID = try object.optional("fromGroupId_")
        fromGroupMemberID = try object.optional("fromGroupMemberId_")
        fromGroupMemberConnectionID = try object.optional("fromGroupMemberConnId_")
        startedConnection = try object.optional("groupDirectInvStartedConnection") ?? false
    }

    public func write(into object: inout JSONObjectWriter) {
        object["groupDirectInvLink"] = link
        object["fromGroupId_"] = fromGroupID
        object["fromGroupMemberId_"] = fromGroupMemberID
        object["fromGroupMemberConnId_"] = fromGroupMemberConnectionID
        object["groupDirectInvStartedConnection"] = startedConnection
    }
}

/// Settings of one chat.
public struct ChatSettings: JSONObjectConvertible, Hashable {
    /// Which messages count as unread and notify.
    public var notifications: NotificationFilter
    /// Whether receipts are sent; absent as the profile is set.
    public var sendsReceipts: Bool?
    /// Whether the chat is marked as a favourite.
    public var isFavorite: Bool

    /// Makes the value from its parts.
    public init(notifications: NotificationFilter, sendsReceipts: Bool? = nil, isFavorite: Bool) {
        self.notifications = notifications
        self.sendsReceipts = sendsReceipts
        self.isFavorite = isFavorite
    }
}

extension ChatSettings {
    public init(object: JSONObject) throws(JSONError) {
        notifications = try object.required("enableNtfs")
        sendsReceipts = try object.optional("sendRcpts")
        isFavorite = try object.required("favorite")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["enableNtfs"] = notifications
        object["sendRcpts"] = sendsReceipts
        object["favorite"] = isFavorite
    }
}

/// Which messages of a chat notify.
public struct NotificationFilter: OpenEnumeration {
    public let rawValue: String

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
