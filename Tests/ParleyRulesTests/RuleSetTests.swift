import Parley
import ParleyRules
import Testing

@Suite struct RuleSetTests {
    @Test func theFirstRuleThatAppliesWins() throws {
        let rules = try ruleSet(
            """
            - id: exact
              when: { text: [hi, "good day"] }
              then: { reply: a }
            - id: part
              when: { contains: Price? }
              then: { reply: b }
            - id: number
              when: { pattern: "^(?P<n>\\\\d+)$" }
              then: { reply: "{{ match.n }}/{{ match.1 }}/{{ match }}" }
            - id: any
              when: { message: any }
              then: { reply: c }
            """)
        #expect(decided(rules, "  GOOD day ") == ["exact"])
        #expect(decided(rules, "what is the PRICE? tell me") == ["part"])
        #expect(decided(rules, "price") == ["any"])
        #expect(decided(rules, "42") == ["number"])
        #expect(decided(rules, "") == ["any"])
    }

    @Test func aRuleThatContinuesLetsOthersApplyToo() throws {
        let rules = try ruleSet(
            """
            - { id: a, when: { contains: x }, then: { react: 👍 }, continue: true }
            - { id: b, when: { message: text }, then: { reply: y } }
            - { id: c, when: { message: any }, then: { reply: z } }
            """)
        #expect(decided(rules, "x") == ["a", "b"])
        #expect(decided(rules, "y") == ["b"])
        #expect(rules.decide(RuleInput(event: .message, kind: .image, text: "")).map(\.rule.id) == ["c"])
    }

    @Test func aCommandIsMatchedByItsWordOnly() throws {
        let rules = try ruleSet("- { id: w, when: { command: weather }, then: { reply: \"{{ command }}: {{ arguments }}\" } }")
        #expect(decided(rules, "/Weather  Berlin ") == ["w"])
        #expect(decided(rules, "weather") == [])
        #expect(decided(rules, "/weatherman") == [])
        let decision = try #require(rules.decide(RuleInput(event: .message, kind: .text, text: "/Weather  Berlin ")).first)
        #expect(filled(decision) == "weather: Berlin")
    }

    @Test func whatIsFilledInIsNotReadAsATemplate() throws {
        let rules = try ruleSet("- { when: { message: any }, then: { reply: \"{{{{ {{ text }}\" } }")
        let decision = try #require(rules.decide(RuleInput(event: .message, kind: .text, text: "{{ bot.name }}")).first)
        #expect(filled(decision, text: "{{ bot.name }}") == "{{ {{ bot.name }}")
    }

    @Test func rulesOfOtherEventsDoNotApply() throws {
        let rules = try ruleSet(
            """
            - { id: hello, when: { connected: true }, then: { send: "Hello" } }
            - { id: heart, when: { reaction: [❤, 👍] }, then: { send: "{{ reaction }}" } }
            - { id: ask, when: { request: true }, then: { accept: true } }
            """)
        #expect(decided(rules, "hello") == [])
        #expect(rules.decide(RuleInput(event: .connected)).map(\.rule.id) == ["hello"])
        #expect(rules.decide(RuleInput(event: .reaction, emoji: "👍")).map(\.rule.id) == ["heart"])
        #expect(rules.decide(RuleInput(event: .reaction, emoji: "👎")).isEmpty)
        #expect(rules.decide(RuleInput(event: .request)).map(\.rule.id) == ["ask"])
    }

    @Test func aHundredRulesAndALongHostileTextAreNoTrouble() throws {
        let source = (0..<100).map { "- { id: r\($0), when: { pattern: \"(a+)+b\($0)$\" }, then: { reply: x } }" }.joined(separator: "\n")
        let rules = try ruleSet(source)
        let text = String(repeating: "a", count: 15_000)
        #expect(decided(rules, text) == [])
        #expect(decided(rules, text + "b99") == ["r99"])
    }

    private func ruleSet(_ rules: String) throws -> RuleSet {
        let indented = rules.split(separator: "\n").map { "      " + $0 }.joined(separator: "\n")
        let file = try BotsFile(parsing: "parley: 1\nprofiles:\n  bot:\n    rules:\n" + indented)
        return try RuleSet(#require(file.profiles.first).rules)
    }

    private func decided(_ rules: RuleSet, _ text: String) -> [String] {
        rules.decide(RuleInput(event: .message, kind: .text, text: text)).compactMap(\.rule.id)
    }

    private func filled(_ decision: RuleDecision, text: String = "") -> String? {
        guard case .reply(let template)? = decision.rule.then.first else { return nil }
        return template.filled(
            with: TemplateValues(
                botName: "Bot", contactName: "Ann", text: text, match: decision.match, command: decision.command))
    }
}
