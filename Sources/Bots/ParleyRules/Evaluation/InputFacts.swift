internal import Parley

/// An input with what checks need of it, found at most once each and only if a check asks.
struct InputFacts {
    let input: RuleInput
    private let searches: [WordSearch]
    private let patterns: TextPatternSet
    private var found: [[Int32]?]

    init(_ input: RuleInput, searches: [WordSearch], patterns: TextPatternSet) {
        self.input = input
        self.searches = searches
        self.patterns = patterns
        found = Array(repeating: nil, count: searches.count)
    }

    /// True if the text is one that can be measured: the caption of a picture that has none is not.
    var hasText: Bool { !input.text.isEmpty || input.kind == nil || input.kind == .text || input.kind == .link }

    lazy var command: SlashCommand? = input.event.hasText ? SlashCommand(input.text) : nil
    lazy var links = TextLinks(in: input.text)
    lazy var matchingPatterns = patterns.matches(in: input.text)
    lazy var length = Double(input.text.count)
    lazy var wordCount = Double(TextMeasures.words(input.text))
    lazy var capitals = TextMeasures.capitals(input.text)
    lazy var emoji = Double(TextMeasures.emoji(input.text))
    lazy var isBlank = TextMeasures.isBlank(input.text)
    lazy var hasInvisible = TextMeasures.hasInvisible(input.text)

    /// The entry of a group that the text has; nil for none.
    mutating func hit(_ search: Int, _ group: Int) -> Int32? {
        let hits: [Int32]
        if let known = found[search] {
            hits = known
        } else {
            hits = searches[search].hits(in: input.text)
            found[search] = hits
        }
        return hits[group] < 0 ? nil : hits[group]
    }
}
