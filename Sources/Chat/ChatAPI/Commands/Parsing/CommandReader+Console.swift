import ChatProtocol

extension CommandReader {
    /// `@name`, `#name`, `:name` or `*`.
    mutating func chatName() throws(CommandMismatch) -> ChatName {
        let type = try chatType()
        return ChatName(chatType: type, name: type == .local ? "" : try displayName())
    }

    /// A chat or the name of a contact without a sign, and a space.
    mutating func chatNameOrContactSpace() throws(CommandMismatch) -> ChatName {
        let type = optional { reader throws(CommandMismatch) in try reader.chatType() }
        let chat = ChatName(chatType: type ?? .direct, name: try displayName())
        try expect(" ")
        return chat
    }

    /// A space and a chat, if they come.
    mutating func spaceChatName() -> ChatName? {
        optional(" ") { reader throws(CommandMismatch) in try reader.chatName() }
    }

    /// A space and a number, if they come.
    mutating func spaceDecimal() -> Int? {
        optional(" ") { reader throws(CommandMismatch) in try reader.count() }
    }

    /// `@name`, or `name`, and a space.
    mutating func contactNameSpace() throws(CommandMismatch) -> String {
        let name = try contactName()
        try expect(" ")
        return name
    }

    /// The names of a group, without its sign, and of a member.
    mutating func memberNames() throws(CommandMismatch) -> (group: String, member: String) {
        let group = try displayName()
        try expect(" ")
        return (group, try contactName())
    }

    /// Where a message is sent.
    mutating func consoleTarget() throws(CommandMismatch) -> ConsoleTarget {
        if skip("/*") { return .notes }
        if skip("@") { return .contact(try displayName()) }
        try expect("#")
        let group = try displayName()
        let support = optional { reader throws(CommandMismatch) in
            _ = reader.take(while: Self.isSpace)
            try reader.expect("(support")
            return true
        }
        guard support != nil else { return .group(group) }
        guard skip(":") else {
            try expect(")")
            return .support(group: group, member: nil)
        }
        _ = take(while: Self.isSpace)
        let member = try supportMember()
        try expect(")")
        return .support(group: group, member: member)
    }

    /// The name of a member, in front of a closing parenthesis.
    private mutating func supportMember() throws(CommandMismatch) -> String {
        if next == UInt8(ascii: "'") { return try displayName() }
        let start = self
        let name = try displayName()
        guard name.utf8.last == UInt8(ascii: ")") else { return name }
        self = start
        let length = name.utf8.count - 1
        var taken = 0
        return take { _ in
            taken += 1
            return taken <= length
        }
    }

    /// A text in parentheses, and perhaps a space.
    mutating func quoted() throws(CommandMismatch) -> String {
        try expect("(")
        let text = take { $0 != UInt8(ascii: ")") }
        try expect(")")
        _ = skip(" ")
        return text
    }

    /// The name of a contact, the quoted text, and the answer.
    mutating func quote(_ direction: MessageDirection) throws(CommandMismatch) -> ChatCommand {
        let contact = try displayName()
        try expect(" ")
        return .console(.quote(contact: contact, direction, quoted: try quoted(), try messageText()))
    }

    /// Two chats, and the message that goes from the second to the first.
    mutating func forward() throws(CommandMismatch) -> ChatCommand {
        let target = try chatName()
        try expect(" <- ")
        if skip("* ") {
            return .console(.forward(to: target, from: ChatName(chatType: .local, name: ""), text: try messageText()))
        }
        let isGroup = skip("#")
        if !isGroup { try expect("@") }
        let source = ChatName(chatType: isGroup ? .group : .direct, name: try displayName())
        try expect(" ")
        let member: String? =
            isGroup
            ? optional("@") { reader throws(CommandMismatch) in
                let name = try reader.displayName()
                try reader.expect(" ")
                return name
            } : nil
        return .console(.forward(to: target, from: source, member: member, text: try messageText()))
    }

    private static let reactionSigns: [Character: String] = [
        "1": "👍", "+": "👍", "-": "👎", ")": "😀", ",": "😢", "*": "❤", "^": "🚀",
    ]

    /// A sign, a chat and the text of a message.
    mutating func reaction(add: Bool) throws(CommandMismatch) -> ChatCommand {
        let word = self.word()
        let sign = word.unicodeScalars.count == 1 ? word.first.flatMap { Self.reactionSigns[$0] } ?? word : word
        guard let emoji = ReactionEmoji(sign) else { throw CommandMismatch() }
        try expect(" ")
        let chat = try chatNameOrContactSpace()
        return .console(.react(chat, add: add, .emoji(emoji), text: rest()))
    }

    /// `30s`, `5min`, `1h`, `8h`, `day`, `week`, `month` or a number of seconds.
    mutating func disappearingTTL() throws(CommandMismatch) -> Int {
        let words = [
            ("30s", 30), ("5min", 300), ("1h", 3600), ("8h", 28_800), ("day", 86_400), ("week", 604_800), ("month", 2_592_000),
        ]
        for (word, seconds) in words where skip(word) { return seconds }
        return try count()
    }
}
