/// Folding of letters that ignores case.
///
/// Letters are equal if their capitals are, so that `ß` is `ss`, the final form of a sigma is a sigma, and `İ` and `ı` are `i`. This makes more letters
/// equal than the case folding of Unicode, and never fewer.
enum CaseFolding {
    /// The number of scalars, from 0 on, whose folded forms are in a table.
    private static let tableSize: UInt32 = 0x2000

    /// The folded form of each scalar; 0 for scalars that become several.
    private static let table: [UInt32] = (0..<tableSize).map { value in
        guard let scalar = Unicode.Scalar(value) else { return value }
        let folded = mapping(of: scalar)
        return folded.count == 1 ? folded[0].value : 0
    }

    /// Adds the folded form of a scalar.
    static func append(_ scalar: Unicode.Scalar, to scalars: inout [Unicode.Scalar]) {
        if scalar.value < tableSize {
            let folded = table[Int(scalar.value)]
            // This is the dot of a capital I with a dot.
            if folded == 0x307, scalars.last == "i" { return }
            if folded != 0 || scalar.value == 0 { return scalars.append(Unicode.Scalar(folded) ?? scalar) }
        }
        switch scalar.value {
        // These scalars have no case, and most texts without letters consist of them.
        case 0x2E80...0xA63F, 0xAC00...0xD7A3, 0x1F000...0x1FFFF, 0x20000...0x3FFFF: scalars.append(scalar)
        default: scalars += mapping(of: scalar)
        }
    }

    private static func mapping(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        switch scalar {
        case "\u{130}": return ["i"]
        case "\u{149}": return ["'", "n"]
        case "\u{1E9E}": return ["s", "s"]
        // Cherokee, whose small letters are newer, folds to capitals.
        case "\u{13A0}"..."\u{13FD}", "\u{AB70}"..."\u{ABBF}": return Array(scalar.properties.uppercaseMapping.unicodeScalars)
        default: break
        }
        let lower = scalar.properties.uppercaseMapping.unicodeScalars.flatMap { $0.properties.lowercaseMapping.unicodeScalars }
        return lower.isEmpty ? [scalar] : lower
    }
}

/// Folding of signs that keyboards write in several forms.
enum SignFolding {
    /// Returns the plain form of a quotation mark, an apostrophe, a dash, an ellipsis or a stroke; nil for other scalars.
    static func plain(_ scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0x60, 0xB4, 0x2B9, 0x2BB...0x2BD, 0x2C8, 0x2018...0x201B, 0x2032, 0x2035, 0x2039, 0x203A, 0x275B, 0x275C, 0xFF07, 0xFF40: "'"
        case 0xAB, 0xBB, 0x2BA, 0x201C...0x201F, 0x2033, 0x2036, 0x275D, 0x275E, 0x301D...0x301F, 0xFF02: "\""
        case 0x2010...0x2015, 0x2043, 0x2212, 0xFE58, 0xFE63, 0xFF0D: "-"
        case 0x2026: "..."
        case 0xFF0F: "/"
        default: nil
        }
    }
}
