/// For which sides of a direct chat a feature is enabled.
@JSONMembers
public struct PreferenceEnabled: Hashable, JSONObjectConvertible {
    /// True if the user may use it.
    public var forUser: Bool
    /// True if the contact may use it.
    public var forContact: Bool

    /// Combines the preferences of both sides.
    ///
    /// - Parameter isAsymmetric: Whether the feature may be enabled for one side only: for the one that does not allow it,
    ///   when the other always does.
    public init(user: FeatureAllowed, contact: FeatureAllowed, isAsymmetric: Bool) {
        // What newer clients say is as good as no.
        switch (user.isAllowed ? user : .no, contact.isAllowed ? contact : .no) {
        case (.always, .no): self.init(forUser: false, forContact: isAsymmetric)
        case (.no, .always): self.init(forUser: isAsymmetric, forContact: false)
        case (.no, _), (_, .no): self.init(forUser: false, forContact: false)
        default: self.init(forUser: true, forContact: true)
        }
    }
}

/// A user's preference for one contact: set for it, or taken from the user's profile.
public enum ContactUserPreferenceSource<Preference: JSONConvertible & Hashable>: Hashable, JSONObjectConvertible {
    case contact(Preference)
    case user(Preference)

    /// The preference, wherever it comes from.
    public var preference: Preference {
        switch self {
        case .contact(let preference), .user(let preference): preference
        }
    }

    /// Reads the members of an object.
    public init(object: JSONObject) throws(JSONError) {
        switch try object.required("type", as: String.self) {
        case "contact": self = .contact(try object.required("preference"))
        case "user": self = .user(try object.required("preference"))
        default: throw JSONError(.invalidValue, "the type of a preference is contact or user", path: ["type"])
        }
    }

    /// Sets the members of an object.
    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .contact: object.add("type", "contact")
        case .user: object.add("type", "user")
        }
        object.add("preference", preference)
    }
}

/// The state of a feature between the user and one contact.
@JSONMembers
public struct ContactUserPreference<Preference: JSONConvertible & Hashable>: Hashable, JSONObjectConvertible {
    /// For which sides the feature is enabled.
    public var enabled: PreferenceEnabled
    /// The user's preference.
    public var userPreference: ContactUserPreferenceSource<Preference>
    /// The contact's preference.
    public var contactPreference: Preference
}

/// The states of all features between the user and one contact.
@JSONMembers
public struct ContactUserPreferences: Hashable, JSONObjectConvertible {
    /// Messages that disappear.
    public var timedMessages: ContactUserPreference<TimedMessagesPreference>
    /// Deleting sent messages for both sides.
    public var fullDelete: ContactUserPreference<SimplePreference>
    /// Reactions to messages.
    public var reactions: ContactUserPreference<SimplePreference>
    /// Voice messages.
    public var voice: ContactUserPreference<SimplePreference>
    /// Files and media.
    public var files: ContactUserPreference<SimplePreference>
    /// Audio and video calls.
    public var calls: ContactUserPreference<SimplePreference>
    /// Chat sessions; nothing uses them yet.
    public var sessions: ContactUserPreference<SimplePreference>
    /// The menu of the contact, if it is a bot.
    public var commands: [BotCommand]?

    /// Merges what both sides have set.
    ///
    /// - Parameters:
    ///   - user: The preferences of the user's profile.
    ///   - userForContact: What the user has set for this contact.
    ///   - contact: The preferences that the contact has sent in its profile.
    ///   - isIncognito: Whether the contact knows the user by an incognito profile: then the user's profile does not count.
    public init(
        user: ChatPreferences?, userForContact: ChatPreferences, contact: ChatPreferences?, isIncognito: Bool
    ) {
        let userFull = FullChatPreferences(
            merging: userForContact, over: isIncognito ? nil : user, usesProfileTTL: false)
        let contactFull = FullChatPreferences(contact)
        let userForContactFull = FullChatPreferences(userForContact)

        func merge<Preference: JSONConvertible & Hashable>(
            _ feature: ChatFeature, _ set: (ChatPreferences) -> Preference?, _ full: (FullChatPreferences) -> Preference
        ) -> ContactUserPreference<Preference> {
            let source: ContactUserPreferenceSource<Preference>
            if isIncognito {
                source = .contact(full(userForContactFull))
            } else {
                source = set(userForContact).map { .contact($0) } ?? .user(full(userFull))
            }
            let enabled = PreferenceEnabled(
                user: userFull[feature].allow, contact: contactFull[feature].allow, isAsymmetric: feature.isAsymmetric)
            return ContactUserPreference(enabled: enabled, userPreference: source, contactPreference: full(contactFull))
        }

        timedMessages = merge(.timedMessages, \.timedMessages, \.timedMessages)
        fullDelete = merge(.fullDelete, \.fullDelete, \.fullDelete)
        reactions = merge(.reactions, \.reactions, \.reactions)
        voice = merge(.voice, \.voice, \.voice)
        files = merge(.files, \.files, \.files)
        calls = merge(.calls, \.calls, \.calls)
        sessions = merge(.sessions, \.sessions, \.sessions)
        commands = contact?.commands
    }

    /// For which sides a feature is enabled.
    public func enabled(_ feature: ChatFeature) -> PreferenceEnabled {
        switch feature {
        case .timedMessages: timedMessages.enabled
        case .fullDelete: fullDelete.enabled
        case .reactions: reactions.enabled
        case .voice: voice.enabled
        case .files: files.enabled
        case .calls: calls.enabled
        case .sessions: sessions.enabled
        }
    }
}
