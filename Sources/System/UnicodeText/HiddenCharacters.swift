/// The invisible characters of a text.
package enum HiddenCharacters {
    /// Checks whether a text has only white space, invisible characters, and marks without a letter.
    package static func isBlank(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { $0.isWhiteSpace || $0.isInvisible || $0.isMark } }

    /// Checks whether a text has invisible characters that no script or emoji needs at their place.
    package static func isContained(in text: String) -> Bool {
        guard text.utf8.contains(where: { $0 >= 0x7F || $0 < 0x09 || (0x0E..<0x20).contains($0) }) else { return false }
        let scalars = Array(text.unicodeScalars)
        var hasRightToLeft: Bool?
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            guard scalar.isInvisible else {
                index += 1
                continue
            }
            if scalar.isDirectionControl {
                let isExpected = hasRightToLeft ?? scalars.contains(where: \.isRightToLeftLetter)
                hasRightToLeft = isExpected
                guard isExpected, isInnocentDirection(scalars, index) else { return true }
                index += 1
            } else if let end = endOfTags(scalars, index) {
                index = end
            } else {
                guard index > 0, isNeeded(scalar, after: scalars[index - 1], before: index + 1 < scalars.count ? scalars[index + 1] : nil) else { return true }
                index += 1
            }
        }
        return false
    }

    /// Checks whether a control of direction is as keyboards of right-to-left scripts write it: it reverses nothing, and is not inside a word of other scripts.
    private static func isInnocentDirection(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
        if scalars[index] == "\u{202D}" || scalars[index] == "\u{202E}" { return false }
        func isOtherLetter(_ index: Int) -> Bool {
            scalars.indices.contains(index) && scalars[index].isLetterOrNumber && !scalars[index].isRightToLeftLetter && scalars[index].properties.isAlphabetic
        }
        return !(isOtherLetter(index - 1) && isOtherLetter(index + 1))
    }

    /// The possible numbers of letters in the name of a region in a flag.
    private static let regionLengths = 3...6

    /// Returns the index after the tags of a flag such as that of Scotland; nil if the scalar at the index does not begin tags.
    private static func endOfTags(_ scalars: [Unicode.Scalar], _ start: Int) -> Int? {
        guard start > 0, scalars[start - 1] == "\u{1F3F4}" else { return nil }
        var end = start
        while end < scalars.count, end - start <= regionLengths.upperBound, isTagLetter(scalars[end]) { end += 1 }
        guard regionLengths.contains(end - start), end < scalars.count, scalars[end] == "\u{E007F}" else { return nil }
        return end + 1
    }

    private static func isTagLetter(_ scalar: Unicode.Scalar) -> Bool {
        (0xE0030...0xE0039).contains(scalar.value) || (0xE0061...0xE007A).contains(scalar.value)
    }

    /// Removes the characters that comparisons of texts ignore, except those that a script or emoji needs at their place, such as the joiners of a
    /// family. Controls of direction and the tags of flags are removed, too.
    package static func removed(from text: String) -> String {
        guard text.unicodeScalars.contains(where: \.isIgnorable) else { return text }
        let scalars = Array(text.unicodeScalars)
        var kept = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            if scalar.isIgnorable {
                let next = index + 1 < scalars.count ? scalars[index + 1] : nil
                guard !scalar.isDirectionControl, let last = kept.last, isNeeded(scalar, after: last, before: next) else { continue }
            }
            kept.append(scalar)
        }
        return String(kept)
    }

    /// Checks whether the characters around an invisible one need it.
    private static func isNeeded(_ scalar: Unicode.Scalar, after before: Unicode.Scalar, before after: Unicode.Scalar?) -> Bool {
        switch scalar.value {
        // The selectors of the form of an emoji, a sign or an ideograph.
        case 0xFE0E, 0xFE0F: return before.properties.isEmoji || before.isSymbol
        case 0xFE00...0xFE0D: return !before.isASCII && !before.isInvisible || before.isSymbol
        case 0xE0100...0xE01EF: return before.properties.isIdeographic
        case 0x180B...0x180F: return (0x1820...0x18AA).contains(before.value)
        case 0x200C, 0x200D:
            if isJoined(before) { return true }
            let isEmoji = before == "\u{FE0F}" || before.properties.isEmoji && !before.isASCII
            return scalar.value == 0x200D && isEmoji && after?.properties.isEmoji == true && after?.isASCII == false
        // Vowels of old spellings of Khmer.
        case 0x17B4, 0x17B5: return (0x1780...0x17FF).contains(before.value)
        // Fillers between the letters of a Korean syllable.
        case 0x115F, 0x1160: return (0x1100...0x11FF).contains(before.value)
        default: return false
        }
    }

    /// Checks for letters and marks of scripts whose letters join, so that a joiner changes their form.
    private static func isJoined(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x600...0x8FF, 0x900...0x0DFF, 0x0F00...0x109F, 0x1780...0x18AF, 0x1A20...0x1AFF, 0x1B00...0x1BFF, 0xA800...0xABFF, 0xFB50...0xFDFF,
            0xFE70...0xFEFE, 0x11000...0x11FFF:
            scalar.isLetterOrNumber || scalar.isMark || scalar.properties.generalCategory == .spacingMark
        default: false
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isSymbol: Bool {
        switch properties.generalCategory {
        case .mathSymbol, .otherSymbol, .modifierSymbol: true
        default: false
        }
    }
}

extension String {
    /// The text without controls of direction, so that it cannot reverse the text around it.
    package var withoutDirectionControls: String {
        guard unicodeScalars.contains(where: \.isDirectionControl) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isDirectionControl }))
    }
}
