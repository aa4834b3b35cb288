/// The name of the group: `group: The Lobby`, or words in it.
struct GroupCheck: RuleCheck {
    static let key = "group"
    static let shape = Shape.anyOf([.listOrOne(.text), .mapping("group-test")])
    static let summary = "The name of the group, or words to look for in it."
    static let mapping = MappingSchema(
        "group-test",
        [
            .key("words", .listOrOne(.text), "Words and phrases."), .key("list", .listOrOne(.text), "Lists of this file."),
            .key("except", .listOrOne(.text), "Words and phrases within which nothing is found."),
            .key("normalize", Schemas.normalizations, "Changes to names before they are compared with these words."),
        ])

    /// The names; ignored if there are words.
    private var names: Set<String> = []
    private var words: WordTest?

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard reader.keys != nil else {
            guard let names = reader.listOrOne()?.compactMap({ $0.nonEmptyString() }) else { return nil }
            self.names = Set(names)
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.mapping)
        guard let words = WordTest(ofNames: mapping, hint: "write words: [casino], or list: name") else { return nil }
        self.words = words
    }

    var groupPart: GroupPart? { .group }
    var isSearch: Bool { words != nil }
    func search(_ compiler: inout RuleCompiler) -> CompiledSearch? { words.map { compiler.search(for: $0, of: .group) } }

    func answer(_ facts: inout InputFacts) -> Truth {
        Truth(!facts.input.isForeignGroup && facts.input.groupNames.contains(where: names.contains))
    }

    func reason(_ facts: inout InputFacts) -> String { facts.input.groupNames.first ?? "no group" }
}
