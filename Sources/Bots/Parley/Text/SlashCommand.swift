internal import UnicodeText

/// A message that begins with a slash: `/weather Berlin`.
public struct SlashCommand: Sendable, Hashable {
    /// The word behind the slash, in lower case.
    public let name: String
    /// The text after the word, without the white space around it.
    public let arguments: String

    /// Nil if the text is not a command. A command of several words is read from quotes, `/'new ticket'`. Handlers read those without quotes, too.
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
            word = word.withoutClauseEnd
        }
        guard !word.isEmpty else { return nil }
        name = Substring(word).lowercased()
        rest = rest.drop(while: \.isSpace)
        while rest.last?.isSpace == true { rest.removeLast() }
        arguments = String(rest)
    }

    fileprivate init(name: String, arguments: String) { (self.name, self.arguments) = (name, arguments) }

    /// A command word as it stands in a text, where the apps make a button of it: several words in quotes.
    static func written(_ keyword: String) -> String { keyword.contains(" ") ? "/'\(keyword)'" : "/\(keyword)" }
}

/// Commands of several words. The apps send them without quotes when they are tapped, in the menu and in texts: `/new ticket`.
package struct CommandPhrases: Sendable {
    private struct Phrase: Sendable {
        let name: String
        /// The words, in the form for comparison.
        let words: [String]
    }

    /// The phrases, longest first: `/new ticket` is not the command `new` when a bot has both.
    private let phrases: [Phrase]

    /// - Parameter names: names of commands; those of one word do not count.
    package init(_ names: some Sequence<String>) {
        phrases = Set(names).filter { $0.contains(" ") }.map { name in
            Phrase(name: name, words: name.split(separator: " ").map { String($0).folded })
        }.sorted { ($1.words.count, $0.name) < ($0.words.count, $1.name) }
    }

    /// The command of several words that a text begins with, or else the command as it is.
    package func reading(_ command: SlashCommand) -> SlashCommand {
        guard !phrases.isEmpty else { return command }
        let first = command.name.folded
        for phrase in phrases where phrase.words.first == first {
            if let arguments = Self.rest(of: command.arguments, behind: phrase.words.dropFirst()) {
                return SlashCommand(name: phrase.name, arguments: arguments)
            }
        }
        return command
    }

    /// The text behind some words; nil if the text does not begin with them.
    private static func rest(of text: String, behind words: ArraySlice<String>) -> String? {
        var rest = text.unicodeScalars[...]
        for (number, word) in zip(1..., words) {
            var found = rest.prefix { !$0.isSpace }
            rest = rest[found.endIndex...].drop(while: \.isSpace)
            if number == words.count { found = found.withoutClauseEnd }
            guard String(found).folded == word else { return nil }
        }
        return String(rest)
    }
}

extension Substring.UnicodeScalarView {
    /// The word without the punctuation of a clause that ends with it; a word of punctuation alone stays, as in `/?`.
    fileprivate var withoutClauseEnd: Self {
        var word = self
        while let last = word.last, last.isUnseen || last.endsWord && word.first?.endsWord == false { word.removeLast() }
        return word
    }
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
