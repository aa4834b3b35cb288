/// A comment on a post of a channel: `comment: true`.
struct CommentCheck: FlagCheck {
    static let key = "comment"
    static let summary = "A comment on a post of a channel."
    static let subject = CheckSubject.message(also: [.edited])

    let wanted: Bool

    var groupPart: GroupPart? { .member }
    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.input.isComment == wanted) }
    func reason(_ facts: inout InputFacts) -> String { facts.input.isComment ? "a comment" : "no comment" }
}
