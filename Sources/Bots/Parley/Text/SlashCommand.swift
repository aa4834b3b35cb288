/// A message that begins with a slash: `/weather Berlin`.
public struct SlashCommand: Sendable, Hashable {
    /// The word behind the slash, in lower case.
    public let name: String
    /// The text after the word, without the white space around it.
    public let arguments: String

    /// Nil if the text is not a command. The apps put a menu command of several words in quotes: `/'new ticket'`.
    ///
    /// Characters that are not seen around the slash and the word do not count, nor does punctuation after the word, as in `/help,`. The full-width slash
    /// of keyboards for Chinese, Japanese and Korean is a slash.
    public init?(_ text: String) {
        // Scalars, because characters are found by the tables of Unicode, and every message is looked at.
        let trimmed = text.unicodeScalars.drop { $0.isSpace || $0.isUnseen }
        guard let slash = trimmed.first, slash == "/" || slash == "\u{FF0F}" else { return nil }
        let line = trimmed.dropFirst().drop(while: \.isUnseen)
        var word: Substring.UnicodeScalarView
        var rest: Substring.UnicodeScalarView
        if let quote = line.first, quote.isQuote, let close = line.dropFirst().firstIndex(where: \.isQuote) {
            word = line.dropFirst()[..<close]
            rest = line[close...].dropFirst()
        } else {
            word = line.prefix { !$0.isSpace }
            rest = line[word.endIndex...]
            // A word of punctuation alone stays, as in `/?`.
            while let last = word.last, last.isUnseen || last.endsWord && word.first?.endsWord == false { word.removeLast() }
        }
        guard !word.isEmpty else { return nil }
        name = Substring(word).lowercased()
        rest = rest.drop(while: \.isSpace)
        while rest.last?.isSpace == true { rest.removeLast() }
        arguments = String(rest)
    }

    /// A command word as people write it: several words in quotes, as the apps do.
    static func written(_ keyword: String) -> String { keyword.contains(" ") ? "/'\(keyword)'" : "/\(keyword)" }
}

extension Unicode.Scalar {
    /// The same as the property, without a look at the tables of Unicode for ASCII.
    fileprivate var isSpace: Bool { isASCII ? value == 0x20 || 0x09...0x0D ~= value : properties.isWhitespace }

    fileprivate var isUnseen: Bool { AnswerText.isUnseen(self) }

    fileprivate var isQuote: Bool { self == "'" || self == "\u{2018}" || self == "\u{2019}" }

    /// True for punctuation that ends a clause and belongs to no word.
    fileprivate var endsWord: Bool {
        switch self {
        case ":", ",", ".", ";", "!", "?", "\u{2026}", "\u{FF1A}", "\u{FF0C}", "\u{FF0E}", "\u{FF1B}", "\u{FF01}", "\u{FF1F}", "\u{3002}", "\u{3001}",
            "\u{60C}", "\u{61B}",
            "\u{61F}":
            true
        default: false
        }
    }
}
