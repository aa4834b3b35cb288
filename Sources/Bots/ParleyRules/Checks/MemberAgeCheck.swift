/// The time since the member joined: `member-age: "< 24h"`.
struct MemberAgeCheck: ComparisonCheck {
    static let key = "member-age"
    static let summary = "Time since the member joined, if that is known."
    static let unit = Comparison.Unit.duration

    let range: Comparison

    var groupPart: GroupPart? { .member }
    func answer(_ facts: inout InputFacts) -> Truth { facts.input.memberAge.map { Truth(range.holds($0)) } ?? .unknown }
    func reason(_ facts: inout InputFacts) -> String { facts.input.memberAge.map { "for \(TimeSpan.text($0))" } ?? "not known since when" }
}
