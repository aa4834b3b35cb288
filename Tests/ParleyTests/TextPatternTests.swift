import Parley
import Testing

@Suite struct TextPatternTests {
    @Test func groupsAreFoundByNumberAndByName() throws {
        let pattern = try TextPattern("(?P<word>[a-z]+) (\\d+)?")
        let match = try #require(pattern.firstMatch(in: "SAY abc 42!"))
        #expect(match.text == "abc 42")
        #expect(match["word"] == "abc")
        #expect(match[2] == "42")
        #expect(match[3] == nil)
        #expect(match["nothing"] == nil)
        #expect(try #require(pattern.firstMatch(in: "abc "))[2] == nil)
        #expect(pattern.groupCount == 2)
        #expect(pattern.groupNames == ["word"])
    }

    @Test func caseCanBeIgnored() throws {
        #expect(try TextPattern("HELLO", ignoringCase: true).matches("Say hello"))
        #expect(try !TextPattern("HELLO").matches("Say hello"))
    }

    @Test(arguments: ["(", "a**", "[z-a]", "(?=look)", "\\1", "x{1001}"])
    func aPatternThatIsNotRE2IsRefusedWithAReason(_ source: String) throws {
        let error = try #require(throws: TextPatternError.self) { try TextPattern(source) }
        #expect(!error.reason.isEmpty)
    }

    @Test func aPatternThatIsTooLongIsRefused() {
        #expect(throws: TextPatternError.self) { try TextPattern(String(repeating: "a", count: 513)) }
    }

    @Test func aPatternThatWouldExplodeElsewhereStaysLinear() throws {
        let pattern = try TextPattern("^(a+)+$")
        #expect(!pattern.matches(String(repeating: "a", count: 50_000) + "!"))
    }

    @Test func anEmptyTextAndAnEmptyPatternAreFine() throws {
        #expect(try TextPattern("").firstMatch(in: "")?.text == "")
        #expect(try TextPattern("^$").matches(""))
    }

    @Test func aSetTellsWhichPatternsMatch() throws {
        let set = try TextPatternSet(["cat", "^dog", "(?i)BIRD", "\\d{3}"])
        #expect(set.matches(in: "a bird and a cat, 123") == [0, 2, 3])
        #expect(set.matches(in: "hotdog").isEmpty)
        #expect(try TextPatternSet([]).matches(in: "anything").isEmpty)
    }
}
