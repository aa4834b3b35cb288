import ChatProtocol

/// The menu of a bot as people write it: `'Help':/help,'Menu':{'Order':'order <id>'}`.
enum BotCommandText {
    static func print(_ commands: [BotCommand]) -> String {
        commands.compactMap { command in
            switch command {
            case .command(let keyword, let label, let parameters, _):
                "\(quoted(label)):\(quoted(([keyword] + [parameters].compactMap(\.self)).joined(separator: " "), else: "/"))"
            case .menu(let label, let commands, _): "\(quoted(label)):{\(print(commands))}"
            // People have no form for entries of newer clients.
            case .unknown: nil
            }
        }.joined(separator: ",")
    }

    /// In quotes, unless it contains a quote: such a text is unchanged, after a mark.
    private static func quoted(_ text: String, else mark: String = "") -> String {
        text.utf8.contains(UInt8(ascii: "'")) ? mark + text : "'\(text)'"
    }

    /// The maximum depth of menus in menus.
    static let maximumDepth = 16
}

extension CommandReader {
    /// Commands with commas between them.
    mutating func botCommands(depth: Int = 0) throws(CommandMismatch) -> [BotCommand] {
        guard depth < BotCommandText.maximumDepth else { throw CommandMismatch() }
        var commands: [BotCommand] = []
        repeat { commands.append(try botCommand(depth: depth)) } while skip(",")
        return commands
    }

    private mutating func botCommand(depth: Int) throws(CommandMismatch) -> BotCommand {
        let label = try quoted() ?? take { $0 != UInt8(ascii: ":") }
        guard skip(":"), !label.isEmpty else { throw CommandMismatch() }
        if skip("{") {
            let commands = next == UInt8(ascii: "}") ? [] : try botCommands(depth: depth + 1)
            try expect("}")
            return .menu(label: label, commands: commands)
        }
        _ = skip("/")
        let text = try quoted() ?? take { !":,}".utf8.contains($0) }
        let words = text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map(String.init)
        guard let keyword = words.first else { throw CommandMismatch() }
        let parameters = words.dropFirst().joined(separator: " ")
        return .command(keyword: keyword, label: label, params: parameters.isEmpty ? nil : parameters)
    }

    private mutating func quoted() throws(CommandMismatch) -> String? {
        guard skip("'") else { return nil }
        let text = take { $0 != UInt8(ascii: "'") }
        try expect("'")
        return text
    }
}
