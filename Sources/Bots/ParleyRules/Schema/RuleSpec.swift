package import ChatProtocol

/// One rule of a profile: when it applies and what then happens.
public struct RuleSpec: Sendable {
    /// A name for logs and tests, unique in the profile.
    public let id: String?
    /// The condition.
    public let when: RuleCondition
    /// The exceptions; nil for none.
    let unless: CheckTree?
    /// The actions, in their order.
    public let then: [RuleAction]
    /// The description of the rule's command in the command menu.
    public let description: String?
    /// Later rules are tried too. Otherwise the first rule that applies is the last.
    public let continues: Bool
    /// Rules of a higher priority are tried first; 0 by default.
    public let priority: Int
    /// The roles that the rule never applies to. For moderating rules: moderator, admin and owner, unless the file says otherwise.
    package let exempt: Set<GroupMemberRole>
    /// The handling of the rule's actions.
    public let mode: RuleMode
    /// The repetition of the rule; nil for always.
    public let repetition: Repetition?
    /// The position in the file.
    public let position: SourcePosition

    static let priorities = -1_000...1_000

    /// The id, or the line of a rule without one: for logs and tests.
    public var label: String { id ?? "line \(position.line)" }

    /// True if the rule acts against the writer or the message. Such rules are tried before all others.
    public var isModerating: Bool { then.contains(where: \.isModerating) }

    /// - Parameter mode: the mode of the profile, which holds for rules that name none.
    init?(_ reader: NodeReader, mode: RuleMode) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.rule)
        position = reader.position
        id = mapping.value("id")?.nonEmptyString()
        description = mapping.value("description")?.nonEmptyString()
        continues = mapping.value("continue")?.bool() ?? false
        priority = mapping.value("priority")?.integer(in: Self.priorities) ?? 0
        self.mode = mapping.value("mode")?.word(of: RuleMode.words) ?? mode
        repetition = Repetition.read(mapping)
        let when = mapping.required("when", hint: "say when the rule applies, for example: when: { message: text }")
            .flatMap { RuleCondition($0) }
        let actions = mapping.required("then", hint: "say what happens, for example: then: { reply: \"Hello!\" }")?.listOrOne()
        guard var when else {
            // Without its event a rule's templates cannot be checked, but the shape of its actions can.
            actions?.forEach { _ = RuleAction($0, in: nil) }
            return nil
        }
        when.warns = actions?.contains { $0.keys?.contains("warn") == true } ?? false
        self.when = when
        if repetition != nil, when.event == .request {
            reader.report(.badValue, "a requester is not remembered before the connection", hint: "leave \"once\" and \"cooldown\" out of rules about requests")
        }
        let unless = mapping.value("unless").flatMap { CheckTree.exceptions($0, event: when.event) }
        unless.map { when.members.refuseChecks(of: $0, event: when.event, mapping.reader) }
        self.unless = unless
        let then = actions?.compactMap { RuleAction($0, in: when) } ?? []
        self.then = then
        let isModerating = then.contains(where: \.isModerating)
        exempt = mapping.value("exempt").map(Self.exempt) ?? (isModerating ? [.moderator, .admin, .owner] : [])
        if description != nil, when.commands == nil {
            mapping.value("description")?.report(
                .badValue, "only a rule with a command has a description: it is what the command menu shows")
        }
        if let roles = when.members.roles, !roles.isEmpty, roles.isSubset(of: exempt) {
            reader.warn(
                .unreachable, "this rule never applies: those of its role are exempt",
                hint: isModerating ? "moderators are exempt from moderating rules; \"exempt: none\" changes that" : nil)
        }
    }

    /// True if a later rule is never reached.
    func hides(_ other: RuleSpec) -> Bool {
        !continues && mode == .enforce && unless == nil && repetition == nil && exempt.isSubset(of: other.exempt) && when.covers(other.when)
    }

    private static func exempt(_ reader: NodeReader) -> Set<GroupMemberRole> {
        if reader.text == "none" { return [] }
        return MemberCondition.roles(reader) ?? []
    }

    /// The order in which rules are tried: moderating rules first, then by priority, then in the order of the file.
    static func inOrder(_ rules: [RuleSpec]) -> [RuleSpec] {
        rules.enumerated().sorted { left, right in
            if left.element.isModerating != right.element.isModerating { return left.element.isModerating }
            if left.element.priority != right.element.priority { return left.element.priority > right.element.priority }
            return left.offset < right.offset
        }.map(\.element)
    }
}

/// The handling of what rules decide.
public enum RuleMode: String, Sendable, Hashable, CaseIterable {
    /// Actions are run.
    case enforce
    /// Actions are logged and not run; the rule stops nothing.
    case audit

    static let words: KeyValuePairs<String, RuleMode> = ["enforce": .enforce, "audit": .audit]
}
