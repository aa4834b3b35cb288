public import ChatProtocol

/// A group, business chat or channel, seen by one of its members.
public struct GroupInfo: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id.
    public var groupID: GroupID
    /// Whether messages go through relays, as in channels.
    public var usesRelays: Bool
    /// This profile's own state, when it is a relay of the group.
    public var relayOwnStatus: RelayStatus?
    /// Name that is unique among the contacts and groups of the profile.
    public var localDisplayName: String
    /// What all members see.
    public var groupProfile: GroupProfile
    /// Name given locally; empty for none.
    public var localAlias: String
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
    public var chatTimestamp: UTCTimestamp?
    /// When the own profile was last sent to the members.
    public var userMemberProfileSentAt: UTCTimestamp?
    /// Set for a group that was made from a link.
    public var preparedGroup: PreparedGroup?
    /// Tags that the chat carries.
    public var chatTags: [ChatTagID]
    /// Seconds after which messages are deleted; 0 never, absent as the profile is set.
    public var chatItemTTL: Int64?
    /// Colours chosen for the chat; kept for the apps.
    public var uiThemes: JSONValue?
    /// Any JSON object that a bot keeps with the group.
    public var customData: JSONValue?
    /// Counts of members.
    public var groupSummary: GroupSummary
    /// Number of members whose support chat has something unread for moderators.
    public var membersRequireAttention: Int
    /// Link that the group was joined by.
    public var viaGroupLinkURI: String?
    /// Keys of a public group.
    public var groupKeys: GroupKeys?

    /// Equal to `groupID`.
    public var id: GroupID { groupID }

    /// Makes the value from its parts.
    public init(
        groupID: GroupID, usesRelays: Bool = false, relayOwnStatus: RelayStatus? = nil, localDisplayName: String,
        groupProfile: GroupProfile, localAlias: String = "", businessChat: BusinessChatInfo? = nil,
        fullGroupPreferences: FullGroupPreferences, membership: GroupMember, chatSettings: ChatSettings, createdAt: UTCTimestamp,
        updatedAt: UTCTimestamp, chatTimestamp: UTCTimestamp? = nil, userMemberProfileSentAt: UTCTimestamp? = nil,
        preparedGroup: PreparedGroup? = nil, chatTags: [ChatTagID] = [], chatItemTTL: Int64? = nil, uiThemes: JSONValue? = nil,
        customData: JSONValue? = nil, groupSummary: GroupSummary, membersRequireAttention: Int = 0,
        viaGroupLinkURI: String? = nil, groupKeys: GroupKeys? = nil
    ) {
        self.groupID = groupID
        self.usesRelays = usesRelays
        self.relayOwnStatus = relayOwnStatus
        self.localDisplayName = localDisplayName
        self.groupProfile = groupProfile
        self.localAlias = localAlias
        self.businessChat = businessChat
        self.fullGroupPreferences = fullGroupPreferences
        self.membership = membership
        self.chatSettings = chatSettings
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.chatTimestamp = chatTimestamp
        self.userMemberProfileSentAt = userMemberProfileSentAt
        self.preparedGroup = preparedGroup
        self.chatTags = chatTags
        self.chatItemTTL = chatItemTTL
        self.uiThemes = uiThemes
        self.customData = customData
        self.groupSummary = groupSummary
        self.membersRequireAttention = membersRequireAttention
        self.viaGroupLinkURI = viaGroupLinkURI
        self.groupKeys = groupKeys
    }
}

extension GroupInfo {
    public init(object: JSONObject) throws(JSONError) {
        groupID = try object.required("groupId")
        usesRelays = try object.optional("useRelays") ?? false
        relayOwnStatus = try object.optional("relayOwnStatus")
        localDisplayName = try object.required("localDisplayName")
        groupProfile = try object.required("groupProfile")
        localAlias = try object.optional("localAlias") ?? ""
        businessChat = try object.optional("businessChat")
        fullGroupPreferences = try object.required("fullGroupPreferences")
        membership = try object.required("membership")
        chatSettings = try object.required("chatSettings")
        createdAt = try object.required("createdAt")
        updatedAt = try object.required("updatedAt")
        chatTimestamp = try object.optional("chatTs")
        userMemberProfileSentAt = try object.optional("userMemberProfileSentAt")
        preparedGroup = try object.optional("preparedGroup")
        chatTags = try object.optional("chatTags") ?? []
        chatItemTTL = try object.optional("chatItemTTL")
        uiThemes = try object.optional("uiThemes")
        customData = try object.optional("customData")
        groupSummary = try object.required("groupSummary")
        membersRequireAttention = try object.optional("membersRequireAttention") ?? 0
        viaGroupLinkURI = try object.optional("viaGroupLinkUri")
        groupKeys = try object.optional("groupKeys")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["groupId"] = groupID
        object["useRelays"] = usesRelays
        object["relayOwnStatus"] = relayOwnStatus
        object["localDisplayName"] = localDisplayName
        object["groupProfile"] = groupProfile
        object["localAlias"] = localAlias
        object["businessChat"] = businessChat
        object["fullGroupPreferences"] = fullGroupPreferences
        object["membership"] = membership
        object["chatSettings"] = chatSettings
        object["createdAt"] = createdAt
        object["updatedAt"] = updatedAt
        object["chatTs"] = chatTimestamp
        object["userMemberProfileSentAt"] = userMemberProfileSentAt
        object["preparedGroup"] = preparedGroup
        object["chatTags"] = chatTags
        object["chatItemTTL"] = chatItemTTL
        object["uiThemes"] = uiThemes
        object["customData"] = customData
        object["groupSummary"] = groupSummary
        object["membersRequireAttention"] = membersRequireAttention
        object["viaGroupLinkUri"] = viaGroupLinkURI
        object["groupKeys"] = groupKeys
    }
}

/// Counts of members.
public struct GroupSummary: JSONObjectConvertible, Hashable {
    /// Members now.
    public var currentMembers: Int64
    /// Subscribers, of a channel.
    public var publicMemberCount: Int64?

    /// Makes the value from its parts.
    public init(currentMembers: Int64, publicMemberCount: Int64? = nil) {
        self.currentMembers = currentMembers
        self.publicMemberCount = publicMemberCount
    }
}

extension GroupSummary {
    public init(object: JSONObject) throws(JSONError) {
        currentMembers = try object.required("currentMembers")
        publicMemberCount = try object.optional("publicMemberCount")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["currentMembers"] = currentMembers
        object["publicMemberCount"] = publicMemberCount
    }
}

/// What makes a group a business chat.
public struct BusinessChatInfo: JSONObjectConvertible, Hashable {
    /// Which side this profile is on.
    public var chatType: BusinessChatType
    /// Member id of the business.
    public var businessID: MemberID
    /// Member id of the customer.
    public var customerID: MemberID

    /// Makes the value from its parts.
    public init(chatType: BusinessChatType, businessID: MemberID, customerID: MemberID) {
        self.chatType = chatType
        self.businessID = businessID
        self.customerID = customerID
    }
}

extension BusinessChatInfo {
    public init(object: JSONObject) throws(JSONError) {
        chatType = try object.required("chatType")
        businessID = try object.required("businessId")
        customerID = try object.required("customerId")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["chatType"] = chatType
        object["businessId"] = businessID
        object["customerId"] = customerID
    }
}

/// Which side of a business chat.
public struct BusinessChatType: OpenEnumeration {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The other side is the business.
    public static let business = BusinessChatType(rawValue: "business")
    /// The other side is the customer.
    public static let customer = BusinessChatType(rawValue: "customer")

    /// The words that this version knows.
    public static let allCases: [BusinessChatType] = [.business, .customer]
}

/// The link that a group was made from, before or after joining.
public struct PreparedGroup: JSONObjectConvertible, Hashable {
    /// The link to join by.
    public var connectionLink: CreatedConnectionLink
    /// Whether a connection was prepared.
    public var preparedConnection: Bool
    /// Whether joining has begun.
    public var startedConnection: Bool
    /// Shared id of the welcome message shown before joining.
    public var welcomeSharedMessageID: SharedMessageID?
    /// Shared id of the message sent with the request.
    public var requestSharedMessageID: SharedMessageID?

    /// Makes the value from its parts.
    public init(
        connectionLink: CreatedConnectionLink, preparedConnection: Bool = false, startedConnection: Bool = false,
        welcomeSharedMessageID: SharedMessageID? = nil, requestSharedMessageID: SharedMessageID? = nil
    ) {
        self.connectionLink = connectionLink
        self.preparedConnection = preparedConnection
        self.startedConnection = startedConnection
        self.welcomeSharedMessageID = welcomeSharedMessageID
        self.requestSharedMessageID = requestSharedMessageID
    }
}

extension PreparedGroup {
    public init(object: JSONObject) throws(JSONError) {
        connectionLink = try object.required("connLinkToConnect")
        preparedConnection = try object.optional("connLinkPreparedConnection") ?? false
        startedConnection = try object.optional("connLinkStartedConnection") ?? false
        welcomeSharedMessageID = try object.optional("welcomeSharedMsgId")
        requestSharedMessageID = try object.optional("requestSharedMsgId")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["connLinkToConnect"] = connectionLink
        object["connLinkPreparedConnection"] = preparedConnection
        object["connLinkStartedConnection"] = startedConnection
        object["welcomeSharedMsgId"] = welcomeSharedMessageID
        object["requestSharedMsgId"] = requestSharedMessageID
    }
}

/// Keys of a public group.
public struct GroupKeys: JSONObjectConvertible, Hashable {
    /// Public id of the group.
    public var publicGroupID: String
    /// Root key: whole for an owner, public for others.
    public var rootKey: GroupRootKey
    /// Key that this member signs with.
    public var memberPrivateKey: String

    /// Makes the value from its parts.
    public init(publicGroupID: String, rootKey: GroupRootKey, memberPrivateKey: String) {
        self.publicGroupID = publicGroupID
        self.rootKey = rootKey
        self.memberPrivateKey = memberPrivateKey
    }
}

extension GroupKeys {
    public init(object: JSONObject) throws(JSONError) {
        publicGroupID = try object.required("publicGroupId")
        rootKey = try object.required("groupRootKey")
        memberPrivateKey = try object.required("memberPrivKey")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["publicGroupId"] = publicGroupID
        object["groupRootKey"] = rootKey
        object["memberPrivKey"] = memberPrivateKey
    }
}

/// Root key of a public group.
public enum GroupRootKey: JSONTagged, Hashable {
    /// The private key; owners have it.
    case `private`(rootPrivateKey: String)
    /// The public key.
    case `public`(rootPublicKey: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension GroupRootKey {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "private": self = .`private`(rootPrivateKey: try object.required("rootPrivKey"))
        case "public": self = .`public`(rootPublicKey: try object.required("rootPubKey"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .private(let rootPrivateKey): object.write("private", ["rootPrivKey": rootPrivateKey])
        case .public(let rootPublicKey): object.write("public", ["rootPubKey": rootPublicKey])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// A group and its members.
public struct Group: JSONObjectConvertible, Hashable {
    /// The group.
    public var groupInfo: GroupInfo
    /// Its members, this profile excepted.
    public var members: [GroupMember]

    /// Makes the value from its parts.
    public init(groupInfo: GroupInfo, members: [GroupMember]) {
        self.groupInfo = groupInfo
        self.members = members
    }
}

extension Group {
    public init(object: JSONObject) throws(JSONError) {
        groupInfo = try object.required("groupInfo")
        members = try object.required("members")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["groupInfo"] = groupInfo
        object["members"] = members
    }
}
