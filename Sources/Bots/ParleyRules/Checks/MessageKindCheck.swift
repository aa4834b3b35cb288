internal import Parley

/// The kinds of a message: `message: [image, video]`.
struct MessageKindCheck: RuleCheck {
    static let key = "message"
    static let shape = Shape.listOrOne(.words(["any"] + RuleCondition.kindWords.words))
    static let summary = "A message of the kind."
    static let subject = CheckSubject.message(also: [.edited])

    let kinds: Set<MessageKind>

    init?(_ reader: NodeReader, event: RuleEvent) {
        var isAny = false
        let kinds = reader.listOrOne()?.flatMap { item -> [MessageKind] in
            if item.text == "any" {
                isAny = true
                return []
            }
            guard let kind = item.word(of: RuleCondition.kindWords) else { return [] }
            // A text with a web address is a message of its own kind if the sender's app adds a preview: its writer sees a text.
            return kind == .text ? [.text, .link] : [kind]
        }
        guard !isAny, let kinds else { return nil }
        self.kinds = Set(kinds)
    }

    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.input.kind.map(kinds.contains) ?? false) }
    func reason(_ facts: inout InputFacts) -> String { facts.input.kind.map { "the kind is \($0.rawValue)" } ?? "no message" }
}
