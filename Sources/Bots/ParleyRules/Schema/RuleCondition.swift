public import Parley

/// An event that can trigger a rule.
public enum RuleEvent: String, Sendable, Hashable, CaseIterable {
    /// Somebody wrote.
    case message
    /// Somebody changed a message.
    case edited
    /// Somebody deleted a message.
    case deleted
    /// Somebody reacted to a message.
    case reaction
    /// A contact has connected.
    case connected
    /// Somebody asks to connect, and the profile accepts by hand.
    case request
    /// Something happened to a member of a group.
    case member
    /// A contact invites the profile to a group.
    case invitation
    /// A member reports a message to the moderators.
    case report

    /// True if a text comes with the event, so that it can be looked at and quoted.
    var hasText: Bool { self == .message || self == .edited || self == .report }
    /// True if there is a message to react to.
    var hasMessage: Bool { self == .message || self == .edited || self == .reaction }
}

/// When a rule applies. All that is given must hold; of a list, one is enough.
public struct RuleCondition: Sendable {
    /// The event that the condition is about.
    public let event: RuleEvent
    /// The kind of message; nil for any.
    public let content: MessageKind?
    /// The whole text, without regard to case and surrounding white space.
    public let texts: [String]?
    /// A part of the text, without regard to case.
    public let parts: [String]?
    /// The pattern that the text must match.
    public let pattern: TextPattern?
    /// The word behind the slash, without regard to case.
    public let commands: [String]?
    /// The emoji of which one must be used.
    public let emoji: [String]?
    /// The names of which the writer must have one, as the profile shows them.
    public let senders: [String]?
    /// The condition on the file of the message; nil for messages with and without one.
    public let file: FileCondition?
    /// The condition on the chat and on the member.
    public let members: MemberCondition

    /// The longest `text` or `contains`, in bytes.
    static let maximumTextLength = 200
    static let keys = [
        "message", "text", "contains", "pattern", "command", "edited", "deleted", "reaction", "connected", "request", "member",
        "invitation", "report", "chat", "role", "mention", "file", "from",
    ]
    private static let textKeys = ["text", "contains", "pattern", "command"]

    init?(_ reader: NodeReader) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.keys)
        guard let event = Self.event(of: mapping) else { return nil }
        self.event = event
        content = mapping.value("message").flatMap { Self.content($0) }
        texts = mapping.value("text").flatMap { Self.texts($0) }
        parts = mapping.value("contains").flatMap { Self.texts($0) }
        pattern = mapping.value("pattern").flatMap { Self.pattern($0) }
        commands = mapping.value("command").flatMap { Self.commands($0) }
        emoji = mapping.value("reaction").flatMap { Self.emoji($0) }
        file = mapping.value("file").flatMap { FileCondition($0) }
        senders = mapping.value("from").flatMap { $0.listOrOne()?.compactMap { $0.nonEmptyString() } }
        if !event.hasText { mapping.value("from")?.report(.badValue, "\"from\" looks at who wrote, and \"\(event.rawValue)\" is not written") }
        members = MemberCondition(mapping, event: event)
        if event != .message { mapping.value("file")?.report(.badValue, "\"file\" looks at a message, and \"\(event.rawValue)\" is none") }
        if let content, [.text, .link].contains(content) {
            mapping.value("file")?.report(
                .badValue, "a message that is \(content.rawValue) has no file", hint: "leave \"message\" out, or write file, image, video or voice")
        }
        for key in Self.textKeys where !event.hasText {
            mapping.value(key)?.report(.badValue, "\"\(key)\" looks at a text, and \"\(event.rawValue)\" has none")
        }
    }

    /// Tells whether the condition holds whenever another does, since it asks for nothing but the event, or the kind of message.
    func covers(_ other: RuleCondition) -> Bool {
        event == other.event && (content == nil || content == other.content) && texts == nil && parts == nil && pattern == nil && commands == nil
            && emoji == nil && file == nil && senders == nil && members.covers(other.members)
    }

    /// The event that the keys speak of. Keys of two events in one rule could never hold together.
    private static func event(of mapping: MappingReader) -> RuleEvent? {
        var named: [RuleEvent] = []
        for event in RuleEvent.allCases where event != .message {
            guard let value = mapping.value(event.rawValue) else { continue }
            if event != .reaction, event != .member, value.bool() == false {
                value.report(.badValue, "leave \"\(event.rawValue)\" out instead of saying false")
            }
            named.append(event)
        }
        if named.count > 1 || (named.contains { $0 != .edited } && mapping.value("message") != nil) {
            let words = (mapping.value("message") != nil ? ["message"] : []) + named.map(\.rawValue)
            mapping.reader.report(.badValue, "a rule is about one event, not \(words.joined(separator: " and "))", hint: "make a rule for each")
            return nil
        }
        if let event = named.first { return event }
        if (["message", "mention", "file", "from"] + textKeys).contains(where: { mapping.value($0) != nil }) { return .message }
        if mapping.keys.allSatisfy(keys.contains) {
            mapping.reader.report(.missingKey, "\"when\" says nothing", hint: "for any message write: when: { message: any }")
        }
        return nil
    }

    private static func content(_ reader: NodeReader) -> MessageKind? {
        let kind: MessageKind?? = reader.word(of: [
            "any": nil, "text": .text, "link": .link, "image": .image, "video": .video, "voice": .voice, "file": .file,
        ])
        return kind ?? nil
    }

    private static func texts(_ reader: NodeReader) -> [String]? {
        reader.listOrOne()?.compactMap { item in
            guard let text = item.nonEmptyString() else { return nil }
            item.warnOfControlCharacters()
            guard text.utf8.count <= maximumTextLength else {
                item.report(.badValue, "\(item.path) has \(text.utf8.count) bytes, more than \(maximumTextLength)")
                return nil
            }
            return text
        }
    }

    private static func pattern(_ reader: NodeReader) -> TextPattern? {
        guard let source = reader.nonEmptyString() else { return nil }
        reader.warnOfControlCharacters()
        do {
            return try TextPattern(source)
        } catch {
            let offset = error.part.isEmpty ? nil : source.firstRange(of: error.part).map { source.utf8.distance(from: source.startIndex, to: $0.lowerBound) }
            reader.report(
                .badPattern, "bad pattern: \(error.reason)" + (error.part.isEmpty ? "" : ": \(error.part)"),
                hint: hint(for: source), at: offset.map(reader.position(ofByte:)))
            return nil
        }
    }

    private static func hint(for source: String) -> String {
        if source.contains("(?=") || source.contains("(?!") || source.contains("(?<") && !source.contains("(?P<") {
            return "RE2 has no look-around; a named group is written (?P<name>…)"
        }
        return "patterns are RE2: https://github.com/google/re2/wiki/Syntax"
    }

    private static func commands(_ reader: NodeReader) -> [String]? {
        reader.listOrOne()?.compactMap { item in
            guard var word = item.nonEmptyString() else { return nil }
            if word.hasPrefix("/") { word.removeFirst() }
            guard !word.isEmpty, !word.contains(where: { $0.isWhitespace || $0 == "'" || $0 == "/" }) else {
                item.report(.badValue, "a command is one word, with or without the slash before it")
                return nil
            }
            return word.lowercased()
        }
    }

    private static func emoji(_ reader: NodeReader) -> [String]? {
        if reader.text == "any" { return nil }
        return reader.listOrOne()?.compactMap { item in
            guard let text = item.nonEmptyString() else { return nil }
            if !RuleAction.emoji.contains(text) {
                item.warn(
                    .unreachable, "no app sends the reaction \"\(text)\": the rule does not apply",
                    hint: "expected one of: " + RuleAction.emoji.joined(separator: " "))
            }
            return text
        }
    }
}
