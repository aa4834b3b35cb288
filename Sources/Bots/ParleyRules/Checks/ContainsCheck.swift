/// Parts of a text: `contains: price`, or with exceptions within which nothing is found.
struct ContainsCheck: RuleCheck {
    static let key = "contains"
    static let shape = Shape.anyOf([.listOrOne(.shortText(RuleCondition.maximumTextLength)), .mapping("parts")])
    static let summary = "A part of the text, without regard to case."
    static let subject = CheckSubject.text
    static let mapping = MappingSchema(
        "parts",
        [
            .required("of", .listOrOne(.shortText(RuleCondition.maximumTextLength)), "Parts of texts."),
            .key("except", .listOrOne(.shortText(RuleCondition.maximumTextLength)), "Parts within which nothing is found."),
        ])

    private let parts: [String]
    private var exceptions: [String] = []

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard reader.keys != nil else {
            guard let parts = TextCheck.texts(reader) else { return nil }
            self.parts = parts
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Self.mapping)
        exceptions = mapping.value("except").flatMap(TextCheck.texts) ?? []
        guard let parts = mapping.required("of", hint: "write of: [text, \"another text\"]").flatMap(TextCheck.texts) else { return nil }
        self.parts = parts
    }

    var isSearch: Bool { true }
    func search(_ compiler: inout RuleCompiler) -> CompiledSearch? { compiler.search(forParts: parts, except: exceptions) }
}
