internal import Parley

/// An action against a message or a member, which the record of the group gets a case of.
protocol ModeratingAction: DeclaredAction {
    /// Does it, to the member whom the event is about.
    func moderate(_ subject: RuleSubject, _ member: BotMember) async throws
    /// Completes the case of the action.
    func complete(_ new: inout ModerationCase, of member: BotMember)
}

extension ModeratingAction {
    var isModerating: Bool { true }
    var opensCase: Bool { true }
    func objection(in condition: RuleCondition) -> ActionObjection? { condition.memberObjection }
    func complete(_ new: inout ModerationCase, of member: BotMember) {}

    func perform(_ run: ActionRun) async throws {
        // A rule does not apply to moderators, unless it says so.
        guard let member = run.subject.member, !run.isExempt else { return }
        guard let number = run.caseNumber else { return try await moderate(run.subject, member) }
        var new = run.newCase(number, self, of: member)
        complete(&new, of: member)
        _ = try await run.client.open(new, in: member.group.id, endingAfter: limit.map { .seconds($0) }) { try await moderate(run.subject, member) }
    }
}
