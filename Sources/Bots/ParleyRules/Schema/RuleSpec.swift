/// One rule of a profile: when it applies and what then happens.
public struct RuleSpec: Sendable {
    /// A name for logs and tests, unique in the profile.
    public let id: String?
    /// The condition.
    public let when: RuleCondition
    /// The actions, in their order.
    public let then: [RuleAction]
    /// The description of the rule's command in the command menu.
    public let description: String?
    /// Later rules are looked at too. Otherwise the first rule that applies is the last.
    public let continues: Bool
    /// The position in the file.
    public let position: SourcePosition

    static let keys = ["id", "when", "then", "description", "continue"]

    init?(_ reader: NodeReader) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.keys)
        position = reader.position
        id = mapping.value("id")?.nonEmptyString()
        description = mapping.value("description")?.nonEmptyString()
        continues = mapping.value("continue")?.bool() ?? false
        let when = mapping.required("when", hint: "say when the rule applies, for example: when: { message: text }")
            .flatMap { RuleCondition($0) }
        let actions = mapping.required("then", hint: "say what happens, for example: then: { reply: \"Hello!\" }")?.listOrOne()
        guard let when else {
            // Without its event a rule's templates cannot be checked, but the shape of its actions can.
            actions?.forEach { _ = RuleAction($0, in: nil) }
            return nil
        }
        self.when = when
        then = actions?.compactMap { RuleAction($0, in: when) } ?? []
        if description != nil, when.commands == nil {
            mapping.value("description")?.report(
                .badValue, "only a rule with a command has a description: it is what the command menu shows")
        }
    }
}
