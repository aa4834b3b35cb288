/// The members that a message mentions: `mentions: "> 5"`.
struct MentionsCheck: ComparisonCheck {
    static let key = "mentions"
    static let summary = "Members that the message mentions."

    let range: Comparison

    var groupPart: GroupPart? { .mention }
    func answer(_ facts: inout InputFacts) -> Truth { Truth(range.holds(Double(facts.input.mentions))) }
    func reason(_ facts: inout InputFacts) -> String { "\(facts.input.mentions) mentions" }
}
