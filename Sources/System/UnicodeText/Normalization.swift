internal import Foundation

/// Normalization forms of Unicode.
enum NormalizationForm {
    /// Converts to form C: letters with their marks in one scalar if there is one.
    static func composed(_ text: String) -> String { isComposed(text.unicodeScalars) ? text : text.precomposedStringWithCanonicalMapping }

    /// Converts to form KD: letters in their plain form, followed by their marks.
    static func decomposedPlainly(_ text: String) -> String { text.decomposedStringWithCompatibilityMapping }

    /// Converts to form KC.
    static func composedPlainly(_ text: String) -> String { text.precomposedStringWithCompatibilityMapping }

    /// Checks whether a text is certainly in form C, which the scalars of most texts show.
    private static func isComposed(_ scalars: String.UnicodeScalarView) -> Bool {
        scalars.allSatisfy { scalar in
            switch scalar.value {
            case 0..<0x300, 0x391...0x482, 0x48A...0x52F, 0x5D0...0x5EA, 0x620...0x64A, 0x1E00...0x1EFF, 0x2010...0x2027, 0x20AC, 0x3001...0x3096,
                0x309D...0x30FE, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xFE0F, 0x1F300...0x1FAFF:
                true
            default: false
            }
        }
    }
}

extension String {
    /// The text in normalization form C, in which composed and decomposed letters are the same.
    package var composed: String { utf8.allSatisfy { $0 < 0x80 } ? self : NormalizationForm.composed(self) }

    /// The text for comparisons: composed, with folded case and plain quotation marks, apostrophes and dashes, and without invisible
    /// characters.
    package var folded: String {
        if utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "`") }) { return lowercased() }
        var scalars: [Unicode.Scalar] = []
        scalars.reserveCapacity(utf8.count)
        for scalar in composed.unicodeScalars where !scalar.isIgnorable {
            if let plain = SignFolding.plain(scalar) { scalars += plain.unicodeScalars } else { CaseFolding.append(scalar, to: &scalars) }
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view).composed
    }

    /// Checks whether two texts differ only in case, the form of signs, and invisible characters.
    package func isSame(as other: some StringProtocol) -> Bool { self == other || folded == String(other).folded }
}
