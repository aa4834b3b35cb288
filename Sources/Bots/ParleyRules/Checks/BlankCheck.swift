internal import UnicodeText

/// A text in which nothing can be seen: `blank: true`.
struct BlankCheck: FlagCheck {
    static let key = "blank"
    static let summary = "A text in which nothing can be seen."
    static let subject = CheckSubject.text

    let wanted: Bool

    func answer(_ facts: inout InputFacts) -> Truth { facts.hasText ? Truth(HiddenCharacters.isBlank(facts.shown) == wanted) : .unknown }
    func reason(_ facts: inout InputFacts) -> String {
        guard facts.hasText else { return InputFacts.noText }
        return HiddenCharacters.isBlank(facts.shown) ? "nothing can be seen" : "there is something to see"
    }
}
