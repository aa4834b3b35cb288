import Testing

@testable import ParleyCLI

/// Lines of standard input.
@Suite struct InputLineTests {
    private func lines(_ texts: String...) -> [InputLine] {
        var reader = InputLines(), lines: [InputLine] = []
        for text in texts { lines += reader.take(text.utf8) }
        return lines + [reader.finish()].compactMap { $0 }
    }

    @Test func bytesAreSplitAtLineFeedsWhereverTheyEnd() {
        #expect(lines("one\ntw", "o\r\n\nlast") == [.text("one"), .text("two"), .text(""), .text("last")])
        #expect(lines("one\n") == [.text("one")])
        #expect(lines("") == [])
    }

    @Test func aLineAboveTheBoundIsRefusedAsAWholeAndTheNextIsTaken() {
        let bound = String(repeating: "x", count: InputLines.longest)
        #expect(lines(bound + "\nnext") == [.text(bound), .text("next")])
        #expect(lines(bound + "x\nnext\n") == [.tooLong, .text("next")])
        #expect(lines(bound, bound, bound) == [.tooLong])
    }
}
