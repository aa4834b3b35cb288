package import GRDB

// The tables of the chat store.

extension Database {
    /// Profiles of this program.
    package var users: UserTable { UserTable(db: self) }
    /// Profiles of people, and the local names that are taken.
    package var profiles: ProfileTable { ProfileTable(db: self) }
    /// Contacts.
    package var contacts: ContactTable { ContactTable(db: self) }
    /// Connections with contacts and members, and those of addresses and links.
    package var connections: ConnectionTable { ConnectionTable(db: self) }
    /// Addresses of profiles.
    package var addresses: AddressTable { AddressTable(db: self) }
    /// Requests of people to become contacts.
    package var contactRequests: ContactRequestTable { ContactRequestTable(db: self) }
    /// Probes, by which contacts and members find out that they are one person.
    package var probes: ProbeTable { ProbeTable(db: self) }
    /// Groups and channels.
    package var groups: GroupTable { GroupTable(db: self) }
    /// Links by which people join groups.
    package var groupLinks: GroupLinkTable { GroupLinkTable(db: self) }
    /// Members of groups.
    package var members: MemberTable { MemberTable(db: self) }
    /// Chats of moderators with one member.
    package var supportChats: SupportChatTable { SupportChatTable(db: self) }
    /// Messages that wait for the connection with a member.
    package var pendingMessages: PendingMessageTable { PendingMessageTable(db: self) }
    /// Identifiers of group messages, by which a copy is known.
    package var receivedMessages: ReceivedMessageTable { ReceivedMessageTable(db: self) }
    /// Items of chats.
    package var items: ItemTable { ItemTable(db: self) }
    /// Pages of chats, and the list of chats.
    package var pages: PageTable { PageTable(db: self) }
    /// Reactions to items.
    package var reactions: ReactionTable { ReactionTable(db: self) }
    /// States of sent items at each member.
    package var itemStatuses: ItemStatusTable { ItemStatusTable(db: self) }
    /// Deletions by moderators of messages that have not come.
    package var moderations: ModerationTable { ModerationTable(db: self) }
    /// Relays of channels, and tests of relays.
    package var relays: RelayTable { RelayTable(db: self) }
    /// Rosters of channels.
    package var rosters: RosterTable { RosterTable(db: self) }
    /// Introductions of authors by this relay.
    package var introductions: IntroductionTable { IntroductionTable(db: self) }
    /// Posts that this relay forwards, and to whom.
    package var relayWork: RelayWorkTable { RelayWorkTable(db: self) }
    /// The usage of quotas at this relay, by channel.
    package var relayUsage: RelayUsageTable { RelayUsageTable(db: self) }
    /// Files of items.
    package var files: FileTable { FileTable(db: self) }
    /// Chunks of files that come inside messages.
    package var inlineChunks: InlineChunkTable { InlineChunkTable(db: self) }
    /// Messages that wait for the agent.
    package var deliveries: DeliveryTable { DeliveryTable(db: self) }
    /// Requests to the agent that survive a restart.
    package var jobs: JobTable { JobTable(db: self) }
    /// The results of resolving the domains of contacts and groups.
    package var resolvedDomains: ResolvedDomainTable { ResolvedDomainTable(db: self) }
    /// Members of received JSON that this version does not know.
    package var keptMembers: KeptMembersTable { KeptMembersTable(db: self) }
    /// Outcomes of commands that are performed once.
    package var commands: CommandTable { CommandTable(db: self) }
    /// Events of the agent that have been counted.
    package var countedEvents: CountedEventTable { CountedEventTable(db: self) }
    /// Events and jobs that crashed the program.
    package var quarantine: QuarantineTable { QuarantineTable(db: self) }
    /// Tags of chats.
    package var tags: TagTable { TagTable(db: self) }
    /// Folders of notes.
    package var notes: NoteFolderTable { NoteFolderTable(db: self) }
    /// Settings of the program.
    package var settings: SettingTable { SettingTable(db: self) }
    /// Routers and relays that profiles use.
    package var servers: ServerTable { ServerTable(db: self) }
    /// Operators of routers, and their conditions.
    package var operators: OperatorTable { OperatorTable(db: self) }
}
