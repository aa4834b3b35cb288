/// Text of others in a form that is safe to show: it cannot control a terminal, hide, reorder the text next to it, or imitate another text.
///
/// Invisible characters are shown by their number, such as `\u{1B}`. Letters, marks and emoji of all scripts stay unchanged, with the joiners between
/// them; only stacks of marks are cut.
package enum VisibleText {
    /// The maximum number of characters shown of a name.
    package static let longestName = 64
    /// The default maximum number of characters shown of any other text in one line.
    package static let longestLine = 1_000
    /// The maximum number of marks shown on one letter: higher stacks run into other lines.
    package static let mostMarks = 6

    /// Shows a text in one line: white space of all kinds becomes spaces, and a long text is cut.
    package static func line(_ text: String, limit: Int = longestLine) -> String {
        let (prefix, isCut) = cut(text, to: limit)
        return visible(prefix, breaks: .spaces) + (isCut ? "…" : "")
    }

    /// Shows the name of a person, a chat or a file in one line. A name that could be read as more than a name is put in quotation marks.
    package static func name(_ text: String) -> String {
        let shown = line(text, limit: longestName)
        let isPlain =
            !shown.isEmpty && shown.first != " " && shown.last != " " && !shown.contains("  ")
            && !shown.contains { ":\"()[]{}<>|│┆“”".contains($0) }
        return isPlain ? shown : "“\(shown.filter { $0 != "“" && $0 != "”" })”"
    }

    /// Shows a text with its line breaks: for texts of the program itself.
    package static func lines(_ text: String) -> String { visible(text[...], breaks: .kept) }

    /// Shows a text of several lines after a head that only the first line has, such as the name of the sender. All other lines, including folded
    /// ones, begin with a mark that no first line begins with.
    ///
    /// - Parameters:
    ///   - head: the beginning of the first line, already in a safe form.
    ///   - width: the columns of the terminal, which would fold longer lines itself; nil if nothing folds them.
    package static func block(_ head: String, _ text: String, width: Int? = nil) -> String {
        let lines = (head + visible(text[...], breaks: .kept)).split(separator: "\n", omittingEmptySubsequences: false)
        let folded = lines.enumerated().flatMap { index, line in
            guard let width else { return [index == 0 ? String(line) : continuation + line] }
            return fold(line, width: max(width, 20), isFirst: index == 0)
        }
        return folded.joined(separator: "\n")
    }

    /// Escapes the characters of a JSON text that affect a terminal beyond their shape. The JSON stays equivalent.
    package static func escapedJSON(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: { $0.value > 126 && isHidden($0) }) else { return json }
        var escaped = String.UnicodeScalarView()
        // Outside of strings, JSON is ASCII, so all of these characters are in strings.
        for scalar in json.unicodeScalars {
            if scalar.value > 126, isHidden(scalar) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    escaped.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
                }
            } else {
                escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// Checks whether a character is invisible, or has an effect besides its shape.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value >= 0x20, scalar.value < 0x7F { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: return true
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// Returns the columns of a terminal for a text in one line, or more.
    package static func width(of text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + columns($1) } }

    /// Cuts a text in one line to a number of columns of a terminal.
    package static func fitted(_ text: String, to limit: Int) -> String {
        guard width(of: text) > limit else { return text }
        var fitted = "", used = 0
        for character in text {
            used += width(of: String(character))
            guard used < limit else { break }
            fitted.append(character)
        }
        return fitted + "…"
    }

    // MARK: Characters

    private enum Breaks {
        case kept, spaces
    }

    private static func visible(_ text: Substring, breaks: Breaks) -> String {
        var shown = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        var marks = 0
        var isFlag = false
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let next = index + 1 < scalars.count ? scalars[index + 1] : nil
            defer { previous = scalar }
            if isMark(scalar) {
                marks += 1
                if marks > mostMarks { continue }
            } else if !isHidden(scalar) {
                marks = 0
            }
            // Flags such as that of England are a black flag and invisible letters.
            isFlag = scalar.value == 0x1F3F4 || (isFlag && (0xE0020...0xE007F).contains(scalar.value))
            switch scalar {
            case "\n" where breaks == .kept: shown.append(scalar)
            case "\r" where next == "\n": continue
            case "\t", "\n": shown.append(" ")
            case _ where scalar.properties.isWhitespace && !isHidden(scalar) && breaks == .spaces: shown.append(" ")
            case _ where !isHidden(scalar) || isFlag || joins(scalar, previous, next): shown.append(scalar)
            default: shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
            }
        }
        return String(shown)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: !scalar.properties.isDefaultIgnorableCodePoint
        default: false
        }
    }

    /// Checks whether a hidden character belongs to its emoji or word.
    private static func joins(_ scalar: Unicode.Scalar, _ previous: Unicode.Scalar?, _ next: Unicode.Scalar?) -> Bool {
        guard let previous else { return false }
        switch scalar.value {
        // The selectors of text or emoji form follow characters that have both forms.
        case 0xFE0E, 0xFE0F: return previous.properties.isEmoji
        // Joined emoji, and letters of scripts that have ligatures.
        case 0x200D: return isEmojiPart(previous) && next.map { $0.properties.isEmoji } == true || isJoined(previous, next)
        // Persian and other languages write it between the parts of a word.
        case 0x200C: return isJoined(previous, next)
        default: return false
        }
    }

    private static func isEmojiPart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0xFE0F || (scalar.value > 0x7F && scalar.properties.isEmoji)
    }

    /// Checks whether a joiner is between letters or marks of a script from Arabic to Mongolian, where it has a meaning.
    private static func isJoined(_ previous: Unicode.Scalar, _ next: Unicode.Scalar?) -> Bool {
        guard let next else { return false }
        return [previous, next].allSatisfy { (0x600...0x18AF).contains($0.value) && !isHidden($0) && !$0.properties.isWhitespace }
    }

    /// Returns the beginning of a text, without reading all of it.
    private static func cut(_ text: String, to limit: Int) -> (Substring, isCut: Bool) {
        // A character can have any number of scalars.
        let scalars = text.unicodeScalars, (bound, isBeyond) = limit.multipliedReportingOverflow(by: mostMarks + 2)
        guard !isBeyond else { return (text[...], false) }
        let last = scalars.index(scalars.startIndex, offsetBy: bound, limitedBy: scalars.endIndex) ?? scalars.endIndex
        let bounded = text[..<last], prefix = bounded.prefix(limit)
        return (prefix, prefix.endIndex < text.endIndex)
    }

    // MARK: Lines

    /// The beginning of every line that continues an earlier one.
    package static let continuation = "  ┆ "

    private static func fold(_ line: Substring, width: Int, isFirst: Bool) -> [String] {
        var folded: [String] = []
        var current = isFirst ? "" : continuation, used = current.unicodeScalars.reduce(0) { $0 + columns($1) }
        let indent = continuation.unicodeScalars.reduce(0) { $0 + columns($1) }
        for character in line {
            let size = character.unicodeScalars.reduce(0) { $0 + columns($1) }
            if used + size > width {
                folded.append(current)
                (current, used) = (continuation, indent)
            }
            current.append(character)
            used += size
        }
        return folded + [current]
    }

    /// Returns the columns of a character, or more.
    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: 0
        default:
            switch scalar.value {
            case 0x200C, 0x200D, 0xFE0E: 0
            case ..<0x1100, 0x1160..<0x2300, 0x2400..<0x25FD: 1
            default: 2
            }
        }
    }
}
