public import ChatProtocol

/// Commands about messages.
public enum MessageCommand: Sendable, Hashable {
    /// Sends messages. `live` ones are edited as they are typed; `ttl` is in seconds, of messages that disappear; `signed` ones carry a signature of this
    /// member, in channels.
    case send(to: SendTarget, [ComposedMessage], live: Bool = false, ttl: Int? = nil, signed: Bool = false)
    /// Comments a post of a channel.
    case comment(GroupID, on: ChatItemID, [ComposedMessage], live: Bool = false, ttl: Int? = nil)
    /// Closes a post of a channel for comments, or opens it again.
    case setCommentsDisabled(GroupID, ChatItemID, Bool)
    /// Writes notes to oneself.
    case createNotes(NoteFolderID, [ComposedMessage])
    /// Edits a message that was sent.
    case update(ChatReference, ChatItemID, UpdatedMessage, live: Bool = false)
    /// Deletes messages.
    case delete(ChatReference, [ChatItemID], mode: DeleteMode)
    /// Deletes messages of other members.
    case moderate(GroupID, [ChatItemID])
    /// Reports a message to the moderators.
    case report(GroupID, ChatItemID, reason: ReportReason, text: String)
    /// Marks all reports as dealt with.
    case archiveReports(GroupID)
    /// Deletes reports.
    case deleteReports(GroupID, [ChatItemID], mode: DeleteMode)
    /// Adds a reaction or takes it back.
    case react(ChatReference, ChatItemID, add: Bool, MessageReaction)
    /// Tells who reacted.
    case reactionMembers(user: UserID, GroupID, ChatItemID, MessageReaction)
    /// Finds the messages that can be forwarded.
    case planForward(from: ChatReference, [ChatItemID])
    /// Forwards messages.
    case forward(to: ChatReference, from: ChatReference, [ChatItemID], asGroup: Bool = false, ttl: Int? = nil)
    /// Makes a message that shares a chat.
    case share(ChatReference, to: SendTarget)
}

extension MessageCommand {
    var commandString: String {
        switch self {
        case .send(let target, let messages, let live, let ttl, let isSigned):
            "/_send \(target)\(CommandText.option(" live=", live))\(CommandText.ttl(ttl))\(CommandText.option(" sign=", isSigned)) json \(CommandText.json(messages))"
        case .comment(let group, let post, let messages, let live, let ttl):
            "/_comment #\(group) \(post)\(CommandText.option(" live=", live))\(CommandText.ttl(ttl)) json \(CommandText.json(messages))"
        case .setCommentsDisabled(let group, let post, let isDisabled):
            "/_comments_disabled #\(group) \(post) \(CommandText.flag(isDisabled))"
        case .createNotes(let folder, let messages): "/_create *\(folder) json \(CommandText.json(messages))"
        case .update(let chat, let item, let message, let live):
            "/_update item \(chat) \(item)\(CommandText.option(" live=", live)) json \(CommandText.json(message))"
        case .delete(let chat, let items, let mode): "/_delete item \(chat) \(CommandText.list(items)) \(mode)"
        case .moderate(let group, let items): "/_delete member item #\(group) \(CommandText.list(items))"
        case .report(let group, let item, let reason, let text):
            "/_report #\(group) \(item) reason=\(reason.code)" + (text.isEmpty ? "" : " \(text)")
        case .archiveReports(let group): "/_archive reports #\(group)"
        case .deleteReports(let group, let items, let mode): "/_delete reports #\(group) \(CommandText.list(items)) \(mode)"
        case .react(let chat, let item, let add, let reaction):
            "/_reaction \(chat) \(item) \(CommandText.flag(add)) \(CommandText.json(reaction))"
        case .reactionMembers(let user, let group, let item, let reaction):
            "/_reaction members \(user) #\(group) \(item) \(CommandText.json(reaction))"
        case .planForward(let chat, let items): "/_forward plan \(chat) \(CommandText.list(items))"
        case .forward(let target, let source, let items, let asGroup, let ttl):
            "/_forward \(target)\(CommandText.option(" as_group=", asGroup)) \(source) \(CommandText.list(items))"
                + CommandText.ttl(ttl)
        case .share(let chat, let target): "/_share chat content \(chat) \(target)"
        }
    }

    static let forms: [CommandForm] = [
        CommandForm("/_send ") { r throws(CommandMismatch) in
            let target = try r.sendTarget()
            let live = r.flag(after: " live=")
            let ttl = r.ttl()
            let isSigned = r.flag(after: " sign=")
            return .messages(.send(to: target, try r.composedMessages(), live: live, ttl: ttl, signed: isSigned))
        },
        CommandForm("/_comment #") { r throws(CommandMismatch) in
            let (group, post) = try r.pair(GroupID.self, ChatItemID.self)
            let live = r.flag(after: " live=")
            let ttl = r.ttl()
            return .messages(.comment(group, on: post, try r.composedMessages(), live: live, ttl: ttl))
        },
        CommandForm("/_comments_disabled #") { r throws(CommandMismatch) in
            let (group, post) = try r.pair(GroupID.self, ChatItemID.self)
            try r.expect(" ")
            return .messages(.setCommentsDisabled(group, post, try r.flag()))
        },
        CommandForm("/_create *") { r throws(CommandMismatch) in
            .messages(.createNotes(try r.id(), try r.composedMessages()))
        },
        CommandForm("/_update item ") { r throws(CommandMismatch) in
            let chat = try r.chatReferenceSpace()
            let item = try r.id(ChatItemID.self)
            let live = r.flag(after: " live=")
            if r.skip(" text ") {
                return .messages(.update(chat, item, UpdatedMessage(content: .text(r.rest())), live: live))
            }
            try r.expect(" json")
            return .messages(.update(chat, item, try r.json(), live: live))
        },
        CommandForm("/_delete item ") { r throws(CommandMismatch) in
            .messages(.delete(try r.chatReferenceSpace(), try r.ids(), mode: try r.spaceDeleteMode()))
        },
        CommandForm("/_delete member item #") { r throws(CommandMismatch) in
            .messages(.moderate(try r.idSpace(), try r.ids()))
        },
        CommandForm("/_report #") { r throws(CommandMismatch) in
            let (group, item) = try r.pair(GroupID.self, ChatItemID.self)
            try r.expect(" reason=")
            let reason = r.reportReason()
            return .messages(.report(group, item, reason: reason, text: r.skip(" ") ? r.rest() : ""))
        },
        CommandForm("/_archive reports #") { r throws(CommandMismatch) in .messages(.archiveReports(try r.id())) },
        CommandForm("/_delete reports #") { r throws(CommandMismatch) in
            .messages(.deleteReports(try r.idSpace(), try r.ids(), mode: try r.spaceDeleteMode()))
        },
        CommandForm("/_reaction members ") { r throws(CommandMismatch) in
            let user = try r.id(UserID.self)
            try r.expect(" #")
            let (group, item) = try r.pair(GroupID.self, ChatItemID.self)
            return .messages(.reactionMembers(user: user, group, item, try r.spaceReaction()))
        },
        CommandForm("/_reaction ") { r throws(CommandMismatch) in
            let chat = try r.chatReferenceSpace()
            let item = try r.idSpace(ChatItemID.self)
            return .messages(.react(chat, item, add: try r.flag(), try r.spaceReaction()))
        },
        CommandForm("/_forward plan ") { r throws(CommandMismatch) in
            .messages(.planForward(from: try r.chatReferenceSpace(), try r.ids()))
        },
        CommandForm("/_forward ") { r throws(CommandMismatch) in
            let target = try r.chatReference()
            let asGroup = r.flag(after: " as_group=")
            try r.expect(" ")
            let source = try r.chatReferenceSpace()
            let items = try r.ids(ChatItemID.self)
            return .messages(.forward(to: target, from: source, items, asGroup: asGroup, ttl: r.ttl()))
        },
        CommandForm("/_share chat content ") { r throws(CommandMismatch) in
            .messages(.share(try r.chatReferenceSpace(), to: try r.sendTarget()))
        },
    ]
}

extension CommandText {
    fileprivate static func ttl(_ seconds: Int?) -> String { seconds.map { " ttl=\($0)" } ?? "" }
}

extension CommandReader {
    /// ` ttl=` and a number of seconds or `default`, if it comes.
    fileprivate mutating func ttl() -> Int? {
        let ttl: Int?? = optional(" ttl=") { reader throws(CommandMismatch) in
            if reader.skip("default") { return .none }
            return .some(try reader.count())
        }
        return ttl ?? nil
    }

    /// ` json ` and messages, or ` text ` and the text of one.
    fileprivate mutating func composedMessages() throws(CommandMismatch) -> [ComposedMessage] {
        if skip(" text ") { return [ComposedMessage(content: .text(rest()))] }
        try expect(" json ")
        var again = self
        let messages: [ComposedMessage] = try json()
        guard !messages.isEmpty else { throw CommandMismatch() }
        return messages.contains { $0.fileSource == nil } ? try ComposedMessage.addingFilePaths(of: again.rest(), to: messages) : messages
    }

    /// A space and what deleting does.
    private mutating func deleteMode() throws(CommandMismatch) -> DeleteMode {
        let mode = DeleteMode(rawValue: word())
        guard mode.isKnown else { throw CommandMismatch() }
        return mode
    }

    fileprivate mutating func spaceDeleteMode() throws(CommandMismatch) -> DeleteMode {
        try expect(" ")
        return try deleteMode()
    }

    /// A space and a reaction that official clients know, as JSON.
    fileprivate mutating func spaceReaction() throws(CommandMismatch) -> MessageReaction {
        let reaction: MessageReaction = try spaceJSON()
        guard case .emoji = reaction else { throw CommandMismatch() }
        return reaction
    }

    /// Why a message is reported: any word.
    mutating func reportReason() -> ReportReason { ReportReason(code: word()) }
}

extension ComposedMessage {
    /// The messages with the files of `filePath`: as in the official core, an older form of `fileSource` for files that are not encrypted here.
    fileprivate static func addingFilePaths(of text: String, to messages: [ComposedMessage]) throws(CommandMismatch) -> [ComposedMessage] {
        // Most have none, and are not read twice.
        guard text.contains("\"filePath\""), let all = try? JSONValue(parsing: text).arrayValue, all.count == messages.count else { return messages }
        var completed: [ComposedMessage] = []
        for (var message, json) in zip(messages, all) {
            if message.fileSource == nil, let path = json["filePath"], !path.isNull {
                guard let path = path.stringValue else { throw CommandMismatch() }
                message.fileSource = CryptoFile(filePath: path)
            }
            completed.append(message)
        }
        return completed
    }
}
