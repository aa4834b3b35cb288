/// The most marks on one letter: `marks: "> 3"`.
struct MarksCheck: RuleCheck {
    static let key = "marks"
    static let shape = Schemas.comparison
    static let summary = "The most marks on one letter of the text."
    static let subject = CheckSubject.text

    private let range: Comparison

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let range = Comparison(reader, unit: .count) else { return nil }
        self.range = range
    }

    func answer(_ facts: inout InputFacts) -> Truth { Truth(range.holds(facts.marks)) }
    func reason(_ facts: inout InputFacts) -> String { "\(Int(facts.marks)) marks on a letter at the most" }
}
