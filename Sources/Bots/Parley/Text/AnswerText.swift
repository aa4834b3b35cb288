internal import Foundation
internal import UnicodeText

/// Short answers as people write them: in digits of any script, with a full stop, in bold, in other letter case.
package enum AnswerText {
    /// The text with what does not distinguish answers taken out: letter case, presentation forms, and characters that nobody sees.
    package static func folded(_ text: String) -> String {
        visible(text).precomposedStringWithCompatibilityMapping.folded.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The text without what surrounds a single word or phrase: punctuation, marks of formatting and quotation marks.
    package static func bare(_ text: String) -> String {
        var rest = Substring(folded(text))
        while let first = rest.first, isWrapping(first) { rest.removeFirst() }
        while let last = rest.last, isWrapping(last) { rest.removeLast() }
        return String(rest)
    }

    /// The text with decimal digits of all scripts as ASCII digits, and without characters that nobody sees.
    package static func withASCIIDigits(_ text: String) -> String {
        var digits = String.UnicodeScalarView()
        for scalar in visible(text).unicodeScalars {
            if let digit = digit(scalar), let ascii = Unicode.Scalar(UInt32(0x30 + digit)) { digits.append(ascii) } else { digits.append(scalar) }
        }
        return String(digits)
    }

    /// The value of a decimal digit of any script; nil for any other character.
    static func digit(_ scalar: Unicode.Scalar) -> Int? {
        if scalar.isASCII { return (0x30...0x39).contains(scalar.value) ? Int(scalar.value) - 0x30 : nil }
        guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
        return Int(value)
    }

    /// The place in a list of choices that a text names: `2`, `2.`, `(2)`, `２`, `٢`, `②`, `2️⃣`; nil for any other text.
    package static func listNumber(_ text: String) -> Int? {
        let digits = withASCIIDigits(text.precomposedStringWithCompatibilityMapping).filter { !isSurrounding($0) }
        guard !digits.isEmpty, digits.count <= 9, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int(digits)
    }

    /// The choice that an answer names, by its words or by its number in the list that was shown.
    package static func choice(_ answer: String, among choices: [String]) -> Int? {
        // Words win over numbers: the choices may be numbers themselves.
        if let index = choices.firstIndex(of: answer) { return index }
        let wanted = folded(answer)
        if let index = choices.firstIndex(where: { folded($0) == wanted }) { return index }
        if let number = listNumber(answer), choices.indices.contains(number - 1) { return number - 1 }
        // A line of the list, as it was copied: "2. Blue".
        return choices.indices.first { folded("\($0 + 1). \(choices[$0])") == wanted }
    }

    // MARK: Characters

    /// The text without characters that are not seen, such as marks of direction and selectors of emoji.
    static func visible(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var seen = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !isUnseen(scalar) { seen.append(scalar) }
        return String(seen)
    }

    static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return false }
        // U+20E3 makes a key of a digit.
        return scalar.isIgnorable || scalar.properties.generalCategory == .format || scalar.value == 0x20E3
    }

    private static func isWrapping(_ character: Character) -> Bool { character.isWhitespace || character.isPunctuation }

    /// Characters around a number that leave it the same number: not a sign, and no decimal part.
    private static func isSurrounding(_ character: Character) -> Bool {
        character.isWhitespace || ".,:;!?()[]{}*_~`'\"#№。、．，：；！？（）「」".contains(character)
    }
}
