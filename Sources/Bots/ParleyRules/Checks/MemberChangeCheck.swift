/// Something that happens to a member: `member: joined`.
struct MemberChangeCheck: RuleCheck {
    static let key = "member"
    static let shape = Shape.listOrOne(.words(MembershipEvent.words.words))
    static let summary = "Something happened to a member."

    let changes: Set<MembershipEvent>

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let changes = MemberCondition.changes(reader) else { return nil }
        self.changes = changes
    }

    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.input.change.map(changes.contains) ?? false) }
    func reason(_ facts: inout InputFacts) -> String { facts.input.change?.rawValue ?? "no change" }
}
