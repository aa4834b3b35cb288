internal import Parley

/// A reaction to the message: `react: 👍`.
struct ReactAction: DeclaredAction {
    static let key = "react"
    static let shape = Shape.words(RuleAction.emoji)
    static let summary = "Add a reaction."

    private let emoji: String

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard let text = reader.nonEmptyString() else { return nil }
        // The heart is often typed with a variation selector that the network's reaction does not have.
        let plain = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{FE0F}" }))
        guard RuleAction.emoji.contains(plain) else {
            reader.report(.badValue, "\"\(text.cut)\" is not a reaction", hint: "expected one of: " + RuleAction.emoji.joined(separator: " "))
            return nil
        }
        emoji = plain
    }

    func detail(_ values: TemplateValues) -> String? { emoji }
    func objection(in condition: RuleCondition) -> ActionObjection? { condition.event.hasMessage ? nil : ("there is no message to react to", nil) }
    func perform(_ run: ActionRun) async throws { try await run.subject.react?(emoji) }
}
