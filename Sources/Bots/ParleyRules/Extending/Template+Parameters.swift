extension Template {
    /// A text without values, unchanged.
    init(text: String) {
        source = text
        segments = text.isEmpty ? [] : [.text(text)]
    }
}

// The parameters of a custom action hold templates.
extension Template: Decodable {
    /// Throws: a template is read from a bots.yaml only.
    public init(from decoder: any Decoder) throws { throw RuleParameterError("a template is a text of a bots.yaml") }
}
