/// The most marks on one letter: `marks: "> 3"`.
struct MarksCheck: ComparisonCheck {
    static let key = "marks"
    static let summary = "The most marks on one letter of the text."
    static let subject = CheckSubject.text

    let range: Comparison

    func answer(_ facts: inout InputFacts) -> Truth { Truth(range.holds(facts.marks)) }
    func reason(_ facts: inout InputFacts) -> String { "\(Int(facts.marks)) marks on a letter at the most" }
}
