/// Refuses lists, mappings and aliases as keys in files that use aliases.
///
/// The YAML library compares the keys of every mapping with each other while it reads. A key that is made of aliases of aliases takes
/// longer to compare than anybody waits, so such keys must be found before the library sees the text. Nothing in a bots.yaml has a
/// key that is not a word.
struct KeyGuard {
    private let scalars: [Unicode.Scalar]

    /// The place of the first key that could be made of aliases; nil if there is none.
    ///
    /// The text is looked at without regard to quotes: what looks like such a key in a text counts too, but only in a file in which
    /// there are both anchors and aliases.
    static func suspiciousKey(in source: String) -> SourcePosition? {
        let scalars = KeyGuard(scalars: Array(source.unicodeScalars))
        guard scalars.hasProperty("&"), scalars.hasProperty("*"), let offset = scalars.offsetOfKey else { return nil }
        var line = 1, column = 1
        for scalar in scalars.scalars[..<offset] {
            (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
        }
        return SourcePosition(line: line, column: column)
    }

    /// Checks whether a name follows the sign somewhere, at the start of a token.
    private func hasProperty(_ sign: Unicode.Scalar) -> Bool {
        scalars.indices.contains { scalars[$0] == sign && startsToken($0) && isNamePart($0 + 1) }
    }

    private var offsetOfKey: Int? {
        scalars.indices.first { index in
            switch scalars[index] {
            // An explicit key: `? [a]`.
            case "?": startsEntry(index) && isSpaceOrEnd(index + 1)
            // A list or a mapping as a key: `[a]: b`.
            case "]", "}": colonFollows(index + 1)
            // An alias as a key: `*a : b`.
            case "*": startsToken(index) && isNamePart(index + 1) && colonFollows(endOfName(index + 1))
            default: false
            }
        }
    }

    private func startsToken(_ index: Int) -> Bool {
        guard index > 0 else { return true }
        return scalars[index - 1].properties.isWhitespace || "[{,:-?".unicodeScalars.contains(scalars[index - 1])
    }

    /// Checks whether the sign is the first of its line or of an element.
    private func startsEntry(_ index: Int) -> Bool {
        guard let before = scalars[..<index].last(where: { $0 != " " && $0 != "\t" }) else { return true }
        return "\n\r[{,:-?".unicodeScalars.contains(before)
    }

    private func isSpaceOrEnd(_ index: Int) -> Bool { index >= scalars.count || scalars[index].properties.isWhitespace }

    private func isNamePart(_ index: Int) -> Bool {
        guard index < scalars.count else { return false }
        let scalar = scalars[index]
        return scalar == "_" || scalar == "-" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }

    private func endOfName(_ index: Int) -> Int { scalars[index...].indices.first { !isNamePart($0) } ?? scalars.count }

    private func colonFollows(_ index: Int) -> Bool {
        scalars[index...].first { $0 != " " && $0 != "\t" } == ":"
    }
}
