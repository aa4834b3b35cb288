import ChatProtocol
import Foundation
import Testing

@testable import Parley

/// How text that is too long for one message is split.
@Suite struct LongTextTests {
    private func parts(_ text: String, _ limit: Int, first: Int? = nil) -> [String] { LongText.parts(of: text, first: first ?? limit, other: limit) }

    @Test func whatFitsStaysWhole() {
        #expect(parts("", 20) == [""])
        #expect(parts("twenty bytes exactly", 20) == ["twenty bytes exactly"])
    }

    @Test func textIsSplitAtTheLastLineBreakInThePartsSecondHalf() {
        #expect(parts("first line of it\nsecond line\nthird", 30) == ["first line of it\nsecond line", "third"])
    }

    @Test func otherwiseAtAWord() {
        #expect(parts("a\nvery long second line of words", 20) == ["a\nvery long second", "line of words"])
    }

    @Test func otherwiseBetweenCharacters() {
        #expect(parts(String(repeating: "x", count: 25), 10) == ["xxxxxxxxxx", "xxxxxxxxxx", "xxxxx"])
        #expect(parts("👍🏽👍🏽👍🏽", 20) == ["👍🏽👍🏽", "👍🏽"], "eight bytes each, none is cut")
    }

    @Test func emptyLinesAndIndentationBehindASplitStay() {
        #expect(parts("twelve bytes\n\n    indented", 14) == ["twelve bytes\n", "    indented"])
    }

    @Test func whatJSONEscapesCountsAsLongAsItIsThere() {
        #expect(parts(String(repeating: "\"", count: 20), 20).map(\.count) == [10, 10])
    }

    @Test func theFirstPartCanBeShorterForAQuote() {
        #expect(parts("one two three four", 40, first: 8) == ["one two", "three four"])
    }

    @Test func aCharacterLongerThanAPartIsCutBetweenItsScalars() {
        let text = "e" + String(repeating: "\u{301}", count: 50)
        let parts = parts(text, 20)
        #expect(parts.joined().unicodeScalars.elementsEqual(text.unicodeScalars))
        #expect(parts.allSatisfy { $0.utf8.count <= 20 })
    }

    @Test(arguments: [12, 13, 50, 333]) func nothingIsLostAndEveryPartFits(_ limit: Int) {
        var text = ""
        for number in 0..<200 { text += "word\(number)\(number % 7 == 0 ? "\n" : " ")\(number % 11 == 0 ? "\"quoted\" " : "")" }
        let parts = parts(text, limit)
        #expect(parts.allSatisfy { $0.jsonLength <= limit })
        #expect(parts.joined().filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
    }

    @Test(arguments: [
        "*two words here*", "#answer words#", "_a b_", "!1 red words here!", "[click this page](https://example.org/a)", "~no more of it~", "`a b c`",
        "@'Ann Lee'",
    ])
    func aPieceWithAFormatStaysWhole(_ piece: String) {
        for limit in 40...75 {
            for separator in [" ", ", and ", "\n"] {
                let text = Array(repeating: piece, count: 100).joined(separator: separator)
                let parts = parts(text, limit)
                #expect(parts.count > 1)
                #expect(parts.allSatisfy { $0.jsonLength <= limit })
                let whole = parts.reduce(0) { $0 + $1.components(separatedBy: piece).count - 1 }
                #expect(whole == 100, "\(limit): \(parts.prefix(3))")
            }
        }
    }

    @Test func aFormatLongerThanAPartIsCutAtItsSpaces() {
        let text = "*" + Array(repeating: "word", count: 50).joined(separator: " ") + "*"
        let parts = parts(text, 30)
        #expect(parts.allSatisfy { $0.jsonLength <= 30 })
        #expect(parts.dropLast().allSatisfy { $0.hasSuffix("word") })
        #expect(self.parts("see *a b c d e f g h i j k l m n o p q*", 30).first == "see")
    }

    @Test func aQuoteLeavesLessRoom() {
        let whole = LongText.limit(in: nil)
        #expect(whole < ChatLimits.compressedMessage)
        #expect(LongText.limit(in: nil, quoting: String(repeating: "q", count: 1_000)) == whole - LongText.quoteEnvelope - 1_000)
        #expect(LongText.limit(in: nil, quoting: String(repeating: "q", count: 15_000)) == LongText.shortestPart)
    }
}
