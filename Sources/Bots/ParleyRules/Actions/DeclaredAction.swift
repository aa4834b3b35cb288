internal import Parley

/// The value of a key of `then`, as something to do.
protocol ActionValue: Sendable {
    /// The key in the file.
    var word: String { get }
    /// True if it acts against a message or a member.
    var isModerating: Bool { get }
    /// True if the record of the group gets a case of it.
    var opensCase: Bool { get }
    /// Seconds after which the action ends by itself; nil for never.
    var limit: Double? { get }
    /// The text that the action sends; nil for an action that sends none.
    var template: Template? { get }

    /// The reason why the action is not possible in a rule; nil if it is possible.
    func objection(in condition: RuleCondition) -> ActionObjection?
    /// The text that the action sends for an event; nil for an action that sends none.
    func text(_ values: TemplateValues) -> String?
    /// The text, the role, the chat or the like, as `parley test` and `parley explain` show it; nil for none.
    func detail(_ values: TemplateValues) -> String?
    /// Does it.
    func perform(_ run: ActionRun) async throws
}

/// The reason why an action is not possible, and what to do.
typealias ActionObjection = (reason: String, hint: String?)

extension ActionValue {
    var isModerating: Bool { false }
    var opensCase: Bool { false }
    var limit: Double? { nil }
    var template: Template? { nil }
    func objection(in condition: RuleCondition) -> ActionObjection? { nil }
    func text(_ values: TemplateValues) -> String? { template?.filled(with: values) }
    func detail(_ values: TemplateValues) -> String? { text(values) }
}

/// An action of the format: its key, its values and their meaning. ``RuleActions`` lists all.
///
/// The schema, the messages of `parley check`, the effect and the explanation of an action come from its type.
protocol DeclaredAction: ActionValue {
    /// The key in the file.
    static var key: String { get }
    /// The values in the schema.
    static var shape: Shape { get }
    /// A sentence for editors.
    static var summary: String { get }

    /// Reads the value of the key; nil if an error was reported.
    ///
    /// - Parameter condition: The condition of the rule. Nil if it could not be read: then only the shape of the value is checked.
    init?(_ reader: NodeReader, in condition: RuleCondition?)
}

extension DeclaredAction {
    var word: String { Self.key }

    /// Reads the value of the key; nil if an error was reported.
    static func read(_ reader: NodeReader, in condition: RuleCondition?) -> (any ActionValue)? {
        let action: Self? = Self(reader, in: condition)
        return action
    }

    /// The key in the schema.
    static var schemaKey: MappingSchema.Key { .key(key, shape, summary) }
}

/// An action whose value is `true`: it has no parameters.
protocol PlainAction: DeclaredAction {
    init()
}

extension PlainAction {
    static var shape: Shape { .yes }

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard reader.affirmed() else { return nil }
        self.init()
    }
}

/// An action that answers a request to connect, too.
protocol RequestAction: DeclaredAction {
    /// Performs it for a person who asks to connect.
    func perform(_ request: RequestContext, _ values: TemplateValues) async throws
}

/// An action that can end a form.
protocol FormAction: DeclaredAction {
    /// Reads the value of the key at the end of a form; nil if an error was reported.
    init?(_ reader: NodeReader, _ scope: TemplateScope)
    /// Performs it for the person who has answered.
    func perform(_ step: DialogueContext<FormState>, _ values: TemplateValues) async throws
}

extension FormAction {
    init?(_ reader: NodeReader, in condition: RuleCondition?) { self.init(reader, .rule(condition)) }

    /// Reads the value of the key at the end of a form; nil if an error was reported.
    static func read(_ reader: NodeReader, _ scope: TemplateScope) -> (any ActionValue)? {
        let action: Self? = Self(reader, scope)
        return action
    }
}

extension NodeReader {
    /// True for `true`. `false` is reported: the key is left out instead.
    func affirmed() -> Bool {
        switch bool() {
        case true?: return true
        case false?:
            report(.badValue, "leave the action out instead of saying false")
            return false
        case nil: return false
        }
    }
}
