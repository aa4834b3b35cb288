/// Invisible characters that nothing in the text needs: `invisible: true`.
struct InvisibleCheck: FlagCheck {
    static let key = "invisible"
    static let summary = "Invisible characters in the text."
    static let subject = CheckSubject.text

    let wanted: Bool

    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.hasInvisible == wanted) }
    func reason(_ facts: inout InputFacts) -> String { facts.hasInvisible ? "there are invisible characters" : "there are none" }
}
