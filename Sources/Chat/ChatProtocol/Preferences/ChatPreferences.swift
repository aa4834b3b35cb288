/// A preference that says only whether a feature is allowed.
public struct SimplePreference: Hashable, JSONObjectConvertible {
    /// Whether the feature is allowed.
    public var allow: FeatureAllowed

    public init(allow: FeatureAllowed) { self.allow = allow }

    public init(object: JSONObject) throws(JSONError) { allow = try object.required("allow") }

    public func write(into object: inout JSONObjectWriter) { object.add("allow", allow) }
}

/// The preference for messages that disappear.
public struct TimedMessagesPreference: Hashable, JSONObjectConvertible {
    /// Whether the feature is allowed.
    public var allow: FeatureAllowed
    /// Seconds after which messages disappear.
    public var ttl: Int?

    public init(allow: FeatureAllowed, ttl: Int? = nil) {
        self.allow = allow
        self.ttl = ttl
    }

    public init(object: JSONObject) throws(JSONError) {
        allow = try object.required("allow")
        ttl = try object.optionalTimeToLive("ttl")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("allow", allow)
        object.add("ttl", ttl)
    }
}

/// The preferences of a user, in the profile for all contacts or set for one contact; what is nil has its default.
public struct ChatPreferences: Hashable, JSONObjectConvertible {
    /// Messages that disappear.
    public var timedMessages: TimedMessagesPreference?
    /// Deleting sent messages for both sides.
    public var fullDelete: SimplePreference?
    /// Reactions to messages.
    public var reactions: SimplePreference?
    /// Voice messages.
    public var voice: SimplePreference?
    /// Files and media.
    public var files: SimplePreference?
    /// Audio and video calls.
    public var calls: SimplePreference?
    /// Chat sessions; nothing uses them yet.
    public var sessions: SimplePreference?
    /// The menu of a bot.
    public var commands: [BotCommand]?

    public init(
        timedMessages: TimedMessagesPreference? = nil, fullDelete: SimplePreference? = nil,
        reactions: SimplePreference? = nil, voice: SimplePreference? = nil, files: SimplePreference? = nil,
        calls: SimplePreference? = nil, sessions: SimplePreference? = nil, commands: [BotCommand]? = nil
    ) {
        self.timedMessages = timedMessages
        self.fullDelete = fullDelete
        self.reactions = reactions
        self.voice = voice
        self.files = files
        self.calls = calls
        self.sessions = sessions
        self.commands = commands
    }

    public init(object: JSONObject) throws(JSONError) {
        timedMessages = try object.optional("timedMessages")
        fullDelete = try object.optional("fullDelete")
        reactions = try object.optional("reactions")
        voice = try object.optional("voice")
        files = try object.optional("files")
        calls = try object.optional("calls")
        sessions = try object.optional("sessions")
        commands = try object.optional("commands")
    }

    public func write(into object: inout JSONObjectWriter) {
        object.add("timedMessages", timedMessages)
        object.add("fullDelete", fullDelete)
        object.add("reactions", reactions)
        object.add("voice", voice)
        object.add("files", files)
        object.add("calls", calls)
        object.add("sessions", sessions)
        object.add("commands", commands)
    }

    /// What is set for a feature.
    public subscript(_ feature: ChatFeature) -> TimedMessagesPreference? {
        switch feature {
        case .timedMessages: timedMessages
        case .fullDelete: fullDelete.map { .init($0) }
        case .reactions: reactions.map { .init($0) }
        case .voice: voice.map { .init($0) }
        case .files: files.map { .init($0) }
        case .calls: calls.map { .init($0) }
        case .sessions: sessions.map { .init($0) }
        }
    }

    /// Sets whether a feature is allowed; nil takes the setting away. A time to live that is set stays.
    public mutating func set(_ feature: ChatFeature, allow: FeatureAllowed?) {
        let simple = allow.map(SimplePreference.init(allow:))
        switch feature {
        case .timedMessages: timedMessages = allow.map { .init(allow: $0, ttl: timedMessages?.ttl) }
        case .fullDelete: fullDelete = simple
        case .reactions: reactions = simple
        case .voice: voice = simple
        case .files: files = simple
        case .calls: calls = simple
        case .sessions: sessions = simple
        }
    }
}

extension TimedMessagesPreference {
    init(_ simple: SimplePreference) { self.init(allow: simple.allow) }
}
