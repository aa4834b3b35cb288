/// The visible lengths of texts.
package enum TextLength {
    /// The number of marks that belong to a letter: languages have up to four. Each further mark counts as a character.
    package static let marksOfLetter = 4
    /// The number of scalars in one character: families of emoji have about ten. Each further scalar counts as a character.
    package static let scalarsOfCharacter = 16

    /// Counts the visible characters, and the marks and scalars of each above the limits.
    package static func characters(_ text: some StringProtocol) -> Int {
        var count = 0
        for character in text {
            count += 1
            if character.utf8.count > marksOfLetter { count += surplus(of: character) }
        }
        return count
    }

    private static func surplus(of character: Character) -> Int {
        var marks = 0, scalars = 0
        for scalar in character.unicodeScalars {
            scalars += 1
            if scalar.isMark { marks += 1 }
        }
        return max(0, marks - marksOfLetter, scalars - scalarsOfCharacter)
    }

    /// Finds the highest number of marks on one letter. Variation selectors of emoji do not count.
    package static func mostMarks(_ text: String) -> Int {
        guard text.utf8.contains(where: { $0 >= 0xCC }) else { return 0 }
        var most = 0, marks = 0
        for scalar in text.unicodeScalars {
            if scalar.isIgnorable { continue }
            marks = scalar.isMark ? marks + 1 : 0
            most = max(most, marks)
        }
        return most
    }
}
