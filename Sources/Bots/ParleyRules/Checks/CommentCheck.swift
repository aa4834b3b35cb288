/// A comment on a post of a channel: `comment: true`.
struct CommentCheck: RuleCheck {
    static let key = "comment"
    static let shape = Shape.bool
    static let summary = "A comment on a post of a channel."
    static let subject = CheckSubject.message(also: [.edited])

    private let wanted: Bool

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let wanted = reader.bool() else { return nil }
        self.wanted = wanted
    }

    var groupPart: GroupPart? { .member }
    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.input.isComment == wanted) }
    func reason(_ facts: inout InputFacts) -> String { facts.input.isComment ? "a comment" : "no comment" }
}
