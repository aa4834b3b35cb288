internal import ChatProtocol
internal import Parley
internal import UnicodeText

/// An input with what checks need of it, found at most once each and only if a check asks.
struct InputFacts {
    let input: RuleInput
    private let searches: [WordSearch]
    private let patterns: TextPatternSet
    private let phrases: CommandPhrases
    private var found: [[Int32]?]
    private var foundInFileName: [[Int32]?]
    private var measures: [(check: ObjectIdentifier, number: Double?)] = []

    init(_ input: RuleInput, searches: [WordSearch], patterns: TextPatternSet, phrases: CommandPhrases) {
        self.input = input
        self.searches = searches
        self.patterns = patterns
        self.phrases = phrases
        found = Array(repeating: nil, count: searches.count)
        foundInFileName = []
    }

    /// True if the text can be measured: a picture without a caption has no such text.
    var hasText: Bool { !input.text.isEmpty || input.kind == nil || input.kind == .text || input.kind == .link }

    /// The text as apps show it, which measures use.
    lazy var shown = Markdown.shown(input.text)
    /// The text as it was typed and, if that differs, as apps show it.
    lazy var ownTexts = shown == input.text ? [input.text] : [input.text, shown]
    /// All texts of the message that people see or open.
    lazy var texts = input.attached.isEmpty ? ownTexts : ownTexts + input.attached
    lazy var command: SlashCommand? = input.event.hasText ? SlashCommand(input.text).map(phrases.reading) : nil
    /// The word of the command, in the form for comparison.
    lazy var commandWord = command?.name.folded
    lazy var links = TextLinks(in: texts)
    lazy var matchingPatterns = Set(texts.flatMap { patterns.matches(in: $0) })
    lazy var patternsOfFileName = input.file.map { Set(patterns.matches(in: FileName.plain($0.name))) } ?? []
    lazy var marks = Double(texts.map(TextLength.mostMarks).max() ?? 0)
    lazy var hasInvisible = texts.contains(where: HiddenCharacters.isContained)

    /// The finding of a check on a message without a text.
    static let noText = "the message has no text"

    /// The number that checks of a type compare.
    mutating func measure(_ check: (some TextMeasureCheck).Type) -> Double? {
        let id = ObjectIdentifier(check)
        if let known = measures.first(where: { $0.check == id }) { return known.number }
        let number = check.measure(shown)
        measures.append((id, number))
        return number
    }

    /// The hosts of links, and whether there are links of SimpleX, for an explanation.
    var linkReason: String {
        mutating get {
            let hosts = links.hosts.prefix(5).map(DomainName.readable).joined(separator: ", ")
            let simplex = links.hasSimplexLink ? "a SimpleX link" : ""
            return links.isEmpty && links.hosts.isEmpty ? "no link" : "links: " + [hosts, simplex].filter { !$0.isEmpty }.joined(separator: ", ")
        }
    }

    /// The entry of a group that is found; nil for none.
    ///
    /// - Parameter withFileName: whether the name of the file is searched, too.
    mutating func hit(_ search: Int, _ group: Int, withFileName: Bool = false) -> Int32? {
        let hits: [Int32]
        if let known = found[search] {
            hits = known
        } else {
            hits = self.hits(of: search)
            found[search] = hits
        }
        if hits[group] >= 0 { return hits[group] }
        guard withFileName, searches[search].subject == .text, let file = input.file else { return nil }
        if foundInFileName.isEmpty { foundInFileName = Array(repeating: nil, count: searches.count) }
        let inName = foundInFileName[search] ?? searches[search].hits(in: [], and: [FileName.plain(file.name)])
        foundInFileName[search] = inName
        return inName[group] < 0 ? nil : inName[group]
    }

    private mutating func hits(of index: Int) -> [Int32] {
        switch searches[index].subject {
        case .text: searches[index].hits(in: ownTexts, and: input.attached)
        case .name: searches[index].hits(in: [input.displayName].compactMap(\.self), and: [])
        case .group: searches[index].hits(in: input.groupNames, and: [])
        }
    }

    /// The leftmost match of a pattern in the first text that has one.
    mutating func firstMatch(of pattern: TextPattern, withFileName: Bool) -> PatternMatch? {
        for text in texts {
            if let match = pattern.firstMatch(in: text) { return match }
        }
        return withFileName ? input.file.flatMap { pattern.firstMatch(in: FileName.plain($0.name)) } : nil
    }
}

/// Names of files as systems read them.
enum FileName {
    /// The name without what some systems leave out: white space, points and characters that show nothing at its end.
    static func plain(_ name: String) -> String {
        var scalars = Array(name.unicodeScalars.filter { !$0.isInvisible })
        while let last = scalars.last, last.isWhiteSpace || last == "." { scalars.removeLast() }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
