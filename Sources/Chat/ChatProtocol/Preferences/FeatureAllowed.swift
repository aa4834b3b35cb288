/// The extent to which one side of a direct chat allows a feature.
public enum FeatureAllowed: OpenTextCode {
    /// Whatever the other side says.
    case always
    /// If the other side allows it too.
    case yes
    case no
    /// A word of newer clients, which allows nothing here.
    case unknown(String)

    /// The words that this version knows.
    public static let allCases: [FeatureAllowed] = [.always, .yes, .no]

    /// The word.
    public var code: String {
        switch self {
        case .always: "always"
        case .yes: "yes"
        case .no: "no"
        case .unknown(let code): code
        }
    }

    /// True if the feature is allowed, at least when the other side allows it too.
    public var isAllowed: Bool { self == .always || self == .yes }
}

/// The state of a feature in a group: on or off.
public enum GroupFeatureEnabled: OpenTextCode {
    case on
    case off
    /// A word of newer clients, which enables nothing here.
    case unknown(String)

    /// The words that this version knows.
    public static let allCases: [GroupFeatureEnabled] = [.on, .off]

    /// The word.
    public var code: String {
        switch self {
        case .on: "on"
        case .off: "off"
        case .unknown(let code): code
        }
    }
}

/// Features that the two sides of a direct chat agree on.
public enum ChatFeature: String, TextCode, CaseIterable {
    case timedMessages
    case fullDelete
    case reactions
    case voice
    case files
    case calls
    case sessions

    /// The features whose state a chat shows: all but files and sessions.
    public static let shown: [ChatFeature] = [.timedMessages, .fullDelete, .reactions, .voice, .calls]

    /// True if the feature can be enabled for one side only, when that side does not allow it to the other.
    public var isAsymmetric: Bool { self != .timedMessages }
}

/// Features that a group allows or not.
public enum GroupFeature: String, TextCode, CaseIterable {
    case timedMessages
    case directMessages
    case fullDelete
    case reactions
    case voice
    case files
    case simplexLinks
    case reports
    case history
    case support
    case sessions
    case comments

    /// The features whose state a group shows: all but sessions and comments.
    public static let shown: [GroupFeature] = [
        .timedMessages, .directMessages, .fullDelete, .reactions, .voice, .files, .simplexLinks, .reports, .history, .support,
    ]

    /// True if the feature can be limited to members from a role up.
    public var hasRole: Bool {
        switch self {
        case .directMessages, .fullDelete, .voice, .files, .simplexLinks, .sessions: true
        case .timedMessages, .reactions, .reports, .history, .support, .comments: false
        }
    }
}
