package import ChatAPI
package import ChatProtocol

extension User {
    /// The profile that a contact is shown: the general or an incognito one, with all preferences filled in.
    ///
    /// - Parameters:
    ///   - incognito: The random profile of the connection.
    ///   - contactPreferences: The preferences for this contact.
    ///   - usesProfileTTL: Whether a contact without a time to live of its own takes the general one.
    package func sharedProfile(incognito: Profile?, contactPreferences: ChatPreferences?, usesProfileTTL: Bool) -> Profile {
        var shared = incognito ?? profile.published
        var general = profile.preferences
        if incognito != nil {
            // What the profile allows does not show through an incognito one, but for the time to live.
            var preferences = FullChatPreferences.defaults
            preferences.timedMessages.ttl = general?.timedMessages?.ttl
            general = preferences.preferences
        }
        shared.preferences = FullChatPreferences(merging: contactPreferences, over: general, usesProfileTTL: usesProfileTTL).preferences
        return shared
    }
}

extension Profile {
    /// Tells whether something other than preferences changed that contacts see.
    package func differsVisibly(from other: Profile) -> Bool {
        displayName != other.displayName || fullName != other.fullName || shortDescription != other.shortDescription
            || image != other.image || contactLink != other.contactLink
    }
}
