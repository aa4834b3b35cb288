/// An action of a rule.
public struct RuleAction: Sendable {
    /// The value of the key.
    let value: any ActionValue

    /// The key of the action in the file.
    public var word: String { value.word }
    /// True if it acts against a message or a member.
    public var isModerating: Bool { value.isModerating }
    /// The text that the action sends; nil for an action that sends none, or a file.
    public var template: Template? { value.template }

    /// The reactions that the official apps show and send.
    static let emoji = ["👍", "👎", "😀", "😂", "😢", "❤", "🚀", "✅"]

    /// - Parameter condition: nil when it could not be read; then only the shape is checked.
    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.action)
        let names = reader.sink.extensions.extended(Schemas.action).names
        let present = names.filter { mapping.value($0) != nil }
        guard present.count == 1, let key = present.first, let value = mapping.value(key) else {
            if present.count > 1 {
                reader.report(.badValue, "one action, not \(present.joined(separator: " and "))", hint: "make a list: put \"- \" before each")
            } else if mapping.keys.isEmpty {
                reader.report(.missingKey, "no action", hint: "expected one of: " + names.joined(separator: ", "))
            }
            return nil
        }
        guard let action = RuleActions.action(key, value, in: condition), let condition else { return nil }
        if let objection = action.objection(in: condition) {
            reader.report(
                .badValue, "\"\(key)\" does not go with \"\(condition.event.rawValue)\": \(objection.reason)", hint: objection.hint)
            return nil
        }
        self.value = action
    }

    /// Reads an action at the end of a form.
    init?(formAction reader: NodeReader, _ scope: TemplateScope) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.formAction)
        guard mapping.keys.count == 1, let key = mapping.keys.first, let value = mapping.value(key) else {
            reader.report(.badValue, "one action", hint: "make a list: put \"- \" before each")
            return nil
        }
        guard let action = RuleActions.formAction(key, value, scope) else { return nil }
        self.value = action
    }
}
