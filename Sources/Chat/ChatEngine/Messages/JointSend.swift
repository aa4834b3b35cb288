import ChatAPI

/// A command that sends messages to a contact or a group and can run together with others that send there.
struct JointSend: Sendable {
    var target: SendTarget
    var messages: [ComposedMessage]
    var ttl: Int?

    /// nil for any other command, for messages that are shown while they are typed, which go at once and alone, and for signed ones.
    init?(_ command: ChatCommand) {
        guard case .messages(.send(let target, let messages, live: false, let ttl, signed: false)) = command else { return nil }
        self.target = target
        self.messages = messages
        self.ttl = ttl
    }
}

/// Commands in the order in which they run.
enum CommandGroup: Sendable {
    case single(ChatCommand)
    /// Two or more that send to one contact or group.
    case joint([JointSend], to: SendTarget)

    /// The maximum number of commands in a group: it is one transaction, for which everything else waits.
    static let largest = 256

    /// Puts those together that follow each other and send to one contact or group.
    static func groups(of commands: [ChatCommand]) -> [CommandGroup] {
        var groups: [CommandGroup] = []
        for command in commands {
            guard let send = JointSend(command) else {
                groups.append(.single(command))
                continue
            }
            switch groups.popLast() {
            case .joint(var sends, let target) where target == send.target && sends.count < largest:
                sends.append(send)
                groups.append(.joint(sends, to: target))
            case .single(let before):
                if let first = JointSend(before), first.target == send.target {
                    groups.append(.joint([first, send], to: send.target))
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

extension SendTarget {
    /// True for messages in the name of the group.
    var isAsGroup: Bool { if case .group(_, _, asGroup: true) = self { true } else { false } }
}
