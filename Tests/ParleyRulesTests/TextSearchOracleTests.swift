import Parley
import TestSupport
import Testing
import UnicodeText

@testable import ParleyRules

/// Searches in one pass, beside slow ones that look at every place.
@Suite struct TextSearchOracleTests {
    private static func draw(_ letters: [String], _ lengths: ClosedRange<Int>, _ generator: inout SplitMix64) -> String {
        (0..<Int.random(in: lengths, using: &generator)).map { _ in letters.randomElement(using: &generator) ?? "" }.joined()
    }

    /// The groups of which an entry stands somewhere.
    private func slow(_ entries: [WordAutomaton.Entry], _ groups: Int, in text: NormalizedText) -> Set<Int> {
        var found: Set<Int> = []
        for entry in entries {
            let count = entry.bytes.count
            guard count > 0, count <= text.bytes.count else { continue }
            for start in 0...text.bytes.count - count where Array(text.bytes[start..<start + count]) == entry.bytes {
                let end = start + count
                if entry.isWhole, start != text.trimmed.lowerBound || end != text.trimmed.upperBound { continue }
                if !entry.isWhole, entry.startsWord, start > 0, text.isWord[start - 1], text.isWord[start] { continue }
                if !entry.isWhole, entry.endsWord, end < text.bytes.count, text.isWord[end - 1], text.isWord[end] { continue }
                found.insert(entry.group)
            }
        }
        return found
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func theAutomatonFindsWhatStandsInTheText(_ seed: UInt64) {
        // Few letters, so that words begin, end and stand within each other.
        var generator = SplitMix64(seed: seed)
        let letters = seed % 2 == 0 ? ["a", "b", " "] : ["a", "ä", "字", ".", " "]
        for _ in 0..<40 {
            let groups = Int.random(in: 1...6, using: &generator)
            let entries = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                WordAutomaton.Entry(
                    bytes: Array(Self.draw(letters, 1...5, &generator).utf8), startsWord: Bool.random(using: &generator),
                    endsWord: Bool.random(using: &generator),
                    isWhole: Int.random(in: 0..<6, using: &generator) == 0, group: Int.random(in: 0..<groups, using: &generator))
            }
            var text = NormalizedText()
            for scalar in Self.draw(letters, 0...30, &generator).unicodeScalars { text.append(scalar) }
            var hits = [Int32](repeating: -1, count: groups)
            WordAutomaton(entries, groupCount: groups).scan(text, into: &hits)
            let found = Set(hits.indices.filter { hits[$0] >= 0 })
            #expect(found == slow(entries, groups, in: text), "seed \(seed): \(String(decoding: text.bytes, as: UTF8.self))")
            #expect(found.allSatisfy { entries[Int(hits[$0])].group == $0 }, "the entry that is named is one of the group")
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func aRepetitionIsFoundWhereSomethingStandsSeveralTimesInARow(_ seed: UInt64) {
        func slow(_ scalars: [Unicode.Scalar], _ times: Int, _ length: Int) -> Bool {
            guard scalars.count >= times * length else { return false }
            for period in length...max(length, min(TextMeasures.longestPeriod, scalars.count / times)) where period * times <= scalars.count {
                for start in 0...scalars.count - period * times {
                    let unit = scalars[start..<start + period]
                    guard unit.contains(where: { !$0.properties.isWhitespace }) else { continue }
                    if (1..<times).allSatisfy({ scalars[start + $0 * period..<start + ($0 + 1) * period].elementsEqual(unit) }) { return true }
                }
            }
            return false
        }
        var generator = SplitMix64(seed: seed)
        for _ in 0..<300 {
            let text = Self.draw(["a", "b", " ", "字"], 0...24, &generator)
            let times = Int.random(in: 2...6, using: &generator), length = Int.random(in: 1...4, using: &generator)
            let found = TextMeasures.repeats(text, times: times, length: length)
            #expect(found == slow(Array(text.unicodeScalars), times, length), "seed \(seed): \"\(text)\" \(times) times, \(length) at least")
        }
    }

    @Test func theLimitsOfRepetitionsAreWhereTheyAreSaid() {
        let period = String((0..<TextMeasures.longestPeriod).compactMap { Unicode.Scalar(UInt32(0x4E00 + $0)) }.map(Character.init))
        #expect(TextMeasures.repeats(period + period, times: 2, length: TextMeasures.longestPeriod))
        #expect(!TextMeasures.repeats((period + "x") + (period + "x"), times: 2, length: 1))
        // What stands behind the part that is searched is not found.
        let filler = (0..<TextMeasures.longestRepetition / 2).map {
            "\(UnicodeScalar(UInt32(0x4E00 + $0 % 90)) ?? "x")\(UnicodeScalar(UInt32(0x5E00 + $0 / 7)) ?? "x")"
        }
        #expect(!TextMeasures.repeats(filler.joined() + "zzzzzzzz", times: 8, length: 1))
        #expect(TextMeasures.repeats(String(filler.joined().dropLast(8)) + "zzzzzzzz", times: 8, length: 1))
    }

    @Test func aDomainCoversItselfAndWhatIsBelowItAndNothingElse() {
        var generator = SplitMix64(seed: 11)
        for _ in 0..<2_000 {
            func name() -> String {
                (0..<Int.random(in: 1...4, using: &generator)).map { _ in ["a", "b", "ab"].randomElement(using: &generator) ?? "" }.joined(separator: ".")
            }
            let domains = (0..<3).map { _ in name() }, host = name()
            let expected = domains.contains { host == $0 || host.hasSuffix("." + $0) }
            #expect((DomainSet(domains).covering(host) != nil) == expected, "\(host) of \(domains)")
        }
    }

    @Test(
        arguments: [
            ("Example.COM", "example.com"), ("https://user.example/path", "user.example"), ("*.a.example", "a.example"), (" a.example ", "a.example"),
            ("xn--mnchen-3ya.de", "xn--mnchen-3ya.de"), ("münchen.de", "münchen.de"), ("localhost", "localhost"), ("a..b", nil), (".a", nil), ("a.", nil),
            ("", nil),
            ("a b.example", nil), ("a_b.example", nil), ("a.example:80", nil), ("user@a.example", nil), ("*.*.a", nil),
            (String(repeating: "a", count: 63) + ".b", String(repeating: "a", count: 63) + ".b"), (String(repeating: "a", count: 64) + ".b", nil),
            (String(repeating: "abc.", count: 63) + "a", String(repeating: "abc.", count: 63) + "a"), (String(repeating: "abc.", count: 63) + "ab", nil),
        ] as [(String, String?)])
    func aDomainOfAListIsReadWithoutWhatStandsAroundIt(_ text: String, _ expected: String?) { #expect(DomainSet.normalized(text) == expected) }

    @Test(
        arguments: [
            ("> 5", [5.5, 6], [5, 4]), (">= 5", [5, 6], [4.9]), ("< 5", [4.9, 0], [5, 6]), ("<= 5", [5, 0], [5.1]), ("= 5", [5], [4.9, 5.1]),
            ("5..7", [5, 6, 7], [4.9, 7.1]),
            ("5..5", [5], [4, 6]), ("0..0", [0], [1]), (" >=  5 ", [5], [4]), ("5 .. 7", [5, 7], [8]), ("= 0", [0], [0.1]), ("<= 0", [0], [0.1]),
            ("> 0", [0.1], [0]),
            ("< 2147483647", [2_147_483_646], [2_147_483_647]),
        ] as [(String, [Double], [Double])])
    func aComparisonHoldsForTheNumbersOfItsRange(_ text: String, _ inside: [Double], _ outside: [Double]) throws {
        let comparison = try #require(Comparison(text))
        #expect(inside.allSatisfy(comparison.holds) && !outside.contains(where: comparison.holds))
    }

    @Test(arguments: [
        "", "5", ">", "> ", ">> 5", "=> 5", "> 5 5", "> -1", "> +1", "> 1.5", "> 1e3", "> ٥", "> 2147483648", "5..", "..5", "7..5", "5..6..7", "5...7", "< 0",
        "!= 5", "> 5%",
    ])
    func whatIsNoComparisonIsNone(_ text: String) { #expect(Comparison(text) == nil) }

    @Test func aPartOfTheDayThatGoesOverMidnightHasBothItsSides() throws {
        for (range, inside, outside) in [
            ("22:00-06:00", [1_320, 1_439, 0, 359], [360, 1_319, 720]), ("06:00-22:00", [360, 1_319], [1_320, 359, 0]), ("0:00-23:59", [0, 1_438], [1_439]),
            ("23:59-0:00", [1_439], [0, 1_438]), ("0:01-0:00", [1, 1_439], [0]),
        ] {
            let file = try BotsFile(parsing: "parley: 1\nprofiles: { a: { rules: [ { when: { hours: \"\(range)\" }, then: { send: x } } ] } }")
            let rules = try RuleSet(try #require(file.profiles.first).rules)
            func applies(_ minute: Int) -> Bool {
                var input = RuleInput(event: .message, kind: .text, text: "x")
                input.minuteOfDay = minute
                return !rules.decide(input).isEmpty
            }
            #expect(inside.allSatisfy(applies) && !outside.contains(where: applies), "\(range)")
        }
    }
}
