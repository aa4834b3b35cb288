extension GroupPreferences {
    /// The preferences of a business chat, which is a group: made of the preferences of the business' profile.
    public static func business(_ preferences: ChatPreferences) -> GroupPreferences {
        func enable(_ allow: FeatureAllowed?, _ fallback: GroupFeatureEnabled) -> GroupFeatureEnabled {
            allow.map { $0 == .no ? .off : .on } ?? fallback
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
}
