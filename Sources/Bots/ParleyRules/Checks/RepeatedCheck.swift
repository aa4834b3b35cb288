/// Characters that come many times in a row: `repeated: 10`.
struct RepeatedCheck: RuleCheck {
    static let key = "repeated"
    static let shape = Shape.anyOf([.integer(repetitions), .mapping("repeated")])
    static let summary = "The same characters many times in a row."
    static let subject = CheckSubject.text
    static let mapping = MappingSchema(
        "repeated",
        [
            .required("times", .integer(repetitions), "Times in a row."),
            .key("length", .integer(1...TextMeasures.longestPeriod), "Characters of the sequence at least."),
        ])

    private static let repetitions = 2...1_000

    private let times: Int
    private var length = 1

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard reader.keys != nil else {
            guard let times = reader.integer(in: Self.repetitions) else { return nil }
            self.times = times
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.mapping)
        let times = mapping.required("times", hint: "say how many times in a row")?.integer(in: Self.repetitions)
        length = mapping.value("length")?.integer(in: 1...TextMeasures.longestPeriod) ?? 1
        guard let times else { return nil }
        self.times = times
    }

    func answer(_ facts: inout InputFacts) -> Truth {
        facts.hasText ? Truth(TextMeasures.repeats(facts.shown, times: times, length: length)) : .unknown
    }

    func reason(_ facts: inout InputFacts) -> String { facts.hasText ? "" : InputFacts.noText }
}
