internal import Parley

/// A message to many, in the background: `broadcast: text`, or into chats of some names.
struct BroadcastAction: FormAction {
    static let key = "broadcast"
    static let shape = Shape.anyOf([.text, .mapping("broadcast")])
    static let summary = "Send a message to all contacts, or into several chats, in the background."
    static let mapping = MappingSchema(
        "broadcast", Schemas.sendFile.keys + [.key("to", .listOrOne(.text), "Names of chats, or contacts for all of them; contacts by default.")])

    private let broadcast: BroadcastSpec

    init?(_ reader: NodeReader, _ scope: TemplateScope) {
        guard let broadcast = BroadcastSpec(reader, scope) else { return nil }
        self.broadcast = broadcast
    }

    var template: Template? { broadcast.message.template }
    func detail(_ values: TemplateValues) -> String? { broadcast.message.detail(values) }
    func objection(in condition: RuleCondition) -> ActionObjection? { condition.broadcastActionObjection }

    func perform(_ run: ActionRun) async throws {
        if let answer = try await run.client.broadcast(broadcast, run.values) { try await run.reply(answer) }
    }

    func perform(_ step: DialogueContext<FormState>, _ values: TemplateValues) async throws {
        if let answer = try await step.message.client.broadcast(broadcast, values) { try await step.message.send(answer) }
    }
}
