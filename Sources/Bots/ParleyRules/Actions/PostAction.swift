internal import Parley

/// A post in a channel of the profile: `post: { channel: News, text: Hello }`.
struct PostAction: DeclaredAction {
    static let key = "post"
    static let shape = Shape.mapping("post")
    static let summary = "Post in the name of a channel."
    static let mapping = MappingSchema(
        "post", [.required("channel", .text, "The name of a channel of the profile."), .required("text", .text, "The text of the post.")])

    private let channel: String
    private let content: Template

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.mapping)
        let channel = mapping.required("channel", hint: "write the name of a channel of the profile")?.name(of: .channel)
        let text = mapping.required("text", hint: "write the text of the post").flatMap { Template($0, in: condition) }
        guard let channel, let text else { return nil }
        (self.channel, content) = (channel, text)
    }

    var template: Template? { content }

    func objection(in condition: RuleCondition) -> ActionObjection? {
        if let objection = condition.messageObjection { return objection }
        return condition.event == .request ? ("nobody has written", nil) : nil
    }

    func perform(_ run: ActionRun) async throws {
        let text = content.filled(with: run.values)
        guard let group = try await run.client.destination(channel)?.group, group.isChannel else { throw RuleFailure.noChannel(channel) }
        try await group.post(text)
    }
}
