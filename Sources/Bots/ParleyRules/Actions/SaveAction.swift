internal import Parley

/// The file of the message, received from the bot's own routers or from any: `save: own`.
struct SaveAction: DeclaredAction {
    private static let words: KeyValuePairs<String, FileSources> = ["own": .own, "any": .any]

    static let key = "save"
    static let shape = words.shape
    static let summary = "Receive the file of the message."

    private let sources: FileSources

    init?(_ reader: NodeReader, in condition: RuleCondition?) {
        guard let sources = reader.word(of: Self.words) else { return nil }
        self.sources = sources
    }

    func objection(in condition: RuleCondition) -> ActionObjection? { condition.event == .message ? nil : ("there is no file to save", nil) }
    func perform(_ run: ActionRun) async throws { try await run.subject.save?(sources) }
}
