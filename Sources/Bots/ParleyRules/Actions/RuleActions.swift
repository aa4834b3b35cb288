/// The actions of the format.
enum RuleActions {
    /// All actions, in the order of the schema.
    static let all: [any DeclaredAction.Type] = [
        ReplyAction.self, SendAction.self, ReactAction.self, AcceptAction.self, RejectAction.self, ModerateAction.self, BlockAction.self,
        RemoveAction.self, RoleAction.self, WarnAction.self, ForgiveAction.self, UndoAction.self, CasesAction.self, CaptchaAction.self,
        BeginFormAction.self, TellAction.self, BroadcastAction.self, CancelBroadcastAction.self, ForwardAction.self, WebhookAction.self,
        SaveAction.self, PostAction.self,
    ]

    /// The actions that can end a form.
    private static let ofForms: [any FormAction.Type] = [SendAction.self, TellAction.self, BroadcastAction.self]

    private static let byKey = Dictionary(all.map { ($0.key, $0) }) { first, _ in first }

    /// The action of a key; nil if an error was reported.
    static func action(_ key: String, _ reader: NodeReader, in condition: RuleCondition?) -> (any ActionValue)? {
        if let custom = reader.sink.extensions.action(key) { return custom.read(reader, condition) }
        return byKey[key]?.read(reader, in: condition)
    }

    /// The action of a key at the end of a form; nil if an error was reported.
    static func formAction(_ key: String, _ reader: NodeReader, _ scope: TemplateScope) -> (any ActionValue)? {
        ofForms.first { $0.key == key }?.read(reader, scope)
    }
}
