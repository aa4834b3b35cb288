import ChatProtocol
import Parley
import ParleyRules
import Testing

/// Tests that stand beside rules, and explanations of rules.
@Suite struct RuleTestTests {
    private func profile(_ text: String) throws -> (profile: ProfileSpec, rules: RuleSet) {
        let file = try BotsFile(
            parsing: "parley: 1\nprofiles:\n  guard:\n    name: Guard\n" + text.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
        let profile = try #require(file.profiles.first)
        return (profile, try RuleSet(profile.rules, lists: file.lists))
    }

    private let rules = """
        rules:
          - id: links
            when: { link: true, member-age: "< 24h" }
            unless: { domains: simplex.chat }
            then: [ { moderate: true }, { reply: "Links open after a day, {{ member.name }}." } ]
          - { id: double, when: { pattern: "^([0-9]+)$" }, then: [ { react: 👍 }, { send: "{{ match.1 }} and {{ match.1 }}, says {{ bot.name }} at {{ time }}" } ] }
          - { id: greet, when: { member: joined }, then: { send: "Welcome to {{ group.name }}" } }
          - { id: heart, when: { reaction: ❤ }, then: { send: "{{ reaction }}" } }

        """

    @Test func aTestSaysWhatRulesDo() throws {
        let (profile, set) = try profile(
            rules + """
                tests:
                  - { say: "look https://x.io", member-age: 2h, name: Bob, expect: links, actions: [moderate, reply], replies: "Links open after a day, Bob." }
                  - { say: "https://simplex.chat/faq", member-age: 2h, expect-none: true }
                  - { say: "https://x.io", role: member, expect-none: true }
                  - { say: "https://x.io", role: moderator, member-age: 1h, expect-none: true }
                  - { say: "21", at: "14:05", expect: [double], replies: "21 and 21, says Guard at 14:05" }
                  - { title: joining, member: joined, group: The Lobby, replies: [Welcome to The Lobby] }
                  - { reaction: ❤, expect: heart }
                  - { message: image, expect-none: true, replies: [], actions: [] }
                """)
        #expect(profile.tests.count == 8)
        for test in profile.tests { #expect(test.run(set, bot: profile.name) == [], "\(test.label)") }
        #expect(profile.tests.map(\.label).prefix(1) == ["\"look https://x.io\""])
        #expect(profile.tests[5].label == "joining")
    }

    @Test func aTestThatFailsShowsTheDifference() throws {
        let (profile, set) = try profile(
            rules + """
                tests:
                  - { say: "7", expect: [links, double], replies: ["6", "7"], actions: send }
                """)
        let failures = try #require(profile.tests.first).run(set, bot: profile.name)
        #expect(
            failures.map(\.description) == [
                "rules:\n  -links\n   double", "replies:\n  -6\n  -7\n  +7 and 7, says Guard at 12:00", "actions:\n  +react\n   send",
            ])
    }

    @Test(arguments: [
        ("{ say: x }", "expects nothing"), ("{ expect: links }", "nothing happens"), ("{ say: x, member: joined, expect: links }", "one event"),
        ("{ say: x, expect: link }", "did you mean \"links\""), ("{ say: x, expect: links, expect-none: true }", "not both"),
        ("{ say: x, expect: links, member-age: 2 }", "24h"), ("{ say: x, expect: links, at: noon }", "14:05"), ("{ say: x, actions: [delete] }", "moderate"),
        ("{ say: x, expect: links, file: { size: 1kb } }", "\"name\""), ("{ say: x, role: boss, expect: links }", "owner"),
        ("{ say: x, expct: links }", "did you mean \"expect\""),
    ])
    func aMistakeInATestIsAnsweredWithItsPlace(_ test: String, _ words: String) throws {
        let error = #expect(throws: BotsFileError.self) { _ = try profile(rules + "tests:\n  - \(test)\n") }
        let fault = try #require(error?.diagnostics.first { ($0.message + ($0.hint ?? "")).contains(words) }, "\(String(describing: error))")
        #expect(fault.position.line == 14)
    }

    @Test func anExplanationNamesEachCheckWithItsLineAndReason() throws {
        let (profile, set) = try profile(rules)
        let scenario = try RuleScenario([("say", "see https://x.io"), ("member-age", "2h")])
        let explanations = set.explain(scenario, bot: profile.name)
        #expect(explanations.map(\.rule.label) == ["links", "double"])
        #expect(explanations.map(\.verdict) == [.applies, .notTried])
        let when = try #require(explanations.first?.steps.first)
        #expect(when.holds == true)
        #expect(when.steps.map(\.key) == ["link", "member-age"])
        #expect(when.steps.map(\.reason) == ["links: x.io", "for 2h"])
        #expect(when.steps.map(\.position.line) == [7, 7])
        #expect(explanations.first?.steps.last?.key == "unless")
        #expect(explanations.first?.steps.last?.holds == false)
        #expect(explanations.first?.actions.map(\.description) == ["moderate", "reply \"Links open after a day, Ann.\""])

        let unknown = set.explain(try RuleScenario([("say", "see https://x.io"), ("role", "member")]), bot: profile.name)
        #expect(unknown.first?.verdict == .doesNotApply)
        #expect(unknown.first?.steps.first?.steps.last?.holds == .some(nil) ?? nil)
        let moderator = set.explain(try RuleScenario([("say", "see https://x.io"), ("role", "admin"), ("member-age", "1h")]), bot: profile.name)
        #expect(moderator.first?.verdict == .exempt)
        #expect(set.explain(try RuleScenario([("say", "5")]), bot: profile.name).map(\.verdict) == [.otherChat, .applies])
        #expect(throws: BotsFileError.self) { _ = try RuleScenario([("say", "x"), ("role", "boss")]) }
    }

    @Test func anExplanationSaysTheSameAsTheEvaluation() throws {
        let (profile, set) = try profile(
            """
            rules:
              - { id: a, when: { any: [ { words: [casino] }, { all: [ { link: true }, { not: { capitals: "< 50%" } } ] } ] }, then: { send: a }, continue: true }
              - { id: b, when: { not: { any: [ { length: "> 5" }, { emoji: "> 0" } ] } }, unless: [ { blank: true }, { hours: "22:00-06:00" } ], then: { send: b } }
              - { id: c, mode: audit, when: { contains: x }, then: { send: c } }
              - { id: d, when: { message: any }, then: { send: d } }
            """)
        for text in ["casino", "HTTP://LOOK-AT-THIS.ORG", "abc", "🎉", " ", "x", "casino x", "a longer text"] {
            for time in ["23:00", "12:00"] {
                let scenario = try RuleScenario([("say", text), ("at", time)])
                let explained = set.explain(scenario, bot: profile.name).filter { $0.verdict == .applies || $0.verdict == .audits }.map(\.rule.label)
                #expect(explained == set.decide(scenario.input).map(\.rule.label), "\(text)")
            }
        }
    }
}
