internal import Parley

/// A message into another chat: `tell: { chat: Staff, text: Hello }`.
struct TellAction: RequestAction, FormAction {
    static let key = "tell"
    static let shape = Shape.mapping("tell")
    static let summary = "Send a message into another chat."
    static let mapping = MappingSchema(
        "tell", [.required("chat", .text, "The name of a contact or group."), .required("text", .text, "The text.")])

    /// The name of the chat.
    let chat: String
    private let content: Template

    init?(_ reader: NodeReader, _ scope: TemplateScope) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.mapping)
        let chat = mapping.required("chat", hint: "write the name of a trusted contact, or of a group or channel of the profile")?.name(of: .chat)
        let text = mapping.required("text", hint: "write the text of the message").flatMap { Template($0, scope) }
        guard let chat, let text else { return nil }
        (self.chat, content) = (chat, text)
    }

    var template: Template? { content }

    func perform(_ run: ActionRun) async throws { try await run.client.tell(content.filled(with: run.values), in: chat) }
    func perform(_ request: RequestContext, _ values: TemplateValues) async throws { try await request.client.tell(content.filled(with: values), in: chat) }

    func perform(_ step: DialogueContext<FormState>, _ values: TemplateValues) async throws {
        guard let destination = try await step.message.client.destination(chat) else { throw RuleFailure.noChat(chat) }
        try await destination.send(content.filled(with: values))
    }
}
