internal import UnicodeText

/// Counts of a text.
enum TextMeasures {
    /// Words: the pieces between white space.
    static func words(_ text: String) -> Int {
        var count = 0
        var isInWord = false
        for scalar in text.unicodeScalars {
            let isSpace = scalar.isASCII ? scalar.value <= 0x20 : scalar.properties.isWhitespace
            if !isSpace, !isInWord { count += 1 }
            isInWord = !isSpace
        }
        return count
    }

    /// Lines, of which those longer than a width count as several; 0 for a text without characters.
    ///
    /// - Parameter width: characters of a line; nil if lines do not wrap.
    static func lines(_ text: String, width: Int?) -> Int {
        guard !text.isEmpty else { return 0 }
        guard let width else { return 1 + text.utf8.count { $0 == UInt8(ascii: "\n") } }
        return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).reduce(0) {
            $0 + max(1, (TextLength.characters($1) + width - 1) / width)
        }
    }

    /// The minimum number of letters from which a share of capitals is computed.
    static let minimumLetters = 8

    /// Percent of the letters that are capitals; nil for texts of fewer than ``minimumLetters`` letters with a case.
    static func capitals(_ text: String) -> Double? {
        var capitals = 0, letters = 0
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                if (0x41...0x5A).contains(scalar.value) {
                    capitals += 1
                    letters += 1
                } else if (0x61...0x7A).contains(scalar.value) {
                    letters += 1
                }
            } else if scalar.properties.isUppercase {
                capitals += 1
                letters += 1
            } else if scalar.properties.isLowercase {
                letters += 1
            }
        }
        return letters < minimumLetters ? nil : Double(capitals) * 100 / Double(letters)
    }

    /// Emoji, each with all that belongs to it counted once.
    static func emoji(_ text: String) -> Int {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return 0 }
        return text.count { character in
            guard let first = character.unicodeScalars.first, !first.isASCII || character.unicodeScalars.contains("\u{20E3}") else { return false }
            return first.properties.isEmojiPresentation
                || first.properties.isEmoji && character.unicodeScalars.contains { $0 == "\u{FE0F}" || $0 == "\u{20E3}" }
                || first.properties.isEmoji && first.value >= 0x2600
        }
    }

    /// Scalars of a text that are searched for repetitions.
    static let longestRepetition = 2_000
    /// The longest sequence whose repetition is looked for, in scalars.
    static let longestPeriod = 64

    /// True if a sequence of at least `length` characters occurs at least `times` times in a row.
    static func repeats(_ text: String, times: Int, length: Int) -> Bool {
        let scalars = Array(text.unicodeScalars.prefix(longestRepetition))
        let longest = min(longestPeriod, scalars.count / max(times, 1))
        guard times >= 2, length >= 1, length <= longest else { return false }
        for period in length...longest {
            var run = 0
            for index in period..<scalars.count {
                run = scalars[index] == scalars[index - period] ? run + 1 : 0
                if run >= period * (times - 1), scalars[index - period + 1...index].contains(where: { !$0.properties.isWhitespace }) { return true }
            }
        }
        return false
    }
}
