/// A bot as the writer: `bot: true`.
struct BotCheck: RuleCheck {
    static let key = "bot"
    static let shape = Shape.bool
    static let summary = "The writer is a bot."
    static let subject = CheckSubject.writer(also: [.invitation, .member, .connected])

    private let wanted: Bool

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let wanted = reader.bool() else { return nil }
        self.wanted = wanted
    }

    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.input.isFromBot == wanted) }
    func reason(_ facts: inout InputFacts) -> String { facts.input.isFromBot ? "a bot" : "no bot" }
}
