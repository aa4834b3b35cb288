internal import Parley

/// A message into the chat of the event: `send: text`, or a file.
struct SendAction: FormAction, MessageAction {
    static let key = "send"
    static let shape = Shape.anyOf([.text, .mapping("send-file")])
    static let summary = "Send a message."

    let message: RuleMessage

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard let message = RuleMessage(reader, .rule(condition)) else { return nil }
        self.message = message
    }

    /// A form ends with a text.
    init?(_ reader: NodeReader, _ scope: TemplateScope) {
        guard let template = Template(reader, scope) else { return nil }
        message = .text(template)
    }

    func perform(_ run: ActionRun) async throws {
        switch message {
        case .text(let template): try await run.subject.chat.send(mentioning: run.mentioning(template))
        case .file(let file): try await run.subject.chat.send(file.outgoing(run.values))
        }
    }

    func perform(_ step: DialogueContext<FormState>, _ values: TemplateValues) async throws {
        if let template { try await step.message.send(template.filled(with: values)) }
    }
}
