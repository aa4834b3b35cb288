internal import Parley

/// The end of all points of the member: `forgive: true`.
struct ForgiveAction: PlainAction {
    static let key = "forgive"
    static let summary = "Take all points of the member back."

    func objection(in condition: RuleCondition) -> ActionObjection? { condition.memberObjection }

    /// The points have been taken back when the rules were decided (``RuleTurn``).
    func perform(_ run: ActionRun) async throws {}
}
