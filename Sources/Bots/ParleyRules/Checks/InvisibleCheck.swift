/// Invisible characters that nothing in the text needs: `invisible: true`.
struct InvisibleCheck: RuleCheck {
    static let key = "invisible"
    static let shape = Shape.bool
    static let summary = "Invisible characters in the text."
    static let subject = CheckSubject.text

    private let wanted: Bool

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let wanted = reader.bool() else { return nil }
        self.wanted = wanted
    }

    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.hasInvisible == wanted) }
    func reason(_ facts: inout InputFacts) -> String { facts.hasInvisible ? "there are invisible characters" : "there are none" }
}
