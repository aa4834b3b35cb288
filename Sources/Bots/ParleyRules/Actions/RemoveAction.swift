internal import Parley

/// The removal of the member: `remove: true`, or `remove: with-messages`.
struct RemoveAction: ModeratingAction {
    static let key = "remove"
    static let shape = Shape.anyOf([.yes, .words([withMessages])])
    static let summary = "Remove the member."

    private static let withMessages = "with-messages"

    private let includesMessages: Bool

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        includesMessages = reader.text == Self.withMessages
        guard includesMessages || reader.affirmed() else { return nil }
    }

    func moderate(_ subject: RuleSubject, _ member: BotMember) async throws { try await member.remove(withMessages: includesMessages) }
}
