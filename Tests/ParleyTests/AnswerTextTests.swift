import Testing

@testable import Parley

/// Answers as people write them.
@Suite struct AnswerTextTests {
    private static let choices = ["Red", "Straße", "İstanbul", "don't know", "3"]

    @Test(arguments: [
        ("red", 0), (" RED ", 0), ("1", 0), ("1.", 0), ("1)", 0), ("(1)", 0), ("#1", 0), ("\u{200F}1", 0),
        ("1. Red", 0),
        ("２", 1), ("٢", 1), ("۲.", 1), ("②", 1), ("2\u{FE0F}\u{20E3}", 1), ("STRASSE", 1), ("strasse", 1), ("2. Straße", 1), ("ｒｅｄ", 0), ("Re\u{AD}d", 0),
        ("don’t know", 3), ("Don't  know", 3), ("４)", 3), ("3", 4), ("5", 4), ("３.", 2),
    ]) func aChoiceIsNamedByItsWordsOrItsNumber(_ answer: String, _ index: Int) {
        #expect(AnswerText.choice(answer, among: Self.choices) == index)
    }

    @Test(arguments: ["", "0", "6", "-1", "1.5", "1 2", "99999999999999999999", "redd", "!", "½", "3.14"]) func anythingElseNamesNone(_ answer: String) {
        #expect(AnswerText.choice(answer, among: Self.choices) == nil)
    }

    @Test func numbersAreReadInAllScripts() {
        #expect(AnswerText.withASCIIDigits("٣٤ ３４ ३४ 34") == "34 34 34 34")
        #expect(NumberAnswer("twenty-one") == .number(21))
        #expect(NumberAnswer("one hundred and five") == .number(105))
        #expect(NumberAnswer("vingt et un", languages: ["fr"]) == .number(21))
        #expect(NumberAnswer("einundzwanzig", languages: ["de"]) == .number(21))
        #expect(NumberAnswer("21", languages: ["xx", ""]) == .number(21))
        #expect(NumberAnswer(String(repeating: "9", count: 100)) == .unclear)
    }
}
