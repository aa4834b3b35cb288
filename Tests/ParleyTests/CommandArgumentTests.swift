import Testing

@testable import Parley

/// What the arguments of commands take, and what they refuse.
@Suite struct CommandArgumentTests {
    private enum Size: String, CaseIterable, Sendable { case small, extraLarge }

    /// What an argument makes of the text behind a command, or the sentence for the person.
    private static func read<Value>(_ argument: CommandArgument<Value>, _ text: String) -> String {
        var reader = CommandArgumentReader(text)
        do throws(CommandArgumentError) {
            let value = try reader.read(argument)
            try reader.end()
            return "\(value)"
        } catch {
            return error.text.text(in: BotTexts())
        }
    }

    @Test(arguments: [
        ("90s", 90), ("10m", 600), ("2h", 7_200), ("1d", 86_400), ("1w", 604_800), ("1h30m", 5_400), ("1H30M", 5_400), ("30m1h", 5_400), ("1s1s", 2),
        ("0d1s", 1), ("0001s", 1), ("3155760000s", 3_155_760_000),
    ])
    func timesAreAddedUp(_ text: String, _ seconds: Int) {
        #expect(Self.read(.duration("when"), text) == "\(Duration.seconds(seconds))")
    }

    @Test(arguments: [
        "0s", "0h0m", "10", "1h30", "h", "-5m", "+5m", "1.5h", "1y", "5µs", "٥m", "5 m", "3155760001s", "52596001m", "9223372036854775807s",
        "9223372036854775808s",
        "99999999999999999999999999w", "m5",
    ])
    func whatIsNoTimeOfAtMostAHundredYearsIsRefused(_ text: String) {
        let word = text.prefix { $0 != " " }
        #expect(Self.read(.duration("when"), text).contains("\"\(word)\" is not a time like 10m, 2h or 1d"))
    }

    @Test func manyTimesTogetherDoNotOverflow() {
        #expect(Self.read(.duration("when"), String(repeating: "3155760000s", count: 5_000)) == "\(Duration.seconds(5_000 * 3_155_760_000))")
    }

    @Test(arguments: [
        ("1", "1"), ("9", "9"), ("0", "\"0\" is not a whole number from 1 to 9"), ("10", "\"10\" is not a whole number from 1 to 9"),
        ("1.0", "\"1.0\" is not a whole number from 1 to 9"), ("٣", "\"٣\" is not a whole number from 1 to 9"), ("", "n is missing"), ("  ", "n is missing"),
        ("1 2", "\"2\" is too much"), ("9223372036854775808", "\"9223372036854775808\" is not a whole number from 1 to 9"),
    ])
    func aWholeNumberIsWithinItsRange(_ text: String, _ expected: String) { #expect(Self.read(.integer("n", in: 1...9), text) == expected) }

    @Test(arguments: [
        ("9223372036854775807", true), ("-9223372036854775808", true), ("9223372036854775808", false), ("-9223372036854775809", false), ("1e3", false),
    ])
    func withoutARangeAWholeNumberIsWhatFits(_ text: String, _ fits: Bool) {
        #expect(Self.read(.integer("n"), text) == (fits ? text : "\"\(text)\" is not a whole number"))
    }

    @Test(arguments: [("1.5", true), ("-1e3", true), ("1e400", false), ("nan", false), ("inf", false), ("-infinity", false), ("1,5", false), ("1.5.5", false)])
    func aNumberIsFinite(_ text: String, _ isNumber: Bool) {
        let read = Self.read(.number("x"), text)
        #expect(isNumber ? Double(read) == Double(text) : read == "\"\(text)\" is not a number")
    }

    @Test(arguments: [
        ("plain", "plain"), ("\"two words\"", "two words"), ("'two words'", "two words"), ("“two words”", "two words"), ("„two words“", "two words"),
        ("«two words»", "two words"), ("\"\"", ""), ("\"it's\"", "it's"), ("\"open", "\"open"), ("it's", "it's"), ("\u{A0}x\u{3000}", "x"), ("👩‍👩‍👧", "👩‍👩‍👧"),
    ])
    func aWordCanBeInTheQuotesOfAnyKeyboard(_ text: String, _ word: String) { #expect(Self.read(.word("w"), text) == word) }

    @Test(arguments: [("\"two words", "\"words\" is too much"), ("'a' b", "\"b\" is too much"), ("\"a\"b", "\"b\" is too much")])
    func whatIsLeftBehindAWordIsTooMuch(_ text: String, _ expected: String) { #expect(Self.read(.word("w"), text) == expected) }

    @Test func aLongRemainderIsShownByItsBeginning() {
        #expect(Self.read(.word("w"), "a " + String(repeating: "b", count: 5_000)) == "\"\(String(repeating: "b", count: 40))\" is too much")
    }

    @Test(arguments: [("  a  b \n c  ", "a  b \n c"), ("\"a\" b", "\"a\" b"), ("", "note is missing"), (" \n\t ", "note is missing")])
    func theRestKeepsWhatIsWithinIt(_ text: String, _ expected: String) { #expect(Self.read(.rest("note"), text) == expected) }

    @Test(arguments: [("SMALL", "small"), ("extralarge", "extraLarge"), ("large", "\"large\" is not one of small, extraLarge"), ("", "size is missing")])
    func aChoiceIsMadeWithoutRegardToCase(_ text: String, _ expected: String) { #expect(Self.read(.choice("size", of: Size.self), text) == expected) }

    @Test func anArgumentThatCanBeLeftOutIsStillReadStrictly() {
        #expect(Self.read(.optional(.integer("n")), "") == "nil")
        #expect(Self.read(.integer("n").withDefault(7), " ") == "7")
        #expect(Self.read(.integer("n").withDefault(7), "x") == "\"x\" is not a whole number")
        #expect(Self.read(.optional(.rest("note")), "") == "nil")
    }

    @Test func aClosureOfTheAuthorReadsAndItsSentenceIsTold() {
        let even = CommandArgument<Int>.custom("n", "an even number") { Int($0).flatMap { $0.isMultiple(of: 2) ? $0 : nil } }
        #expect(Self.read(even, "4") == "4")
        #expect(Self.read(even, "5") == "\"5\" is not an even number")
    }
}
