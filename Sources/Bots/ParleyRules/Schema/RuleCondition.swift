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
    /// A rule has warned somebody.
    case warned
    /// The client of the recipient has confirmed a message of the bot.
    case delivered
    /// A message of the bot cannot be delivered.
    case deliveryFailed = "delivery-failed"
    /// A file that the bot receives has come.
    case fileReceived = "file-received"
    /// A transfer of a sent or received file has failed.
    case fileFailed = "file-failed"
    /// A relay of a channel of the bot takes subscribers, has refused or has left.
    case relay

    /// True if a text comes with the event, so that it can be looked at and quoted.
    var hasText: Bool {
        switch self {
        case .message, .edited, .report, .warned, .delivered, .deliveryFailed, .fileReceived, .fileFailed, .request: true
        default: false
        }
    }
    /// True if there is a message to react to.
    var hasMessage: Bool { self == .message || self == .edited || self == .reaction || self == .fileReceived }
    /// True for news of a message that the bot sent. An answer to it would be a message with such news, too.
    var isAboutDelivery: Bool { self == .delivered || self == .deliveryFailed }
    /// True for the end of a transfer.
    var isAboutTransfer: Bool { self == .fileReceived || self == .fileFailed }
    /// True if the text was written by somebody else than the bot.
    var hasWriter: Bool { hasText && !isAboutDelivery && self != .fileFailed && self != .request }

    /// The events after which an action of any kind is possible.
    public static let forActions = Set(allCases).subtracting([.request, .delivered, .deliveryFailed, .relay])
}

/// The condition of a rule: on one event, in chats of some kinds, if a tree of checks holds.
public struct RuleCondition: Sendable {
    /// The event that the condition is about.
    public let event: RuleEvent
    /// The checks that must all hold.
    let tree: CheckTree
    /// The kinds of message; nil for any.
    public let content: Set<MessageKind>?
    /// The pattern that the text must match, and whose groups templates can use.
    public let pattern: TextPattern?
    /// The word after the slash, ignoring case.
    public let commands: [String]?
    /// The condition on the chat and on the member.
    public let members: MemberCondition

    /// True if the rule gives points, so that its templates can name them.
    var warns = false

    /// The longest `text` or `contains`, in bytes.
    static let maximumTextLength = 200
    static let kindWords: KeyValuePairs<String, MessageKind> = [
        "text": .text, "link": .link, "image": .image, "video": .video, "voice": .voice, "file": .file, "card": .chat,
    ]

    init?(_ reader: NodeReader) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.when)
        guard let event = Self.event(of: mapping) else { return nil }
        self.event = event
        tree = CheckTree.reading(mapping, event: event)
        var kinds: Set<MessageKind>?
        var pattern: TextPattern?
        var commands: [String]?
        for check in tree.checks where check.isOutermost {
            switch check.test {
            case let test as MessageKindCheck: kinds = test.kinds
            case let test as PatternCheck: pattern = test.pattern
            case let test as CommandCheck: commands = test.names
            default: break
            }
        }
        (content, self.pattern, self.commands) = (kinds, pattern, commands)
        if let kinds, kinds.isSubset(of: [.text, .link]) {
            mapping.value("file")?.report(
                .badValue, "a message that is text has no file", hint: "leave \"message\" out, or write file, image, video or voice")
        }
        members = MemberCondition(mapping, event: event, checks: tree.checks)
    }

    /// True if the rule looks for words, parts of texts or domains, and templates can name the match.
    var isSearch: Bool { tree.checks.contains { $0.test.isSearch } }

    /// True if every event of the rule has a file.
    var isAboutFile: Bool {
        event.isAboutTransfer || content.map { $0.isSubset(of: [.file, .image, .video, .voice]) } == true
            || tree.checks.contains { $0.isOutermost && $0.test is FileCheck }
    }

    /// True if the rule can apply in a chat with a contact, where there are neither members nor a group.
    var mayBeOfContact: Bool {
        ![.member, .report, .warned, .invitation, .relay].contains(event) && members.kinds.contains(.contacts)
    }

    /// Tells whether the condition holds whenever another does, since it asks for nothing but the event, the kind of message and the members.
    func covers(_ other: RuleCondition) -> Bool {
        guard event == other.event, tree.isPlain, members.covers(other.members) else { return false }
        guard let content else { return true }
        // Commands are typed: as the caption of a picture they do not count.
        if other.content == nil, other.commands != nil { return content.contains(.text) }
        return other.content.map(content.isSuperset) ?? false
    }

    /// The event that the keys speak of. Keys of two events in one rule could never hold together.
    private static func event(of mapping: MappingReader) -> RuleEvent? {
        var named: [RuleEvent] = []
        for event in RuleEvent.allCases where event != .message {
            guard let value = mapping.value(event.rawValue) else { continue }
            if event != .reaction, event != .member, event != .warned, event != .relay, value.bool() == false {
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
        let known = mapping.reader.sink.extensions.extended(Schemas.when).names
        if mapping.keys.contains(where: { $0 != "chat" && known.contains($0) }) { return .message }
        if mapping.keys.allSatisfy(known.contains) {
            mapping.reader.report(.missingKey, "\"when\" says nothing", hint: "for any message write: when: { message: any }")
        }
        return nil
    }
}
