/// Changes to texts and to the words of a list before both are compared.
///
/// With any changes, letters and their marks are composed, and invisible characters are removed.
public struct TextNormalization: OptionSet, Sendable, Hashable {
    /// The bits of the changes.
    public let rawValue: UInt8

    /// Creates the changes of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Letters with folded case; quotation marks, apostrophes and dashes in their plain form.
    public static let letterCase = TextNormalization(rawValue: 1)
    /// Letters without accents and other marks, and in their plain form: `é` and `𝐞` are `e`.
    public static let marks = TextNormalization(rawValue: 2)
    /// Letters of other scripts, digits and signs as the Latin letter that they replace: `с4$іnо` is `casino`. Digits at the edge of a word end it.
    public static let lookalikes = TextNormalization(rawValue: 4)
    /// Repeated letters are reduced to one or two: `caaasino` is `casino`.
    public static let repeats = TextNormalization(rawValue: 8)
    /// Letters with spaces or signs between them as one word: `c a s i n o` is `casino`.
    public static let spaces = TextNormalization(rawValue: 16)
    /// White space as one space each, for phrases.
    package static let whitespace = TextNormalization(rawValue: 32)

    /// All changes that a file can name.
    package static let all: TextNormalization = [.letterCase, .marks, .lookalikes, .repeats, .spaces, .whitespace]

    /// The names of the changes in files.
    package static let words: KeyValuePairs<String, TextNormalization> = [
        "case": .letterCase, "marks": .marks, "lookalikes": .lookalikes, "repeats": .repeats, "spaces": .spaces,
    ]
}

/// A choice between the possible meanings of ambiguous characters in a text.
private struct NormalizationVariant: Hashable {
    /// The length that a run of three or more of a letter is cut to.
    var runLength = 1
    /// The letter that the digit one stands for.
    var one: Unicode.Scalar = "i"
    /// True if digits and signs at the edges of words stay digits and signs.
    var keepsEdgeSigns = false
    /// True if Korean and Japanese words that are cut into parts are joined.
    var joinsParts = false
}

extension TextNormalization {
    /// The maximum number of forms of a text.
    package static let maximumVariants = 18

    /// Makes the forms of a text: one, and more if a run of letters or a digit can have two meanings.
    package func forms(of text: String) -> [NormalizedText] {
        // If an override of the direction reverses letters, people read them in the reverse order.
        guard let turned = BidirectionalOverride.turned(text) else { return formsAsWritten(of: text) }
        return formsAsWritten(of: text) + formsAsWritten(of: turned)
    }

    private func formsAsWritten(of text: String) -> [NormalizedText] {
        if isSubset(of: [.letterCase, .whitespace]), let form = plainForm(of: text) { return [form] }
        let tokens = scalars(of: text)
        var variants = [NormalizationVariant()]
        func branch(_ change: (inout NormalizationVariant) -> Void) {
            variants += variants.map { variant in
                var other = variant
                change(&other)
                return other
            }
        }
        if contains(.lookalikes), Lookalikes.hasOne(tokens) { branch { $0.one = "l" } }
        if contains(.lookalikes), Lookalikes.hasEdgeSigns(tokens) { branch { $0.keepsEdgeSigns = true } }
        if contains(.repeats), Self.hasRun(tokens) { branch { $0.runLength = 2 } }
        // One more form, not twice as many: the parts of a word are letters of one script.
        if contains(.spaces), SplitSyllables.hasParts(tokens) {
            var joined = NormalizationVariant()
            joined.joinsParts = true
            variants.append(joined)
        }
        return variants.map { form(of: tokens, $0) }
    }

    /// Makes the form of an ASCII text, for changes of case and white space only; nil for other texts.
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
            case 0..<0x20, 0x7F: continue
            case 0x60 where lowers: form.append(ascii: 0x27)
            default: form.append(ascii: byte)
            }
        }
        return form
    }

    /// Makes the form of an entry of a list, whose characters are taken literally.
    package func form(ofEntry entry: String) -> NormalizedText { form(of: scalars(of: entry), nil) }

    private func form(of scalars: [Unicode.Scalar], _ variant: NormalizationVariant?) -> NormalizedText {
        var scalars = variant?.joinsParts == true ? SplitSyllables.joined(scalars) : scalars
        if variant?.keepsEdgeSigns == true { scalars = Lookalikes.withoutEdgeSigns(scalars) }
        if contains(.lookalikes) { scalars = Lookalikes.replaced(scalars, one: variant?.one ?? "i") }
        var letters: [SpreadLetter] = []
        if contains(.spaces) {
            let joined = SpacedLetters.joined(scalars)
            (scalars, letters) = (joined.scalars, joined.letters)
            // A digit that was written alone is a letter among letters: `c 4 s i n o`.
            if contains(.lookalikes), !letters.isEmpty { scalars = Lookalikes.replaced(scalars, one: variant?.one ?? "i") }
        }
        if contains(.repeats), let variant { (scalars, letters) = Self.shortened(scalars, letters, to: variant.runLength) }
        var form = NormalizedText()
        form.reserve(scalars.count)
        if letters.isEmpty {
            for scalar in scalars { form.append(scalar) }
        } else {
            for (scalar, letter) in zip(scalars, letters) { form.append(scalar, letter) }
        }
        return form
    }

    /// Makes the scalars without case and marks, and with single spaces, according to the options.
    private func scalars(of text: String) -> [Unicode.Scalar] {
        let isPlain = text.utf8.allSatisfy { $0 < 0x80 }
        let decomposes = !isPlain && !isDisjoint(with: [.marks, .lookalikes])
        let source = decomposes ? NormalizationForm.decomposedPlainly(prepared(text)) : text.composed
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(source.utf8.count)
        for scalar in decomposes ? SplitSyllables.withSoundMarks(Array(source.unicodeScalars)) : Array(source.unicodeScalars) {
            if scalar.isASCII, scalar != "`" {
                let isUpper = (0x41...0x5A).contains(scalar.value)
                if contains(.whitespace), scalar.value == 0x20 || (0x09...0x0D).contains(scalar.value) {
                    if result.last != " " { result.append(" ") }
                } else if !scalar.isIgnorable {
                    result.append(isUpper && contains(.letterCase) ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar)
                }
                continue
            }
            if scalar.isIgnorable || contains(.marks) && scalar.isAccent { continue }
            if contains(.whitespace), scalar.properties.isWhitespace {
                if result.last != " " { result.append(" ") }
            } else if !contains(.letterCase) {
                result.append(scalar)
            } else if let sign = SignFolding.plain(scalar) {
                result += sign.unicodeScalars
            } else {
                CaseFolding.append(scalar, to: &result)
            }
        }
        return isPlain ? result : Self.composed(result, plainly: decomposes)
    }

    private static func composed(_ scalars: [Unicode.Scalar], plainly: Bool) -> [Unicode.Scalar] {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return Array((plainly ? NormalizationForm.composedPlainly(String(view)) : NormalizationForm.composed(String(view))).unicodeScalars)
    }

    /// Replaces signs and letters that would lose their meaning in the decomposition by their plain form: quotation marks, and, for look-alikes, boxed
    /// letters, regional letters outside flags, and a sharp s for a B at the beginning of a word, where no word has a sharp s.
    private func prepared(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        let scalars = Array(text.unicodeScalars), boxes = contains(.lookalikes), signs = contains(.letterCase)
        func isRegional(_ index: Int) -> Bool { index < scalars.count && (0x1F1E6...0x1F1FF).contains(scalars[index].value) }
        func isLetter(_ index: Int) -> Bool { scalars.indices.contains(index) && scalars[index].isLetterOrNumber }
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            if scalar.isASCII {
                result.append(scalar)
            } else if signs, let plain = SignFolding.plain(scalar) {
                result.append(contentsOf: plain.unicodeScalars)
            } else if boxes, isRegional(index), isRegional(index + 1) {
                result.append(contentsOf: scalars[index...index + 1])
                index += 1
            } else if boxes, scalar == "ß", !isLetter(index - 1), isLetter(index + 1) {
                result.append("b")
            } else {
                result.append(boxes ? Lookalikes.enclosedLetter(scalar) ?? scalar : scalar)
            }
            index += 1
        }
        return String(result)
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

    private static func shortened(
        _ scalars: [Unicode.Scalar], _ letters: [SpreadLetter], to limit: Int
    ) -> (scalars: [Unicode.Scalar], letters: [SpreadLetter]) {
        var result: [Unicode.Scalar] = [], kept: [SpreadLetter] = []
        result.reserveCapacity(scalars.count)
        kept.reserveCapacity(letters.count)
        var index = 0
        while index < scalars.count {
            var end = index + 1
            while end < scalars.count, scalars[end] == scalars[index] { end += 1 }
            let count = end - index >= 3 && scalars[index].isPartOfWord ? limit : end - index
            result.append(contentsOf: repeatElement(scalars[index], count: count))
            if !letters.isEmpty { kept += letters[index..<index + count] }
            index = end
        }
        return (result, kept)
    }
}
