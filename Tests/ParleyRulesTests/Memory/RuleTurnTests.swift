import ChatProtocol
import Parley
import Testing

@testable import ParleyRules

/// Events in front of rules that remember, one after the other, as values.
@Suite struct RuleTurnTests {
    /// Rules with everything that they remember, and a clock that a test moves.
    private struct Bench {
        let rules: RuleSet
        var memories: [String: RuleMemory] = [:]
        var nextCase = 1

        init(_ rules: String) throws {
            let text = rules.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n")
            let file = try BotsFile(parsing: "parley: 1\nprofiles:\n  a:\n    rules:\n\(text)\n")
            self.rules = try RuleSet(try #require(file.profiles.first).rules)
        }

        mutating func take(_ text: String, by person: String = "Ann", in chat: String = "#1", at now: Double, role: GroupMemberRole = .member) -> [RuleDecision]
        {
            var input = RuleInput(event: .message, kind: .text, text: text)
            (input.chat, input.role, input.target) = (.groups, role, role)
            let scopes = MemoryScopes(person: "\(chat)/\(person)", target: "\(chat)/\(person)", chat: chat)
            var turn = RuleTurn(rules, scopes, memories: memories, nextCase: nextCase, now: now)
            let decisions = turn.decide(input)
            // What is stored is made of the changes: they lead to the same.
            for (scope, change) in turn.changes { memories[scope, default: RuleMemory()].apply(change) }
            #expect(memories == turn.memories)
            nextCase = turn.nextCase
            return decisions
        }
    }

    private func labels(_ decisions: [RuleDecision]) -> [String] { decisions.map(\.rule.label) }

    @Test(arguments: [
        ("once: person", ["Ann #1": true, "Ann #1 again": false, "Ben #1": true, "Ann #2": true]),
        ("once: chat", ["Ann #1": true, "Ann #1 again": false, "Ben #1": false, "Ann #2": true]),
        ("once: bot", ["Ann #1": true, "Ann #1 again": false, "Ben #1": false, "Ann #2": false]),
        ("cooldown: { for: 10m, per: chat }", ["Ann #1": true, "Ann #1 again": false, "Ben #1": false, "Ann #2": true]),
        ("cooldown: 10m", ["Ann #1": true, "Ann #1 again": false, "Ben #1": true, "Ann #2": true]),
    ])
    func aRuleIsSpentForThoseWhomItsScopeNames(_ repetition: String, _ expected: [String: Bool]) throws {
        var bench = try Bench("- { id: hi, when: { contains: x, chat: group }, then: { send: y }, \(repetition) }")
        var found: [String: Bool] = [:]
        for key in ["Ann #1", "Ann #1 again", "Ben #1", "Ann #2"] {
            let words = key.split(separator: " ").map(String.init)
            found[key] = !bench.take("x", by: words[0], in: words[1], at: 0).isEmpty
        }
        #expect(found == expected)
    }

    @Test func aPauseIsOverWhenItsTimeHasPassedAndNotBefore() throws {
        var bench = try Bench("- { id: hi, when: { contains: x, chat: group }, then: { send: y }, cooldown: 10m }")
        #expect([0, 599.999, 600, 1_199, 1_200, 1_201].map { !bench.take("x", at: $0).isEmpty } == [true, false, true, false, true, false])
    }

    @Test func aRuleThatIsSpentLetsTheOnesBehindItApply() throws {
        var bench = try Bench(
            """
            - { id: first, when: { contains: x, chat: group }, then: { send: y }, once: person }
            - { id: second, when: { contains: x, chat: group }, then: { send: z }, once: chat }
            - { id: rest, when: { message: any, chat: group }, then: { send: rest } }
            """)
        #expect(["Ann", "Ann", "Ann", "Ben", "Ben"].map { labels(bench.take("x", by: $0, at: 0)) } == [["first"], ["second"], ["rest"], ["first"], ["rest"]])
    }

    @Test func aRuleThatDoesNotApplyIsNotSpent() throws {
        var bench = try Bench(
            """
            - { id: before, when: { contains: stop, chat: group }, then: { send: y } }
            - { id: once, when: { message: any, chat: group }, then: { send: z }, once: person }
            """)
        #expect(["stop", "stop", "x", "x"].map { labels(bench.take($0, at: 0)) } == [["before"], ["before"], ["once"], []])
    }

    private static let warnings = """
        - { id: bad, when: { contains: bad, chat: group }, then: { warn: { points: 2, expires: 100s } } }
        - { id: worse, when: { contains: worse, chat: group }, then: [ { warn: 3 }, { warn: { points: 4, reason: again } } ] }
        - { id: pardon, when: { contains: pardon, chat: group }, then: { forgive: true } }
        - { id: anew, when: { contains: anew, chat: group }, then: [ { forgive: true }, { warn: 1 } ] }
        - { id: never, when: { contains: never, chat: group }, then: [ { warn: 5 }, { forgive: true } ] }
        - { id: out, when: { warned: ">= 7" }, then: { remove: true } }
        - { id: quiet, when: { warned: ">= 4" }, then: [ { role: observer }, { block: { for: 1h } } ] }
        - { id: note, when: { warned: "> 0" }, then: { send: "{{ points }}" }, continue: true }
        """

    /// The rules that apply, with the points at each and the numbers of cases.
    private func told(_ decisions: [RuleDecision]) -> [String] {
        decisions.map { "\($0.rule.label) \($0.points.map(String.init) ?? "-") \($0.cases)" }
    }

    @Test func aWarningIsFollowedByTheRulesAboutIt() throws {
        var bench = try Bench(Self.warnings)
        #expect(told(bench.take("bad", at: 0)) == ["bad 2 [1]", "note 2 []"])
        #expect(told(bench.take("bad", at: 50)) == ["bad 4 [2]", "quiet 4 [3, 4]"])
        #expect(told(bench.take("worse", at: 60)) == ["worse 11 [5, 6]", "out 11 [7]"])
        // Nobody else has them, and those that have expired count no more: at 100 s the first has.
        #expect(told(bench.take("bad", by: "Ben", at: 60)) == ["bad 2 [8]", "note 2 []"])
        #expect(told(bench.take("pardon", by: "Ben", at: 61)) == ["pardon - []"])
        #expect(told(bench.take("bad", by: "Ben", at: 62)) == ["bad 2 [9]", "note 2 []"])
        #expect(told(bench.take("bad", by: "Cem", at: 0)) == ["bad 2 [10]", "note 2 []"])
        #expect(told(bench.take("bad", by: "Cem", at: 99)) == ["bad 4 [11]", "quiet 4 [12, 13]"])
        #expect(told(bench.take("bad", by: "Cem", at: 100)) == ["bad 4 [14]", "quiet 4 [15, 16]"])
        #expect(told(bench.take("bad", by: "Cem", at: 200)) == ["bad 2 [17]", "note 2 []"])
    }

    @Test func pointsAreGivenAndTakenBackInTheOrderOfTheActions() throws {
        var bench = try Bench(Self.warnings)
        _ = bench.take("worse", at: 0)
        #expect(told(bench.take("anew", at: 1)) == ["anew 1 [4]", "note 1 []"], "a clean slate, and one point")
        #expect(told(bench.take("never", at: 2)) == ["never 0 [5]"], "no points are left for the rules about them")
        #expect(told(bench.take("bad", at: 3)) == ["bad 2 [6]", "note 2 []"])
    }

    @Test func whoModeratesIsNeitherWarnedNorCounted() throws {
        var bench = try Bench(Self.warnings)
        #expect(told(bench.take("bad", at: 0, role: .moderator)) == [])
        #expect(bench.memories.values.allSatisfy { $0.warnings.isEmpty } && bench.nextCase == 1)
    }

    @Test func anAuditedWarningGivesNoPointsAndOpensNoCase() throws {
        var bench = try Bench(
            """
            - { id: audited, mode: audit, when: { contains: bad, chat: group }, then: { warn: 9 } }
            - { id: out, when: { warned: "> 0" }, then: { remove: true } }
            """)
        #expect(told(bench.take("bad", at: 0)) == ["audited - []"])
        #expect(bench.nextCase == 1 && bench.memories.isEmpty)
    }

    @Test func anAuditedRuleAboutWarningsOpensNoCaseAndStopsNothing() throws {
        var bench = try Bench(
            """
            - { id: bad, when: { contains: bad, chat: group }, then: { warn: 1 } }
            - { id: audited, mode: audit, when: { warned: "> 0" }, then: [ { block: true }, { role: observer } ] }
            - { id: quiet, when: { warned: "> 1" }, then: { role: observer } }
            """)
        #expect(told(bench.take("bad", at: 0)) == ["bad 1 [1]", "audited 1 []"])
        #expect(told(bench.take("bad", at: 1)) == ["bad 2 [2]", "audited 2 []", "quiet 2 [3]"])
        #expect(bench.nextCase == 4)
    }

    @Test func rulesAboutWarningsAreSpentToo() throws {
        var bench = try Bench(
            """
            - { id: bad, when: { contains: bad, chat: group }, then: { warn: 1 } }
            - { id: hint, when: { warned: "> 0" }, then: { send: Be kind. }, once: person }
            - { id: more, when: { warned: "> 0" }, then: { send: again } }
            """)
        #expect((0..<3).map { labels(bench.take("bad", at: Double($0))) } == [["bad", "hint"], ["bad", "more"], ["bad", "more"]])
        #expect(labels(bench.take("bad", by: "Ben", at: 9)) == ["bad", "hint"])
    }
}
