/// A message that begins with a slash: `/weather Berlin`.
public struct SlashCommand: Sendable, Hashable {
    /// The word behind the slash, in lower case.
    public let name: String
    /// The text after the word, without the white space around it.
    public let arguments: String

    /// Nil if the text is not a command. The apps put a menu command of several words in quotes: `/'new ticket'`.
    public init?(_ text: String) {
        // Scalars, because characters are found by the tables of Unicode, and every message is looked at.
        let trimmed = text.unicodeScalars.drop(while: \.isSpace)
        guard trimmed.first == "/" else { return nil }
        let line = trimmed.dropFirst()
        let word: Substring.UnicodeScalarView
        var rest: Substring.UnicodeScalarView
        if line.first == "'", let close = line.dropFirst().firstIndex(of: "'") {
            word = line.dropFirst()[..<close]
            rest = line[close...].dropFirst()
        } else {
            word = line.prefix { !$0.isSpace }
            rest = line[word.endIndex...]
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
}
