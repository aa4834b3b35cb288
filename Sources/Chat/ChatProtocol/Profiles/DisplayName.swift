/// Names of users and groups. A valid name can be typed in commands and mentions, and does not pretend to be another.
///
/// It starts with a letter, number or symbol, but not `#` or `@`; it has at most ``ChatLimits/displayName`` Unicode scalars,
/// at most three punctuation characters and one space in a row, and no quotation mark `'`, control or invisible character.
public enum DisplayName {
    /// Tells whether the name can be used as it is.
    public static func isValid(_ name: String) -> Bool { !name.isEmpty && valid(name).hasSameScalars(as: name) }

    /// The name without what is not valid in it: the name to suggest. Empty if nothing valid is in it.
    public static func valid(_ name: String) -> String {
        var result: [Unicode.Scalar] = []
        var previous: Unicode.Scalar?
        // Punctuation since the last character that is neither punctuation nor space.
        var punctuation = 0
        // What follows cannot change the beginning, and trailing spaces are cut from the first 50 only.
        for scalar in name.unicodeScalars {
            guard result.count < ChatLimits.displayName else { break }
            guard accepts(scalar, after: previous, punctuation: punctuation) else { continue }
            let kept = scalar.isSpace ? " " : scalar
            result.append(kept)
            previous = kept
            if scalar.isPunctuation {
                punctuation += 1
            } else if !scalar.isSpace {
                punctuation = 0
            }
        }
        while result.last?.isSpace == true { result.removeLast() }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: result)
        return String(text)
    }

    private static func accepts(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, punctuation: Int) -> Bool {
        if scalar == "'" { return false }
        let isBody = scalar.isLetter || scalar.isNumber || scalar.isSymbol
        guard let previous else { return isBody && scalar != "#" && scalar != "@" }
        if isBody { return true }
        if previous.isSpace { return punctuation == 0 && scalar.isPunctuation }
        if previous.isPunctuation { return scalar.isSpace || (punctuation < 3 && scalar.isPunctuation) }
        return scalar.isSpace || scalar.isMark || scalar.isPunctuation
    }

    /// The name as it is shown and typed in texts: in quotation marks if it has spaces or ends with punctuation.
    public static func quoted(_ name: String) -> String {
        let scalars = name.unicodeScalars
        let needsQuotes = scalars.last?.isPunctuation == true || scalars.contains { $0.isSpace }
        return needsQuotes ? "'\(name)'" : name
    }

    /// The name as it is sent with forwarded messages: of a longer one the first 16 scalars and an ellipsis.
    public static func shortened(_ name: String) -> String {
        name.unicodeScalars.count <= 16 ? name : String(scalars: name.unicodeScalars.prefix(16)) + "…"
    }
}
