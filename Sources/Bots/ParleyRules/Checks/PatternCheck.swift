internal import Parley

/// A pattern that a text matches: `pattern: "^[0-9]+$"`.
struct PatternCheck: RuleCheck {
    static let key = "pattern"
    static let shape = Shape.shortText(TextPattern.maximumSourceLength)
    static let summary = "An RE2 pattern that the text matches."
    static let subject = CheckSubject.text

    let pattern: TextPattern

    init?(_ reader: NodeReader, event: RuleEvent) {
        guard let pattern = reader.pattern() else { return nil }
        self.pattern = pattern
    }

    func search(_ compiler: inout RuleCompiler) -> CompiledSearch? { compiler.search(for: pattern) }
}

extension NodeReader {
    /// An RE2 pattern.
    func pattern() -> TextPattern? {
        guard let source = nonEmptyString() else { return nil }
        warnOfControlCharacters()
        warnOfPatternSlips()
        do {
            return try TextPattern(source)
        } catch {
            let offset = error.part.isEmpty ? nil : source.firstRange(of: error.part).map { source.utf8.distance(from: source.startIndex, to: $0.lowerBound) }
            report(
                .badPattern, "bad pattern: \(error.reason)" + (error.part.isEmpty ? "" : ": \(error.part)"),
                hint: Self.patternHint(source), at: offset.map(position(ofByte:)))
            return nil
        }
    }

    private static func patternHint(_ source: String) -> String {
        if source.utf8.count > TextPattern.maximumSourceLength {
            return "a pattern has at most \(TextPattern.maximumSourceLength) bytes: write any: with several patterns, or a list of words"
        }
        if source.contains("(?=") || source.contains("(?!") || source.contains("(?<") && !source.contains("(?P<") {
            return "RE2 has no look-around; a named group is written (?P<name>…)"
        }
        return "patterns are RE2: https://github.com/google/re2/wiki/Syntax"
    }
}
