import ChatProtocol
import TestSupport
import Testing

/// Whatever took quadratic time would take many minutes here: the limit is for that, and not a figure.
@Suite(.timeLimit(.minutes(10))) struct MarkdownAttackTests {
    /// Made to send a careless parser back over and over.
    private static let units = [
        "*", "_", "~", "`", "#", "!", "@", "/", "[", "]", "(", ")", "+", "1", ".", " ", "'", "\n", "*_", "_*", "* ", " *", "*a", "#a",
        "# ", "##a", "!1 a", "!1 ", "!- a ", "!red ", "@'a", "@'", "@a.", "@!", "/'a", "/a-", "[a", "[a ", "[a]", "[a](", "[a](b ", "[a](b)",
        "[ [", "](", "[a](https://", "[a](https://a.b?", "[a](https://a.b/c#[", "[a](https://a.b/a#", "1 ", "1-", "+1 (", "+(1)", "1 2 3 ",
        "(1)", "a.b", "a.b ", "a@b", "@a@", "a@b. ", "((((@", "\"@", "http://", "https://a.b ", "https://a.b", "simplex:/",
        "simplex:/contact#/?v=1&smp=", "é", "🚀", "\u{301}", "\u{200B}", "!1 *_~`#[@/", "[*a*](_b_)", "\t", "\r\n",
    ]

    @Test(arguments: units) func hostileTextsTakeLinearTime(unit: String) {
        let text = String(repeating: unit, count: 65_536 / unit.utf8.count)
        #expect(Markdown.parse(text).map { $0.map(\.text).joined().utf8.count <= text.utf8.count } ?? true)
    }

    @Test(arguments: units.filter { $0.contains { "[!'@/#1h(".contains($0) } }, ["](a)", ")", "!'", "#)"])
    func hostileTextsWithAnEndFarAwayTakeLinearTime(unit: String, end: String) {
        let text = String(repeating: unit, count: 65_536 / unit.utf8.count) + end
        #expect(Markdown.parse(text).map { $0.map(\.text).joined().utf8.count <= text.utf8.count } ?? true)
    }

    @Test func arbitraryTextsLoseNothingButMarks() {
        var random = SplitMix64(seed: 11)
        let alphabet = Array("*_~`#!@/[]()'+.- 1a\nrhttps:é".unicodeScalars)
        for _ in 0..<5000 {
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...40, using: &random) { scalars.append(alphabet.randomElement(using: &random) ?? "a") }
            let text = String(scalars)
            guard let pieces = Markdown.parse(text) else { continue }
            #expect(pieces.contains { $0.format != nil })
            #expect(pieces.allSatisfy { !$0.text.isEmpty })
            #expect(zip(pieces, pieces.dropFirst()).allSatisfy { $0.format != $1.format })
            // What is shown is the text with some characters left out.
            var rest = text.unicodeScalars[...]
            for scalar in pieces.map(\.text).joined().unicodeScalars {
                guard let index = rest.firstIndex(of: scalar) else {
                    Issue.record("\(text) became \(pieces)")
                    break
                }
                rest = rest[rest.index(after: index)...]
            }
        }
    }

    @Test func formattedPiecesCanBeTypedAgain() {
        let text = "*b* _i_ ~s~ `c` #x# !1 red! !- small! @bob https://a.example.com [t](https://b.example.com) +12345678 u@e.com"
        let pieces = Markdown.parse(text)
        #expect(pieces?.map(\.markdown).joined() == text)
        for color in FormatColor.allCases {
            let piece = FormattedText(.colored(color), "x")
            switch color {
            case .black, .white: #expect(piece.markdown == "x")
            default: #expect(Markdown.parse(piece.markdown) == [piece])
            }
        }
    }

    @Test func plainTextHasNoPieces() {
        for text in ["", "hello, world", "привет - мир", "a\nb", String(repeating: "word ", count: 10_000)] {
            #expect(Markdown.parse(text) == nil)
        }
    }

    @Test func mentionsAndLinksAreFound() {
        let pieces = Markdown.parse("@alice and @'bob s' see https://a.example.com") ?? []
        #expect(Markdown.mentionedNames(in: pieces) == ["alice", "bob s"])
        #expect(Markdown.hasLinks(pieces))
        #expect(!Markdown.hasLinks(Markdown.parse("@alice u@example.com") ?? []))
    }

    @Test func formatsOfNewerClientsAreKept() throws {
        for text in [
            "{\"type\":\"underline\"}", "{\"type\":\"colored\",\"color\":\"pink\"}", "{\"type\":\"mention\"}", "[1]", "\"bold\"",
            "{\"type\":\"simplexLink\",\"linkType\":\"new\",\"simplexUri\":\"x\",\"smpHosts\":[]}",
        ] {
            let json = try JSONValue(parsing: text)
            #expect(TextFormat(json: json) == .unknown(json))
            #expect(TextFormat(json: json).json == json)
        }
    }
}
