/// The time since the member joined: `member-age: "< 24h"`.
struct MemberAgeCheck: RuleCheck {
    static let key = "member-age"
    static let shape = Schemas.comparison
    static let summary = "Time since the member joined, if that is known."

    private let range: Comparison

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let range = Comparison(reader, unit: .duration) else { return nil }
        self.range = range
    }

    var groupPart: GroupPart? { .member }
    func answer(_ facts: inout InputFacts) -> Truth { facts.input.memberAge.map { Truth(range.holds($0)) } ?? .unknown }
    func reason(_ facts: inout InputFacts) -> String { facts.input.memberAge.map { "for \(TimeSpan.text($0))" } ?? "not known since when" }
}
