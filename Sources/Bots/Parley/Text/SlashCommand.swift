/// A message that begins with a slash: `/weather Berlin`.
public struct SlashCommand: Sendable, Hashable {
    /// The word behind the slash, in lower case.
    public let name: String
    /// The text after the word, without the white space around it.
    public let arguments: String

    /// Nil if the text is not a command. The apps put a menu command of several words in quotes: `/'new ticket'`.
    public init?(_ text: String) {
        let trimmed = text.drop(while: \.isSpace)
        guard trimmed.first == "/" else { return nil }
        let line = trimmed.dropFirst()
        let word: Substring
        var rest: Substring
        if line.first == "'", let close = line.dropFirst().firstIndex(of: "'") {
            word = line[line.index(after: line.startIndex)..<close]
            rest = line[line.index(after: close)...]
        } else {
            word = line.prefix { !$0.isSpace }
            rest = line[word.endIndex...]
        }
        guard !word.isEmpty else { return nil }
        name = word.lowercased()
        rest = rest.drop(while: \.isSpace)
        while rest.last?.isSpace == true { rest.removeLast() }
        arguments = String(rest)
    }
}

extension Character {
    /// The same as `isWhitespace`, without a look at the tables of Unicode for ASCII: it is asked for every message.
    fileprivate var isSpace: Bool {
        guard let byte = asciiValue else { return isWhitespace }
        return byte == 0x20 || 0x09...0x0D ~= byte
    }
}
