internal import Yams

// Slips in texts that YAML takes, and that their readers would see.
extension NodeReader {
    /// A name that another part of the document declares, noted with its position.
    func name(of kind: NameUse.Kind) -> String? {
        guard let name = nonEmptyString() else { return nil }
        sink.note(kind, name, at: position)
        return name
    }

    /// Warns about a text that is probably a mistake.
    func warnOfSlips() {
        warnOfControlCharacters()
        warnOfComment()
        warnOfQuotes()
    }

    private var isPlain: Bool {
        guard case .scalar(let scalar) = node else { return false }
        return scalar.style == .plain || scalar.style == .any
    }

    /// `Join #team now` is `Join` with a comment. An intended comment has a space after its sign.
    private func warnOfComment() {
        guard isPlain, let text, let rest = sink.rest(from: position), rest.hasPrefix(text) else { return }
        let behind = rest.dropFirst(text.count), comment = behind.drop { $0 == " " || $0 == "\t" }
        guard comment.count < behind.count, comment.first == "#", let next = comment.dropFirst().first, !next.isWhitespace, next != "#" else { return }
        warn(
            .comment, "\(path) ends before \"\(String(comment).cut)\": YAML takes what follows \" #\" for a comment",
            hint: "put the text in double quotes; write \"# \" before a comment that is meant",
            at: SourcePosition(line: position.line, column: position.column + (rest.unicodeScalars.count - comment.unicodeScalars.count)))
    }

    /// Quotes of word processors are no quotes of YAML.
    private func warnOfQuotes() {
        let marks: Set<Character> = ["\u{201E}", "\u{201C}", "\u{201D}", "\u{201A}", "\u{2018}", "\u{2019}", "\u{00AB}", "\u{00BB}"]
        guard isPlain, let text, text.count > 1, let first = text.first, let last = text.last, marks.contains(first), marks.contains(last) else { return }
        warn(
            .quotes, "\(path) is shown with its quotes \(first) and \(last): YAML does not treat them as quotes",
            hint: "write \" or ' around the text; put both around each other if the quotes are meant")
    }

    /// Warns of `{ name }` and `${name}`, which are not filled in.
    func warnOfSingleBraces() {
        guard let text else { return }
        let scalars = Array(text.unicodeScalars)
        for open in scalars.indices where scalars[open] == "{" {
            guard open == 0 || scalars[open - 1] != "{", open + 1 < scalars.count, scalars[open + 1] != "{" else { continue }
            guard let close = scalars[open...].firstIndex(of: "}"), close + 1 == scalars.count || scalars[close + 1] != "}" else { continue }
            let inner = String(String.UnicodeScalarView(scalars[(open + 1)..<close])), name = String(inner.trimmed)
            // With spaces around it, a word that means no value is ordinary text.
            guard name.firstMatch(of: /^[A-Za-z_][A-Za-z0-9_.-]*$/) != nil, inner == name || Template.meant(by: name) == name else { continue }
            let isShell = open > 0 && scalars[open - 1] == "$", start = isShell ? open - 1 : open
            let offset = String(String.UnicodeScalarView(scalars[..<start])).utf8.count
            let meant = Template.meant(by: name).map { "{{ \($0) }}" }
            warn(
                .braces, "\"\(isShell ? "$" : ""){\(name.cut)}\" is sent as it is",
                hint: "two braces are filled in: " + (meant ?? "{{ contact.name }} is the name of the one who wrote"), at: position(ofByte: offset))
        }
    }

    /// Warns of a pattern that RE2 takes, and that matches less than its author thinks.
    func warnOfPatternSlips() {
        guard let text else { return }
        if text.utf8.count > 2, text.first == "/", let close = text.lastIndex(of: "/"), close != text.startIndex {
            let flags = text[text.index(after: close)...]
            if !flags.isEmpty, flags.allSatisfy({ "gimsuxy".contains($0) }) {
                let inside = text[text.index(after: text.startIndex)..<close]
                warn(
                    .pattern, "the slashes and \"\(flags)\" are a part of the pattern: it looks for them in texts",
                    hint: "write \(flags.contains("i") ? "(?i)" : "")\(String(inside).cut)")
            }
        }
        let escapes = PatternClasses(text)
        let hasOtherLetters = text.unicodeScalars.contains { !$0.isASCII && $0.properties.isAlphabetic }
        if let digits = escapes.digits {
            warn(
                .pattern, "\(digits) knows the digits 0 to 9 of ASCII only: ١٢٣ and １２３ are none",
                hint: "write \\p{Nd} for digits of all scripts, or [0-9] for those of ASCII")
        }
        if let letters = escapes.letters {
            warn(
                .pattern, "\(letters) knows the letters and digits of ASCII only: é, я and 字 are none",
                hint: "write [\\pL\\pM\\pN_] for letters and digits of all scripts, or [0-9A-Za-z_] for those of ASCII")
        }
        if let edge = escapes.edge, hasOtherLetters || escapes.hasScripts {
            warn(
                .pattern, "\(edge) matches ASCII letters and digits only: next to other letters, it does not match as expected",
                hint: "words: finds whole words of all scripts; in a pattern write (?:^|[^\\pL\\pN]) for the edge of a word")
        }
    }
}

/// Parts of an RE2 pattern that are about ASCII only.
private struct PatternClasses {
    /// The first class of digits.
    private(set) var digits: String?
    /// The first class of letters.
    private(set) var letters: String?
    /// The first edge of a word.
    private(set) var edge: String?
    /// True if the pattern names letters of other scripts by a class.
    private(set) var hasScripts = false

    init(_ pattern: String) {
        var rest = Substring(pattern)
        while let sign = rest.popFirst() {
            if sign == "[", rest.first == ":", let end = rest.firstRange(of: ":]") {
                let name = rest[rest.index(after: rest.startIndex)..<end.lowerBound].drop { $0 == "^" }
                if name == "digit" { digits = digits ?? "[[:digit:]]" }
                if ["alpha", "alnum", "lower", "upper", "word"].contains(name) { letters = letters ?? "[[:\(name):]]" }
                rest = rest[end.upperBound...]
            }
            guard sign == "\\", let escaped = rest.popFirst() else { continue }
            switch escaped {
            case "Q": rest = rest.firstRange(of: "\\E").map { rest[$0.upperBound...] } ?? ""
            case "d", "D": digits = digits ?? "\\\(escaped)"
            case "w", "W": letters = letters ?? "\\\(escaped)"
            case "b", "B": edge = edge ?? "\\\(escaped)"
            case "p", "P": hasScripts = true
            default: break
            }
        }
    }
}

extension [NodeReader] {
    /// Warns of texts that are there twice: one of them was probably to be another.
    func warnOfRepeats() {
        var known: Set<String> = []
        for item in self {
            guard let text = item.text, !known.insert(text).inserted else { continue }
            item.warn(.badValue, "\"\(text.cut)\" is there twice", hint: "remove one")
        }
    }
}
