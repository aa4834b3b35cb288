import ChatAPI

/// A command that sends messages to a contact and can be carried out together with others that do.
struct JointSend: Sendable {
    var contact: ContactID
    var messages: [ComposedMessage]
    var ttl: Int?

    /// nil for any other command, and for messages that are shown while they are typed: those go at once and alone.
    init?(_ command: ChatCommand) {
        guard case .messages(.send(.direct(let contact), let messages, live: false, let ttl)) = command else { return nil }
        self.contact = contact
        self.messages = messages
        self.ttl = ttl
    }
}

/// Commands as they are carried out, in their order.
enum CommandGroup: Sendable {
    case single(ChatCommand)
    /// Two or more that send to one contact.
    case joint([JointSend], to: ContactID)

    /// Puts those together that follow each other and send to one contact.
    static func groups(of commands: [ChatCommand]) -> [CommandGroup] {
        commands.reduce(into: []) { groups, command in
            guard let send = JointSend(command) else { return groups.append(.single(command)) }
            switch groups.last {
            case .joint(let sends, let contact) where contact == send.contact:
                groups[groups.count - 1] = .joint(sends + [send], to: contact)
            case .single(let before):
                if let first = JointSend(before), first.contact == send.contact {
                    groups[groups.count - 1] = .joint([first, send], to: send.contact)
                } else {
                    groups.append(.single(command))
                }
            default: groups.append(.single(command))
            }
        }
    }
}
