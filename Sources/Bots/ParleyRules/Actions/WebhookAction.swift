internal import Parley

/// A web address to which the event is reported: `webhook: https://…`.
struct WebhookAction: DeclaredAction {
    static let key = "webhook"
    static let shape = Shape.anyOf([.text, .mapping("webhook"), .mapping("secret")])
    static let summary = "Tell an address of the web of the event."
    static let mapping = MappingSchema(
        "webhook",
        [
            .required("url", .anyOf([.text, .mapping("secret")]), "The address: https, or http on this machine."),
            .key("secret", .mapping("secret"), "The key of signatures."),
            .key("text", .bool, "Send the text of the message; true by default."),
            .key("insecure", .bool, "Send without encryption to another machine."),
        ])

    let webhook: WebhookSpec

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard let webhook = WebhookSpec(reader) else { return nil }
        self.webhook = webhook
    }

    func detail(_ values: TemplateValues) -> String? { webhook.host }
    func objection(in condition: RuleCondition) -> ActionObjection? { condition.event == .request ? ("nobody has written", nil) : nil }
    func perform(_ run: ActionRun) async throws { try await WebhookSender.enqueue(webhook, run.context) }
}
