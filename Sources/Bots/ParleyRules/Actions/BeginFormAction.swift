internal import Foundation
internal import Parley

/// The first question of a form to the writer: `form: order`.
struct BeginFormAction: DeclaredAction {
    static let key = "form"
    static let shape = Shape.text
    static let summary = "Begin a form of the profile with the writer."

    /// The key of the form.
    let form: String

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard let form = reader.name(of: .form) else { return nil }
        self.form = form
    }

    func detail(_ values: TemplateValues) -> String? { form }

    func objection(in condition: RuleCondition) -> ActionObjection? {
        condition.event == .message || condition.event == .connected ? nil : ("nobody has written", "it goes with messages and \"connected\"")
    }

    func perform(_ run: ActionRun) async throws {
        guard let form = run.performer.profile.forms[form], let first = form.questions.first else { return }
        let deadline = run.performer.now.timeIntervalSince1970 + form.timeout
        try await run.subject.begin?(FormState(form: form.id, deadline: deadline), first.text(run.values))
    }
}
