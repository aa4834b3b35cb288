public import ChatProtocol

/// One profile of a core: a name, its settings and everything that belongs to it. Several can live in one core.
public struct User: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id of the profile.
    public var userID: UserID
    /// The same profile's id in the agent, printed as text by the official core.
    public var agentUserID: String
    /// Contact that stands for the profile itself.
    public var userContactID: ContactID
    /// Name that is unique in the core; used by the commands typed by people.
    public var localDisplayName: String
    /// What contacts are shown.
    public var profile: LocalProfile
    /// Preferences with every default filled in.
    public var fullPreferences: FullChatPreferences
    /// Whether commands that name no profile act on this one.
    public var isActive: Bool
    /// Greater for a profile that was active more recently.
    public var activeOrder: Int64
    /// Set while the profile is hidden.
    public var viewPasswordHash: PasswordHash?
    /// False while the profile is muted.
    public var showsNotifications: Bool
    /// Whether delivery receipts are sent to contacts that have no setting of their own.
    public var sendsReceiptsToContacts: Bool
    /// Whether delivery receipts are sent in groups of up to 20 members.
    public var sendsReceiptsToSmallGroups: Bool
    /// Whether direct contact requests of group members are accepted unasked.
    public var autoAcceptsMemberContacts: Bool
    /// When the profile that group members see last changed.
    public var userMemberProfileUpdatedAt: UTCTimestamp?
    /// Colours chosen for this profile; kept for the apps, not interpreted.
    public var uiThemes: JSONValue?
    /// Whether the profile serves as a channel relay.
    public var isChatRelay: Bool

    /// Equal to `userID`.
    public var id: UserID { userID }

    /// Makes the value from its parts.
    public init(
        userID: UserID, agentUserID: String, userContactID: ContactID, localDisplayName: String, profile: LocalProfile,
        fullPreferences: FullChatPreferences, isActive: Bool, activeOrder: Int64, viewPasswordHash: PasswordHash? = nil,
        showsNotifications: Bool, sendsReceiptsToContacts: Bool, sendsReceiptsToSmallGroups: Bool,
        autoAcceptsMemberContacts: Bool = false, userMemberProfileUpdatedAt: UTCTimestamp? = nil, uiThemes: JSONValue? = nil,
        isChatRelay: Bool = false
    ) {
        self.userID = userID
        self.agentUserID = agentUserID
        self.userContactID = userContactID
        self.localDisplayName = localDisplayName
        self.profile = profile
        self.fullPreferences = fullPreferences
        self.isActive = isActive
        self.activeOrder = activeOrder
        self.viewPasswordHash = viewPasswordHash
        self.showsNotifications = showsNotifications
        self.sendsReceiptsToContacts = sendsReceiptsToContacts
        self.sendsReceiptsToSmallGroups = sendsReceiptsToSmallGroups
        self.autoAcceptsMemberContacts = autoAcceptsMemberContacts
        self.userMemberProfileUpdatedAt = userMemberProfileUpdatedAt
        self.uiThemes = uiThemes
        self.isChatRelay = isChatRelay
    }
}

extension User {
    public init(object: JSONObject) throws(JSONError) {
        userID = try object.required("userId")
        agentUserID = try object.required("agentUserId")
        userContactID = try object.required("userContactId")
        localDisplayName = try object.required("localDisplayName")
        profile = try object.required("profile")
        fullPreferences = try object.required("fullPreferences")
        isActive = try object.required("activeUser")
        activeOrder = try object.required("activeOrder")
        viewPasswordHash = try object.optional("viewPwdHash")
        showsNotifications = try object.required("showNtfs")
        sendsReceiptsToContacts = try object.required("sendRcptsContacts")
        sendsReceiptsToSmallGroups = try object.required("sendRcptsSmallGroups")
        autoAcceptsMemberContacts = try object.optional("autoAcceptMemberContacts") ?? false
        userMemberProfileUpdatedAt = try object.optional("userMemberProfileUpdatedAt")
        uiThemes = try object.optional("uiThemes")
        isChatRelay = try object.optional("userChatRelay") ?? false
    }

    public func write(into object: inout JSONObjectWriter) {
        object["userId"] = userID
        object["agentUserId"] = agentUserID
        object["userContactId"] = userContactID
        object["localDisplayName"] = localDisplayName
        object["profile"] = profile
        object["fullPreferences"] = fullPreferences
        object["activeUser"] = isActive
        object["activeOrder"] = activeOrder
        object["viewPwdHash"] = viewPasswordHash
        object["showNtfs"] = showsNotifications
        object["sendRcptsContacts"] = sendsReceiptsToContacts
        object["sendRcptsSmallGroups"] = sendsReceiptsToSmallGroups
        object["autoAcceptMemberContacts"] = autoAcceptsMemberContacts
        object["userMemberProfileUpdatedAt"] = userMemberProfileUpdatedAt
        object["uiThemes"] = uiThemes
        object["userChatRelay"] = isChatRelay
    }
}

/// Salted hash of the password that opens a hidden profile.
public struct PasswordHash: JSONObjectConvertible, Hashable {
    /// Base64url hash.
    public var hash: String
    /// Base64url salt.
    public var salt: String

    /// Makes the value from its parts.
    public init(hash: String, salt: String) {
        self.hash = hash
        self.salt = salt
    }
}

extension PasswordHash {
    public init(object: JSONObject) throws(JSONError) {
        hash = try object.required("hash")
        salt = try object.required("salt")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["hash"] = hash
        object["salt"] = salt
    }
}

/// A profile and how much is unread in it.
public struct UserInfo: JSONObjectConvertible, Hashable {
    /// The profile.
    public var user: User
    /// Number of unread messages in its unmuted chats.
    public var unreadCount: Int

    /// Makes the value from its parts.
    public init(user: User, unreadCount: Int = 0) {
        self.user = user
        self.unreadCount = unreadCount
    }
}

extension UserInfo {
    public init(object: JSONObject) throws(JSONError) {
        user = try object.required("user")
        unreadCount = try object.optional("unreadCount") ?? 0
    }

    public func write(into object: inout JSONObjectWriter) {
        object["user"] = user
        object["unreadCount"] = unreadCount
    }
}

/// What a new profile is made from.
public struct NewUser: JSONObjectConvertible, Hashable {
    /// Its public profile; a random one is made up when absent.
    public var profile: Profile?
    /// Whether to date the profile an hour back, so that it does not reveal when it was made.
    public var pastTimestamp: Bool
    /// Whether the profile serves as a channel relay.
    public var isChatRelay: Bool

    /// Makes the value from its parts.
    public init(profile: Profile? = nil, pastTimestamp: Bool, isChatRelay: Bool) {
        self.profile = profile
        self.pastTimestamp = pastTimestamp
        self.isChatRelay = isChatRelay
    }
}

extension NewUser {
    public init(object: JSONObject) throws(JSONError) {
        profile = try object.optional("profile")
        pastTimestamp = try object.required("pastTimestamp")
        isChatRelay = try object.required("userChatRelay")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["profile"] = profile
        object["pastTimestamp"] = pastTimestamp
        object["userChatRelay"] = isChatRelay
    }
}

/// How the change of a profile reached the contacts.
public struct UserProfileUpdateSummary: JSONObjectConvertible, Hashable {
    /// Number of contacts it was sent to.
    public var updateSuccesses: Int
    /// Number of contacts it could not be sent to.
    public var updateFailures: Int
    /// Contacts whose merged preferences changed by it.
    public var changedContacts: [Contact]

    /// Makes the value from its parts.
    public init(updateSuccesses: Int, updateFailures: Int, changedContacts: [Contact]) {
        self.updateSuccesses = updateSuccesses
        self.updateFailures = updateFailures
        self.changedContacts = changedContacts
    }
}

extension UserProfileUpdateSummary {
    public init(object: JSONObject) throws(JSONError) {
        updateSuccesses = try object.required("updateSuccesses")
        updateFailures = try object.required("updateFailures")
        changedContacts = try object.required("changedContacts")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["updateSuccesses"] = updateSuccesses
        object["updateFailures"] = updateFailures
        object["changedContacts"] = changedContacts
    }
}

/// New setting for delivery receipts of a profile.
public struct UserReceiptSettings: JSONObjectConvertible, Hashable {
    /// Whether receipts are sent.
    public var enable: Bool
    /// Whether the settings of single chats are cleared.
    public var clearOverrides: Bool

    /// Makes the value from its parts.
    public init(enable: Bool, clearOverrides: Bool) {
        self.enable = enable
        self.clearOverrides = clearOverrides
    }
}

extension UserReceiptSettings {
    public init(object: JSONObject) throws(JSONError) {
        enable = try object.required("enable")
        clearOverrides = try object.required("clearOverrides")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["enable"] = enable
        object["clearOverrides"] = clearOverrides
    }
}
