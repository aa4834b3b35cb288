public import ChatProtocol

/// A command to a core. The commands are those of the official API, sorted by subject.
///
/// Commands that take `user` as an optional mean the active profile when it is nil.
public enum ChatCommand: Sendable, Hashable {
    /// Profiles.
    case users(UserCommand)
    /// The core itself.
    case core(CoreCommand)
    /// Databases and archives.
    case database(DatabaseCommand)
    /// Chats: lists, pages, tags, settings.
    case chats(ChatsCommand)
    /// Messages: send, edit, delete, react, forward.
    case messages(MessageCommand)
    /// Contacts.
    case contacts(ContactCommand)
    /// Links, and connecting by them.
    case connections(ConnectionCommand)
    /// The address of a profile, and requests that come by it.
    case address(AddressCommand)
    /// Groups and channels.
    case groups(GroupCommand)
    /// Files.
    case files(FileCommand)
    /// Servers and the network.
    case servers(ServerCommand)
    /// Calls.
    case calls(CallCommand)
    /// Controlling between devices.
    case devices(DeviceCommand)
    /// Commands for people at a console, who name chats instead of giving ids.
    case console(ConsoleCommand)
    /// Text that the core gets unchanged. Parsing never makes it, and Parley's cores refuse it.
    case raw(String)
}

extension ChatCommand {
    /// The command in the official syntax.
    public var commandString: String {
        switch self {
        case .users(let command): command.commandString
        case .core(let command): command.commandString
        case .database(let command): command.commandString
        case .chats(let command): command.commandString
        case .messages(let command): command.commandString
        case .contacts(let command): command.commandString
        case .connections(let command): command.commandString
        case .address(let command): command.commandString
        case .groups(let command): command.commandString
        case .files(let command): command.commandString
        case .servers(let command): command.commandString
        case .calls(let command): command.commandString
        case .devices(let command): command.commandString
        case .console(let command): command.commandString
        case .raw(let text): text
        }
    }

    /// Reads a command in the official syntax. White space after it is allowed, before it not.
    ///
    /// - Parameter version: The version of the API of the program. Commands of newer versions are read as well; what differs is what older ones require.
    /// - Throws: `commandError` with the message `Failed reading: empty`, as the official core answers, for everything that is
    ///   not a command: whatever is wrong with it, and also for commands that we do not have.
    public init(parsing text: String, for version: APIVersion = .newest) throws(ChatError) {
        guard let command = CommandForm.all.parse(text, for: version) else { throw .notACommand }
        self = command
    }
}

extension ChatError {
    /// The answer to text that is not a command.
    public static let notACommand = ChatError.chat(error: .commandError(message: "Failed reading: empty"))
}
