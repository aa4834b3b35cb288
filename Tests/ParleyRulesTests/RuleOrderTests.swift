import ChatProtocol
import Parley
import ParleyRules
import TestSupport
import Testing

/// The order in which rules are tried, and for whom they are.
@Suite struct RuleOrderTests {
    private func decided(_ rules: String, _ text: String, role: GroupMemberRole = .member, profile: String = "", target: GroupMemberRole? = nil) throws
        -> [String]
    {
        try file(rules, profile: profile).profiles.flatMap { profile in
            var input = RuleInput(event: .message, kind: .text, text: text)
            (input.chat, input.role, input.target) = (.groups, role, target ?? role)
            return try RuleSet(profile.rules).decide(input).map(\.rule.label)
        }
    }

    private func file(_ rules: String, profile: String = "") throws -> BotsFile {
        try BotsFile(
            parsing: "parley: 1\nprofiles:\n  bot:\n    \(profile)\n    rules:\n" + rules.split(separator: "\n").map { "      " + $0 }.joined(separator: "\n"))
    }

    private let guarding = """
        - { id: greet, when: { contains: hello, chat: group }, then: { send: hi } }
        - { id: delete, when: { contains: casino, chat: group }, then: { moderate: true } }
        - { id: block, when: { contains: lottery, chat: group }, then: [ { send: bye }, { block: true } ] }
        - { id: any, when: { message: any, chat: group }, then: { react: 👍 } }
        """

    @Test func rulesThatModerateComeFirstAndEndTheEvaluation() throws {
        #expect(try decided(guarding, "hello") == ["greet"])
        #expect(try decided(guarding, "hello casino") == ["delete"])
        #expect(try decided(guarding, "hello lottery casino") == ["delete"])
        #expect(try decided(guarding, "hello lottery") == ["block"])
        #expect(try decided(guarding, "else") == ["any"])
    }

    @Test func priorityOrdersTheRulesOfAPhase() throws {
        let rules = """
            - { id: last, priority: -1, when: { message: any, chat: group }, then: { send: x } }
            - { id: first, when: { contains: a, chat: group }, then: { send: x } }
            - { id: important, priority: 10, when: { contains: b, chat: group }, then: { send: x } }
            - { id: moderating, priority: -5, when: { contains: c, chat: group }, then: { moderate: true } }
            """
        #expect(try decided(rules, "a b c") == ["moderating"])
        #expect(try decided(rules, "a b") == ["important"])
        #expect(try decided(rules, "a") == ["first"])
        #expect(try decided(rules, "") == ["last"])
        #expect(try file(rules).warnings.diagnostics.isEmpty, "the rule for any message comes last")
    }

    @Test(arguments: [GroupMemberRole.moderator, .admin, .owner])
    func moderatorsAreExemptFromModeratingRulesUnlessARuleSaysOtherwise(_ role: GroupMemberRole) throws {
        #expect(try decided(guarding, "casino", role: role) == ["any"])
        #expect(try decided(guarding, "hello", role: role) == ["greet"])
        let strict = "- { id: strict, exempt: none, when: { contains: casino, chat: group }, then: { moderate: true } }"
        #expect(try decided(strict, "casino", role: role) == ["strict"])
        #expect(try decided(guarding, "casino", role: .member, target: role) == ["any"], "a report about a moderator")
    }

    @Test func rolesAreExemptFromAnyRuleThatNamesThem() throws {
        let rules = "- { id: hint, exempt: [member, owner], when: { message: any, chat: group }, then: { send: x } }"
        #expect(try decided(rules, "x", role: .member) == [])
        #expect(try decided(rules, "x", role: .observer) == ["hint"])
        let warned = try file("- { id: a, when: { command: mute, role: [moderator, owner] }, then: { moderate: true } }")
        #expect(warned.warnings.diagnostics.map(\.code) == [.unreachable])
    }

    @Test func exceptionsKeepARuleFromApplying() throws {
        let rules = """
            - id: links
              when: { link: true, chat: group }
              unless: [ { domains: simplex.chat }, { role: [member], contains: please } ]
              then: { moderate: true }
            """
        #expect(try decided(rules, "https://x.org") == ["links"])
        #expect(try decided(rules, "https://simplex.chat") == [])
        #expect(try decided(rules, "please https://x.org") == [])
        #expect(try decided(rules, "please https://x.org", role: .observer) == ["links"])
        let unknown = "- { id: x, when: { link: true, chat: group }, unless: { member-age: \"> 1d\" }, then: { moderate: true } }"
        #expect(try decided(unknown, "https://x.org") == [], "the exception may hold: how long the member is there is not known")
    }

    @Test func aRuleThatAuditsStopsNothing() throws {
        let rules = """
            - { id: audited, mode: audit, when: { contains: casino, chat: group }, then: { moderate: true } }
            - { id: enforced, mode: enforce, when: { contains: casino, chat: group }, then: { react: 👎 } }
            - { id: any, when: { message: any, chat: group }, then: { send: x } }
            """
        #expect(try decided(rules, "casino") == ["audited", "enforced"])
        let inherited = try file(rules, profile: "mode: audit")
        #expect(inherited.profiles.first?.rules.map(\.mode) == [.audit, .enforce, .audit])
        #expect(try decided(rules, "else", profile: "mode: audit") == ["any"])
    }

    @Test(arguments: [
        ("", true), (", mode: enforce", true), (", priority: 1", true), (", priority: -1", false), (", continue: true", false), (", mode: audit", false),
        (", unless: { contains: y }", false), (", once: person", false), (", cooldown: 1h", false), (", exempt: owner", false), (", exempt: none", true),
    ])
    func aRuleForEverythingHidesThoseBehindItUnlessItLetsSomethingThrough(_ more: String, _ hides: Bool) throws {
        let rules = """
            - { id: any, when: { message: any, chat: group }, then: { send: x }\(more) }
            - { id: other, when: { contains: a, chat: group }, then: { send: y } }
            """
        let found = try file(rules).warnings.diagnostics
        #expect(found.map(\.code) == (hides ? [.unreachable] : []), "\(found)")
    }

    @Test func anUnreachableRuleIsToldByTheOrderOfEvaluation() throws {
        let hidden = """
            - { id: any, when: { message: any, chat: group }, then: { send: x } }
            - { id: moderating, when: { message: image, chat: group }, then: { moderate: true } }
            - { id: hidden, when: { message: image, chat: group }, then: { send: x } }
            """
        #expect(try file(hidden).warnings.diagnostics.map(\.position.line) == [8])
    }

    @Test(arguments: [
        "- { priority: 1001, when: { message: any }, then: { send: x } }", "- { mode: dry, when: { message: any }, then: { send: x } }",
        "- { exempt: moderators, when: { message: any }, then: { send: x } }", "- { unless: {}, when: { message: any }, then: { send: x } }",
        "- { unless: { role: admin }, when: { message: any }, then: { send: x } }", "- { unless: [], when: { message: any }, then: { send: x } }",
    ])
    func aMistakeInARuleIsAnsweredWithItsPlace(_ rule: String) throws {
        let error = #expect(throws: BotsFileError.self) { _ = try file(rule) }
        #expect(error?.diagnostics.first?.position.line == 6)
    }
}
