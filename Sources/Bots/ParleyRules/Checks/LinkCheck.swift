internal import UnicodeText

/// Links in a text: `link: true`, or those of a kind.
struct LinkCheck: RuleCheck {
    /// The kinds of links that a rule looks for.
    private enum Kind: Sendable {
        case any, none, simplex, web, address
    }

    private static let words: KeyValuePairs<String, Kind> = ["true": .any, "false": .none, "simplex": .simplex, "web": .web, "address": .address]

    static let key = "link"
    static let shape = Shape.anyOf([.bool, words.shape])
    static let summary = "A link in the text."
    static let subject = CheckSubject.text

    private let kind: Kind

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let kind = reader.word(of: Self.words) else { return nil }
        self.kind = kind
    }

    func answer(_ facts: inout InputFacts) -> Truth {
        let links = facts.links
        return switch kind {
        case .any: Truth(!links.isEmpty)
        case .none: Truth(links.isEmpty)
        case .simplex: Truth(links.hasSimplexLink)
        case .web: Truth(!links.linkHosts.isEmpty)
        case .address: Truth(links.hasAddress || links.hasSimplexLink)
        }
    }

    func reason(_ facts: inout InputFacts) -> String { facts.linkReason }
}
