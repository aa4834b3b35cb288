internal import SMPWire

/// The formatting that people type in messages: `*bold*`, `_italic_`, `~strike~`, `` `snippet` ``, `#secret#`, `!1 red!`,
/// `!- small!`, `@mention`, `/command`, `[text](link)`, and plain links, e-mail addresses and phone numbers.
///
/// Marks do not nest and end with the line. Text that only looks like a mark is plain text. Time is linear in the text's length.
public enum Markdown {
    /// The pieces of a text; nil if there is nothing to format. Pieces put together are what is shown: marks are left out,
    /// and so is a line feed at the end.
    public static func parse(_ text: String) -> [FormattedText]? {
        guard mayHaveFormat(text) else { return nil }
        let lines = lines(of: text)
        if lines.count == 1, let command = wholeLineCommand(lines[0]) { return command }

        var pieces = FormattedPieces()
        for (index, line) in lines.enumerated() {
            if index > 0 { pieces.append(nil, "\n") }
            var parser = MarkdownLineParser(line)
            parser.parse(into: &pieces)
        }
        return pieces.hasFormat ? pieces.list : nil
    }

    /// The parts of a text that are one formatted piece each with their marks, as offsets in bytes, in order. A command that is the whole message does not
    /// count.
    public static func formattedRanges(in text: String) -> [Range<Int>] {
        guard mayHaveFormat(text) else { return [] }
        var ranges: [Range<Int>] = [], offset = 0
        for line in lines(of: text) {
            var pieces = FormattedPieces()
            var parser = MarkdownLineParser(line)
            parser.parse(into: &pieces)
            var index = line.startIndex
            for range in parser.ranges {
                offset += line[index..<range.lowerBound].utf8Count
                let end = offset + line[range].utf8Count
                ranges.append(offset..<end)
                (offset, index) = (end, range.upperBound)
            }
            offset += line[index...].utf8Count + 1
        }
        return ranges
    }

    /// The names that a text mentions, in order.
    public static func mentionedNames(in pieces: [FormattedText]) -> [String] {
        pieces.compactMap { if case .mention(let name) = $0.format { name } else { nil } }
    }

    /// Tells whether any piece is a link.
    public static func hasLinks(_ pieces: [FormattedText]) -> Bool { pieces.contains { $0.format?.isLink == true } }

    /// Most messages are words and commas: one look at the bytes tells that there is nothing to find.
    private static func mayHaveFormat(_ text: String) -> Bool {
        text.utf8.contains { byte in
            switch byte {
            case UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "`"), UInt8(ascii: "#"),
                UInt8(ascii: "!"), UInt8(ascii: "@"), UInt8(ascii: "/"), UInt8(ascii: "["), UInt8(ascii: "."),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
    }

    /// Lines end with a line feed; after the last one there is no empty line.
    private static func lines(of text: String) -> [ArraySlice<Unicode.Scalar>] {
        var lines = Array(text.unicodeScalars).split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// A message of one line that starts with a slash is a command as a whole, whatever is in it.
    private static func wholeLineCommand(_ line: ArraySlice<Unicode.Scalar>) -> [FormattedText]? {
        let content = line.drop { $0 == " " }
        guard content.first == "/", content.count > 1 else { return nil }
        return [FormattedText(.command(String(scalars: content.dropFirst())), String(scalars: line))]
    }
}

extension FormattedText {
    /// The text with the marks that ask for its format, as it could have been typed.
    public var markdown: String {
        switch format {
        case .bold: "*\(text)*"
        case .italic: "_\(text)_"
        case .strikeThrough: "~\(text)~"
        case .snippet: "`\(text)`"
        case .secret: "#\(text)#"
        case .small: "!- \(text)!"
        case .colored(let color): color.mark.map { "!\($0) \(text)!" } ?? text
        default: text
        }
    }
}

extension FormatColor {
    /// The digit that asks for the colour; nil for colours that cannot be asked for.
    var mark: Character? {
        switch self {
        case .red: "1"
        case .green: "2"
        case .blue: "3"
        case .yellow: "4"
        case .cyan: "5"
        case .magenta: "6"
        case .black, .white: nil
        }
    }
}

/// Pieces of text; what is added in the format of the last piece becomes part of it.
struct FormattedPieces {
    private(set) var list: [FormattedText] = []

    var hasFormat: Bool { list.contains { $0.format != nil } }

    mutating func append(_ format: TextFormat?, _ scalars: ArraySlice<Unicode.Scalar>) {
        if !scalars.isEmpty { append(format, String(scalars: scalars)) }
    }

    mutating func append(_ format: TextFormat?, _ text: String) {
        guard !text.isEmpty else { return }
        if let last = list.indices.last, list[last].format == format {
            list[last].text += text
        } else {
            list.append(FormattedText(format, text))
        }
    }
}

extension ArraySlice<Unicode.Scalar> {
    /// The bytes of the scalars in UTF-8.
    fileprivate var utf8Count: Int { reduce(0) { $0 + UTF8.width($1) } }
}

extension String {
    init(scalars: some Sequence<Unicode.Scalar>) {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        self.init(view)
    }
}
