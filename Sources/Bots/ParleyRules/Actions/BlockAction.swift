internal import Parley

/// A block of the member for all: `block: true`, or for a time.
struct BlockAction: ModeratingAction {
    static let key = "block"
    static let shape = Shape.anyOf([.yes, .mapping("block")])
    static let summary = "Block the member for all."
    static let mapping = MappingSchema("block", [.required("for", Schemas.span, "The time after which the block ends.")])

    private(set) var limit: Double?

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard reader.keys != nil else {
            guard reader.affirmed() else { return nil }
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.mapping)
        guard let limit = mapping.required("for", hint: "write how long, for example: for: 12h").flatMap(TimeSpan.positive) else { return nil }
        self.limit = limit
    }

    func moderate(_ subject: RuleSubject, _ member: BotMember) async throws { try await member.block() }
}
