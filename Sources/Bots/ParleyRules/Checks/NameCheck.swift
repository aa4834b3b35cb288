internal import Parley

/// The display name of the writer: `name: "(?i)admin"`, or words in it.
struct NameCheck: RuleCheck {
    static let key = "name"
    static let shape = Shape.anyOf([.shortText(TextPattern.maximumSourceLength), .mapping("name-test")])
    static let summary = "An RE2 pattern of the writer's display name, or words to look for in it."
    static let subject = CheckSubject.writer(also: [.invitation, .member, .connected, .request])
    static let mapping = MappingSchema(
        "name-test",
        GroupCheck.mapping.keys + [.key("pattern", .shortText(TextPattern.maximumSourceLength), "An RE2 pattern that the name matches, too.")])

    private var pattern: TextPattern?
    private var words: WordTest?

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard reader.keys != nil else {
            guard let pattern = reader.pattern() else { return nil }
            self.pattern = pattern
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.mapping)
        words = WordTest(ofNames: mapping, hint: "write words: [admin], list: name, or pattern: \"…\"")
        pattern = mapping.value("pattern")?.pattern()
        if words == nil, pattern == nil { return nil }
    }

    var isSearch: Bool { words != nil }
    func search(_ compiler: inout RuleCompiler) -> CompiledSearch? { words.map { compiler.search(for: $0, of: .name) } }

    func answerBeforeSearch(_ input: RuleInput) -> Truth? {
        guard let name = input.displayName else { return .unknown }
        return pattern.map { $0.matches(name) } == false ? .no : nil
    }

    func answer(_ facts: inout InputFacts) -> Truth { facts.input.displayName.map { name in Truth(pattern?.matches(name) ?? false) } ?? .unknown }
    func reason(_ facts: inout InputFacts) -> String { facts.input.displayName ?? "the name is not known" }
}
