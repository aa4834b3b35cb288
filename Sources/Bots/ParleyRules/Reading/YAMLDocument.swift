internal import UnicodeText
internal import Yams

/// A YAML text whose nodes know their places.
struct YAMLDocument {
    /// The largest accepted file, in bytes.
    static let maximumSize = 1 << 20

    let root: Node?
    /// Its tags and anchors.
    let outline: YAMLOutline

    /// Parses a text.
    ///
    /// - Throws: the ``Diagnostic`` that says where the text stops being YAML.
    init(_ source: String) throws(YAMLFault) {
        guard source.utf8.count <= Self.maximumSize else {
            throw YAMLFault(
                Diagnostic(
                    .tooLarge, at: SourcePosition(line: 1, column: 1),
                    "the file has \(source.utf8.count) bytes, more than \(Self.maximumSize)"))
        }
        outline = YAMLOutline(source)
        if let position = outline.aliasInKey {
            throw YAMLFault(
                Diagnostic(
                    .wrongType, at: position, "a key must be a word, not an alias, and not a list or a mapping with one", hint: "write the key out"))
        }
        do {
            root = try Yams.compose(yaml: source, .default, .default, .utf8)
        } catch {
            throw YAMLFault(Self.diagnostic(for: error, in: source))
        }
    }

    private static func diagnostic(for error: any Error, in source: String) -> Diagnostic {
        func position(_ mark: Mark) -> SourcePosition { SourcePosition(line: mark.line, column: mark.column) }
        let start = SourcePosition(line: 1, column: 1)
        guard let error = error as? YamlError else { return Diagnostic(.syntax, at: start, "\(error)") }
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let circumstance = context.map { " (\($0.text) at \($0.mark.line):\($0.mark.column))" } ?? ""
            let fix = hint(problem, context?.text ?? "", behind: line(before: mark, in: source), lines: source, at: mark.line)
            return Diagnostic(.syntax, at: position(mark), "this is not YAML: \(problem)\(circumstance)", hint: fix)
        case .duplicatedKeysInMapping(let duplicates, let context):
            let keys = duplicates.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
            return Diagnostic(.duplicateKey, at: position(context.mark), "the same key occurs twice: \(keys)", hint: "keep one of them")
        case .reader(let problem, let offset, _, _):
            let place = offset.map { Self.position(ofByte: $0, in: source) } ?? start
            return Diagnostic(.syntax, at: place, "this is not YAML: \(problem)", hint: "remove the character")
        default:
            return Diagnostic(.syntax, at: start, "this is not YAML: \(error)")
        }
    }

    private static func line(before mark: Mark, in source: String) -> Substring {
        let lines = source.sourceLines
        guard lines.indices.contains(mark.line - 1) else { return "" }
        return Substring(lines[mark.line - 1].unicodeScalars.prefix(mark.column - 1))
    }

    private static func position(ofByte offset: Int, in source: String) -> SourcePosition {
        let before = String(decoding: source.utf8.prefix(offset), as: UTF8.self).unicodeScalars.split(
            separator: "\n", omittingEmptySubsequences: false)
        return SourcePosition(line: before.count, column: (before.last?.count ?? 0) + 1)
    }

    /// A character that looks like a space, or that nobody sees, where YAML needs a space: in the indentation, or after the sign of an element or a key.
    private static func unusualBlank(in line: some StringProtocol) -> Unicode.Scalar? {
        var previous: Unicode.Scalar?
        for scalar in line.unicodeScalars where scalar != " " && scalar != "\t" {
            let isBlank = scalar.properties.isWhitespace || scalar.isIgnorable
            if isBlank, previous == nil || previous == "-" || previous == ":" { return scalar }
            if !isBlank { previous = scalar }
        }
        return nil
    }

    /// The fix for text that YAML reads as a mapping.
    static let bracesHint = "put text that begins with { in double quotes: without them YAML reads a mapping"

    /// - Parameters:
    ///   - before: the line up to the place of the problem.
    ///   - number: the line of the problem.
    private static func hint(_ problem: String, _ circumstance: String, behind before: Substring, lines source: String, at number: Int) -> String? {
        if problem.contains("unknown escape") { return "put the text in single quotes, or write each backslash twice" }
        if problem.contains("undefined alias") || circumstance.contains("scanning an alias") {
            return "a text that begins with * must be in double quotes: without them YAML reads the name of an anchor"
        }
        if circumstance.contains("scanning an anchor") { return "a text that begins with & must be in double quotes" }
        if circumstance.contains("scanning a tag") || circumstance.contains("parsing a tag") { return "a text that begins with ! must be in double quotes" }
        if problem.contains("expected a single document") || circumstance.contains("expected a single document") {
            return "take the line \"---\" out: a file is one document, and rules are the elements of one list"
        }
        let lines = source.sourceLines.prefix(number)
        // The cause of an error is often in the line above.
        for (offset, line) in lines.suffix(2).enumerated().reversed() {
            let place = lines.count - min(2, lines.count) + offset + 1
            if line.prefix(while: \.isWhitespace).contains("\t") { return "indent with spaces: line \(place) begins with a tab" }
            if let blank = unusualBlank(in: line) {
                return "write an ordinary space for the character U+\(String(blank.value, radix: 16, uppercase: true)) in line \(place)"
            }
            if line.drop(while: \.isWhitespace).firstMatch(of: /^-[A-Za-z]/) != nil {
                return "line \(place): put a space after the \"-\" of an element: \"- id: …\""
            }
            // A bracket after it does not count, and the error is found where the next line continues.
            if line.contains(where: { "{[".contains($0) }), let comment = line.firstMatch(of: /[ \t]#[^ \t#]/), !line[..<comment.range.lowerBound].contains("#")
            {
                return "line \(place): \" #\" begins a comment, and what follows it is left out: put the text in double quotes"
            }
        }
        if problem.contains("could not find expected ':'") {
            return "a key needs \": \" after it; check the indentation of this line and of the one above"
        }
        if problem.contains("did not find expected '-' indicator") {
            return "indent the keys of an element alike, and put the \"-\" of each element below that of the first"
        }
        if problem.contains("did not find expected ',' or") {
            return "put a comma between the parts, close each { and [, and put text that holds them in quotes"
        }
        if problem.contains("did not find expected key"), before.last(where: { !$0.isWhitespace }) == "}" { return bracesHint }
        if problem.contains("cannot start any token") { return "put the text in double quotes, and indent with spaces, not tabs" }
        if problem.contains("mapping values are not allowed"), !before.contains(": ") {
            return "check the line above: a key needs a \":\" after it, and keys of one mapping the same indentation"
        }
        if problem.contains("mapping values are not allowed") { return "put text that holds \": \" in double quotes" }
        if problem.contains("did not find expected key") { return "check the indentation of this line and of the one above" }
        return nil
    }
}

/// A diagnostic on its way out of a parser.
struct YAMLFault: Error {
    let diagnostic: Diagnostic

    init(_ diagnostic: Diagnostic) { self.diagnostic = diagnostic }
}
