/// A bot as the writer: `bot: true`.
struct BotCheck: FlagCheck {
    static let key = "bot"
    static let summary = "The writer is a bot."
    static let subject = CheckSubject.writer(also: [.invitation, .member, .connected])

    let wanted: Bool

    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.input.isFromBot == wanted) }
    func reason(_ facts: inout InputFacts) -> String { facts.input.isFromBot ? "a bot" : "no bot" }
}
