internal import Parley

/// The end of the broadcasts that are under way: `cancel-broadcast: true`.
struct CancelBroadcastAction: PlainAction {
    static let key = "cancel-broadcast"
    static let summary = "Cancel the broadcasts that are under way."

    func objection(in condition: RuleCondition) -> ActionObjection? { condition.broadcastActionObjection }
    func perform(_ run: ActionRun) async throws { try await run.reply(try await run.client.cancelBroadcasts()) }
}
