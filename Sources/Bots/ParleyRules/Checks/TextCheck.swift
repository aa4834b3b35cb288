internal import UnicodeText

/// A text that is the whole of the message: `text: hello`.
struct TextCheck: RuleCheck {
    static let key = "text"
    static let shape = Shape.listOrOne(.shortText(RuleCondition.maximumTextLength))
    static let summary = "The whole text, without regard to case."
    static let subject = CheckSubject.text

    private let texts: [String]

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let texts = Self.texts(reader) else { return nil }
        self.texts = texts
    }

    /// Reads one text or several, each within the limit.
    static func texts(_ reader: NodeReader) -> [String]? {
        reader.listOrOne()?.compactMap { item in
            guard let text = item.nonEmptyString() else { return nil }
            item.warnOfSlips()
            guard text.utf8.count <= RuleCondition.maximumTextLength else {
                item.report(.badValue, "\(item.path) has \(text.utf8.count) bytes, more than \(RuleCondition.maximumTextLength)")
                return nil
            }
            return text
        }
    }

    func search(_ compiler: inout RuleCompiler) -> CompiledSearch? { compiler.search(forWhole: texts) }
}
