/// A message that was forwarded: `forwarded: true`.
struct ForwardedCheck: RuleCheck {
    static let key = "forwarded"
    static let shape = Shape.bool
    static let summary = "A message that was forwarded."
    static let subject = CheckSubject.message(also: [])

    private let wanted: Bool

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let wanted = reader.bool() else { return nil }
        self.wanted = wanted
    }

    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.input.isForwarded == wanted) }
    func reason(_ facts: inout InputFacts) -> String { facts.input.isForwarded ? "forwarded" : "not forwarded" }
}
