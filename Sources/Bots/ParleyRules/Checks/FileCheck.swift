internal import Parley

/// The file of a message: `file: any`, or by its name, type and size.
struct FileCheck: RuleCheck {
    static let key = "file"
    static let shape = Shape.anyOf([.words(["any"]), .mapping("file-test")])
    static let summary = "The file of the message."
    static let subject = CheckSubject.message(also: [.fileReceived, .fileFailed])
    static let mapping = MappingSchema(
        "file-test",
        [
            .key("name", .listOrOne(.text), "A pattern of the name with * and ?."),
            .key("type", .listOrOne(.text), "A media type, as the ending of the name says: image/*, application/pdf."), .key("larger", .text, "A size: 500kb."),
            .key("smaller", .text, "A size: 10mb."),
        ])

    private let condition: FileCondition

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let condition = FileCondition(reader) else { return nil }
        self.condition = condition
    }

    func answer(_ facts: inout InputFacts) -> Truth { Truth(facts.input.file.map(condition.holds) ?? false) }
    func reason(_ facts: inout InputFacts) -> String { facts.input.file.map { "\($0.name), \($0.size) bytes" } ?? "no file" }
}
