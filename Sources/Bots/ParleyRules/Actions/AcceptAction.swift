internal import Parley

/// The acceptance of a request or an invitation, or the admission of a member: `accept: true`.
struct AcceptAction: PlainAction, RequestAction {
    static let key = "accept"
    static let summary = "Accept the request, the invitation or the member."

    func objection(in condition: RuleCondition) -> ActionObjection? {
        if condition.event == .request || condition.event == .invitation || condition.isAboutWaiting { return nil }
        return ("there is nothing to accept", "it goes with \"request\", \"invitation\", \"member: pending\" and messages with \"chat: support\"")
    }

    func perform(_ run: ActionRun) async throws { try await run.subject.accept?() }
    func perform(_ request: RequestContext, _ values: TemplateValues) async throws { try await request.accept() }
}
