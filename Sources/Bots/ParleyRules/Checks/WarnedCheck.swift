/// The points of somebody whom a rule has warned: `warned: ">= 3"`.
struct WarnedCheck: RuleCheck {
    static let key = "warned"
    static let shape = Schemas.comparison
    static let summary = "A rule has warned somebody: the points that count now."

    private let range: Comparison

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let range = Comparison(reader, unit: .count) else { return nil }
        self.range = range
    }

    func answer(_ facts: inout InputFacts) -> Truth { facts.input.points.map { Truth(range.holds(Double($0))) } ?? .unknown }
    func reason(_ facts: inout InputFacts) -> String { facts.input.points.map { "\($0) points" } ?? "nobody was warned" }
}
