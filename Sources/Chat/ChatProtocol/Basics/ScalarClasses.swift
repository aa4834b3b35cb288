/// Unicode general categories as the official clients class characters, scalar by scalar.
extension Unicode.Scalar {
    /// Punctuation of any kind; symbols such as `$` and `+` are not.
    var isPunctuation: Bool {
        guard !isASCII else { return Self.asciiPunctuation.contains(UInt8(truncatingIfNeeded: value)) }
        return switch properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation:
            true
        default: false
        }
    }

    /// Spaces and the control characters from tab to carriage return; line and paragraph separators are not.
    var isSpace: Bool {
        value == 0x20 || (0x09...0x0D).contains(value) || !isASCII && properties.generalCategory == .spaceSeparator
    }

    var isLetter: Bool {
        guard !isASCII else { return isASCIILetter }
        return switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
        default: false
        }
    }

    var isNumber: Bool {
        switch properties.generalCategory {
        case .decimalNumber, .letterNumber, .otherNumber: true
        default: false
        }
    }

    var isSymbol: Bool {
        switch properties.generalCategory {
        case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: true
        default: false
        }
    }

    var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// The ASCII characters of the categories of punctuation, as a set of bits.
    private static let asciiPunctuation = ASCIISet("!\"#%&'()*,-./:;?@[\\]_{}")

    var isASCIIDigit: Bool { (0x30...0x39).contains(value) }

    var isASCIILetter: Bool { (0x41...0x5A).contains(value) || (0x61...0x7A).contains(value) }
}

/// A set of ASCII characters.
struct ASCIISet: Sendable {
    private let low: UInt64
    private let high: UInt64

    init(_ characters: String) {
        var bits: (low: UInt64, high: UInt64) = (0, 0)
        for byte in characters.utf8 where byte < 0x80 {
            if byte < 64 { bits.low |= 1 << UInt64(byte) } else { bits.high |= 1 << UInt64(byte - 64) }
        }
        (low, high) = bits
    }

    func contains(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<64: low >> UInt64(byte) & 1 == 1
        case 64..<128: high >> UInt64(byte - 64) & 1 == 1
        default: false
        }
    }
}
