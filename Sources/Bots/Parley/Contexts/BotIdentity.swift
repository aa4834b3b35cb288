public import ChatAPI

/// Which bot a handler runs for.
public struct BotIdentity: Sendable, Hashable {
    /// The id under which the bot's profile is found again at the next start.
    public let id: String
    /// The display name.
    public let name: String
    /// The bot's profile in the core.
    public let userID: UserID
    /// The names in ``Bot/trustedContacts``.
    package let trustedContacts: Set<String>

    package init(id: String, name: String, userID: UserID, trustedContacts: [String] = []) {
        self.id = id
        self.name = name
        self.userID = userID
        self.trustedContacts = Set(trustedContacts)
    }
}
