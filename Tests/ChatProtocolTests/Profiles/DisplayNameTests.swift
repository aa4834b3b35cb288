import ChatProtocol
import TestSupport
import Testing

@Suite struct DisplayNameTests {
    @Test func anEmptyNameIsNotValid() {
        #expect(!DisplayName.isValid(""))
        #expect(!DisplayName.isValid(" "))
        #expect(DisplayName.isValid("a"))
    }

    @Test func aValidNameStaysAndAnyTextBecomesOne() {
        var random = SplitMix64(seed: 8)
        let alphabet = Array("aÄ1. -_!@#'\"\t\u{A0}\u{200B}\u{202E}\u{301}🚀$٣\u{0}\u{E000}漢".unicodeScalars)
        for _ in 0..<3000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...70, using: &random) { text.append(alphabet.randomElement(using: &random) ?? "a") }
            let valid = DisplayName.valid(String(text))
            #expect(DisplayName.valid(valid) == valid)
            #expect(valid.unicodeScalars.count <= ChatLimits.displayName)
            #expect(valid.isEmpty || DisplayName.isValid(valid))
            #expect(!valid.contains("'") && !valid.contains("\u{200B}") && !valid.contains("  "))
        }
    }

    /// In quadratic time it would take many minutes.
    @Test(.timeLimit(.minutes(10)), arguments: ["\u{301}", "\u{200B}", "'", "!", "a", " ", "🚀"])
    func hostileNamesTakeLinearTime(filler: String) {
        let name = DisplayName.valid("a" + String(repeating: filler, count: 200_000))
        #expect(name.unicodeScalars.count <= ChatLimits.displayName)
    }
}
