/// Splits one line into formatted pieces.
///
/// Each attempt at a mark looks no further than it can use, or remembers that there is nothing further, so that marks which
/// come to nothing cost no more than the text between them.
struct MarkdownLineParser {
    typealias Scalars = ArraySlice<Unicode.Scalar>

    private let line: Scalars
    private var position: Int
    /// Up to where pieces have been made. The text between formatted pieces is plain text.
    private var done: Int
    /// Where the pieces with a format are, with their marks.
    private(set) var ranges: [Range<Int>] = []
    /// Where the next `]` and `)` are, once looked for: attempts at links would look for them from every `[`.
    private var nextBracket = 0
    private var nextParenthesis = 0

    init(_ line: Scalars) {
        self.line = line
        position = line.startIndex
        done = line.startIndex
    }

    mutating func parse(into pieces: inout FormattedPieces) {
        while let scalar = next {
            switch scalar {
            case " ": skip { $0 == " " }
            case "*": emphasis(.bold, into: &pieces)
            case "_": emphasis(.italic, into: &pieces)
            case "~": emphasis(.strikeThrough, into: &pieces)
            case "`": emphasis(.snippet, into: &pieces)
            case "#": secret(into: &pieces)
            default:
                if !special(scalar, into: &pieces) { word(into: &pieces) }
            }
        }
        pieces.append(nil, line[done...])
    }

    /// Adds text with a format, that shows `content` for all of `range`, after the text before it.
    private mutating func add(
        _ format: TextFormat, _ content: Scalars, for range: Range<Int>, to pieces: inout FormattedPieces
    ) {
        pieces.append(nil, line[done..<range.lowerBound])
        pieces.append(format, content)
        ranges.append(range)
        done = range.upperBound
    }

    private var next: Unicode.Scalar? { position < line.endIndex ? line[position] : nil }

    private func scalar(at index: Int) -> Unicode.Scalar? { index < line.endIndex ? line[index] : nil }

    private mutating func skip(while predicate: (Unicode.Scalar) -> Bool) {
        while position < line.endIndex, predicate(line[position]) { position += 1 }
    }

    /// The first place from `start` where the predicate holds; the end of the line if it does nowhere.
    private func index(from start: Int, where predicate: (Unicode.Scalar) -> Bool) -> Int {
        line[start...].firstIndex(where: predicate) ?? line.endIndex
    }

    private func isBare(_ text: Scalars) -> Bool { !text.isEmpty && text.first != " " && text.last != " " }

    /// Text between two equal marks; without a second mark the rest of the line is text.
    private mutating func emphasis(_ format: TextFormat, into pieces: inout FormattedPieces) {
        let start = position
        let mark = line[start]
        let end = index(from: start + 1) { $0 == mark }
        guard end < line.endIndex else {
            position = end
            return
        }
        let content = line[start + 1..<end]
        position = end + 1
        if isBare(content) { add(format, content, for: start..<position, to: &pieces) }
    }

    /// Text between runs of `#`; all but the outermost marks are shown.
    private mutating func secret(into pieces: inout FormattedPieces) {
        let start = position
        skip { $0 == "#" }
        let contentStart = position
        skip { $0 != "#" }
        let content = line[contentStart..<position]
        let markStart = position
        skip { $0 == "#" }
        if position > markStart, isBare(content) {
            add(.secret, line[start + 1..<position - 1], for: start..<position, to: &pieces)
        }
    }

    /// Marks that are part of a word if they come to nothing.
    private mutating func special(_ scalar: Unicode.Scalar, into pieces: inout FormattedPieces) -> Bool {
        switch scalar {
        case "!": styled(into: &pieces)
        case "@": name(isCommand: false, into: &pieces)
        case "/": name(isCommand: true, into: &pieces)
        case "[": hyperLink(into: &pieces)
        case "+": phone(into: &pieces)
        default: scalar.isASCIIDigit && phone(into: &pieces)
        }
    }

    /// `!`, a colour or `-`, a space, the text, `!`.
    private mutating func styled(into pieces: inout FormattedPieces) -> Bool {
        guard let (format, end) = style(at: position + 1), let space = scalar(at: end), space.isSpace else { return false }
        let contentStart = end + 1
        guard let first = scalar(at: contentStart), first != " ", first != "!" else { return false }
        let contentEnd = index(from: contentStart) { $0 == "!" }
        guard contentEnd < line.endIndex, line[contentEnd - 1] != " " else { return false }
        add(format, line[contentStart..<contentEnd], for: position..<contentEnd + 1, to: &pieces)
        position = contentEnd + 1
        return true
    }

    private static let colors: [(letter: Unicode.Scalar, rest: [Unicode.Scalar], digit: Unicode.Scalar, color: FormatColor)] = [
        ("r", Array("ed".unicodeScalars), "1", .red), ("g", Array("reen".unicodeScalars), "2", .green),
        ("b", Array("lue".unicodeScalars), "3", .blue), ("y", Array("ellow".unicodeScalars), "4", .yellow),
        ("c", Array("yan".unicodeScalars), "5", .cyan), ("m", Array("agenta".unicodeScalars), "6", .magenta),
    ]

    private func style(at index: Int) -> (TextFormat, end: Int)? {
        guard let mark = scalar(at: index) else { return nil }
        if mark == "-" { return (.small, index + 1) }
        guard let entry = Self.colors.first(where: { $0.letter == mark || $0.digit == mark }) else { return nil }
        let end = index + 1
        guard mark == entry.letter, line[end...].starts(with: entry.rest) else { return (.colored(entry.color), end) }
        return (.colored(entry.color), end + entry.rest.count)
    }

    /// A member's name or a command behind its mark: up to a space, punctuation at its end left out, or in quotation marks. A command may be punctuation
    /// alone, as on the keys of a calculator.
    private mutating func name(isCommand: Bool, into pieces: inout FormattedPieces) -> Bool {
        var start = position + 1
        guard let first = scalar(at: start) else { return false }
        let isQuoted = first == "'"
        if isQuoted { start += 1 }
        guard let first = scalar(at: start), first > " ", first != "#", first != "@", first != "'" else { return false }
        let end = index(from: start) { isQuoted ? $0 == "'" : $0.isSpace }
        var name = line[start..<end]
        if isQuoted {
            guard end < line.endIndex else { return false }
        } else {
            while name.last?.isPunctuation == true { name.removeLast() }
            if isCommand, name.isEmpty { name = line[start..<end] }
        }
        let text = String(scalars: name)
        let nameEnd = isQuoted ? end + 1 : name.endIndex
        let range = position..<nameEnd
        add(isCommand ? .command(text) : .mention(memberName: text), line[range], for: range, to: &pieces)
        position = max(end, nameEnd)
        return true
    }

    /// `[text](link)`. The text must not look like another address than the link.
    private mutating func hyperLink(into pieces: inout FormattedPieces) -> Bool {
        let start = position
        if nextBracket <= start { nextBracket = index(from: start) { $0 == "]" } }
        let text = line[start + 1..<max(start + 1, nextBracket)]
        guard nextBracket < line.endIndex, !text.isEmpty, scalar(at: nextBracket + 1) == "(" else { return false }
        let linkStart = nextBracket + 2
        if nextParenthesis < linkStart { nextParenthesis = index(from: linkStart) { $0 == ")" } }
        let link = line[linkStart..<max(linkStart, nextParenthesis)]
        guard nextParenthesis < line.endIndex, !link.isEmpty, !isUnlikely(link) else { return false }
        if text.contains(where: { $0.isPunctuation && $0 != "-" && $0 != "_" }) {
            let scheme = "https://".unicodeScalars
            guard text == link || link.count == text.count + scheme.count && link.starts(with: scheme) && link.hasSuffix(text)
            else { return false }
        }
        guard let format = LinkFormat.hyperLink(showing: String(scalars: text), to: String(scalars: link)) else { return false }
        position = nextParenthesis + 1
        add(format, line[start..<position], for: start..<position, to: &pieces)
        return true
    }

    /// Tells whether a link has brackets or spaces in it, which only a query may have, and is longer than any such query. Without
    /// this bound one parenthesis at the end of a line would be read to from each of thousands of brackets before it.
    private func isUnlikely(_ link: Scalars) -> Bool {
        link.count > 1024 && link.contains { $0 == " " || $0 == "[" || $0 == "]" }
    }

    /// A phone number: `+` and a country code, an area code in parentheses, groups of digits with at most one space, dash
    /// or point between them; 7 to 22 characters in all.
    private mutating func phone(into pieces: inout FormattedPieces) -> Bool {
        let start = position
        let limit = min(line.endIndex, start + 23)

        func digits(from index: Int) -> Int {
            var end = index
            while end < limit, line[end].isASCIIDigit { end += 1 }
            return end
        }
        func afterSeparator(_ index: Int) -> Int {
            guard index < limit, [" ", "-", "."].contains(line[index]) else { return index }
            return index + 1
        }

        var end = start
        if line[start] == "+" {
            let country = digits(from: start + 1)
            if country > start + 1 { end = country }
        }
        let area = afterSeparator(end)
        if area < limit, line[area] == "(" {
            let close = digits(from: area + 1)
            if close > area + 1, close < limit, line[close] == ")" { end = close + 1 }
        }
        while true {
            let group = afterSeparator(end)
            let groupEnd = digits(from: group)
            guard groupEnd > group else { break }
            end = groupEnd
        }
        guard (7...22).contains(end - start) else { return false }
        add(.phone, line[start..<end], for: start..<end, to: &pieces)
        position = end
        return true
    }

    /// Reads what is between spaces: a link, a domain, an e-mail address or text.
    private mutating func word(into pieces: inout FormattedPieces) {
        let start = position
        skip { $0 != " " }
        let word = line[start..<position]
        var content = word
        while let last = content.last, last != "/", last != ")", last.isPunctuation { content.removeLast() }
        if let format = LinkFormat.word(word, withoutPunctuation: content) {
            add(format, content, for: start..<content.endIndex, to: &pieces)
        }
    }
}

extension ArraySlice<Unicode.Scalar> {
    fileprivate func hasSuffix(_ other: Self) -> Bool { suffix(other.count).elementsEqual(other) }
}
