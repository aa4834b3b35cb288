/// Words of Korean and Japanese that people cut to evade a list of words: letters of syllables one by one (`ㅋㅏㅈㅣㄴㅗ`), a word in two parts
/// (`카지 노`, `カジ ノ`), Latin letters for strokes (`ㅋr`), and separate sound marks (`カシ ゛`).
enum SplitSyllables {
    /// The maximum number of spaces and signs between two parts.
    private static let longestGap = 3
    /// The maximum number of syllables of a part: longer ones are words.
    private static let longestPart = 2

    /// Removes the spaces between sound marks and the letters that they belong to. Readable texts never contain separate sound marks.
    static func withSoundMarks(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        guard scalars.contains(where: isSoundMark) else { return scalars }
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(scalars.count)
        for scalar in scalars {
            if isSoundMark(scalar) {
                let gap = result.reversed().prefix(longestGap).prefix { $0 == " " || $0 == "\u{3000}" }.count
                if gap > 0, result.count > gap, isKana(result[result.count - gap - 1]) { result.removeLast(gap) }
            }
            result.append(scalar)
        }
        return result
    }

    /// Checks whether a text has parts or letters of syllables, so that its joined form differs.
    static func hasParts(_ scalars: [Unicode.Scalar]) -> Bool {
        for (index, scalar) in scalars.enumerated() {
            if isLetterOfSyllable(scalar) { return true }
            guard Script(scalar) != nil, index > 0, !isLetter(scalars[index - 1]) else { continue }
            if scalars[..<index].suffix(longestGap + 1).contains(where: { Script($0) != nil }) { return true }
        }
        return false
    }

    /// Joins parts and composes syllables.
    static func joined(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] { composed(withoutGaps(scalars)) }

    // MARK: Parts

    private enum Script {
        case hangul, kanaOrIdeographs

        init?(_ scalar: Unicode.Scalar) {
            if scalar.isHangul { self = .hangul } else if scalar.isIdeographOrKana, scalar.isLetterOrNumber { self = .kanaOrIdeographs } else { return nil }
        }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.isLetterOrNumber || scalar.isMark }

    private static func withoutGaps(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(scalars.count)
        var index = 0, last: Script?
        while index < scalars.count {
            if let part = part(scalars, from: index) {
                result += scalars[index..<part.end]
                let gapEnd = gapEnd(scalars, from: part.end)
                last = part.script
                // The gap is removed if a part of the same script follows it.
                index = gapEnd > part.end && self.part(scalars, from: gapEnd)?.script == last ? gapEnd : part.end
            } else {
                repeat {
                    result.append(scalars[index])
                    index += 1
                } while index < scalars.count && isLetter(scalars[index - 1]) && isLetter(scalars[index])
            }
        }
        return result
    }

    /// Finds a short part at an index; returns its script and the index after it.
    private static func part(_ scalars: [Unicode.Scalar], from start: Int) -> (script: Script, end: Int)? {
        guard start < scalars.count, let script = Script(scalars[start]) else { return nil }
        var index = start, syllables = 0.0
        while index < scalars.count, isLetter(scalars[index]) {
            let scalar = scalars[index]
            if Script(scalar) == script {
                syllables += isLetterOfSyllable(scalar) ? 0.4 : 1
            } else if !scalar.isMark, !(script == .hangul && isStroke(scalar)) {
                return nil
            }
            index += 1
        }
        return syllables <= Double(longestPart) ? (script, index) : nil
    }

    private static func gapEnd(_ scalars: [Unicode.Scalar], from start: Int) -> Int {
        var index = start
        while index < scalars.count, index - start < longestGap, !isLetter(scalars[index]), scalars[index] != "\n" { index += 1 }
        return index
    }

    // MARK: Syllables

    private static let leads: ClosedRange<UInt32> = 0x1100...0x1112, vowels: ClosedRange<UInt32> = 0x1161...0x1175
    /// The final consonants, by the consonants that begin a syllable; 0 for consonants that end none.
    private static let tails: [UInt32] = [
        0x11A8, 0x11A9, 0x11AB, 0x11AE, 0, 0x11AF, 0x11B7, 0x11B8, 0, 0x11BA, 0x11BB, 0x11BC, 0x11BD, 0, 0x11BE, 0x11BF, 0x11C0, 0x11C1, 0x11C2,
    ]
    private static let firstSyllable: UInt32 = 0xAC00, lastSyllable: UInt32 = 0xD7A3
    private static let vowelCount: UInt32 = 21, tailCount: UInt32 = 28

    static func isLetterOfSyllable(_ scalar: Unicode.Scalar) -> Bool { (0x1100...0x11FF).contains(scalar.value) }

    private static func isSoundMark(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 0x3099 || scalar.value == 0x309A }

    private static func isKana(_ scalar: Unicode.Scalar) -> Bool { (0x3041...0x30FF).contains(scalar.value) }

    /// Checks for Latin letters and signs that look like a vowel after a consonant.
    private static func isStroke(_ scalar: Unicode.Scalar) -> Bool { vowel(scalar) != nil && scalar.isASCII }

    private static func vowel(_ scalar: Unicode.Scalar) -> UInt32? {
        switch scalar {
        case "r": 0x1161
        case "l", "i", "1", "|": 0x1175
        default: vowels.contains(scalar.value) ? scalar.value : nil
        }
    }

    private static func composed(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(scalars.count)
        for (index, scalar) in scalars.enumerated() {
            guard let last = result.last else {
                result.append(scalar)
                continue
            }
            if leads.contains(last.value), let vowel = vowel(scalar),
                let syllable = Unicode.Scalar(
                    firstSyllable + ((last.value - leads.lowerBound) * vowelCount + (vowel - vowels.lowerBound)) * tailCount)
            {
                result[result.count - 1] = syllable
            } else if leads.contains(scalar.value), hasNoTail(last), index + 1 == scalars.count || vowel(scalars[index + 1]) == nil,
                let syllable = closed(last, by: scalar)
            {
                result[result.count - 1] = syllable
            } else {
                result.append(scalar)
            }
        }
        return result
    }

    private static func hasNoTail(_ scalar: Unicode.Scalar) -> Bool {
        (firstSyllable...lastSyllable).contains(scalar.value) && (scalar.value - firstSyllable) % tailCount == 0
    }

    private static func closed(_ syllable: Unicode.Scalar, by consonant: Unicode.Scalar) -> Unicode.Scalar? {
        let tail = tails[Int(consonant.value - leads.lowerBound)]
        return tail == 0 ? nil : Unicode.Scalar(syllable.value + tail - 0x11A7)
    }
}

extension Unicode.Scalar {
    /// True for syllables of Korean and their letters.
    fileprivate var isHangul: Bool { (0xAC00...0xD7A3).contains(value) || (0x1100...0x11FF).contains(value) }
}
