import ChatAPI
import ChatProtocol

extension User {
    /// The preferences for a new contact: both sides that let messages disappear agree on the longer time.
    func preferences(forNewContact profile: Profile) -> ChatPreferences {
        let own = fullPreferences.timedMessages
        guard let offered = profile.preferences?.timedMessages, own.allow != .no, offered.allow != .no,
            let ttl = [own.ttl, offered.ttl].compactMap({ $0 }).max()
        else { return ChatPreferences() }
        return ChatPreferences(timedMessages: TimedMessagesPreference(allow: own.allow, ttl: ttl))
    }
}
