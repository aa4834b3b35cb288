/// The extent to which one side of a direct chat allows a feature.
public enum FeatureAllowed: String, TextCode, CaseIterable {
    /// Whatever the other side says.
    case always
    /// If the other side allows it too.
    case yes
    case no
}

/// The state of a feature in a group: on or off.
public enum GroupFeatureEnabled: String, TextCode, CaseIterable {
    case on
    case off
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
