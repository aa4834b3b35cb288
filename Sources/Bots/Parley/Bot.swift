/// A bot: a profile of its own on the network, and handlers of events.
///
/// ```swift
/// let bot = Bot("Echo") {
///     On(.text) { message in try await message.reply("You said: \(message.text)") }
/// }
/// await bot.run()
/// ```
///
/// Many bots can live in one process: give them to a ``BotHost``.
public struct Bot: Sendable {
    /// The id under which the bot's profile is found again at the next start. Keep it when the name changes.
    public let id: String
    /// The profile that contacts see.
    public var profile: BotProfile
    /// The settings of the address.
    public var address: BotAddress
    /// Groups that are made at the start if they are not there.
    public var groups: [ManagedGroup] = []
    /// Channels that are made if they are not there, once the bot runs.
    public var channels: [ManagedChannel] = []
    /// People, groups and channels that the bot connects to once it runs, each by a link or a name such as `@ann.simplex` and `#news.simplex`. What cannot be
    /// reached, or is not registered yet, is tried again. The bot does not come back to a group that it was removed from.
    public var connections: [String] = []
    /// True for a bot whose profile relays channels for others: owners name its address, and it forwards their posts. At most one bot of a process can
    /// be a relay, and the kind of a profile cannot change.
    public var isRelay = false
    /// The answer to an invitation to relay for a channel, which the limits of ``HostRelay`` permit; nil to accept each. An invitation is shown again
    /// if the answer fails or the process ends.
    public var answersChannelInvitation: (@Sendable (ChannelInvitation) async throws -> ChannelInvitationAnswer)?
    /// True if handlers run while the profile is muted (`/_mute user`). If they do not, events of this time count as handled; contact requests
    /// wait, and are handled at the first start after the profile is unmuted.
    public var handlesEventsWhenMuted = false
    /// The files that the bot receives on its own, for ``Trigger/fileReceived``; nil for none. Handlers receive others by
    /// ``MessageContext/file(within:upTo:from:progress:)``.
    public var fileReception: FileReception?
    /// The people whose identity the bot has verified, under names that the author of the bot chooses: for example, people who may publish or moderate.
    ///
    /// People choose their display names, and the first person with a name has it. For each trusted contact the bot makes a one-time link at its start, which
    /// ``HostReady/Profile/invitations`` has until somebody connects by it: give it to that person over a channel that you trust. Then
    /// ``ItemContext/trustedName`` tells the name, whatever the person is called on the network.
    ///
    /// The name belongs to the connection that the link has made, and to the member that joins a group by an invitation which the bot sends over it. Nothing
    /// that others send moves it. The name is the contact's alias, too, which only the owner of the profile sees.
    public var trustedContacts: [String] = []
    /// The retention of messages of the bot's chats in the data folder; nil for the setting of the profile, which at first keeps them.
    public var retention: MessageRetention?
    /// The pace at which the bot sends messages.
    public var pace = SendingPace()
    /// The fixed texts of the framework that people read in chats with the bot.
    public var texts = BotTexts()
    /// Work beside the handlers, from the start on until the task is cancelled: it runs outside of their limits, and stores its changes at once.
    package var background: [@Sendable (BotClient) async -> Void] = []
    /// Undoes a case for the operator, if the bot's cases are not those of ``BotGroup/undoCase(_:by:)``; returns a sentence about it.
    package var undoCase: (@Sendable (BotClient, BotGroup, Int) async throws -> String)?
    /// True if handlers judge what messages quote: whether the chat has it is looked up then (``MessageContext/foreignQuote``).
    package var checksQuotes = false
    let handlers: [On]
    /// Middleware that sees every event before a handler is looked for, the first outermost.
    let beforeMatching: [Middleware]

    /// - Parameters:
    ///   - name: the display name that people see.
    ///   - id: see ``id``; the name if it is not given.
    ///   - bio: a line about the bot; at most 160 bytes.
    ///   - address: who may connect, and the text for new contacts.
    public init(
        _ name: String, id: String? = nil, bio: String? = nil, address: BotAddress = .automatic(welcome: nil),
        @HandlerBuilder handlers: () -> Handlers
    ) {
        self.id = id ?? name
        profile = BotProfile(name: name, bio: bio)
        self.address = address
        let block = handlers()
        self.handlers = block.handlers
        beforeMatching = block.beforeMatching
    }

    /// The commands that the apps show in a chat with the bot, in the order of the handlers.
    public var menu: [MenuCommand] { handlers.filter { $0.kinds.contains(.contacts) }.flatMap(\.menu) }

    /// The commands that the apps show in the groups of the bot.
    public var groupMenu: [MenuCommand] { handlers.filter { $0.kinds.contains(.groups) }.flatMap(\.menu) }

    /// The commands that have a label, for the help.
    var commandHelp: [CommandHelp] {
        handlers.flatMap { handler in
            handler.menu.map { CommandHelp(keyword: $0.keyword, label: $0.label, parameters: $0.parameters, kinds: handler.kinds) }
        }
    }

    /// The errors in the bot as it is written: patterns and schedules that cannot be read, commands that occur twice, unreachable handlers, handlers
    /// of requests that the bot's address answers by itself. Empty when the bot can run.
    ///
    /// The rights that a bot has in a group are known in the group only: an action that its role does not permit throws `error.groupUserRole`.
    public var validationErrors: [HandlerFault] { HandlerValidation.faults(of: handlers) + HandlerValidation.requestFaults(of: self) }
}

/// The profile that people see of a bot.
public struct BotProfile: Sendable, Hashable {
    /// The display name.
    public var name: String
    /// A line about the bot; at most 160 bytes.
    public var bio: String?
    /// A picture as a `data:image/jpg;base64,…` URI, at most 12,500 characters.
    public var image: String?

    /// Creates the value from its parts.
    public init(name: String, bio: String? = nil, image: String? = nil) {
        self.name = name
        self.bio = bio
        self.image = image
    }
}

/// The time for which messages are kept.
public enum MessageRetention: Sendable, Hashable {
    /// Messages stay until something else deletes them.
    case unlimited
    /// Messages are deleted from the data folder when they are older; a second is the shortest time. Others keep theirs, and files stay in the folder.
    case deleting(after: Duration)

    /// Seconds; 0 for no limit.
    var seconds: Int64 {
        switch self {
        case .unlimited: 0
        case .deleting(let time): max(time.components.seconds, 1)
        }
    }
}

/// The address of a bot, by which people connect to it.
public enum BotAddress: Sendable, Hashable {
    /// The bot has an address and accepts every request.
    ///
    /// - Parameter welcome: the first message to a new contact.
    case automatic(welcome: String?)
    /// The bot has an address, and ``Trigger/contactRequest`` handlers decide.
    case manual(welcome: String?)
    /// The bot has an address, and each person who connects by it gets a chat to which colleagues can be added: a group of the kind
    /// ``ChatKinds/businessChats``.
    ///
    /// - Parameter welcome: the first message to a new customer.
    case business(welcome: String?)
    /// The bot has no address.
    case none

    /// The message to a new contact.
    public var welcome: String? {
        switch self {
        case .automatic(let welcome), .manual(let welcome), .business(let welcome): welcome
        case .none: nil
        }
    }
}
