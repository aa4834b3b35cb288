/// The bot among the members that a message mentions: `mention: true`.
struct MentionCheck: RuleCheck {
    static let key = "mention"
    static let shape = Shape.yes
    static let summary = "The message mentions the bot."

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let value = reader.bool() else { return nil }
        if !value { reader.report(.badValue, "leave \"mention\" out instead of saying false", hint: "write not: { mention: true }") }
    }

    var groupPart: GroupPart? { .mention }
    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.input.mentionsBot) }
    func reason(_ facts: inout InputFacts) -> String { facts.input.mentionsBot ? "the bot is mentioned" : "the bot is not mentioned" }
}
