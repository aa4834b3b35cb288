package import ChatProtocol
public import Parley

/// Something that happens to a member of a group.
public enum MembershipEvent: String, Sendable, Hashable, CaseIterable {
    case joined, pending, left, removed, role, blocked, unblocked

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
        "observer": .observer, "member": .member, "moderator": .moderator, "admin": .admin, "owner": .owner,
    ]

    init(_ mapping: MappingReader, event: RuleEvent) {
        let isAboutGroups = event == .member || event == .report
        mentionsBot =
            mapping.value("mention").map { value in
                if value.bool() == false { value.report(.badValue, "leave \"mention\" out instead of saying false") }
                return true
            } ?? false
        roles = mapping.value("role").flatMap { Self.words($0, Self.roleWords) }.map(Set.init)
        changes = event == .member ? mapping.value("member").flatMap { Self.changes($0) } : nil
        let named = mapping.value("chat").flatMap { Self.words($0, Self.kindWords) }.map { $0.reduce(into: ChatKinds()) { $0.formUnion($1) } }
        // Mentions and roles are of groups only: who asks for them means groups.
        let isOfAnyChat = isAboutGroups || [.connected, .request, .invitation].contains(event)
        let isOfGroups = mentionsBot || roles != nil
        kinds = named ?? (isOfAnyChat ? .all : isOfGroups ? [.groups, .supportChats, .businessChats] : .contacts)
        if mentionsBot, !event.hasText { mapping.value("mention")?.report(.badValue, "\"mention\" looks at a text, and \"\(event.rawValue)\" has none") }
        for key in ["mention", "role"] where kinds == .contacts {
            mapping.value(key)?.report(.badValue, "there is no \"\(key)\" in chats with contacts", hint: "leave \"chat\" out, or add group to it")
        }
        if [.connected, .request, .invitation].contains(event) {
            for key in ["chat", "role"] {
                mapping.value(key)?.report(.badValue, "\"\(key)\" does not go with \"\(event.rawValue)\"", hint: "leave it out: the event is about a contact")
            }
        }
        if event == .deleted || event == .reaction {
            mapping.value("role")?.report(.badValue, "\"role\" does not go with \"\(event.rawValue)\": who did it is not known", hint: "leave it out")
        }
        if isAboutGroups, named == .contacts {
            mapping.value("chat")?.report(.badValue, "\"\(event.rawValue)\" never happens in chats with contacts", hint: "leave \"chat\" out")
        }
    }

    /// True if this holds whenever the other does.
    func covers(_ other: MemberCondition) -> Bool {
        kinds.isSuperset(of: other.kinds) && (roles == nil || roles.map { mine in other.roles.map(mine.isSuperset) ?? false } ?? true)
            && (!mentionsBot || other.mentionsBot) && (changes == nil || changes.map { mine in other.changes.map(mine.isSuperset) ?? false } ?? true)
    }

    private static func words<Value>(_ reader: NodeReader, _ words: KeyValuePairs<String, Value>) -> [Value]? {
        reader.listOrOne()?.compactMap { $0.word(of: words) }
    }

    private static func changes(_ reader: NodeReader) -> Set<MembershipEvent>? {
        let found = words(
            reader,
            [
                "joined": [.joined], "pending": [.pending], "left": [.left], "removed": [.removed], "role": [.role], "blocked": [.blocked],
                "unblocked": [.unblocked], "any": MembershipEvent.allCases,
            ] as KeyValuePairs<String, [MembershipEvent]>)
        return found.map { Set($0.joined()) }
    }
}
