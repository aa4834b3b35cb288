/// The lines of a text: `lines: "> 20"`, or as they are folded at a width.
struct LinesCheck: RuleCheck {
    static let key = "lines"
    static let shape = Shape.anyOf([Schemas.comparison, .mapping("lines")])
    static let summary = "Lines of the text."
    static let subject = CheckSubject.text
    static let mapping = MappingSchema(
        "lines",
        [.required("count", Schemas.comparison, "Lines."), .key("width", .integer(widths), "Characters after which a line counts twice.")])

    private static let widths = 1...10_000

    private let range: Comparison
    private var width: Int?

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard reader.keys != nil else {
            guard let range = Comparison(reader, unit: .count) else { return nil }
            self.range = range
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.mapping)
        let count = mapping.required("count", hint: "write a comparison in quotes: \"> 20\"").flatMap { Comparison($0, unit: .count) }
        width = mapping.value("width")?.integer(in: Self.widths)
        guard let count else { return nil }
        range = count
    }

    private func lines(_ facts: inout InputFacts) -> Int { TextMeasures.lines(facts.shown, width: width) }

    func answer(_ facts: inout InputFacts) -> Truth { facts.hasText ? Truth(range.holds(Double(lines(&facts)))) : .unknown }
    func reason(_ facts: inout InputFacts) -> String { facts.hasText ? "\(lines(&facts)) lines" : InputFacts.noText }
}
