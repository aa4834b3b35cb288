extension Unicode.Scalar {
    /// True for marks on a letter, which take no place of their own.
    package var isMark: Bool {
        guard value >= 0x300 else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return true
        default: return false
        }
    }

    /// True for marks without which a word is still the same for most readers: accents, and points of Arabic and Hebrew. The vowels of Indian and other
    /// scripts, which are marks, too, are letters for their readers.
    package var isAccent: Bool {
        switch value {
        // Tatweel makes an Arabic word longer, and is not a letter.
        case 0x300...0x36F, 0x483...0x489, 0x591...0x5C7, 0x610...0x61A, 0x640, 0x64B...0x65F, 0x670, 0x6D6...0x6ED, 0x711, 0x730...0x74A, 0x8CA...0x8FF,
            0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F:
            value == 0x640 || isMark
        default: false
        }
    }

    /// True for invisible characters: those that comparisons of texts ignore, and blank letters.
    package var isInvisible: Bool { value == 0x2800 || isIgnorable }

    /// True for the characters that comparisons of texts ignore: those that Unicode calls ignorable, controls other than white space, and the signs of
    /// annotations between lines.
    package var isIgnorable: Bool {
        switch value {
        case 0x20...0x7E, 0x09...0x0D, 0x85: false
        case 0...0x9F, 0xAD, 0xFFF9...0xFFFB: true
        // After the soft hyphen, no scalar before the grapheme joiner is ignorable.
        case ..<0x34F: false
        default: properties.isDefaultIgnorableCodePoint
        }
    }

    /// True for letters of scripts that put no spaces between words: Chinese, Japanese, Thai, Lao, Burmese, Khmer.
    package var isOfScriptWithoutSpaces: Bool {
        switch value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x312F, 0x3190...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
        default: false
        }
    }

    /// True for ideographs and syllables that are read one by one: Chinese and Japanese.
    var isIdeographOrKana: Bool { isOfScriptWithoutSpaces && value >= 0x2E80 }

    /// True for letters and digits of scripts that put spaces between words.
    package var isPartOfWord: Bool {
        if isASCII {
            switch value {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return true
            default: return false
            }
        }
        return !isOfScriptWithoutSpaces && (properties.isAlphabetic || properties.numericType != nil || isMark)
    }

    /// True for letters and digits of any script.
    var isLetterOrNumber: Bool {
        isASCII ? isPartOfWord : properties.isAlphabetic || properties.numericType != nil
    }

    /// True for letters that are written from right to left.
    package var isRightToLeftLetter: Bool {
        switch value {
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF: properties.isAlphabetic
        default: false
        }
    }

    /// True for the controls that set the direction of the text after or between them.
    package var isDirectionControl: Bool {
        switch value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// True for white space. For ASCII, this does not use the tables of Unicode.
    package var isWhiteSpace: Bool { isASCII ? value == 0x20 || (0x09...0x0D).contains(value) : properties.isWhitespace }
}
