public import ChatAPI

/// The id of somebody within a bot: a contact, or a member of a group. The same at every start.
public struct PersonID: Sendable, Hashable, CustomStringConvertible {
    /// A textual form: `@4` for a contact, `#3/17` for a member of a group.
    public let description: String

    /// The id of a contact.
    public static func contact(_ id: ContactID) -> PersonID { PersonID(description: "\(ChatReference.direct(id))") }

    /// The id of a member of a group.
    public static func member(_ id: GroupMemberID, of group: GroupID) -> PersonID { PersonID(description: "\(ChatReference.group(group))/\(id)") }
}

/// The part of a bot's world that a stored value belongs to.
public struct StateScope: Sendable, Hashable {
    enum Target: Sendable, Hashable {
        case bot, chat, person
        case named(String)
    }

    let target: Target

    /// One value for the whole bot.
    public static let bot = StateScope(target: .bot)
    /// One value for the chat of the event.
    public static let chat = StateScope(target: .chat)
    /// One value for the person that the event is about. In a chat with a contact it is the same as ``chat``.
    public static let person = StateScope(target: .person)

    /// One value for a chat of the bot.
    public static func chat(_ chat: ChatReference) -> StateScope { StateScope(target: .named("\(chat)")) }

    /// One value for a person.
    public static func person(_ person: PersonID) -> StateScope { StateScope(target: .named(person.description)) }

    /// One value for a message that is being typed.
    package static func live(_ message: ChatItemID, in chat: ChatReference) -> StateScope { StateScope(target: .named("live/\(chat)/\(message)")) }
}
