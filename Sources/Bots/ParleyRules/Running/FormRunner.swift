internal import ChatAPI
internal import Foundation
internal import Logging
internal import Parley

/// Takes the answers to forms.
struct FormRunner: Sendable {
    let current: @Sendable () -> ProfileRules
    let logger: Logger

    /// Nil for an expired or missing form: then the rules get the message.
    func plan(_ step: DialogueContext<FormState>) -> RuleRunner.Work? {
        let profile = current(), now = step.message.client.now, state = step.state
        guard let form = profile.forms[state.form], !ImplausibleTime.isOver(state.deadline, at: now.timeIntervalSince1970) else { return nil }
        return {
            var input = RuleInput(event: .message, text: step.text)
            let subject = RuleSubject(step.message)
            input.describe(subject.chat.info, target: subject.member?.member, trusted: subject.client.trustedPeople, at: now)
            var values = RuleRunner.values(input, subject, bot: profile.name, name: nil, at: now)
            switch form.step(step.text, after: state.answers) {
            case .refuse: try await step.message.send(form.questions[state.answers.count].refusal(step.message.client.texts))
            case .cancelled: try await step.end(form.cancelled)
            case .ask(let question, let answers):
                values.fields = form.fields(answers)
                try await step.next(FormState(form: form.id, answers: answers, deadline: state.deadline), form.questions[question].text(values))
            case .done(let answers):
                values.fields = form.fields(answers)
                try await step.end()
                for action in form.done { try await perform(action, of: form, step, values) }
            }
        }
    }

    /// A chat that is gone must not keep the answers from the others.
    private func perform(_ action: RuleAction, of form: FormSpec, _ step: DialogueContext<FormState>, _ values: TemplateValues) async throws {
        do {
            try await (action.value as? any FormAction)?.perform(step, values)
        } catch {
            // The end of the bots: the answer is handled at the next start.
            guard !Task.isCancelled else { throw error }
            step.message.client.noteFailure(error, of: .form(form.id), action: action.word, logger)
            if let said = RulePerformer.answer(to: error) { _ = try? await step.message.send(step.message.client.texts[said]) }
        }
    }
}
