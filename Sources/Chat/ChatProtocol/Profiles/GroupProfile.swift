/// The kind of a group that is reached through relays.
public enum GroupType: TextCode {
    /// Owners post, subscribers read.
    case channel
    /// All members post.
    case group
    case unknown(String)

    /// Reads the word.
    public init(code: String) {
        switch code {
        case "channel": self = .channel
        case "group": self = .group
        default: self = .unknown(code)
        }
    }

    /// The word.
    public var code: String {
        switch self {
        case .channel: "channel"
        case .group: "group"
        case .unknown(let code): code
        }
    }
}

/// The public part of a group: its link and its identity.
@JSONMembers
public struct PublicGroupProfile: Hashable, ExtensibleObject {
    /// The kind of group, from which follows who may post.
    public var groupType: GroupType
    /// A short link.
    public var groupLink: String
    /// The SHA-256 hash of the group's root key; it never changes.
    public var publicGroupID: Base64URLBytes
}

/// For whom a step of admission holds.
public enum MemberCriteria: OpenTextCode {
    case all
    /// A word of newer clients. Hosts of this version take it for all.
    case unknown(String)

    /// The words that this version knows.
    public static let allCases: [MemberCriteria] = [.all]

    /// The word.
    public var code: String {
        switch self {
        case .all: "all"
        case .unknown(let code): code
        }
    }
}

/// The admission of new members to a group.
@JSONMembers
public struct GroupMemberAdmission: Hashable, ExtensibleObject {
    /// The members who are reviewed by moderators before joining; nil for nobody.
    public var review: MemberCriteria?
}

/// The profile of a group.
@JSONMembers
public struct GroupProfile: Hashable, ExtensibleObject {
    /// The name of the group.
    public var displayName: String
    /// A longer name, usually empty.
    @JSONRequired public var fullName: String = ""
    /// At most ``ChatLimits/shortDescription`` bytes in JSON.
    @JSONName("shortDescr") public var shortDescription: String?
    /// The welcome message.
    public var description: String?
    /// The picture of the group.
    public var image: ImageData?
    /// Set for groups that are reached through relays.
    public var publicGroup: PublicGroupProfile?
    /// The group's preferences.
    public var groupPreferences: GroupPreferences?
    /// The admission of new members; nil: at once.
    public var memberAdmission: GroupMemberAdmission?
}
