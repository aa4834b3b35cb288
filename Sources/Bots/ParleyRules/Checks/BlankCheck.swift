internal import UnicodeText

/// A text in which nothing can be seen: `blank: true`.
struct BlankCheck: RuleCheck {
    static let key = "blank"
    static let shape = Shape.bool
    static let summary = "A text in which nothing can be seen."
    static let subject = CheckSubject.text

    private let wanted: Bool

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let wanted = reader.bool() else { return nil }
        self.wanted = wanted
    }

    func answer(_ facts: inout InputFacts) -> Truth { facts.hasText ? Truth(HiddenCharacters.isBlank(facts.shown) == wanted) : .unknown }
    func reason(_ facts: inout InputFacts) -> String {
        guard facts.hasText else { return InputFacts.noText }
        return HiddenCharacters.isBlank(facts.shown) ? "nothing can be seen" : "there is something to see"
    }
}
