/// Preferences with nothing left open. Members that older clients do not have may be absent in JSON.
@JSONMembers
public struct FullChatPreferences: Hashable, ExtensibleObject {
    /// Messages that disappear.
    public var timedMessages: TimedMessagesPreference
    /// Deleting sent messages for both sides.
    public var fullDelete: SimplePreference
    /// Reactions to messages.
    public var reactions: SimplePreference
    /// Voice messages.
    public var voice: SimplePreference
    /// Files and media.
    public var files: SimplePreference = .init(allow: .always)
    /// Audio and video calls.
    public var calls: SimplePreference
    /// Chat sessions; nothing uses them yet.
    public var sessions: SimplePreference = .init(allow: .no)
    /// The menu of a bot.
    public var commands: [BotCommand] = []

    /// The preferences where nothing is set.
    public static let defaults = FullChatPreferences(
        timedMessages: .init(allow: .yes), fullDelete: .init(allow: .no), reactions: .init(allow: .yes),
        voice: .init(allow: .yes), calls: .init(allow: .yes))

    /// The preferences with defaults where nothing is set.
    public init(_ preferences: ChatPreferences?) { self.init(merging: nil, over: preferences) }

    /// Preferences that are set for a contact, over those of the user's profile, over the defaults.
    ///
    /// - Parameter usesProfileTTL: Whether messages of a contact without a time to live of its own take the profile's.
    public init(
        merging contact: ChatPreferences?, over profile: ChatPreferences?, usesProfileTTL: Bool = true
    ) {
        func pick<Value>(_ path: (ChatPreferences) -> Value?, _ fallback: Value) -> Value {
            contact.flatMap(path) ?? profile.flatMap(path) ?? fallback
        }
        let defaults = Self.defaults
        timedMessages = pick(\.timedMessages, defaults.timedMessages)
        if !usesProfileTTL { timedMessages.ttl = contact?.timedMessages?.ttl }
        fullDelete = pick(\.fullDelete, defaults.fullDelete)
        reactions = pick(\.reactions, defaults.reactions)
        voice = pick(\.voice, defaults.voice)
        files = pick(\.files, defaults.files)
        calls = pick(\.calls, defaults.calls)
        sessions = pick(\.sessions, defaults.sessions)
        commands = pick(\.commands, defaults.commands)
        if let contact { unknownMembers = contact.unknownMembers }
        if let profile { UnknownMembers.add(profile.unknownMembers, to: &unknownMembers) }
    }

    /// The same preferences, all set.
    public var preferences: ChatPreferences {
        var preferences = ChatPreferences(
            timedMessages: timedMessages, fullDelete: fullDelete, reactions: reactions, voice: voice, files: files,
            calls: calls, sessions: sessions, commands: commands)
        preferences.unknownMembers = unknownMembers
        return preferences
    }

    /// The preference for a feature, with the time to live where it has one.
    public subscript(_ feature: ChatFeature) -> TimedMessagesPreference {
        switch feature {
        case .timedMessages: timedMessages
        case .fullDelete: .init(fullDelete)
        case .reactions: .init(reactions)
        case .voice: .init(voice)
        case .files: .init(files)
        case .calls: .init(calls)
        case .sessions: .init(sessions)
        }
    }
}
