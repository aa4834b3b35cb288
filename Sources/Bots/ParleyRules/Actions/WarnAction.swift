internal import Parley

/// Points for the member, which rules about warnings follow: `warn: true`.
struct WarnAction: DeclaredAction {
    static let key = "warn"
    static let shape = Shape.anyOf([.yes, .integer(WarnSpec.pointRange), .mapping("warn")])
    static let summary = "Give the member points."
    static let mapping = MappingSchema(
        "warn",
        [
            .key("points", .integer(WarnSpec.pointRange), "Points; 1 by default."),
            .key("expires", Schemas.span, "The time after which they no longer count."), .key("reason", .text, "The reason, for the record."),
        ])

    let warning: WarnSpec

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard let warning = WarnSpec(reader) else { return nil }
        self.warning = warning
    }

    var isModerating: Bool { true }
    var opensCase: Bool { true }
    var limit: Double? { warning.expiry }
    func detail(_ values: TemplateValues) -> String? { "\(warning.points)" }

    func objection(in condition: RuleCondition) -> ActionObjection? {
        condition.event == .warned ? ("a warning about a warning would not end", "give more points at once") : condition.memberObjection
    }

    /// Opens the case. The points have been given when the rules were decided (``RuleTurn``).
    func perform(_ run: ActionRun) async throws {
        guard let member = run.subject.member, !run.isExempt, let number = run.caseNumber else { return }
        var new = run.newCase(number, self, of: member)
        new.reason = warning.reason
        // Points that a handler which fails has given are not stored, and neither is their case.
        let group = member.group.id, added = new
        run.client.log(try await run.client.update(ModerationRecord.self, of: .chat(.group(group))) { $0.add(added) }, in: group)
    }
}
