/// Domain names in one form (UTS 46): `Bücher.example`, `xn--bcher-kva.example` and `bücher。example` are the same.
package enum DomainName {
    /// The maximum length of a name, in bytes of its ASCII form.
    package static let maximumLength = 253
    /// The maximum length in bytes of a label that is converted: longer labels are not names.
    private static let longestLabel = 255

    /// Converts a name to its ASCII form, in lower case. Parts that cannot be converted stay unchanged.
    package static func canonical(_ name: some StringProtocol) -> String {
        if isPlain(name) { return name.utf8.contains { (0x41...0x5A).contains($0) } ? name.lowercased() : String(name) }
        var view = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where !scalar.isIgnorable { view.append(isDot(scalar) ? "." : scalar) }
        let mapped = NormalizationForm.composedPlainly(NormalizationForm.composedPlainly(String(view)).lowercased())
        return mapped.split(separator: ".", omittingEmptySubsequences: false).map(label).joined(separator: ".")
    }

    /// Checks whether a name is ASCII without escapes, like most names.
    private static func isPlain(_ name: some StringProtocol) -> Bool {
        var before: UInt8 = 0
        for byte in name.utf8 {
            // Escapes begin with `xn--`.
            if byte >= 0x80 || byte == UInt8(ascii: "-") && before == byte { return false }
            before = byte
        }
        return true
    }

    /// Checks for the dots of Unicode that separate labels for browsers.
    package static func isDot(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar == "\u{3002}" || scalar == "\u{FF0E}" || scalar == "\u{FF61}" }

    private static func label(_ text: Substring) -> String {
        guard text.utf8.count <= longestLabel else { return String(text) }
        var scalars = Array(text.unicodeScalars)
        if text.hasPrefix("xn--") {
            // A name has no control characters, so a control character is unchanged.
            guard let decoded = Punycode.decode(text.dropFirst(4)), !decoded.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) else {
                return String(text)
            }
            let folded = String(String.UnicodeScalarView(decoded.filter { !$0.isIgnorable })).lowercased()
            scalars = Array(NormalizationForm.composedPlainly(folded).unicodeScalars)
        }
        if scalars.allSatisfy(\.isASCII) { return String(String.UnicodeScalarView(scalars)) }
        return Punycode.encode(scalars).map { "xn--" + $0 } ?? String(text)
    }

    /// Converts a name to its readable form, without escapes of Punycode.
    package static func readable(_ name: String) -> String {
        guard name.contains("xn--") else { return name }
        return name.split(separator: ".", omittingEmptySubsequences: false).map { label in
            guard label.hasPrefix("xn--"), let decoded = Punycode.decode(label.dropFirst(4)) else { return String(label) }
            return String(String.UnicodeScalarView(decoded))
        }.joined(separator: ".")
    }
}

/// Top-level domains.
package enum TopLevelDomain {
    private static let names = Set(TopLevelDomainTable.names.split(whereSeparator: \.isWhitespace))

    /// Checks whether a label in canonical form is a top-level domain under which names can be registered or resolved.
    package static func exists(_ label: Substring) -> Bool { names.contains(label) }
}
