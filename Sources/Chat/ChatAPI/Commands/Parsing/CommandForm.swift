import ChatProtocol

/// One way to write a command: words that it begins with, and how to read the rest.
struct CommandForm: Sendable {
    let beginnings: [[UInt8]]
    let read: @Sendable (inout CommandReader) throws(CommandMismatch) -> ChatCommand

    /// - Parameter beginnings: The words, any of which may begin the command.
    init(
        _ beginnings: String..., read: @escaping @Sendable (inout CommandReader) throws(CommandMismatch) -> ChatCommand
    ) {
        self.init(beginnings, read: read)
    }

    /// - Parameter beginnings: The words, any of which may begin the command.
    init(
        _ beginnings: [String], read: @escaping @Sendable (inout CommandReader) throws(CommandMismatch) -> ChatCommand
    ) {
        self.beginnings = beginnings.map { Array($0.utf8) }
        self.read = read
    }

    /// All forms, by topic. Every form must read a text to its end, so few texts fit more than one; the first one counts.
    static let all: [CommandForm] =
        UserCommand.forms + CoreCommand.forms + DatabaseCommand.forms + ChatsCommand.forms + MessageCommand.forms
        + ContactCommand.forms + ConnectionCommand.forms + AddressCommand.forms + GroupCommand.forms + FileCommand.forms
        + ServerCommand.forms + CallCommand.forms + DeviceCommand.forms + ConsoleCommand.forms
}

extension [CommandForm] {
    /// The command that a text is, by the first form that fits all of it.
    func parse(_ text: String, for version: APIVersion = .newest) -> ChatCommand? {
        var bytes = [UInt8](text.utf8)
        while let last = bytes.last, CommandReader.isSpace(last) { bytes.removeLast() }
        for form in self {
            for beginning in form.beginnings where bytes.starts(with: beginning) {
                var reader = CommandReader(bytes: bytes, position: beginning.count, version: version)
                if let command = reader.optional(form.read), reader.isAtEnd { return command }
            }
        }
        return nil
    }
}
