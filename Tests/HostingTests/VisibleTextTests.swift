import Foundation
import Testing

@testable import Hosting

/// Text of others on a terminal.
@Suite struct VisibleTextTests {
    /// Whether a text is nothing but characters that are seen, line breaks, and joiners that are asked for.
    private func isHarmless(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { $0 == "\n" || !VisibleText.isHidden($0) } }

    @Test func noControlReachesATerminal() {
        for value in (0...0x9F).map({ UInt8($0) }) where value < 32 || value > 126 {
            let hostile = "a\(Character(Unicode.Scalar(value)))b"
            for shown in [VisibleText.line(hostile), VisibleText.name(hostile), VisibleText.lines(hostile), VisibleText.block("x: ", hostile)] {
                #expect(isHarmless(shown), "\(value)")
            }
        }
        #expect(VisibleText.line("\u{1B}]52;c;ZXZpbA==\u{7}") == "\\u{1B}]52;c;ZXZpbA==\\u{7}")
        #expect(VisibleText.line("\u{9B}2J") == "\\u{9B}2J")
        #expect(VisibleText.lines("a\rb\r\nc") == "a\\u{D}b\nc")
    }

    @Test(arguments: [
        "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{200E}", "\u{200F}", "\u{61C}",
        "\u{2028}", "\u{2029}", "\u{85}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}", "\u{FEFF}", "\u{AD}", "\u{34F}", "\u{115F}", "\u{3164}", "\u{FFA0}",
        "\u{FE00}", "\u{FE0F}", "\u{E0100}", "\u{E0041}", "\u{E000}", "\u{378}", "\u{FFFE}", "\u{180E}", "\u{1D173}",
    ])
    func whatNobodySeesIsShownByItsNumber(_ hidden: String) throws {
        let number = try #require(hidden.unicodeScalars.first).value
        let expected = "ann\\u{\(String(number, radix: 16, uppercase: true))}a"
        #expect(VisibleText.line("ann\(hidden)a") == expected)
        #expect(VisibleText.block("", "ann\(hidden)a") == expected)
    }

    @Test(arguments: [
        "Zoë Müller", "Дмитрий", "山田太郎", "محمد", "می\u{200C}خواهم", "क\u{94D}\u{200D}ष", "👨\u{200D}👩\u{200D}👧", "❤\u{FE0F}", "👍🏽",
        "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", "1\u{FE0F}\u{20E3}", "e\u{301}",
    ])
    func lettersAndEmojiStayAsTheyAre(_ text: String) {
        #expect(VisibleText.line(text) == text)
        #expect(VisibleText.block("", text, width: 80) == text)
    }

    @Test func aStackOfMarksIsCut() {
        let stack = "a" + String(repeating: "\u{300}", count: 500) + "b"
        #expect(VisibleText.line(stack).unicodeScalars.count == 2 + VisibleText.mostMarks)
    }

    @Test func aNameIsOneLineOfABoundedLength() {
        #expect(VisibleText.name("a\nb\tc\u{A0}d") == "a b c d")
        let long = VisibleText.name(String(repeating: "x", count: 1_000_000))
        #expect(long == String(repeating: "x", count: 64) + "…")
        #expect(VisibleText.line("abc", limit: .max) == "abc")
        // A character can be of any number of scalars.
        #expect(VisibleText.name("a" + String(repeating: "\u{300}", count: 1_000_000)).unicodeScalars.count < 100)
    }

    @Test func aNameThatReadsLikeMoreIsInQuotationMarks() {
        #expect(VisibleText.name("bob: yes, pay ann") == "“bob: yes, pay ann”")
        #expect(VisibleText.name("bob” is connected. “") == "“bob is connected. ”")
        #expect(VisibleText.name("(bob") == "“(bob”")
        for odd in ["", " ", " a", "a ", "a  b"] { #expect(VisibleText.name(odd).first == "“") }
        #expect(VisibleText.name("Ann Example") == "Ann Example")
    }

    @Test func aLaterLineOfAMessageCannotPassForAnothersFirst() {
        #expect(VisibleText.block("ann: ", "hello\nbob: I pay\r\n[2026-01-01 10:00] bob: now") == "ann: hello\n  ┆ bob: I pay\n  ┆ [2026-01-01 10:00] bob: now")
        // Also where the terminal would fold it.
        let folded = VisibleText.block("ann: ", "yes" + String(repeating: " ", count: 72) + "bob: I pay", width: 80).split(separator: "\n")
        #expect(folded.count == 2 && folded[1].hasPrefix("  ┆ "), "\(folded)")
        for line in VisibleText.block("ann: ", String(repeating: "山", count: 200), width: 80).split(separator: "\n").dropFirst() {
            #expect(line.hasPrefix("  ┆ ") && line.count <= 42)
        }
        #expect(VisibleText.block("ann: ", "x", width: 1) == "ann: x")
    }

    @Test func jsonStaysTheSameJSONAndSteersNoTerminal() throws {
        let hostile = "\u{1B}[2J \u{9B}2J \u{7F} \u{2028} \u{202E} \u{E0041} \"é\" 👍"
        let json = String(decoding: try JSONEncoder().encode([hostile]), as: UTF8.self), escaped = VisibleText.escapedJSON(json)
        #expect(isHarmless(escaped))
        #expect(try JSONDecoder().decode([String].self, from: Data(escaped.utf8)) == [hostile])
        #expect(escaped.contains("👍"))
        #expect(VisibleText.escapedJSON("\"\u{E0041}\"") == #""\udb40\udc41""#)
    }
}
