/// The role of a member in a group, from the least rights up. Roles of newer clients are kept, below all others.
public enum GroupMemberRole: TextCode {
    case unknown(String)
    /// Forwards messages, sends none of its own.
    case relay
    /// Receives messages, sends none.
    case observer
    /// May also comment the posts of a channel.
    case commenter
    /// Posts in a channel.
    case author
    case member
    /// May also moderate messages and block members below admins.
    case moderator
    /// May also add and remove members and change roles below owner.
    case admin
    /// May do all, also delete the group and change its profile.
    case owner

    /// Reads the word.
    public init(code: String) {
        switch code {
        case "relay": self = .relay
        case "observer": self = .observer
        case "commenter": self = .commenter
        case "author": self = .author
        case "member": self = .member
        case "moderator": self = .moderator
        case "admin": self = .admin
        case "owner": self = .owner
        default: self = .unknown(code)
        }
    }

    /// The word.
    public var code: String {
        switch self {
        case .unknown(let code): code
        case .relay: "relay"
        case .observer: "observer"
        case .commenter: "commenter"
        case .author: "author"
        case .member: "member"
        case .moderator: "moderator"
        case .admin: "admin"
        case .owner: "owner"
        }
    }
}

extension GroupMemberRole: Comparable {
    private var rank: Int {
        switch self {
        case .unknown: 0
        case .relay: 1
        case .observer: 2
        case .commenter: 3
        case .author: 4
        case .member: 5
        case .moderator: 6
        case .admin: 7
        case .owner: 8
        }
    }

    /// Orders two values.
    public static func < (left: GroupMemberRole, right: GroupMemberRole) -> Bool {
        if case (.unknown(let left), .unknown(let right)) = (left, right) { return left.scalarsPrecede(right) }
        return left.rank < right.rank
    }
}
