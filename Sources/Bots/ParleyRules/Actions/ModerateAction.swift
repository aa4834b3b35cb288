internal import Parley

/// The deletion of the message, or of the reported message, for everybody: `moderate: true`.
struct ModerateAction: PlainAction, ModeratingAction {
    static let key = "moderate"
    static let summary = "Delete the message for everybody."

    func objection(in condition: RuleCondition) -> ActionObjection? {
        guard [.message, .edited, .report, .warned].contains(condition.event) else { return ("there is no message to delete", nil) }
        return condition.groupObjection
    }

    func moderate(_ subject: RuleSubject, _ member: BotMember) async throws { try await subject.moderate?() }
}
