package import ChatProtocol
public import Parley

/// Something that happens to a member of a group.
public enum MembershipEvent: String, Sendable, Hashable, CaseIterable {
    case joined, pending, left, removed, role, blocked, unblocked

    /// The words for changes.
    static let words: KeyValuePairs<String, [MembershipEvent]> = [
        "joined": [.joined], "pending": [.pending], "left": [.left], "removed": [.removed], "role": [.role], "blocked": [.blocked],
        "unblocked": [.unblocked], "any": MembershipEvent.allCases,
    ]

    /// The word for a change.
    init(_ change: MemberChange) {
        self =
            switch change {
            case .joined: .joined
            case .pending: .pending
            case .left: .left
            case .removed: .removed
            case .role: .role
            case .blocked: .blocked
            case .unblocked: .unblocked
            }
    }
}

/// The part of a condition that is about groups and their members.
public struct MemberCondition: Sendable {
    /// The kinds of chat in which the rule applies.
    public var kinds: ChatKinds
    /// The roles of who wrote or of whom the event is about; nil for any.
    package var roles: Set<GroupMemberRole>?
    /// True if the message has to mention the bot.
    public var mentionsBot: Bool
    /// The change of a member that triggers the rule; nil for rules without one.
    public var changes: Set<MembershipEvent>?

    static let kindWords: KeyValuePairs<String, ChatKinds> = [
        "contact": .contacts, "group": .groups, "support": .supportChats, "business": .businessChats, "any": .all,
    ]
    static let roleWords: KeyValuePairs<String, GroupMemberRole> = [
        "observer": .observer, "commenter": .commenter, "author": .author, "member": .member, "moderator": .moderator, "admin": .admin, "owner": .owner,
    ]

    /// - Parameter checks: all checks of the rule, those of `all`, `any` and `not` too.
    init(_ mapping: MappingReader, event: RuleEvent, checks: [Check]) {
        let isAboutGroups = event == .member || event == .report || event == .warned || event == .relay
        let own = checks.filter(\.isOutermost).map(\.test)
        mentionsBot = own.contains { $0 is MentionCheck }
        roles = own.lazy.compactMap { ($0 as? RoleCheck)?.roles }.first
        changes = own.lazy.compactMap { ($0 as? MemberChangeCheck)?.changes }.first
        let named = mapping.value("chat").flatMap { Self.words($0, Self.kindWords) }.map { $0.reduce(into: ChatKinds()) { $0.formUnion($1) } }
        // Mentions, roles and names of groups exist in groups only, so a rule that checks them is about groups.
        let isOfAnyChat = isAboutGroups || [.connected, .request, .invitation].contains(event)
        let isOfGroups = checks.contains { $0.test.groupPart != nil && !$0.isException }
        kinds = named ?? (isOfAnyChat ? .all : isOfGroups ? [.groups, .supportChats, .businessChats] : .contacts)
        for check in checks { refuse(check, event, mapping.reader) }
        if [.connected, .request, .invitation].contains(event) {
            mapping.value("chat")?.report(
                .badValue, "\"chat\" does not go with \"\(event.rawValue)\"", hint: "leave it out: the event is about a contact")
        }
        if isAboutGroups, named == .contacts {
            mapping.value("chat")?.report(.badValue, "\"\(event.rawValue)\" never happens in chats with contacts", hint: "leave \"chat\" out")
        }
    }

    /// Reports the exceptions of a rule that have no answer in its chats.
    func refuseChecks(of tree: CheckTree, event: RuleEvent, _ reader: NodeReader) {
        for check in tree.checks { refuse(check, event, reader) }
    }

    private func refuse(_ check: Check, _ event: RuleEvent, _ reader: NodeReader) {
        guard let part = check.test.groupPart else { return }
        func report(_ message: String, hint: String?) { reader.report(.badValue, message, hint: hint, at: check.position) }
        if event == .invitation, part == .group { return }
        if [.connected, .request, .invitation].contains(event) {
            report("\"\(check.key)\" does not go with \"\(event.rawValue)\"", hint: "leave it out: the event is about a contact")
        } else if part == .mention, !event.hasText {
            report("\"\(check.key)\" looks at a text, and \"\(event.rawValue)\" has none", hint: nil)
        } else if event == .deleted || event == .reaction || event.isAboutDelivery || event == .fileFailed || event == .relay, part != .group {
            report("\"\(check.key)\" does not go with \"\(event.rawValue)\": who did it is not known", hint: "leave it out")
        } else if kinds == .contacts {
            report("there is no \"\(check.key)\" in chats with contacts", hint: "leave \"chat\" out, or add group to it")
        }
    }

    /// True if this holds whenever the other does.
    func covers(_ other: MemberCondition) -> Bool {
        kinds.isSuperset(of: other.kinds) && (roles == nil || roles.map { mine in other.roles.map(mine.isSuperset) ?? false } ?? true)
            && (!mentionsBot || other.mentionsBot) && (changes == nil || changes.map { mine in other.changes.map(mine.isSuperset) ?? false } ?? true)
    }

    static func roles(_ reader: NodeReader) -> Set<GroupMemberRole>? { words(reader, roleWords).map(Set.init) }

    private static func words<Value>(_ reader: NodeReader, _ words: KeyValuePairs<String, Value>) -> [Value]? {
        reader.listOrOne()?.compactMap { $0.word(of: words) }
    }

    static func changes(_ reader: NodeReader) -> Set<MembershipEvent>? {
        let found = words(reader, MembershipEvent.words)
        return found.map { Set($0.joined()) }
    }
}
