import ChatProtocol
import Parley
import TestSupport
import Testing

@testable import ParleyRules

/// Explanations beside what rules do: for events of all kinds the same rules apply.
@Suite struct ExplanationAgreementTests {
    private static let rules = """
        - { id: flood, when: { rate: "> 3 in 1m", chat: any }, then: { react: 👎 } }
        - { id: first, when: { rate: "= 1 in 1m", chat: any }, then: { react: 👍 }, continue: true }
        - { id: calm, when: { contains: calm, chat: any }, unless: { rate: "> 3 in 1m" }, then: { send: calm } }
        - { id: links, when: { link: true, chat: group }, then: { moderate: true } }
        - { id: bots, when: { bot: true, contains: degrees, chat: any }, then: { react: 👍 } }
        - { id: audited, mode: audit, when: { contains: a, chat: any }, then: { send: audited } }
        - { id: staff, exempt: [member, observer], when: { contains: staff, chat: group }, then: { send: staff } }
        - { id: pictures, when: { message: image, chat: any }, then: { send: picture } }
        - { id: people, when: { message: any, chat: any }, unless: [ { bot: true }, { hours: "22:00-06:00" } ], then: { send: people } }
        - { id: any, when: { message: any, chat: any }, then: { send: any } }
        - { id: edit, when: { edited: true, chat: any }, then: { send: edited } }
        - { id: joined, when: { member: joined, rate: "> 0 in 1h" }, then: { send: welcome } }
        - { id: many, when: { warned: ">= 3" }, then: { block: true } }
        - { id: few, when: { warned: "> 0" }, then: { send: few } }
        - { id: failed, when: { delivery-failed: true, chat: any }, then: { tell: { chat: Staff, text: failed } } }
        - { id: heart, when: { reaction: ❤, chat: any }, then: { send: heart } }
        """

    private let rules: RuleSet

    init() throws {
        let text = Self.rules.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n")
        let file = try BotsFile(parsing: "parley: 1\nprofiles:\n  a:\n    groups: { s: { name: Staff } }\n    rules:\n\(text)\n")
        rules = try RuleSet(try #require(file.profiles.first).rules)
    }

    /// What a person could describe, drawn from a seed.
    private func scenario(_ generator: inout SplitMix64) -> [(key: String, value: String)] {
        func draw(_ values: [String]) -> String { values.randomElement(using: &generator) ?? "" }
        let texts = ["calm", "https://x.example", "20 degrees", "staff only", "a", "hello", "", "calm https://x.example a"]
        var words: [(key: String, value: String)] =
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: [("edited", draw(texts))]
            case 1: [("member", draw(["joined", "left", "pending"]))]
            case 2: [("warned", draw(["1", "2", "3", "4"]))]
            case 3: [("reaction", draw(["❤", "👍"]))]
            case 4: [("delivery-failed", draw(texts))]
            case 5: [("message", draw(["image", "video", "text"]))]
            default: [("say", draw(texts))]
            }
        let event = words[0].key
        if !["member", "warned", "delivery-failed"].contains(event), Bool.random(using: &generator) {
            words.append(("chat", draw(["group", "contact", "support"])))
        }
        if event == "delivery-failed", Bool.random(using: &generator) { words += [("chat", "group"), ("group", "Staff")] }
        if Bool.random(using: &generator), !words.contains(where: { $0.value == "contact" }), event != "delivery-failed" {
            words.append(("role", draw(["observer", "member", "moderator", "owner"])))
        }
        if Bool.random(using: &generator) { words.append(("bot", draw(["true", "false"]))) }
        if Bool.random(using: &generator) { words.append(("at", draw(["12:00", "23:30"]))) }
        return words
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func theSameRulesApplyInAnExplanationAndInATest(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var applied: Set<String> = []
        for _ in 0..<500 {
            let words = scenario(&generator), scenario = try RuleScenario(words)
            let explained = rules.explain(scenario, bot: "a"), decisive = explained.filter { $0.verdict == .applies || $0.verdict == .audits }
            var simulation = RuleSimulation(rules, bot: "a")
            let outcome = simulation.take(scenario)
            #expect(decisive.map(\.rule.label) == outcome.rules, "seed \(seed): \(words)")
            // What is shown as an effect is one, and every effect is shown.
            #expect(decisive.flatMap(\.actions) == outcome.actions, "seed \(seed): \(words)")
            #expect(explained.filter { !decisive.map(\.rule.label).contains($0.rule.label) }.allSatisfy { $0.actions.isEmpty })
            applied.formUnion(outcome.rules)
        }
        #expect(applied.count > 10, "\(applied)")
    }

    @Test func aRuleForPeopleIsToldNotToBeAboutOtherBots() throws {
        let scenario = try RuleScenario([("say", "a staff"), ("chat", "group"), ("bot", "true"), ("role", "owner"), ("at", "12:00")])
        let verdicts = rules.explain(scenario, bot: "a").map { ($0.rule.label, $0.verdict) }
        #expect(verdicts.first { $0.0 == "staff" }?.1 == .otherBot)
        #expect(verdicts.first { $0.0 == "any" }?.1 == .otherBot, "a rule that is passed over ends nothing: \(verdicts)")
        #expect(try rules.explain(RuleScenario([("say", "x"), ("bot", "true")]), bot: "a").last?.verdict == .applies, "a contact that is a bot is answered")
    }

    @Test func aCircumstanceIsSaidOnce() throws {
        let error = try #require(throws: BotsFileError.self) { try RuleScenario([("say", "a"), ("role", "member"), ("say", "b")]) }
        #expect(error.diagnostics.map(\.code) == [.duplicateKey] && error.diagnostics.first?.message.contains("\"say\"") == true, "\(error)")
    }

    private static let refused: [(words: [(key: String, value: String)], message: String)] = [
        ([("at", "+2:05"), ("say", "x")], "cannot be \"+2:05\""), ([("at", "24:00"), ("say", "x")], "cannot be"),
        ([("at", "12:60"), ("say", "x")], "cannot be"),
        ([("at", "26-1-1 12:00"), ("say", "x")], "cannot be"), ([("say", "x"), ("member-age", "+2h")], "cannot be \"+2h\""),
        ([("say", "x"), ("mentions", "1001")], "from 0 to 1000"), ([("warned", "0")], "from 1 to 10000"),
        ([("say", "x"), ("error", "gone")], "nothing has failed"),
        ([("deleted", "false")], "instead of saying false"), ([("say", "x"), ("edited", "y")], "one event, not say and edited"), ([], "nothing happens"),
        ([("answer", "maybe")], "cannot be \"maybe\""), ([("say", "x"), ("name", " ")], "must not be empty"), ([("file-received", "")], "must not be empty"),
        ([("expect", "a"), ("say", "x")], "has no key \"expect\""),
    ]

    @Test(arguments: refused)
    func aCircumstanceThatCannotBeIsRefused(_ words: [(key: String, value: String)], _ message: String) throws {
        let error = try #require(throws: BotsFileError.self) { try RuleScenario(words) }
        #expect(error.diagnostics.contains { $0.message.contains(message) }, "\(error)")
    }
}
