public import ChatProtocol

/// One profile of a core: a name, its settings and everything that belongs to it. Several can live in one core.
@JSONMembers
public struct User: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id of the profile.
    public var userID: UserID
    /// The same profile's id in the agent, printed as text by the official core.
    public var agentUserID: String
    /// The contact that represents the profile itself.
    public var userContactID: ContactID
    /// Name that is unique in the core; used by the commands typed by people.
    public var localDisplayName: String
    /// The profile that contacts are shown.
    public var profile: LocalProfile
    /// Preferences with every default filled in.
    public var fullPreferences: FullChatPreferences
    /// True if commands that name no profile act on this one.
    @JSONName("activeUser") public var isActive: Bool
    /// Greater for a profile that was active more recently.
    public var activeOrder: Int64
    /// Set while the profile is hidden.
    @JSONName("viewPwdHash") public var viewPasswordHash: PasswordHash?
    /// False while the profile is muted.
    @JSONName("showNtfs") public var showsNotifications: Bool
    /// True if delivery receipts are sent to contacts that have no setting of their own.
    @JSONName("sendRcptsContacts") public var sendsReceiptsToContacts: Bool
    /// True if delivery receipts are sent in groups of up to 20 members.
    @JSONName("sendRcptsSmallGroups") public var sendsReceiptsToSmallGroups: Bool
    /// True if direct contact requests of group members are accepted unasked.
    @JSONName("autoAcceptMemberContacts") public var autoAcceptsMemberContacts: Bool = false
    /// When the profile that group members see last changed.
    public var userMemberProfileUpdatedAt: UTCTimestamp?
    /// Colours chosen for this profile; kept for the apps, not interpreted.
    public var uiThemes: JSONValue?
    /// True if the profile serves as a channel relay.
    @JSONName("userChatRelay") public var isChatRelay: Bool = false
    /// True if the profile was made as that of a service, whose connections a router may serve together.
    @JSONSince(.v70Beta) @JSONName("clientService") public var isClientService: Bool = false

    /// Equal to `userID`.
    public var id: UserID { userID }
}

/// Salted hash of the password that opens a hidden profile.
@JSONMembers
public struct PasswordHash: JSONObjectConvertible, Hashable {
    /// Base64url hash.
    public var hash: String
    /// Base64url salt.
    public var salt: String
}

/// A profile and how much is unread in it.
@JSONMembers
public struct UserInfo: JSONObjectConvertible, Hashable {
    /// The profile.
    public var user: User
    /// Number of unread messages in its unmuted chats.
    public var unreadCount: Int = 0
}

/// The data of a new profile.
@JSONMembers
public struct NewUser: JSONObjectConvertible, Hashable {
    /// Its public profile; a random one is made up when absent.
    public var profile: Profile?
    /// True to date the profile an hour back, so that it does not reveal when it was made.
    public var pastTimestamp: Bool
    /// True if the profile serves as a channel relay. Cores of 6.5 require it.
    @JSONName("userChatRelay") public var isChatRelay: Bool = false
    /// True if the profile is that of a service, whose connections a router may serve together.
    @JSONName("clientService") public var isClientService: Bool?
}

/// The result of sending a changed profile to the contacts.
@JSONMembers
public struct UserProfileUpdateSummary: JSONObjectConvertible, Hashable {
    /// Number of contacts it was sent to.
    public var updateSuccesses: Int
    /// Number of contacts it could not be sent to.
    public var updateFailures: Int
    /// Contacts whose merged preferences changed by it.
    public var changedContacts: [Contact]
}

/// New setting for delivery receipts of a profile.
@JSONMembers
public struct UserReceiptSettings: JSONObjectConvertible, Hashable {
    /// True if receipts are sent.
    public var enable: Bool
    /// True if the settings of single chats are cleared.
    public var clearOverrides: Bool
}
