/// Group preferences with nothing left open. Members that older clients do not have may be absent in JSON.
@JSONMembers
public struct FullGroupPreferences: Hashable, ExtensibleObject {
    /// Messages that disappear.
    public var timedMessages: TimedMessagesGroupPreference
    /// Messages from member to member, as contacts.
    public var directMessages: RoleGroupPreference
    /// Deleting sent messages for all.
    public var fullDelete: RoleGroupPreference
    /// Reactions to messages.
    public var reactions: GroupPreference
    /// Voice messages.
    public var voice: RoleGroupPreference
    /// Files and media.
    public var files: RoleGroupPreference
    /// SimpleX links in messages.
    public var simplexLinks: RoleGroupPreference
    /// Reports to moderators.
    public var reports: GroupPreference
    /// New members get recent messages.
    public var history: GroupPreference
    /// Members may chat with the moderators.
    public var support: GroupPreference = .init(enable: .on)
    /// Chat sessions; nothing uses them yet.
    public var sessions: RoleGroupPreference = .init(enable: .off)
    /// Comments to the posts of a channel.
    public var comments: CommentsGroupPreference = .init(enable: .off)
    /// Members sign their messages.
    @JSONSince(.v70) public var signMessages: GroupPreference = .init(enable: .off)
    /// The menu of the bot of the group.
    public var commands: [BotCommand] = []

    /// The preferences where nothing is set.
    public static let defaults = FullGroupPreferences(nil)

    /// The preferences with defaults where nothing is set.
    public init(_ preferences: GroupPreferences?) {
        timedMessages = preferences?.timedMessages ?? .init(enable: .off, ttl: 86_400)
        directMessages = preferences?.directMessages ?? .init(enable: .off)
        fullDelete = preferences?.fullDelete ?? .init(enable: .off)
        reactions = preferences?.reactions ?? .init(enable: .on)
        voice = preferences?.voice ?? .init(enable: .on)
        files = preferences?.files ?? .init(enable: .on)
        simplexLinks = preferences?.simplexLinks ?? .init(enable: .on)
        reports = preferences?.reports ?? .init(enable: .on)
        history = preferences?.history ?? .init(enable: .off)
        support = preferences?.support ?? .init(enable: .on)
        sessions = preferences?.sessions ?? .init(enable: .off)
        comments = preferences?.comments ?? .init(enable: .off)
        signMessages = preferences?.signMessages ?? .init(enable: .off)
        commands = preferences?.commands ?? []
        unknownMembers = preferences?.unknownMembers ?? JSONObject()
        unknownMembers["signMessages"] = nil
    }

    /// The same preferences, all set.
    public var preferences: GroupPreferences {
        var preferences = GroupPreferences(
            timedMessages: timedMessages, directMessages: directMessages, fullDelete: fullDelete, reactions: reactions,
            voice: voice, files: files, simplexLinks: simplexLinks, reports: reports, history: history, support: support,
            sessions: sessions, comments: comments, commands: commands)
        preferences.unknownMembers = unknownMembers
        if signMessages != GroupPreference(enable: .off) { preferences.signMessages = signMessages }
        return preferences
    }

    /// The state of a feature in the group.
    public subscript(_ feature: GroupFeature) -> GroupFeatureState {
        func state(_ preference: RoleGroupPreference) -> GroupFeatureState {
            GroupFeatureState(enable: preference.enable, role: preference.role)
        }
        return switch feature {
        case .timedMessages: GroupFeatureState(enable: timedMessages.enable, parameter: timedMessages.ttl)
        case .directMessages: state(directMessages)
        case .fullDelete: state(fullDelete)
        case .reactions: GroupFeatureState(enable: reactions.enable)
        case .voice: state(voice)
        case .files: state(files)
        case .simplexLinks: state(simplexLinks)
        case .reports: GroupFeatureState(enable: reports.enable)
        case .history: GroupFeatureState(enable: history.enable)
        case .support: GroupFeatureState(enable: support.enable)
        case .sessions: state(sessions)
        case .comments: GroupFeatureState(enable: comments.enable, parameter: comments.duration)
        }
    }

    /// Tells whether a member of that role may use a feature.
    public func allows(_ feature: GroupFeature, role: GroupMemberRole) -> Bool { self[feature].allows(role) }
}

/// The state of a feature in a group.
public struct GroupFeatureState: Hashable, Sendable {
    /// The state of the feature.
    public var enable: GroupFeatureEnabled
    /// Seconds: the time to live of messages, or how long posts take comments.
    public var parameter: Int?
    /// The lowest role that may use the feature; nil for all members.
    public var role: GroupMemberRole?

    /// Creates the value from its parts.
    public init(enable: GroupFeatureEnabled, parameter: Int? = nil, role: GroupMemberRole? = nil) {
        self.enable = enable
        self.parameter = parameter
        self.role = role
    }

    /// Tells whether a member of that role may use the feature.
    public func allows(_ role: GroupMemberRole) -> Bool {
        guard enable == .on else { return false }
        return self.role.map { role >= $0 } ?? true
    }
}
