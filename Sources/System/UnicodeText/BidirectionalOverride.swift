/// Overrides of the direction, with which a text is shown in another order than it is written in: `\u{202E}onisac` is shown as `casino`.
enum BidirectionalOverride {
    private static let rightToLeft: Unicode.Scalar = "\u{202E}"
    /// The scalars that end an override: its own end, the end of an isolate around it, and the end of a paragraph. Another embedding counts as its end, too.
    private static let ends: Set<Unicode.Scalar> = ["\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{2069}", "\n", "\r", "\u{2029}"]

    /// Returns the text in the order in which it is shown; nil if the text has no override from right to left.
    static func turned(_ text: String) -> String? {
        guard text.unicodeScalars.contains(rightToLeft) else { return nil }
        var result = "", piece: String?
        for character in text {
            // Controls are separate characters, except for those that join others.
            guard let scalar = character.unicodeScalars.first else { continue }
            if scalar == rightToLeft {
                result += reversed(&piece)
                piece = ""
            } else if ends.contains(scalar) {
                result += reversed(&piece)
                result.append(character)
            } else if piece == nil {
                result.append(character)
            } else {
                piece?.append(character)
            }
        }
        return result + reversed(&piece)
    }

    private static func reversed(_ piece: inout String?) -> String {
        defer { piece = nil }
        return piece.map { String($0.reversed()) } ?? ""
    }
}
