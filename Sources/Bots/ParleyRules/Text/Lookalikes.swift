internal import Foundation

/// Letters that people write in place of Latin ones so that a list of words does not find them.
enum Lookalikes {
    /// Letters of other scripts and modified letters, which look like a Latin letter wherever they stand.
    private static let letters: [Unicode.Scalar: Unicode.Scalar] = {
        let table: KeyValuePairs<String, String> = [
            "a": "аαаɑⱥȺᴀ", "b": "ьвßʙБ", "c": "сςϲⅽᴄ¢", "d": "ԁɗⅾᴅ", "e": "еєεҽɛᴇёɘэ", "f": "ƒғꜰ", "g": "ɡցɢ", "h": "һнհʜ", "i": "іıɩιїɪӏ¡",
            "j": "јϳᴊ", "k": "кκқᴋ", "l": "ⅼʟłľĺ", "m": "мⅿᴍ", "n": "пηռɴղ", "o": "оοօσᴏøөơ๐", "p": "рρᴘþ", "q": "ԛզ", "r": "гяʀř",
            "s": "ѕꜱśşƽ", "t": "тτᴛŧ†", "u": "υսцᴜµ", "v": "νѵᴠ", "w": "ԝωшᴡщѡ", "x": "хχ×ⅹ", "y": "уγүʏ", "z": "ᴢʐž",
        ]
        var map: [Unicode.Scalar: Unicode.Scalar] = [:]
        for (latin, others) in table {
            guard let latin = latin.unicodeScalars.first else { continue }
            for other in others.unicodeScalars where !other.isASCII { map[other] = latin }
        }
        return map
    }()

    /// The digit or sign for a letter, in words that have letters too. The digit one can stand for two.
    private static func letter(for scalar: Unicode.Scalar, one: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "0": "o"
        case "1": one
        case "3": "e"
        case "4", "@": "a"
        case "5", "$": "s"
        case "7", "+": "t"
        case "8": "b"
        case "9": "g"
        case "|": "l"
        case "!": "i"
        case "€": "e"
        case "£": "l"
        default: nil
        }
    }

    /// Tells whether a digit one stands in a word with letters.
    static func hasOne(_ scalars: [Unicode.Scalar]) -> Bool {
        scalars.indices.contains { index in
            scalars[index] == "1" && (isLetter(scalars, index - 1) || isLetter(scalars, index + 1))
        }
    }

    private static func isLetter(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
        scalars.indices.contains(index) && scalars[index].properties.isAlphabetic
    }

    /// The scalars with Latin letters in place of what looks like them.
    static func replaced(_ scalars: [Unicode.Scalar], one: Unicode.Scalar) -> [Unicode.Scalar] {
        var result = scalars
        var start = 0
        while start < scalars.count {
            guard !scalars[start].properties.isWhitespace else {
                start += 1
                continue
            }
            var end = start
            var hasLetter = false
            while end < scalars.count, !scalars[end].properties.isWhitespace {
                if !scalars[end].isASCII, let letter = letters[scalars[end]] { result[end] = letter }
                hasLetter = hasLetter || result[end].properties.isAlphabetic
                end += 1
            }
            if hasLetter { replaceSigns(in: &result, start..<end, one: one) }
            start = end
        }
        return result
    }

    /// Signs behind the last letter of a word are punctuation.
    private static func replaceSigns(in scalars: inout [Unicode.Scalar], _ range: Range<Int>, one: Unicode.Scalar) {
        let end = scalars[range].lastIndex { $0.properties.isAlphabetic || $0.properties.numericType != nil } ?? range.lowerBound
        for index in range where index <= end || scalars[index] == "$" || scalars[index] == "@" {
            if let letter = letter(for: scalars[index], one: one) { scalars[index] = letter }
        }
    }
}

/// The decomposition of characters that are another way to write a letter.
enum CompatibilityForm {
    /// Normalization form KD.
    static func decomposed(_ text: String) -> String { text.decomposedStringWithCompatibilityMapping }
}

extension Unicode.Scalar {
    /// True for letters and digits of scripts that put spaces between words.
    var isPartOfWord: Bool {
        if isASCII {
            switch value {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: return true
            default: return false
            }
        }
        // Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without spaces.
        switch value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: return false
        default: return properties.isAlphabetic || properties.numericType != nil || isMark
        }
    }

    var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    /// True for characters that show nothing and take no width, and for blank letters.
    var isInvisible: Bool {
        switch value {
        case 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B...0x180F, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x206F, 0x2800, 0x3164,
            0xFEFF, 0xFFA0, 0xE0000...0xE007F:
            true
        default: false
        }
    }
}
