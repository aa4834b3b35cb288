/// The repetition of a rule: once, or again after a pause.
public struct Repetition: Sendable, Hashable {
    /// The events that are counted together.
    public enum Scope: String, Sendable, Hashable, Codable {
        case person, chat, bot
    }

    /// The events that are counted together.
    public let scope: Scope
    /// Seconds until the rule applies again; nil for never.
    public let pause: Double?

    static let words: KeyValuePairs<String, Scope> = ["person": .person, "chat": .chat, "bot": .bot]

    /// Reads `once` and `cooldown` of a rule; nil for a rule without them.
    static func read(_ rule: MappingReader) -> Repetition? {
        let once = rule.value("once"), cooldown = rule.value("cooldown")
        if once != nil, let cooldown {
            cooldown.report(.badValue, "a rule has \"once\" or \"cooldown\", not both", hint: "cooldown: a pause after which it applies again")
        }
        guard let value = once ?? cooldown else { return nil }
        if rule.value("id") == nil {
            value.report(.missingKey, "a rule with stored state needs an id", hint: "add \"id\": the state is stored under it")
        }
        if let once { return once.word(of: words).map { Repetition(scope: $0, pause: nil) } }
        guard value.keys != nil else { return TimeSpan.positive(value).map { Repetition(scope: .person, pause: $0) } }
        guard let mapping = value.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.cooldown)
        let pause = mapping.required("for", hint: "write how long, for example: for: 10m").flatMap(TimeSpan.positive)
        let scope = mapping.value("per")?.word(of: words) ?? .person
        return pause.map { Repetition(scope: scope, pause: $0) }
    }
}
