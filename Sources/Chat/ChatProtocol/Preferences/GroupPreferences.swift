/// A group preference that says only whether a feature is on.
@JSONMembers
public struct GroupPreference: Hashable, ExtensibleObject {
    /// The state of the feature.
    public var enable: GroupFeatureEnabled
}

/// A group preference that may hold for members from a role up only.
@JSONMembers
public struct RoleGroupPreference: Hashable, ExtensibleObject {
    /// The state of the feature.
    public var enable: GroupFeatureEnabled
    /// The lowest role that may use the feature; nil for all members.
    public var role: GroupMemberRole?
}

/// The group preference for messages that disappear.
@JSONMembers
public struct TimedMessagesGroupPreference: Hashable, ExtensibleObject {
    /// The state of the feature.
    public var enable: GroupFeatureEnabled
    /// Seconds after which messages disappear.
    public var ttl: Int?

    /// Reads the members of an object.
    public init(object: JSONObject) throws(JSONError) {
        enable = try object.required("enable")
        ttl = try object.optionalTimeToLive("ttl")
        unknownMembers = object.unknown(to: Self.memberNames)
    }
}

/// The group preference for comments to channel posts.
@JSONMembers
public struct CommentsGroupPreference: Hashable, ExtensibleObject {
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
        unknownMembers = object.unknown(to: Self.memberNames + ["closeAfter"])
    }
}

/// The preferences of a group, as its profile carries them; nil means the default.
@JSONMembers
public struct GroupPreferences: Hashable, ExtensibleObject {
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
    /// Members sign their messages. Clients before 7.0 do not have it: it is kept among the unknown members, so that preferences that are made anew keep what
    /// newer clients have set.
    public var signMessages: GroupPreference? {
        get { unknownMembers["signMessages"].flatMap { try? GroupPreference(json: $0) } }
        set { unknownMembers["signMessages"] = newValue?.json }
    }

    /// Enables or disables a feature; the role counts for features that have one. Times that are set stay, and so do unknown members.
    public mutating func set(_ feature: GroupFeature, _ enable: GroupFeatureEnabled, role: GroupMemberRole? = nil) {
        func simple(_ old: GroupPreference?) -> GroupPreference { GroupPreference(enable: enable).keepingUnknownMembers(of: old) }
        func withRole(_ old: RoleGroupPreference?) -> RoleGroupPreference { RoleGroupPreference(enable: enable, role: role).keepingUnknownMembers(of: old) }
        switch feature {
        case .timedMessages: setTimedMessages(enable, ttl: timedMessages?.ttl)
        case .directMessages: directMessages = withRole(directMessages)
        case .fullDelete: fullDelete = withRole(fullDelete)
        case .reactions: reactions = simple(reactions)
        case .voice: voice = withRole(voice)
        case .files: files = withRole(files)
        case .simplexLinks: simplexLinks = withRole(simplexLinks)
        case .reports: reports = simple(reports)
        case .history: history = simple(history)
        case .support: support = simple(support)
        case .sessions: sessions = withRole(sessions)
        case .comments: comments = CommentsGroupPreference(enable: enable, duration: comments?.duration).keepingUnknownMembers(of: comments)
        }
    }

    /// Sets whether messages disappear, and when.
    public mutating func setTimedMessages(_ enable: GroupFeatureEnabled, ttl: Int?) {
        timedMessages = TimedMessagesGroupPreference(enable: enable, ttl: ttl).keepingUnknownMembers(of: timedMessages)
    }
}
