public import ChatAPI

/// The profiles and servers, once every bot has started.
public struct HostReady: Sendable {
    /// One bot.
    public struct Profile: Sendable {
        /// The id.
        public let id: String
        /// The name.
        public let name: String
        /// The full address; nil for a bot without one.
        public let address: String?
        /// The short address, which fits a small QR code.
        public let shortAddress: String?
        /// The bot, with everything that it can do: to send from other tasks of the program.
        public let client: BotClient
        /// The groups that the bot keeps, in the order of ``Bot/groups``.
        public let managedGroups: [Group]
        /// The channels that the bot keeps and that are made already. Those whose relays cannot be reached yet are missing.
        public internal(set) var managedChannels: [Group] = []
        /// The invitations of the ``Bot/trustedContacts`` that have not been used yet.
        public let invitations: [Invitation]
        /// The chats of the bot, as they are from now on.
        public var chats: BotChats { client.chats }
        /// All groups of the bot, as they are from now on.
        public var groups: BotGroups { client.groups }
    }

    /// A link by which a trusted contact connects, once.
    public struct Invitation: Sendable, Hashable {
        /// The name in ``Bot/trustedContacts``.
        public let name: String
        /// The link, the short one if there is one. The first person who uses it becomes the contact.
        public let link: String
    }

    /// A group that a bot keeps.
    public struct Group: Sendable, Hashable {
        /// The id of the ``ManagedGroup``.
        public let id: String
        /// The display name.
        public let name: String
        /// The id by which commands name the group.
        public let groupID: GroupID
        /// The link by which people join, the short one if there is one; nil for a group without a link.
        public let link: String?
    }

    /// The profiles.
    public let profiles: [Profile]
    /// The routers that the bots use; of the preset operators' routers each profile uses some, and they are not listed.
    public let servers: [String]
    /// The file routers that the bots use.
    public let fileServers: [String]
}
