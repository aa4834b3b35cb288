/// What kind of group is reached through relays.
public enum GroupType: TextCode {
    /// Owners post, subscribers read.
    case channel
    /// All members post.
    case group
    case unknown(String)

    public init(code: String) {
        switch code {
        case "channel": self = .channel
        case "group": self = .group
        default: self = .unknown(code)
        }
    }

    public var code: String {
        switch self {
        case .channel: "channel"
        case .group: "group"
        case .unknown(let code): code
        }
    }
}

/// What makes a group public: its link and its identity.
public struct PublicGroupProfile: Hashable, JSONConvertible {
    /// Who may post.
    public var groupType: GroupType
    /// A short link.
    public var groupLink: String
    /// The SHA-256 hash of the group's root key; it never changes.
    public var publicGroupID: Base64URLBytes

    public init(groupType: GroupType, groupLink: String, publicGroupID: Base64URLBytes) {
        self.groupType = groupType
        self.groupLink = groupLink
        self.publicGroupID = publicGroupID
    }

    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        groupType = try object.required("groupType")
        groupLink = try object.required("groupLink")
        publicGroupID = try object.required("publicGroupId")
    }

    public var json: JSONValue {
        ["groupType": groupType.json, "groupLink": .string(groupLink), "publicGroupId": publicGroupID.json]
    }
}

/// For whom a step of admission holds.
public enum MemberCriteria: String, TextCode {
    case all
}

/// How new members are admitted to a group.
public struct GroupMemberAdmission: Hashable, JSONObjectConvertible {
    /// Who is reviewed by moderators before joining; nil for nobody.
    public var review: MemberCriteria?

    public init(review: MemberCriteria? = nil) { self.review = review }

    public init(object: JSONObject) throws(JSONError) { review = try object.optional("review") }

    public func write(into object: inout JSONObjectWriter) {
        object.add("review", review)
    }
}

/// The profile of a group.
public struct GroupProfile: Hashable, JSONObjectConvertible {
    /// The name of the group.
    public var displayName: String
    /// A longer name, usually empty.
    public var fullName: String
    /// At most ``ChatLimits/shortDescription`` bytes in JSON.
    public var shortDescription: String?
    /// The welcome message.
    public var description: String?
    /// The picture of the group.
    public var image: ImageData?
    /// Set for groups that are reached through relays.
    public var publicGroup: PublicGroupProfile?
    /// What the group allows.
    public var groupPreferences: GroupPreferences?
    /// How new members are admitted; nil: at once.
    public var memberAdmission: GroupMemberAdmission?

    public init(
        displayName: String, fullName: String = "", shortDescription: String? = nil, description: String? = nil,
        image: ImageData? = nil, publicGroup: PublicGroupProfile? = nil, groupPreferences: GroupPreferences? = nil,
        memberAdmission: GroupMemberAdmission? = nil
    ) {
        self.displayName = displayName
        self.fullName = fullName
        self.shortDescription = shortDescription
        self.description = description
        self.image = image
        self.publicGroup = publicGroup
        self.groupPreferences = groupPreferences
        self.memberAdmission = memberAdmission
    }

    public init(object: JSONObject) throws(JSONError) {
        displayName = try object.required("displayName")
        fullName = try object.required("fullName")
        shortDescription = try object.optional("shortDescr")
        description = try object.optional("description")
        image = try object.optional("image")
        publicGroup = try object.optional("publicGroup")
        groupPreferences = try object.optional("groupPreferences")
        memberAdmission = try object.optional("memberAdmission")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("displayName", displayName)
        object.add("fullName", fullName)
        object.add("shortDescr", shortDescription)
        object.add("description", description)
        object.add("image", image)
        object.add("publicGroup", publicGroup)
        object.add("groupPreferences", groupPreferences)
        object.add("memberAdmission", memberAdmission)
    }
}
