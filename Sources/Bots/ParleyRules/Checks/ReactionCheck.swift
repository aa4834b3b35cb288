internal import Parley
internal import UnicodeText

/// The reaction that somebody added: `reaction: 👍`.
struct ReactionCheck: RuleCheck {
    static let key = "reaction"
    static let shape = Shape.listOrOne(.text)
    static let summary = "Somebody added the reaction; any for each."

    private let emoji: Set<String>

    init?(_ reader: NodeReader, event: RuleEvent) {
        if reader.text == "any" { return nil }
        let emoji: [String]? = reader.listOrOne()?.compactMap { item in
            let text = item.nonEmptyString()?.folded
            if let text, !RuleAction.emoji.contains(where: { $0.folded == text }) {
                item.warn(
                    .unreachable, "no app sends the reaction \"\(text.cut)\": the rule does not apply",
                    hint: "expected one of: " + RuleAction.emoji.joined(separator: " "))
            }
            return text
        }
        guard let emoji else { return nil }
        self.emoji = Set(emoji)
    }

    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.input.emoji.map { emoji.contains($0.folded) } ?? false) }
    func reason(_ facts: inout InputFacts) -> String { facts.input.emoji ?? "no reaction" }
}
