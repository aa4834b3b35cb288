/// Changes to texts and to the words of a list before both are compared.
public struct TextNormalization: OptionSet, Sendable, Hashable {
    /// The bits of the changes.
    public let rawValue: UInt8

    /// The changes of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Letters in lower case.
    public static let letterCase = TextNormalization(rawValue: 1)
    /// Letters without accents and other marks, and in their plain form: `é` and `𝐞` are `e`. Invisible characters are left out.
    public static let marks = TextNormalization(rawValue: 2)
    /// Letters of other scripts, digits and signs as the Latin letter that they stand for: `с4$іnо` is `casino`.
    public static let lookalikes = TextNormalization(rawValue: 4)
    /// Runs of a letter as one or two of it: `caaasino` is `casino`.
    public static let repeats = TextNormalization(rawValue: 8)
    /// Letters with spaces or signs between them as one word: `c a s i n o` is `casino`.
    public static let spaces = TextNormalization(rawValue: 16)
    /// White space as one space each, for phrases.
    static let whitespace = TextNormalization(rawValue: 32)

    static let words: KeyValuePairs<String, TextNormalization> = [
        "case": .letterCase, "marks": .marks, "lookalikes": .lookalikes, "repeats": .repeats, "spaces": .spaces,
    ]
}

/// A text in the form in which words are looked for, with the places where words begin and end.
struct NormalizedText {
    /// The form in UTF-8.
    private(set) var bytes: [UInt8] = []
    /// True for each byte of a letter or digit; letters of scripts without spaces between words do not count.
    private(set) var isWord: [Bool] = []

    /// The bytes without the white space around them.
    var trimmed: Range<Int> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) }) else { return 0..<0 }
        return first..<last + 1
    }

    mutating func append(_ scalar: Unicode.Scalar) {
        if scalar.isASCII {
            bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            isWord.append(ASCIIWords.isWord[Int(scalar.value)])
            return
        }
        let isWord = scalar.isPartOfWord
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            bytes.append(byte)
            self.isWord.append(isWord)
        }
    }

    mutating func append(ascii byte: UInt8) {
        bytes.append(byte)
        isWord.append(ASCIIWords.isWord[Int(byte & 0x7F)])
    }

    mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(count)
        isWord.reserveCapacity(count)
    }
}

/// ASCII characters that are part of words.
enum ASCIIWords {
    static let isWord: [Bool] = (0..<128).map { Unicode.Scalar(UInt8($0)).isPartOfWord }
}

/// The decisions that a form leaves open, because they depend on what the writer meant.
struct NormalizationVariant: Hashable {
    /// The length that a run of three or more of a letter is cut to.
    var runLength = 1
    /// The letter that the digit one stands for.
    var one: Unicode.Scalar = "i"
}

extension TextNormalization {
    /// The most forms that a text has.
    static let maximumVariants = 4

    /// The forms of a text: one, and more where a run of letters or the digit one can be meant in two ways.
    func forms(of text: String) -> [NormalizedText] {
        if isSubset(of: [.letterCase, .whitespace]), let form = plainForm(of: text) { return [form] }
        let tokens = scalars(of: text)
        var variants = [NormalizationVariant()]
        if contains(.lookalikes), Lookalikes.hasOne(tokens) { variants += variants.map { NormalizationVariant(runLength: $0.runLength, one: "l") } }
        if contains(.repeats), Self.hasRun(tokens) { variants += variants.map { NormalizationVariant(runLength: 2, one: $0.one) } }
        return variants.map { form(of: tokens, $0) }
    }

    /// The form of an ASCII text in which only case and white space matter; nil for other texts.
    private func plainForm(of text: String) -> NormalizedText? {
        var form = NormalizedText()
        form.reserve(text.utf8.count)
        let lowers = contains(.letterCase), joins = contains(.whitespace)
        for byte in text.utf8 {
            switch byte {
            case 0x80...: return nil
            case 0x41...0x5A: form.append(ascii: lowers ? byte + 32 : byte)
            case 0x09...0x0D, 0x20:
                if !joins { form.append(ascii: byte) } else if form.bytes.last != 0x20 { form.append(ascii: 0x20) }
            default: form.append(ascii: byte)
            }
        }
        return form
    }

    /// The form of an entry of a list: what it is written with is what is meant.
    func form(ofEntry entry: String) -> NormalizedText { form(of: scalars(of: entry), nil) }

    private func form(of scalars: [Unicode.Scalar], _ variant: NormalizationVariant?) -> NormalizedText {
        var scalars = scalars
        if contains(.lookalikes) { scalars = Lookalikes.replaced(scalars, one: variant?.one ?? "i") }
        if contains(.spaces) { scalars = Self.joined(scalars) }
        if contains(.repeats), let variant { scalars = Self.shortened(scalars, to: variant.runLength) }
        var form = NormalizedText()
        form.reserve(scalars.count)
        for scalar in scalars { form.append(scalar) }
        return form
    }

    /// The scalars in lower case, without marks, with single spaces, as the options say.
    private func scalars(of text: String) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(text.utf8.count)
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 }
        let source = contains(.marks) && !isPlain ? CompatibilityForm.decomposed(text) : text
        for scalar in source.unicodeScalars {
            if scalar.isASCII {
                let isUpper = (0x41...0x5A).contains(scalar.value)
                if contains(.whitespace), scalar.value == 0x20 || (0x09...0x0D).contains(scalar.value) {
                    if result.last != " " { result.append(" ") }
                } else {
                    result.append(isUpper && contains(.letterCase) ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar)
                }
                continue
            }
            if contains(.marks), scalar.isMark || scalar.isInvisible { continue }
            if contains(.whitespace), scalar.properties.isWhitespace {
                if result.last != " " { result.append(" ") }
            } else if contains(.letterCase) {
                result += scalar.properties.lowercaseMapping.unicodeScalars
            } else {
                result.append(scalar)
            }
        }
        return result
    }

    private static func hasRun(_ scalars: [Unicode.Scalar]) -> Bool {
        var length = 0
        var last: Unicode.Scalar?
        for scalar in scalars {
            length = scalar == last ? length + 1 : 1
            last = scalar
            if length == 3, scalar.isPartOfWord { return true }
        }
        return false
    }

    private static func shortened(_ scalars: [Unicode.Scalar], to limit: Int) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(scalars.count)
        var index = 0
        while index < scalars.count {
            var end = index + 1
            while end < scalars.count, scalars[end] == scalars[index] { end += 1 }
            let count = end - index >= 3 && scalars[index].isPartOfWord ? limit : end - index
            result.append(contentsOf: repeatElement(scalars[index], count: count))
            index = end
        }
        return result
    }

    /// Words of one letter each are taken together, if three or more follow each other: fewer are words such as `a`.
    private static func joined(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(scalars.count)
        var index = 0
        while index < scalars.count {
            let run = spacedRun(scalars, from: index)
            if run.letters.count >= 3 {
                result += run.letters
                index = run.end
            } else {
                // The whole word, so that its last letter does not count as a word.
                repeat {
                    result.append(scalars[index])
                    index += 1
                } while index < scalars.count && scalars[index - 1].isPartOfWord && scalars[index].isPartOfWord
            }
        }
        return result
    }

    /// The letters that stand alone from an index on, and the index behind the last of them.
    private static func spacedRun(_ scalars: [Unicode.Scalar], from start: Int) -> (letters: [Unicode.Scalar], end: Int) {
        var letters: [Unicode.Scalar] = []
        var index = start, end = start
        while index < scalars.count, scalars[index].isPartOfWord, index + 1 == scalars.count || !scalars[index + 1].isPartOfWord {
            letters.append(scalars[index])
            end = index + 1
            index = end
            while index < scalars.count, index - end < 3, !scalars[index].isPartOfWord, scalars[index] != "\n" { index += 1 }
        }
        return (letters, end)
    }
}
