/// A preference that says only whether a feature is allowed.
@JSONMembers
public struct SimplePreference: Hashable, ExtensibleObject {
    /// The extent to which the feature is allowed.
    public var allow: FeatureAllowed
}

/// The preference for messages that disappear.
@JSONMembers
public struct TimedMessagesPreference: Hashable, ExtensibleObject {
    /// The extent to which the feature is allowed.
    public var allow: FeatureAllowed
    /// Seconds after which messages disappear.
    public var ttl: Int?

    /// Reads the members of an object.
    public init(object: JSONObject) throws(JSONError) {
        allow = try object.required("allow")
        ttl = try object.optionalTimeToLive("ttl")
        unknownMembers = object.unknown(to: Self.memberNames)
    }
}

/// The preferences of a user, in the profile for all contacts or set for one contact; nil means the default.
@JSONMembers
public struct ChatPreferences: Hashable, ExtensibleObject {
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

    /// The preference for a feature; nil if none is set.
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

    /// Sets whether a feature is allowed; nil takes the setting away. A time to live that is set stays, and so do
    /// unknown members.
    public mutating func set(_ feature: ChatFeature, allow: FeatureAllowed?) {
        func simple(_ old: SimplePreference?) -> SimplePreference? { allow.map { SimplePreference(allow: $0).keepingUnknownMembers(of: old) } }
        switch feature {
        case .timedMessages: setTimedMessages(allow, ttl: timedMessages?.ttl)
        case .fullDelete: fullDelete = simple(fullDelete)
        case .reactions: reactions = simple(reactions)
        case .voice: voice = simple(voice)
        case .files: files = simple(files)
        case .calls: calls = simple(calls)
        case .sessions: sessions = simple(sessions)
        }
    }

    /// Sets whether messages may disappear, and when; nil takes the setting away.
    public mutating func setTimedMessages(_ allow: FeatureAllowed?, ttl: Int?) {
        timedMessages = allow.map { TimedMessagesPreference(allow: $0, ttl: ttl).keepingUnknownMembers(of: timedMessages) }
    }
}

extension TimedMessagesPreference {
    init(_ simple: SimplePreference) { self.init(allow: simple.allow) }
}
