internal import ChatProtocol
internal import UnicodeText

/// Prevents texts of people from formatting the texts of a bot: a name `*Admin*` is shown unchanged, and a name like `/'pay 10'` becomes no button.
///
/// A filled-in text is parsed as recipients will, and compared with the text in which plain letters stand for the values. Values are changed only if
/// the two are formatted differently: then signs that can format are replaced by others that have the same form.
///
/// Texts are compared by Unicode scalar, as Markdown is parsed: a sign with a combining mark is one character, and formats all the same.
struct MarkdownGuard {
    /// A part of a text.
    enum Part {
        /// The author's own words.
        case text(String)
        /// - Parameter isName: whether it is a name: names must not be links either.
        case value(String, isName: Bool)

        /// The bytes in UTF-8.
        var length: Int {
            switch self {
            case .text(let text), .value(let text, _): text.utf8.count
            }
        }
    }

    /// A letter that templates do not use. It is a placeholder for a value.
    private static let placeholder: Unicode.Scalar = "\u{10280}"
    /// Signs that can format, with others of the same form.
    private static let replacements: [Unicode.Scalar: Unicode.Scalar] = [
        "*": "∗", "_": "＿", "~": "∼", "`": "ˋ", "#": "＃", "!": "ǃ", "@": "＠", "/": "∕", "[": "［", "]": "］", "+": "＋",
    ]

    /// The text, with values that format nothing.
    static func text(_ parts: [Part]) -> String {
        let parts = parts.map { part in
            guard case .value(let value, let isName) = part else { return part }
            // A control of direction would turn round the text behind the value.
            let plain = value.withoutDirectionControls
            return .value(isName ? withoutLinks(plain) : plain, isName: isName)
        }
        let plain = join(parts) { _ in String(placeholder) }
        let filled = join(parts) { $0 }
        let formatted = Markdown.parse(filled), wanted = Markdown.parse(plain)
        guard formatted != nil || wanted != nil else { return filled }
        let values = parts.compactMap { if case .value(let value, _) = $0 { value } else { nil } }
        if shape(formatted ?? [FormattedText(nil, filled)]) == shape(wanted ?? [FormattedText(nil, plain)], values) { return filled }
        return join(parts) { replacing($0) { replacements[$0] ?? $0 } }
    }

    private static func join(_ parts: [Part], _ change: (String) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .value(let value, _): change(value)
            }
        }.joined()
    }

    /// Pieces of a text with the kinds of their formats. Plain links count as text: they show where they lead.
    private static func shape(_ pieces: [FormattedText], _ values: [String] = []) -> [Piece] {
        var values = values[...]
        var shape: [Piece] = []
        for piece in pieces {
            var text = String.UnicodeScalarView()
            for scalar in piece.text.unicodeScalars {
                if scalar == placeholder, let value = values.popFirst() { text.append(contentsOf: value.unicodeScalars) } else { text.append(scalar) }
            }
            let kind = kind(of: piece.format)
            if let last = shape.indices.last, shape[last].kind == kind, kind == nil {
                shape[last].text.append(contentsOf: text)
            } else {
                shape.append(Piece(kind: kind, text: Array(text)))
            }
        }
        return shape
    }

    private struct Piece: Equatable {
        let kind: Kind?
        var text: [Unicode.Scalar]
    }

    private enum Kind: Equatable {
        case mark(TextFormat)
        case link, command, mention
    }

    private static func kind(of format: TextFormat?) -> Kind? {
        switch format {
        case nil, .uri, .email, .phone, .unknown: nil
        case .simplexLink(let shown, _, _, _): shown == nil ? nil : .link
        case .hyperLink: .link
        case .command: .command
        case .mention: .mention
        case .bold, .italic, .strikeThrough, .snippet, .secret, .small, .colored: format.map(Kind.mark)
        }
    }

    /// A name in one line that is no link: an invisible sign parts what would be one.
    private static func withoutLinks(_ name: String) -> String {
        let name = replacing(name) { Character($0).isNewline ? " " : $0 }
        let isLink =
            Markdown.parse(name)?.contains { piece in
                switch piece.format {
                case .uri, .email, .hyperLink, .simplexLink: true
                default: false
                }
            } ?? false
        guard isLink else { return name }
        var parted = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            parted.append(scalar == "@" ? "＠" : scalar)
            if scalar == "." || scalar == ":" { parted.append("\u{2060}") }
        }
        return String(parted)
    }

    private static func replacing(_ text: String, _ replacement: (Unicode.Scalar) -> Unicode.Scalar) -> String {
        var replaced = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { replaced.append(replacement(scalar)) }
        return String(replaced)
    }
}
