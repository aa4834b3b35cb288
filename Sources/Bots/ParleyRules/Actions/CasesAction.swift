internal import Parley

/// The newest cases of the group, for the moderator who asks: `cases: true`.
struct CasesAction: PlainAction {
    static let key = "cases"
    static let summary = "Show the newest cases of the group."

    func objection(in condition: RuleCondition) -> ActionObjection? { condition.moderatorObjection }
    func perform(_ run: ActionRun) async throws { try await run.performer.listCases() }
}
