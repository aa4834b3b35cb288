/// Letters that people write in place of Latin ones to evade a list of words.
enum Lookalikes {
    /// Letters of other scripts and modified letters that look like a Latin letter.
    private static let letters: [Unicode.Scalar: Unicode.Scalar] = {
        var map: [Unicode.Scalar: Unicode.Scalar] = [:]
        for (letter, others) in LookalikeTable.letters {
            for other in others.unicodeScalars { map[other] = letter }
        }
        for (letter, others) in others {
            for other in others { map[other] = letter }
        }
        return map
    }()

    /// Letters that look alike, of which different keyboards have different ones: Arabic and Persian, katakana and ideographs.
    private static let others: KeyValuePairs<Unicode.Scalar, [Unicode.Scalar]> = [
        "\u{643}": ["\u{6A9}", "\u{6AA}", "\u{6AC}", "\u{63B}", "\u{63C}"], "\u{64A}": ["\u{6CC}", "\u{649}", "\u{6D2}", "\u{6D0}", "\u{626}", "\u{678}"],
        "\u{629}": ["\u{6C3}"], "\u{6AF}": ["\u{6B0}", "\u{6B4}"], "エ": ["工"], "カ": ["力"], "タ": ["夕"], "ト": ["卜"], "ニ": ["二"], "ハ": ["八"],
        "ヘ": ["へ"], "ロ": ["口"], "ー": ["一"],
        // Canadian syllables and runes, which are used for fancy alphabets.
        "a": ["ᗩ", "ᗅ"], "b": ["ᗷ"], "c": ["ᑕ", "ᑢ"], "d": ["ᗪ", "ᗞ"], "e": ["ᕮ"], "f": ["ᖴ"], "h": ["ᕼ"], "j": ["ᒍ"], "k": ["ᛕ"], "l": ["ᒪ"], "m": ["ᗰ", "ᛖ"],
        "n": ["ᑎ"], "o": ["ᗝ"], "p": ["ᑭ"], "q": ["ᑫ"], "r": ["ᖇ"], "s": ["ᔕ"], "u": ["ᑌ"], "v": ["ᐯ"], "w": ["ᗯ"], "x": ["᙭"],
    ]

    /// Checks for letters that replace a Latin letter only beside Latin letters: in their own scripts, they are letters of ordinary words.
    private static func isOfOtherScript(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x590...0x109F, 0x1100...0x139F, 0x1780...0x18AF, 0x2E80...0xA4CF, 0xAC00...0xD7A3: true
        default: false
        }
    }

    /// Returns the letter that a digit or sign replaces in words with letters; the digit one and the stroke can replace two letters.
    private static func letter(for scalar: Unicode.Scalar, one: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "0": "o"
        case "1", "|": one
        case "3": "e"
        case "4", "@": "a"
        case "5", "$": "s"
        case "7", "+": "t"
        case "8": "b"
        case "9": "g"
        case "!", "¡": "i"
        case "€": "e"
        case "£": "l"
        default: nil
        }
    }

    /// Returns the letter of an enclosed or regional letter that Unicode does not decompose.
    static func enclosedLetter(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        let first: UInt32
        switch scalar.value {
        case 0x1F150...0x1F169: first = 0x1F150
        case 0x1F170...0x1F189: first = 0x1F170
        case 0x1F1E6...0x1F1FF: first = 0x1F1E6
        default: return nil
        }
        return Unicode.Scalar(0x61 + scalar.value - first)
    }

    /// Checks whether a sign that can mean two letters is in a word with letters.
    static func hasOne(_ scalars: [Unicode.Scalar]) -> Bool {
        scalars.indices.contains { index in
            (scalars[index] == "1" || scalars[index] == "|") && (isLetter(scalars, index - 1) || isLetter(scalars, index + 1))
        }
    }

    private static func isLetter(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
        scalars.indices.contains(index) && scalars[index].properties.isAlphabetic
    }

    /// Checks for digits and signs that can mean a letter.
    private static func isSign(_ scalar: Unicode.Scalar) -> Bool { isASCIIDigit(scalar) || letter(for: scalar, one: "i") != nil }

    /// Checks whether digits or signs are at an edge of a word with letters: `casino7`, `@casino`.
    static func hasEdgeSigns(_ scalars: [Unicode.Scalar]) -> Bool {
        scalars.indices.contains { index in
            guard isSign(scalars[index]) else { return false }
            return isLetter(scalars, index - 1) && !isASCIILetter(scalars, index + 1) || isLetter(scalars, index + 1) && !isASCIILetter(scalars, index - 1)
        }
    }

    private static func isASCIIDigit(_ scalar: Unicode.Scalar) -> Bool { (0x30...0x39).contains(scalar.value) }
    private static func isASCIILetter(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
        scalars.indices.contains(index) && (0x61...0x7A).contains(scalars[index].value | 0x20)
    }

    /// Adds a space between letters and the digits and signs at the edges of their words.
    static func withoutEdgeSigns(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        func isPart(_ scalar: Unicode.Scalar) -> Bool { scalar.isPartOfWord || isSign(scalar) }
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(scalars.count + 8)
        var start = 0
        while start < scalars.count {
            guard isPart(scalars[start]) else {
                result.append(scalars[start])
                start += 1
                continue
            }
            var end = start
            while end < scalars.count, isPart(scalars[end]) { end += 1 }
            var first = start, last = end
            while first < end, isSign(scalars[first]) { first += 1 }
            while last > first, isSign(scalars[last - 1]) { last -= 1 }
            result += scalars[start..<first]
            if first > start, first < last { result.append(" ") }
            result += scalars[first..<last]
            if last < end, first < last { result.append(" ") }
            result += scalars[last..<end]
            start = end
        }
        return result
    }

    /// Replaces scalars that look like Latin letters by these letters.
    static func replaced(_ scalars: [Unicode.Scalar], one: Unicode.Scalar) -> [Unicode.Scalar] {
        var result = scalars
        var start = 0
        while start < scalars.count {
            guard !scalars[start].isWhiteSpace else {
                start += 1
                continue
            }
            var end = start
            var hasLatin = false
            while end < scalars.count, !scalars[end].isWhiteSpace {
                hasLatin = hasLatin || isASCIILetter(scalars, end)
                end += 1
            }
            var hasLetter = false
            for index in start..<end {
                let scalar = scalars[index]
                if !scalar.isASCII, let letter = letters[scalar], hasLatin || !letter.isASCII || !isOfOtherScript(scalar) { result[index] = letter }
                hasLetter = hasLetter || result[index].properties.isAlphabetic
            }
            if hasLetter { replaceSigns(in: &result, start..<end, one: one) }
            start = end
        }
        return result
    }

    /// Replaces signs in a word. Signs after its last letter, except `$` and `@`, are punctuation.
    private static func replaceSigns(in scalars: inout [Unicode.Scalar], _ range: Range<Int>, one: Unicode.Scalar) {
        let end = scalars[range].lastIndex { $0.properties.isAlphabetic || $0.properties.numericType != nil } ?? range.lowerBound
        for index in range where index <= end || scalars[index] == "$" || scalars[index] == "@" {
            if let letter = letter(for: scalars[index], one: one) { scalars[index] = letter }
        }
    }
}
