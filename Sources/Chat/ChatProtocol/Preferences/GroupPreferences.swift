/// A group preference that says only whether a feature is on.
public struct GroupPreference: Hashable, JSONConvertible {
    /// Whether the feature is on.
    public var enable: GroupFeatureEnabled

    public init(enable: GroupFeatureEnabled) { self.enable = enable }

    public init(json: JSONValue) throws(JSONError) { enable = try JSONObject(json: json).required("enable") }

    public var json: JSONValue { ["enable": enable.json] }
}

/// A group preference that may hold for members from a role up only.
public struct RoleGroupPreference: Hashable, JSONObjectConvertible {
    /// Whether the feature is on.
    public var enable: GroupFeatureEnabled
    /// The lowest role that may use the feature; nil for all members.
    public var role: GroupMemberRole?

    public init(enable: GroupFeatureEnabled, role: GroupMemberRole? = nil) {
        self.enable = enable
        self.role = role
    }

    public init(object: JSONObject) throws(JSONError) {
        enable = try object.required("enable")
        role = try object.optional("role")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("enable", enable)
        object.add("role", role)
    }
}

/// The group preference for messages that disappear.
public struct TimedMessagesGroupPreference: Hashable, JSONObjectConvertible {
    /// Whether the feature is on.
    public var enable: GroupFeatureEnabled
    /// Seconds after which messages disappear.
    public var ttl: Int?

    public init(enable: GroupFeatureEnabled, ttl: Int? = nil) {
        self.enable = enable
        self.ttl = ttl
    }

    public init(object: JSONObject) throws(JSONError) {
        enable = try object.required("enable")
        ttl = try object.optionalTimeToLive("ttl")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("enable", enable)
        object.add("ttl", ttl)
    }
}

/// The group preference for comments to channel posts.
public struct CommentsGroupPreference: Hashable, JSONObjectConvertible {
    /// Whether the feature is on.
    public var enable: GroupFeatureEnabled
    /// Seconds from a post after which it takes no more comments; nil for no end. Development versions of the official
    /// client call it `closeAfter`: that is read, and never written.
    public var duration: Int?

    public init(enable: GroupFeatureEnabled, duration: Int? = nil) {
        self.enable = enable
        self.duration = duration
    }

    public init(object: JSONObject) throws(JSONError) {
        enable = try object.required("enable")
        if let duration = try object.optional("duration", as: Int.self) {
            self.duration = TimeToLive.bounded(duration)
        } else {
            duration = try object.optionalTimeToLive("closeAfter")
        }
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("enable", enable)
        object.add("duration", duration)
    }
}

/// The preferences of a group, as its profile carries them; what is nil has its default.
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

    public init(
        timedMessages: TimedMessagesGroupPreference? = nil, directMessages: RoleGroupPreference? = nil,
        fullDelete: RoleGroupPreference? = nil, reactions: GroupPreference? = nil, voice: RoleGroupPreference? = nil,
        files: RoleGroupPreference? = nil, simplexLinks: RoleGroupPreference? = nil, reports: GroupPreference? = nil,
        history: GroupPreference? = nil, support: GroupPreference? = nil, sessions: RoleGroupPreference? = nil,
        comments: CommentsGroupPreference? = nil, commands: [BotCommand]? = nil
    ) {
        self.timedMessages = timedMessages
        self.directMessages = directMessages
        self.fullDelete = fullDelete
        self.reactions = reactions
        self.voice = voice
        self.files = files
        self.simplexLinks = simplexLinks
        self.reports = reports
        self.history = history
        self.support = support
        self.sessions = sessions
        self.comments = comments
        self.commands = commands
    }

    public init(object: JSONObject) throws(JSONError) {
        timedMessages = try object.optional("timedMessages")
        directMessages = try object.optional("directMessages")
        fullDelete = try object.optional("fullDelete")
        reactions = try object.optional("reactions")
        voice = try object.optional("voice")
        files = try object.optional("files")
        simplexLinks = try object.optional("simplexLinks")
        reports = try object.optional("reports")
        history = try object.optional("history")
        support = try object.optional("support")
        sessions = try object.optional("sessions")
        comments = try object.optional("comments")
        commands = try object.optional("commands")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("timedMessages", timedMessages)
        object.add("directMessages", directMessages)
        object.add("fullDelete", fullDelete)
        object.add("reactions", reactions)
        object.add("voice", voice)
        object.add("files", files)
        object.add("simplexLinks", simplexLinks)
        object.add("reports", reports)
        object.add("history", history)
        object.add("support", support)
        object.add("sessions", sessions)
        object.add("comments", comments)
        object.add("commands", commands)
    }
}
