import ChatProtocol
import SMPWire

extension FuzzTarget {
    /// A text that is put together of words with formats, as the bytes say: what is typed is what is read.
    static let formats = FuzzTarget("formats", maximumLength: 256) {
        [[0, 1, 2, 3, 4, 5, 6, 7], [7, 7, 7], [1, 1, 1, 0, 0], Bytes(0...63)]
    } run: { input throws(FuzzFault) in
        let formats: [TextFormat?] =
            [.bold, .italic, .strikeThrough, .snippet, .secret, .small, nil, nil] + FormatColor.allCases.filter { $0.markName }.map { .colored($0) }
        let words = ["a", "word", "two words", "Ünïcode", "日本", "x=y", "(z)", "it's"]
        var typed = "", shown: [FormattedText] = []
        for (index, byte) in input.enumerated() {
            if index > 0 { append(FormattedText(nil, byte & 128 == 0 ? " " : "\n"), to: &shown, &typed) }
            append(FormattedText(formats[Int(byte & 127) % formats.count], words[Int(byte) / 8 % words.count]), to: &shown, &typed)
        }
        let isPlain = shown.allSatisfy { $0.format == nil }
        let pieces = Markdown.parse(typed)
        try FuzzFault.unless(pieces == (isPlain ? nil : shown), "\(typed) is read as \(String(describing: pieces)), not \(shown)")
        try unlessReadAgain(pieces ?? [])
    }

    private static func append(_ piece: FormattedText, to shown: inout [FormattedText], _ typed: inout String) {
        typed += piece.markdown
        // Pieces of one format that touch are one piece.
        if piece.format == nil, let last = shown.last, last.format == nil {
            shown[shown.count - 1].text += piece.text
        } else {
            shown.append(piece)
        }
    }

    /// Pieces are written as JSON and read as the same.
    static func unlessReadAgain(_ pieces: [FormattedText]) throws(FuzzFault) {
        let text = pieces.jsonText
        try FuzzFault.unless((try? [FormattedText](parsing: text)) == pieces, "\(pieces) are written as \(text) and read as others")
    }
}

extension FormatColor {
    /// Whether the colour can be typed.
    fileprivate var markName: Bool { self != .black && self != .white }
}
