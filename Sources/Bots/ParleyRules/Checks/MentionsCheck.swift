/// The members that a message mentions: `mentions: "> 5"`.
struct MentionsCheck: RuleCheck {
    static let key = "mentions"
    static let shape = Schemas.comparison
    static let summary = "Members that the message mentions."

    private let range: Comparison

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let range = Comparison(reader, unit: .count) else { return nil }
        self.range = range
    }

    var groupPart: GroupPart? { .mention }
    func answer(_ facts: inout InputFacts) -> Truth { Truth(range.holds(Double(facts.input.mentions))) }
    func reason(_ facts: inout InputFacts) -> String { "\(facts.input.mentions) mentions" }
}
