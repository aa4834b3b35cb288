extension GroupPreferences {
    /// The preferences of a business chat, which is a group: made of the preferences of the business' profile.
    public static func business(_ preferences: ChatPreferences) -> GroupPreferences {
        func enable(_ allow: FeatureAllowed?, _ fallback: GroupFeatureEnabled) -> GroupFeatureEnabled {
            allow.map { $0.isAllowed ? .on : .off } ?? fallback
        }
        return GroupPreferences(
            timedMessages: .init(enable: enable(preferences.timedMessages?.allow, .off), ttl: preferences.timedMessages?.ttl),
            directMessages: .init(enable: .off),
            fullDelete: .init(enable: enable(preferences.fullDelete?.allow, .off)),
            reactions: .init(enable: enable(preferences.reactions?.allow, .on)),
            voice: .init(enable: enable(preferences.voice?.allow, .off)),
            files: .init(enable: enable(preferences.files?.allow, .on)),
            simplexLinks: .init(enable: .on),
            reports: .init(enable: .off),
            history: .init(enable: .on),
            support: .init(enable: .on),
            sessions: .init(enable: enable(preferences.sessions?.allow, .off)),
            comments: .init(enable: .off),
            commands: preferences.commands)
    }

    /// The preferences of the business chats of a profile; those of a profile that sets none differ in what is deleted and in sessions.
    public static func business(of profile: Profile) -> GroupPreferences {
        if let preferences = profile.preferences { return business(preferences) }
        var preferences = business(ChatPreferences())
        preferences.fullDelete = .init(enable: .on, role: .moderator)
        preferences.sessions = .init(enable: .on)
        return preferences
    }
}
