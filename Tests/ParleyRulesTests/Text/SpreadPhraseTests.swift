import Parley
import Testing

@testable import ParleyRules

/// Words and phrases whose letters stand apart, in front of rules, and texts that only look like them.
@Suite struct SpreadPhraseTests {
    private func finds(_ words: String, _ text: String) throws -> Bool {
        let file = try BotsFile(parsing: "parley: 1\nprofiles: { a: { rules: [ { id: r, when: { words: { \(words) } }, then: { send: x } } ] } }")
        return try !RuleSet(try #require(file.profiles.first).rules).decide(RuleInput(event: .message, kind: .text, text: text)).isEmpty
    }

    @Test(arguments: [
        ("free money", "f r e e m o n e y", true), ("free money", "get f.r.e.e m.o.n.e.y now", true), ("free money", "free m o n e y", true),
        ("free money", "freemoney", false), ("the rapist", "therapist", false), ("pen is", "penis", false), ("free money", "f r e e", false),
        ("casino", "a c a s i n o", true), ("casino", "c a s i n o i s o p e n", true), ("ass", "c l a s s", false), ("scam", "i.s a s.c.a.m", true),
        ("free money*", "f r e e m o n e y s", true), ("бесплатные деньги", "б е с п л а т н ы е д е н ь г и", true),
        ("δωρεάν χρήμα", "δ ω ρ ε ά ν χ ρ ή μ α", true), ("e mail", "e m a i l", true), ("free money", "f r e e\u{3000}m o n e y", true),
        ("scam", "i s c a m", true), ("scam", "m a s c a m", false), ("scam", "i s c a m p i", false), ("class", "a c l a s s", true),
        ("lass", "c l a s s", false),
        ("free money", "i f r e e m o n e y", true), ("free money", "a f r e e money", true), ("good deal", "x g o o d d e a l", true),
        ("rape", "g r a p e", false),
    ])
    func aPhraseIsFoundAmongLettersThatStandApart(_ phrase: String, _ text: String, _ isFound: Bool) throws {
        #expect(try finds("of: [\"\(phrase)\"], normalize: all", text) == isFound)
        #expect(try finds("of: [\"\(phrase)\"], normalize: [case, spaces]", text) == isFound)
        if isFound { #expect(try !finds("of: [\"\(phrase)\"]", text) || text.hasPrefix("free m"), "without \"spaces\" letters that stand apart are letters") }
    }

    @Test func anExceptionExcusesLettersThatStandApart() throws {
        #expect(try !finds("of: [money], except: [\"free money\"], normalize: all", "f r e e m o n e y"))
        #expect(try finds("of: [money], except: [\"free money\"], normalize: all", "f r e e m o n e y, m o n e y"))
    }

    @Test func longTextsOfSingleLettersAreReadInTheEnd() throws {
        #expect(try !finds("of: [\"free money\", casino], normalize: all", String(repeating: "a b ", count: 4_000)))
        #expect(try finds("of: [\"free money\"], normalize: all", String(repeating: "a b ", count: 2_000) + "f r e e m o n e y"))
        #expect(try !finds("of: [\"free money\"], normalize: all", String(repeating: "\u{202E}ab", count: 4_000)))
    }
}
