/// Unicode general categories as the official clients class characters, scalar by scalar.
extension Unicode.Scalar {
    /// Punctuation of any kind; symbols such as `$` and `+` are not.
    var isPunctuation: Bool {
        switch properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation:
            true
        default: false
        }
    }

    /// Spaces and the control characters from tab to carriage return; line and paragraph separators are not.
    var isSpace: Bool { value == 0x20 || (0x09...0x0D).contains(value) || properties.generalCategory == .spaceSeparator }

    var isLetter: Bool {
        switch properties.generalCategory {
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

    var isASCIIDigit: Bool { (0x30...0x39).contains(value) }

    var isASCIILetter: Bool { (0x41...0x5A).contains(value) || (0x61...0x7A).contains(value) }
}
