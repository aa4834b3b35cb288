import ChatProtocol
import Parley
import ParleyRules
import TestSupport
import Testing

/// Rules for groups, and groups that a file declares.
@Suite struct GroupRulesTests {
    private func decided(_ rules: String, _ input: RuleInput) throws -> [String] {
        let file = try BotsFile(parsing: "parley: 1\nprofiles:\n  a:\n    rules:\n" + rules)
        return try RuleSet(try #require(file.profiles.first).rules).decide(input).map { $0.rule.id ?? "" }
    }

    private func message(_ text: String, in chat: ChatKinds, role: GroupMemberRole? = nil, mention: Bool = false) -> RuleInput {
        var input = RuleInput(event: .message, kind: .text, text: text)
        (input.chat, input.role, input.mentionsBot) = (chat, role, mention)
        return input
    }

    @Test func aRuleIsForContactsUnlessItSaysOtherwise() throws {
        let rules = """
                  - { id: support, when: { message: any, chat: support }, then: { send: x } }
                  - { id: both, when: { text: both, chat: [contact, group] }, then: { send: x } }
                  - { id: contacts, when: { message: any }, then: { send: x } }
            """
        #expect(try decided(rules, message("both", in: .groups)) == ["both"])
        #expect(try decided(rules, message("both", in: .contacts)) == ["both"])
        #expect(try decided(rules, message("else", in: .contacts)) == ["contacts"])
        #expect(try decided(rules, message("else", in: .groups)).isEmpty)
        #expect(try decided(rules, message("else", in: .supportChats)) == ["support"])
        #expect(try decided(rules, message("else", in: .businessChats)).isEmpty)
    }

    @Test func rolesAndMentionsNarrowARuleToGroups() throws {
        let rules = """
                  - { id: staff, when: { contains: bot, role: [admin, owner] }, then: { send: x } }
                  - { id: mention, when: { mention: true }, then: { send: x } }
            """
        #expect(try decided(rules, message("bot", in: .groups, role: .admin)) == ["staff"])
        #expect(try decided(rules, message("bot", in: .groups, role: .member)).isEmpty)
        #expect(try decided(rules, message("bot", in: .contacts)).isEmpty)
        #expect(try decided(rules, message("x", in: .groups, role: .member, mention: true)) == ["mention"])
    }

    @Test func membershipTriggersARule() throws {
        let rules = """
                  - { id: waiting, when: { member: pending }, then: [ { send: "who are you, {{ member.name }}?" }, { accept: true } ] }
                  - { id: gone, when: { member: [left, removed] }, then: { send: "bye from {{ group.name }}" } }
                  - { id: other, when: { member: any, role: member }, then: { role: observer } }
            """
        var input = RuleInput(event: .member)
        (input.chat, input.role) = (.groups, .member)
        for (change, rule) in [(MembershipEvent.pending, "waiting"), (.left, "gone"), (.removed, "gone"), (.blocked, "other")] {
            input.change = change
            if change == .blocked {
                // Of "any" some have gone: a role cannot be given to them.
                #expect(throws: BotsFileError.self) { try decided(rules, input) }
            } else {
                let withoutOther = rules.split(separator: "\n").dropLast().joined(separator: "\n")
                #expect(try decided(withoutOther, input) == [rule])
            }
        }
    }

    @Test func aFileDeclaresGroups() throws {
        let file = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  guard:
                    address: { accept: business }
                    groups:
                      lobby:
                        name: The Lobby
                        summary: For everybody
                        welcome: Be kind.
                        link: observer
                        review: true
                        preferences: { direct-messages: off, simplex-links: moderator, history: on, disappearing: 86400 }
                      staff: { link: none }
                    rules:
                      - when: { contains: casino, chat: group }
                        then: [ { moderate: true }, { remove: with-messages }, { forward: staff } ]
                      - when: { report: true }
                        then: [ { moderate: true }, { block: true }, { reply: "Thank you, {{ member.name }}." } ]
                      - when: { text: I agree, chat: support }
                        then: { accept: true }
                      - when: { invitation: true }
                        then: { accept: true }
                """)
        let bot = try #require(try file.makeBots().first)
        #expect(bot.address == .business(welcome: nil))
        let lobby = try #require(bot.groups.first)
        #expect(lobby.id == "lobby" && lobby.linkRole == .observer && bot.groups.last?.linkRole == nil)
        #expect(lobby.settings.name == "The Lobby" && lobby.settings.welcome == "Be kind." && lobby.settings.reviewsNewMembers)
        let preferences = lobby.settings.preferences
        #expect(preferences.directMessages == RoleGroupPreference(enable: .off))
        #expect(preferences.simplexLinks == RoleGroupPreference(enable: .on, role: .moderator))
        #expect(preferences.timedMessages == TimedMessagesGroupPreference(enable: .on, ttl: 86_400))
        #expect(preferences.voice == nil)
        #expect(file.warnings.diagnostics.isEmpty)
    }

    @Test func aRuleForAllChatsMakesLaterOnesUnreachableButNotTheOtherWayRound() throws {
        func warnings(_ first: String, _ second: String) throws -> Int {
            try BotsFile(
                parsing: "parley: 1\nprofiles: { a: { rules: [ { when: \(first), then: { send: x } }, { when: \(second), then: { send: y } } ] } }"
            ).warnings.diagnostics.count
        }
        #expect(try warnings("{ message: any, chat: any }", "{ text: hello, chat: group }") == 1)
        #expect(try warnings("{ message: any }", "{ text: hello, chat: group }") == 0)
        #expect(try warnings("{ message: any, chat: group, role: admin }", "{ text: hello, chat: group }") == 0)
        #expect(try warnings("{ member: any }", "{ member: joined }") == 1)
        #expect(try warnings("{ member: joined }", "{ member: any }") == 0)
    }
}
