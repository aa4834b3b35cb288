/// A group preference that says only whether a feature is on.
@JSONMembers
public struct GroupPreference: Hashable, JSONObjectConvertible {
    /// The state of the feature.
    public var enable: GroupFeatureEnabled
}

/// A group preference that may hold for members from a role up only.
@JSONMembers
public struct RoleGroupPreference: Hashable, JSONObjectConvertible {
    /// The state of the feature.
    public var enable: GroupFeatureEnabled
    /// The lowest role that may use the feature; nil for all members.
    public var role: GroupMemberRole?
}

/// The group preference for messages that disappear.
@JSONMembers
public struct TimedMessagesGroupPreference: Hashable, JSONObjectConvertible {
    /// The state of the feature.
    public var enable: GroupFeatureEnabled
    /// Seconds after which messages disappear.
    public var ttl: Int?

    /// Reads the members of an object.
    public init(object: JSONObject) throws(JSONError) {
        enable = try object.required("enable")
        ttl = try object.optionalTimeToLive("ttl")
    }
}

/// The group preference for comments to channel posts.
@JSONMembers
public struct CommentsGroupPreference: Hashable, JSONObjectConvertible {
    /// The state of the feature.
    public var enable: GroupFeatureEnabled
    /// Seconds from a post after which it takes no more comments; nil for no end. Development versions of the official
    /// client call it `closeAfter`: that is read, and never written.
    public var duration: Int?

    /// Reads the members of an object.
    public init(object: JSONObject) throws(JSONError) {
        enable = try object.required("enable")
        if let duration = try object.optional("duration", as: Int.self) {
            self.duration = TimeToLive.bounded(duration)
        } else {
            duration = try object.optionalTimeToLive("closeAfter")
        }
    }
}

/// The preferences of a group, as its profile carries them; nil means the default.
@JSONMembers
public struct GroupPreferences: Hashable, JSONObjectConvertible {
    /// Messages that disappear.
    public var timedMessages: TimedMessagesGroupPreference?
    /// Messages from member to member, as contacts.
    public var directMessages: RoleGroupPreference?
    /// Deleting sent messages for all.
    public var fullDelete: RoleGroupPreference?
    /// Reactions to messages.
    public var reactions: GroupPreference?
    /// Voice messages.
    public var voice: RoleGroupPreference?
    /// Files and media.
    public var files: RoleGroupPreference?
    /// SimpleX links in messages.
    public var simplexLinks: RoleGroupPreference?
    /// Reports to moderators.
    public var reports: GroupPreference?
    /// New members get recent messages.
    public var history: GroupPreference?
    /// Members may chat with the moderators.
    public var support: GroupPreference?
    /// Chat sessions; nothing uses them yet.
    public var sessions: RoleGroupPreference?
    /// Comments to the posts of a channel.
    public var comments: CommentsGroupPreference?
    /// The menu of the bot of the group.
    public var commands: [BotCommand]?
}

extension GroupPreferences {
    /// Enables or disables a feature; the role counts for features that have one.
    public mutating func set(_ feature: GroupFeature, _ enable: GroupFeatureEnabled, role: GroupMemberRole? = nil) {
        let simple = GroupPreference(enable: enable), withRole = RoleGroupPreference(enable: enable, role: role)
        switch feature {
        case .timedMessages: timedMessages = TimedMessagesGroupPreference(enable: enable, ttl: timedMessages?.ttl)
        case .directMessages: directMessages = withRole
        case .fullDelete: fullDelete = withRole
        case .reactions: reactions = simple
        case .voice: voice = withRole
        case .files: files = withRole
        case .simplexLinks: simplexLinks = withRole
        case .reports: reports = simple
        case .history: history = simple
        case .support: support = simple
        case .sessions: sessions = withRole
        case .comments: comments = CommentsGroupPreference(enable: enable, duration: comments?.duration)
        }
    }
}
