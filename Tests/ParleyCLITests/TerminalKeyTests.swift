import TestSupport
import Testing

@testable import ParleyCLI

/// The bytes of a terminal as keys.
@Suite struct TerminalKeyTests {
    private func keys(_ text: String) -> [TerminalKey] {
        var decoder = TerminalKeyDecoder()
        return decoder.take(text.utf8)
    }

    @Test(arguments: [
        ("\u{1B}[D", TerminalKey.left), ("\u{1B}OD", .left), ("\u{1B}[C", .right), ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[H", .home),
        ("\u{1B}[1~", .home), ("\u{1B}[7~", .home), ("\u{1B}OF", .end), ("\u{1B}[4~", .end), ("\u{1B}[3~", .deleteForward), ("\u{1B}[3;5~", .deleteWordForward),
        ("\u{1B}[1;5D", .wordLeft), ("\u{1B}[1;3C", .wordRight), ("\u{1B}[1;2C", .right), ("\u{1B}b", .wordLeft), ("\u{1B}f", .wordRight),
        ("\u{1B}\u{7F}", .deleteWordBackward), ("\u{1B}d", .deleteWordForward), ("\u{1B}\r", .lineBreak), ("\u{F}", .lineBreak), ("\u{1B}[13;2u", .lineBreak),
        ("\u{1B}[27;2;13~", .lineBreak), ("\r", .enter), ("\n", .enter), ("\u{1B}OM", .enter), ("\t", .complete), ("\u{7F}", .deleteBackward),
        ("\u{3}", .interrupt),
        ("\u{4}", .endOfInput), ("\u{15}", .deleteToStart), ("\u{17}", .deleteWordBackward), ("\u{1}", .home), ("\u{5}", .end), ("\u{B}", .deleteToEnd),
        ("\u{C}", .clearScreen), ("\u{1A}", .suspend), ("\u{19}", .yank), ("\u{1B}\u{1B}[D", .left),
    ]) func knownSequencesAreKeys(_ text: String, _ key: TerminalKey) {
        #expect(keys("a" + text + "b") == [.text("a"), key, .text("b")])
    }

    @Test(arguments: [
        "\u{1B}[5~", "\u{1B}[I", "\u{1B}[?62;1;6c", "\u{1B}[38;5;1m", "\u{1B}]0;title\u{7}", "\u{1B}]52;c;AAAA\u{1B}\\", "\u{1B}P+q544e\u{1B}\\",
        "\u{1B}_x\u{1B}\\",
        "\u{1B}[[A", "\u{1B}(B", "\u{1B}[999;999;999H!".replacing("!", with: ""), "\u{1B}[Z", "\u{1B}[<0;10;10M", "\u{1B}[200;5~", "\u{0}", "\u{1C}", "\u{85}",
        "\u{1B}x", "\u{1B}[" + String(repeating: "1;", count: 500) + "X",
    ]) func whatIsNotKnownIsDroppedAsAWhole(_ text: String) {
        let typed = keys("a" + text + "b").map { if case .text(let text) = $0 { text } else { "?" } }.filter { $0 != "?" }.joined()
        #expect(typed == "ab" || text.hasSuffix("H"), "\(keys("a" + text + "b"))")
        #expect(!typed.contains("\u{1B}"))
    }

    @Test func aPasteOfSeveralLinesIsOneKey() {
        #expect(
            keys("x\u{1B}[200~one\rtwo\r\nthree\n\tfour\u{1B}[A\u{1B}[201~y") == [.text("x"), .paste("one\ntwo\nthree\n\tfour[A"), .text("y")])
        #expect(keys("\u{1B}[200~" + String(repeating: "x", count: 200_000) + "\u{1B}[201~y") == [.pasteTooLong, .text("y")])
    }

    @Test func aLoneEscapeIsGivenUpWhenNothingFollows() {
        var decoder = TerminalKeyDecoder()
        #expect(decoder.take([0x1B]) == [] && decoder.isWaiting)
        decoder.flush()
        #expect(decoder.take("\r".utf8) == [.enter])
        #expect(decoder.take([0x1B, UInt8(ascii: "]")]) == [])
        decoder.flush()
        #expect(decoder.take("a".utf8) == [.text("a")])
    }

    /// Joins texts that follow each other, which reads can split.
    private static func joined(_ keys: [TerminalKey]) -> [TerminalKey] {
        keys.reduce(into: []) { joined, key in
            if case .text(let next) = key, case .text(let text)? = joined.last { joined[joined.count - 1] = .text(text + next) } else { joined.append(key) }
        }
    }

    @Test func whereReadsEndDoesNotMatter() {
        let bytes = Array("é漢👩‍👩‍👧\u{1B}[1;5D\u{1B}[200~a\r\nb🇩🇪\u{1B}[201~\u{1B}OA\u{7F}\u{1B}]0;x\u{7}z\r".utf8)
        var whole = TerminalKeyDecoder()
        let expected = Self.joined(whole.take(bytes))
        #expect(expected.count == 7)
        for split in 0...bytes.count {
            var decoder = TerminalKeyDecoder()
            #expect(Self.joined(decoder.take(bytes[..<split]) + decoder.take(bytes[split...])) == expected, "split at \(split)")
        }
        var single = TerminalKeyDecoder()
        #expect(Self.joined(bytes.flatMap { single.take([$0]) }) == expected)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func noBytesMakeControlCharacters(_ seed: UInt64) {
        var random = SplitMix64(seed: seed), decoder = TerminalKeyDecoder(), editor = LineEditor()
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 1...30, using: &random)).map { _ -> UInt8 in
                let special: [UInt8] = [0x1B, UInt8(ascii: "["), UInt8(ascii: "~"), UInt8(ascii: "2"), UInt8(ascii: "0"), 0x0D, 0x7F, 0x09]
                return Bool.random(using: &random) ? special.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
            }
            for key in decoder.take(bytes) { _ = editor.take(key) }
            let text = String(editor.text)
            #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control }, "seed \(seed)")
            #expect(editor.cursor <= editor.text.count && Array(text) == editor.text, "seed \(seed)")
        }
    }
}
