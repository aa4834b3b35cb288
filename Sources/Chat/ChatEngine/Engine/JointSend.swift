import ChatAPI

/// A command that sends messages to a contact and can run together with others that do.
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

/// Commands in the order in which they run.
enum CommandGroup: Sendable {
    case single(ChatCommand)
    /// Two or more that send to one contact.
    case joint([JointSend], to: ContactID)

    /// Commands in a group at most: it is one transaction, behind which everything else waits.
    static let largest = 256

    /// Puts those together that follow each other and send to one contact.
    static func groups(of commands: [ChatCommand]) -> [CommandGroup] {
        var groups: [CommandGroup] = []
        for command in commands {
            guard let send = JointSend(command) else {
                groups.append(.single(command))
                continue
            }
            switch groups.popLast() {
            case .joint(var sends, let contact) where contact == send.contact && sends.count < largest:
                sends.append(send)
                groups.append(.joint(sends, to: contact))
            case .single(let before):
                if let first = JointSend(before), first.contact == send.contact {
                    groups.append(.joint([first, send], to: send.contact))
                } else {
                    groups += [.single(before), .single(command)]
                }
            case let last?: groups += [last, .single(command)]
            case nil: groups.append(.single(command))
            }
        }
        return groups
    }
}
