internal import Parley
internal import UnicodeText

/// The undoing of a case: `undo: true`. The number after the command selects the case; without a number, the newest case is undone.
struct UndoAction: PlainAction {
    static let key = "undo"
    static let summary = "Undo the action of a case, by the number after the command."

    func objection(in condition: RuleCondition) -> ActionObjection? { condition.moderatorObjection }
    func perform(_ run: ActionRun) async throws { try await run.reply(said(run)) }

    /// Takes the action back.
    ///
    /// - Returns: A sentence for moderators.
    private func said(_ run: ActionRun) async throws -> String {
        let texts = run.performer.texts
        guard let group = run.subject.chat.group else { return texts[.caseNotHere] }
        let text = (run.values.command?.arguments ?? "").trimmed, number = Int(text)
        guard text.isEmpty || number != nil else { return texts[.caseNumber] }
        return try await CaseUndo(client: run.client, group: group).undo(number, by: run.values.contactName)
    }
}
