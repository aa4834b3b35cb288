/// Whole words or phrases in a text: `words: [casino, "free money"]`, or those of a list.
struct WordsCheck: RuleCheck {
    static let key = "words"
    static let shape = Shape.anyOf([.listOrOne(.text), .mapping("words")])
    static let summary = "Whole words or phrases in the text."
    static let subject = CheckSubject.text
    static let mapping = MappingSchema(
        "words",
        [
            .key("of", .listOrOne(.text), "Words and phrases."), .key("list", .listOrOne(.text), "Lists of this file."),
            .key("except", .listOrOne(.text), "Words and phrases within which nothing is found."),
            .key("normalize", Schemas.normalizations, "Changes to texts before they are compared with the words of this rule."),
        ])

    private let words: WordTest

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard reader.keys != nil else {
            guard let items = reader.listOrOne() else { return nil }
            words = WordTest(words: items.compactMap { ListSpec.entry($0, .words) })
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.mapping)
        words = WordTest(mapping, words: "of")
        if mapping.value("of") == nil {
            WordTest.refuseNormalization(mapping)
            if mapping.value("list") == nil { reader.report(.missingKey, "no words to look for", hint: "write of: [word, \"two words\"], or list: name") }
        }
    }

    var isSearch: Bool { true }
    func search(_ compiler: inout RuleCompiler) -> CompiledSearch? { compiler.search(for: words) }
}
