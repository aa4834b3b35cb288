import ChatProtocol
import TestSupport
import Testing

@testable import Parley

/// Long texts of any characters, split and put together again.
@Suite struct LongTextPropertyTests {
    /// What texts are made of: words, breaks, and characters that take more room as JSON or that must not be cut.
    private static let pieces = [
        "a", "word", " ", "  ", "\n", "\r\n", "\n\n", "\t", "\u{A0}", "\u{2028}", "\"", "\\", "\u{1}", "\u{7F}", "é", "e\u{301}", "漢字", "مرحبا", "👩‍👩‍👧", "🇩🇪",
        "\u{200D}",
        "\u{FEFF}", " \u{301}", String(repeating: "x", count: 40),
    ]

    private static func text(by random: inout SplitMix64) -> String {
        (0..<Int.random(in: 0...120, using: &random)).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }.joined()
    }

    /// What of a text the parts do not have: the white space at which it was split. Nil if they are not its parts.
    private static func leftOut(of text: String, in parts: [String]) -> [Character]? {
        var rest = text[...], leftOut: [Character] = []
        func leaveOut() {
            guard let first = rest.first, first.unicodeScalars.allSatisfy(\.properties.isWhitespace) else { return }
            leftOut.append(first)
            rest = rest.dropFirst()
        }
        for (number, part) in parts.enumerated() {
            if number > 0 { leaveOut() }
            guard rest.unicodeScalars.starts(with: part.unicodeScalars) else { return nil }
            rest = rest[rest.unicodeScalars.index(rest.startIndex, offsetBy: part.unicodeScalars.count)...]
        }
        leaveOut()
        return rest.isEmpty ? leftOut : nil
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>) func nothingIsLostButOneWhiteSpaceAtEachSplit(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let text = Self.text(by: &random), first = Int.random(in: 12...200, using: &random), other = Int.random(in: 12...200, using: &random)
            let parts = LongText.parts(of: text, first: first, other: other)
            for (number, part) in parts.enumerated() { #expect(part.jsonLength <= (number == 0 ? first : other), "seed \(seed)") }
            let leftOut = Self.leftOut(of: text, in: parts)
            #expect(leftOut.map { $0.count <= parts.count } == true, "seed \(seed): \(text.debugDescription) in \(parts)")
        }
    }

    @Test(arguments: 6...8 as ClosedRange<UInt64>) func aTextThatFitsIsOnePartAndOneByteLessMakesItTwo(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let text = Self.text(by: &random), length = text.jsonLength
            guard length > 12 else { continue }
            #expect(LongText.parts(of: text, first: length, other: 12) == [text], "seed \(seed)")
            let parts = LongText.parts(of: text, first: length - 1, other: length)
            // White space at the very end is what is left out.
            #expect(parts.count == 2 || text.last?.isWhitespace == true, "seed \(seed): \(text.debugDescription)")
            #expect(parts.first?.isEmpty == false)
        }
    }
}
