/// The points of somebody whom a rule has warned: `warned: ">= 3"`.
struct WarnedCheck: ComparisonCheck {
    static let key = "warned"
    static let summary = "A rule has warned somebody: the points that count now."

    let range: Comparison

    func answer(_ facts: inout InputFacts) -> Truth { facts.input.points.map { Truth(range.holds(Double($0))) } ?? .unknown }
    func reason(_ facts: inout InputFacts) -> String { facts.input.points.map { "\($0) points" } ?? "nobody was warned" }
}
