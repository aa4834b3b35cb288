internal import Parley

/// The message, forwarded into a chat of the profile or of another one: `forward: Staff`.
struct ForwardAction: DeclaredAction {
    static let key = "forward"
    static let shape = Shape.anyOf([.text, .mapping("forward")])
    static let summary = "Forward the message to the chat of that name."
    static let mapping = MappingSchema(
        "forward",
        [.required("to", .text, "The name of the chat."), .key("through", .text, "The key of another profile, whose chat it is.")])

    /// The name of the chat.
    private let target: String
    /// The key of another profile, whose chat it is; nil for a chat of the profile.
    private var other: String?

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard reader.keys != nil else {
            guard let target = reader.name(of: .chat) else { return nil }
            self.target = target
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.mapping)
        other = mapping.value("through")?.name(of: .profile)
        guard let reader = mapping.required("to", hint: "write the name of a chat") else { return nil }
        guard let other else {
            guard let target = reader.name(of: .chat) else { return nil }
            self.target = target
            return
        }
        // A chat of another profile is declared there.
        guard let target = reader.nonEmptyString() else { return nil }
        reader.sink.note(.chatElsewhere, target, at: reader.position, of: other)
        self.target = target
    }

    func detail(_ values: TemplateValues) -> String? { target }

    func objection(in condition: RuleCondition) -> ActionObjection? {
        condition.event == .message || condition.event == .fileReceived ? nil : ("there is no message to forward", nil)
    }

    func perform(_ run: ActionRun) async throws {
        let through = try other.map { id in
            guard let client = run.client.other(id) else { throw RuleFailure.noProfile(id) }
            return client
        }
        guard let chat = try await (through ?? run.client).destination(target)?.reference else { throw RuleFailure.noChat(target) }
        try await run.subject.forward?(chat, through)
    }
}
