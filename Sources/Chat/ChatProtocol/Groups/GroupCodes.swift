/// The acceptance of a member who joins by a link.
public enum GroupAcceptance: String, TextCode {
    case accepted
    case pendingApproval = "pending"
    case pendingReview = "pending_review"
}

/// Why a request to join is refused.
public enum GroupRejectionReason: TextCode {
    case longName
    case blockedName
    case unknown(String)

    /// Reads the word.
    public init(code: String) {
        switch code {
        case "long_name": self = .longName
        case "blocked_name": self = .blockedName
        default: self = .unknown(code)
        }
    }

    /// The word.
    public var code: String {
        switch self {
        case .longName: "long_name"
        case .blockedName: "blocked_name"
        case .unknown(let code): code
        }
    }
}

/// The restriction of a member by moderators.
public enum MemberRestrictionStatus: TextCode {
    case blocked
    case unrestricted
    case unknown(String)

    /// Reads the word.
    public init(code: String) {
        switch code {
        case "blocked": self = .blocked
        case "unrestricted": self = .unrestricted
        default: self = .unknown(code)
        }
    }

    /// The word.
    public var code: String {
        switch self {
        case .blocked: "blocked"
        case .unrestricted: "unrestricted"
        case .unknown(let code): code
        }
    }
}
