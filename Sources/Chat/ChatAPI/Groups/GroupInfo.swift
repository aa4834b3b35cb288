public import ChatProtocol

/// A group, business chat or channel, seen by one of its members.
@JSONMembers
public struct GroupInfo: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id.
    public var groupID: GroupID
    /// True if messages go through relays, as in channels.
    @JSONName("useRelays") public var usesRelays: Bool = false
    /// This profile's own state, when it is a relay of the group.
    public var relayOwnStatus: RelayStatus?
    /// Name that is unique among the contacts and groups of the profile.
    public var localDisplayName: String
    /// The profile that all members see.
    public var groupProfile: GroupProfile
    /// Name given locally; empty for none.
    public var localAlias: String = ""
    /// Set for a business chat.
    public var businessChat: BusinessChatInfo?
    /// Preferences with every default filled in.
    public var fullGroupPreferences: FullGroupPreferences
    /// This profile as a member.
    public var membership: GroupMember
    /// Notification and receipt settings of the chat.
    public var chatSettings: ChatSettings
    /// When the group was stored.
    public var createdAt: UTCTimestamp
    /// When it last changed.
    public var updatedAt: UTCTimestamp
    /// When the chat was last active.
    @JSONName("chatTs") public var chatTimestamp: UTCTimestamp?
    /// When the own profile was last sent to the members.
    public var userMemberProfileSentAt: UTCTimestamp?
    /// Set for a group that was made from a link.
    public var preparedGroup: PreparedGroup?
    /// Tags that the chat carries.
    public var chatTags: [ChatTagID] = []
    /// Seconds after which messages are deleted; 0 never, absent as the profile is set.
    public var chatItemTTL: Int64?
    /// Colours chosen for the chat; kept for the apps.
    public var uiThemes: JSONValue?
    /// Any JSON object that a bot keeps with the group.
    public var customData: JSONValue?
    /// Counts of members.
    public var groupSummary: GroupSummary
    /// Number of members whose support chat has something unread for moderators.
    public var membersRequireAttention: Int = 0
    /// Link that the group was joined by.
    @JSONName("viaGroupLinkUri") public var viaGroupLinkURI: String?
    /// Keys of a public group.
    public var groupKeys: GroupKeys?
    /// Version of the roster of members, moderators and admins, of a channel whose owner has signed one.
    @JSONSince(.v70Beta) public var rosterVersion: RosterVersion?
    /// True if the domain that the channel or business claims was found to lead to it, false if not; nil if nobody has looked.
    @JSONSince(.v70) @JSONName("groupDomainVerified") public var isDomainVerified: Bool?

    /// Equal to `groupID`.
    public var id: GroupID { groupID }
}

/// Counts of members.
@JSONMembers
public struct GroupSummary: JSONObjectConvertible, Hashable {
    /// Members now.
    public var currentMembers: Int64
    /// Subscribers, of a channel.
    public var publicMemberCount: Int64?
}

/// The link that a group was made from, before or after joining.
@JSONMembers
public struct PreparedGroup: JSONObjectConvertible, Hashable {
    /// The link to join by.
    @JSONName("connLinkToConnect") public var connectionLink: CreatedConnectionLink
    /// True if a connection was prepared.
    @JSONName("connLinkPreparedConnection") public var preparedConnection: Bool = false
    /// True if joining has begun.
    @JSONName("connLinkStartedConnection") public var startedConnection: Bool = false
    /// Shared id of the welcome message shown before joining.
    @JSONName("welcomeSharedMsgId") public var welcomeSharedMessageID: SharedMessageID?
    /// Shared id of the message sent with the request.
    @JSONName("requestSharedMsgId") public var requestSharedMessageID: SharedMessageID?
}

/// Keys of a public group.
@JSONMembers
public struct GroupKeys: JSONObjectConvertible, Hashable {
    /// Public id of the group.
    public var publicGroupID: String
    /// Root key: whole for an owner, public for others.
    @JSONName("groupRootKey") public var rootKey: GroupRootKey
    /// Key that this member signs with.
    @JSONName("memberPrivKey") public var memberPrivateKey: String
}

/// Root key of a public group.
@JSONForms
public enum GroupRootKey: JSONTagged, Hashable {
    /// The private key; owners have it.
    @JSONName(["rootPrivateKey": "rootPrivKey"])
    case `private`(rootPrivateKey: String)
    /// The public key.
    @JSONName(["rootPublicKey": "rootPubKey"])
    case `public`(rootPublicKey: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// A group and its members.
@JSONMembers
public struct Group: JSONObjectConvertible, Hashable {
    /// The group.
    public var groupInfo: GroupInfo
    /// Its members, this profile excepted.
    public var members: [GroupMember]
}
