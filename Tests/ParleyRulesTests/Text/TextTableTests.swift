import Parley
import Testing
import UnicodeText

@testable import ParleyRules

/// Tables of texts in front of rules: those in which a word hides, and those in which nothing does.
@Suite struct TextTableTests {
    private func rules(_ when: String, lists: String = "") throws -> RuleSet {
        let file = try BotsFile(parsing: "parley: 1\n\(lists)\nprofiles: { a: { rules: [ { id: r, when: { \(when) }, then: { send: \"x\" } } ] } }")
        return try RuleSet(try #require(file.profiles.first).rules, lists: file.lists)
    }

    private func applies(_ rules: RuleSet, _ text: String) -> Bool { !rules.decide(RuleInput(event: .message, kind: .text, text: text)).isEmpty }

    private static let all = "lists: { all: { normalize: all, words: [" + EvasionTable.rows.map { "\"\($0.word)\"" }.joined(separator: ", ") + "] } }"

    @Test(arguments: EvasionTable.rows.map(\.word)) func aWordIsFoundHoweverItIsHidden(_ word: String) throws {
        let rules = try rules("words: { of: \"\(word)\", normalize: all }")
        for text in EvasionTable.rows.first(where: { $0.word == word })?.texts ?? [] {
            #expect(applies(rules, text), "\(word) in \(text) \(text.unicodeScalars.map { String($0.value, radix: 16) })")
            #expect(applies(rules, "well, \(text) ok"), "\(word) in the sentence with \(text)")
        }
    }

    @Test func theTableHasSeveralHundredTexts() { #expect(EvasionTable.rows.reduce(0) { $0 + $1.texts.count } >= 850) }

    @Test(arguments: InnocentTable.texts.map(\.language)) func ordinaryTextsAreInnocent(_ language: String) throws {
        let words = try rules("words: { list: all }", lists: Self.all), links = try rules("link: true"), invisible = try rules("invisible: true")
        let marks = try rules("marks: \"> 3\"")
        for text in InnocentTable.texts.first(where: { $0.language == language })?.texts ?? [] {
            #expect(!applies(words, text), "\(text): \(words.decide(RuleInput(event: .message, kind: .text, text: text)).first?.match?.text ?? "")")
            #expect(!applies(links, text), "\(text)")
            #expect(!applies(invisible, text), "\(text)")
            #expect(!applies(marks, text), "\(text)")
        }
    }
}
