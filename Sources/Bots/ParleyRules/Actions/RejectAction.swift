internal import Parley

/// The refusal of a request or a member: `reject: true`.
struct RejectAction: PlainAction, RequestAction {
    static let key = "reject"
    static let summary = "Refuse the request or the member."

    func objection(in condition: RuleCondition) -> ActionObjection? {
        condition.event == .request || condition.isAboutWaiting
            ? nil : ("there is no request to answer", "it goes with \"request\", \"member: pending\" and messages with \"chat: support\"")
    }

    func perform(_ run: ActionRun) async throws { try await run.subject.reject?() }
    func perform(_ request: RequestContext, _ values: TemplateValues) async throws { try await request.reject() }
}
