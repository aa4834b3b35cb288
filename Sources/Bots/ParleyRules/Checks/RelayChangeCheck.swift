/// Something that happens to a relay of a channel: `relay: left`.
struct RelayChangeCheck: RuleCheck {
    static let key = "relay"
    static let shape = Shape.listOrOne(.words(RelayEvent.words.words))
    static let summary = "A relay of a channel takes subscribers, has refused or has left."

    private let changes: Set<RelayEvent>

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let changes = RelayEvent.read(reader) else { return nil }
        self.changes = changes
    }

    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.input.relay.map(changes.contains) ?? false) }
}
