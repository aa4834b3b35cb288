/// The events of the rule's kind within a time: `rate: "> 5 in 10s"`.
struct RateCheck: RuleCheck {
    private static let pattern = Shape.form("^ *((>=|<=|>|<|=) *\\d+|\\d+ *\\.\\. *\\d+) in \\d+ *[smhdw] *$", example: "> 5 in 10s")

    static let key = "rate"
    static let shape = Shape.anyOf([pattern, .mapping("rate")])
    static let summary = "Events of this kind within a time."
    static let mapping = MappingSchema(
        "rate",
        [
            .required("of", pattern, "How many in what time."),
            .key("count", RateTest.units.shape, "What is added up: events by default, or the characters or lines of texts."),
            .key("per", Repetition.words.shape, "What is counted together: the messages of a person, and the joins of a group, by default."),
        ])

    let rate: RateTest

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let rate = RateTest(reader, event: event) else { return nil }
        self.rate = rate
    }

    static func objection(to event: RuleEvent) -> CheckSubject.Objection? {
        // A warning is the consequence of an event that is counted itself.
        event == .warned ? ("\"rate\" does not go with \"warned\"", "compare the points: warned: \">= 3\"") : nil
    }

    func answer(_ facts: inout InputFacts) -> Truth { facts.input.rates[RuleInput.Rate(rate)].map { Truth(rate.count.holds(Double($0))) } ?? .unknown }

    func reason(_ facts: inout InputFacts) -> String {
        facts.input.rates[RuleInput.Rate(rate)].map { "\($0) within \(TimeSpan.text(rate.window))" } ?? "not counted"
    }
}
