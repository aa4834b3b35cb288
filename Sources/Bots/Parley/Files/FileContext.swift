public import ChatAPI
internal import ChatProtocol

/// A file that has come.
public struct FileContext: ChatContext {
    /// The chat.
    public let chat: BotChat
    /// The message of the file.
    public let item: ChatItem
    /// The file.
    public let file: ReceivedFile

    /// The person who sent it.
    public var person: PersonID { chat.person(of: item) }
    /// The member who sent it; nil in a chat with a contact.
    public var member: BotMember? { chat.member(of: item) }
}

/// A transfer of a file that failed.
public struct FileFailureContext: ChatContext {
    /// The chat.
    public let chat: BotChat
    /// The message of the file.
    public let item: ChatItem
    /// The reason.
    public let error: BotFileError

    /// The sender of the file. For the bot's own transfers, the person of the chat.
    public var person: PersonID { chat.person(of: item) }
    /// The member who sent the file; nil for the bot's own transfers and in a chat with a contact.
    public var member: BotMember? { chat.member(of: item) }
    /// The file; nil if the message has lost it.
    public var attachment: Attachment? { item.file.map(Attachment.init) }
    /// True for a received file, false for a sent one.
    public var isReceived: Bool { item.direction.isReceived }
}

extension Trigger where Context == FileContext {
    /// A file that the bot accepted has come: by ``MessageContext/file(within:upTo:from:progress:)``, or by ``Bot/fileReception``.
    ///
    /// The event is reported once, and not again after a crash. If you must not miss a file, receive it in the handler of its message.
    public static var fileReceived: Self { Self(.file, in: .all) { $0.file } }
}

extension Trigger where Context == FileFailureContext {
    /// A transfer has failed, of a file that the bot sent or was to receive, or was cancelled by the other side.
    public static var fileFailed: Self { Self(.file, in: .all) { $0.fileFailure } }
}
