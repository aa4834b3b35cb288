internal import Parley

/// The value of a key of `when`, as a question about events.
protocol CheckTest: Sendable {
    /// The answer, for a check without a search.
    func answer(_ facts: inout InputFacts) -> Truth
    /// The finding in a few words, for explanations of a check without a search.
    func reason(_ facts: inout InputFacts) -> String
    /// The search that answers the check, which all checks of a profile make together; nil for a check that needs none.
    func search(_ compiler: inout RuleCompiler) -> CompiledSearch?
    /// The answer without the search, where the event has no text to search in; nil to search.
    func answerBeforeSearch(_ input: RuleInput) -> Truth?
    /// True if templates can use the match of the check.
    var isSearch: Bool { get }
    /// The finding that templates can name, for a check without a search; nil for none.
    func finding(_ facts: inout InputFacts) -> String?
    /// The part of a group that the check asks about; nil for a check that chats with contacts answer, too.
    var groupPart: GroupPart? { get }
}

extension CheckTest {
    func answer(_ facts: inout InputFacts) -> Truth { .unknown }
    func reason(_ facts: inout InputFacts) -> String { "" }
    func search(_ compiler: inout RuleCompiler) -> CompiledSearch? { nil }
    func answerBeforeSearch(_ input: RuleInput) -> Truth? { nil }
    var isSearch: Bool { false }
    func finding(_ facts: inout InputFacts) -> String? { nil }
    var groupPart: GroupPart? { nil }
}

/// The parts of a group that checks ask about.
enum GroupPart: Sendable {
    /// The group itself.
    case group
    /// A member of it.
    case member
    /// The members that a text mentions.
    case mention
}

/// A check of the format: its key, its values and their meaning. ``RuleChecks`` lists all.
///
/// The schema, the messages of `parley check`, the evaluation and the explanation of a check come from its type.
protocol RuleCheck: CheckTest {
    /// The key in the file.
    static var key: String { get }
    /// The values in the schema.
    static var shape: Shape { get }
    /// A sentence for editors.
    static var summary: String { get }
    /// The part of an event that it looks at.
    static var subject: CheckSubject { get }
    /// The objection to a rule about an event that has no answer; nil if it has one.
    static func objection(to event: RuleEvent) -> CheckSubject.Objection?

    /// Reads the value of the key. Nil if an error was reported, and for a value without a condition, such as `message: any`.
    init?(_ reader: NodeReader, event: RuleEvent)
}

extension RuleCheck {
    static var subject: CheckSubject { .event }
    static func objection(to event: RuleEvent) -> CheckSubject.Objection? { subject.objection(key, event) }
    /// Reads the value of the key in a rule about an event. Nil if an error was reported, and for a value without a condition.
    static func read(_ reader: NodeReader, event: RuleEvent) -> (any CheckTest)? {
        guard let check = Self(reader, event: event) else { return nil }
        if let objection = objection(to: event) {
            reader.report(.badValue, objection.message, hint: objection.hint)
            return nil
        }
        return check
    }

    /// The key in the schema.
    static var schemaKey: MappingSchema.Key { .key(key, shape, summary) }
}

/// The part of an event that a check looks at.
enum CheckSubject: Sendable {
    /// The event itself, or its group (``GroupPart``).
    case event
    /// The text.
    case text
    /// A message that has just come; some checks also look at other events.
    case message(also: Set<RuleEvent>)
    /// The author; some checks also look at other events.
    case writer(also: Set<RuleEvent>)

    typealias Objection = (message: String, hint: String?)

    func objection(_ key: String, _ event: RuleEvent) -> Objection? {
        switch self {
        case .event: return nil
        case .text: return event.hasText ? nil : ("\"\(key)\" looks at a text, and \"\(event.rawValue)\" has none", nil)
        case .message(let others):
            return event == .message || others.contains(event) ? nil : ("\"\(key)\" looks at a message, and \"\(event.rawValue)\" is not a message", nil)
        case .writer(let others):
            return event.hasWriter || others.contains(event)
                ? nil : ("\"\(key)\" looks at who wrote, and \"\(event.rawValue)\" is not written", nil)
        }
    }
}
