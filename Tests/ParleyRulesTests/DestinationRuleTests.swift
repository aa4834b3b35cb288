import ChatAPI
import Foundation
import Parley
import ParleyTesting
import Testing

@testable import ParleyRules

/// The chats that a bots.yaml sends into: nobody gets what is meant for another by taking a name.
@Suite(.timeLimit(.minutes(5))) struct DestinationRuleTests {
    /// Each action with a target, to a group and to a trusted contact.
    private static let file = """
        parley: 1
        profiles:
          desk:
            name: Desk
            trusted-contacts: [ann, boss]
            groups: { staff: { name: Staff } }
            forms:
              one:
                questions: [ { name: a, ask: What? } ]
                done: [ { tell: { chat: Staff, text: "form {{ form.a }}" } }, { tell: { chat: ann, text: "form {{ form.a }}" } } ]
              many:
                questions: [ { name: a, ask: "Text?" } ]
                done: { broadcast: { text: "form {{ form.a }}", to: [Staff, ann] } }
            schedules: [ { id: noon, at: "2026-01-01 12:00", to: [Staff, ann], send: noon } ]
            rules:
              - { when: { command: tell }, then: [ { tell: { chat: Staff, text: told } }, { tell: { chat: "@ann", text: told } } ] }
              - { when: { command: forward }, then: [ { forward: "#Staff" }, { forward: ann } ] }
              - { when: { command: through }, then: [ { forward: { to: Board, through: other } }, { forward: { to: ann, through: other } } ] }
              - { when: { command: form }, then: { form: one } }
              - { when: { command: many, from: boss }, then: { form: many } }
              - { when: { command: broadcast, from: boss }, then: { broadcast: { text: to many, to: [ann, Staff] } } }
              - { when: { connected: true }, then: { tell: { chat: Staff, text: "{{ contact.name }} is here" } } }
          other: { trusted-contacts: ann, groups: { board: { name: Board } } }
        """

    @Test func everyActionWithATargetMeansTheTrustedContactAndTheDeclaredGroupAlone() async throws {
        try await withBots(try BotsFile(parsing: Self.file).makeBots()) { room in
            let reader = try await room.stranger("Reader"), member = try await room.stranger("Member")
            try await reader.join(group: "staff")
            try await member.join(group: "board")
            // They are there first, with both profiles, under every name that a target has.
            var strangers: [TestPerson] = []
            for name in ["ann", "Staff", "Board"] {
                for bot in ["desk", "other"] { strangers.append(try await room.person(name, with: bot)) }
            }
            let customer = try await room.person("Customer", with: "desk"), boss = try await room.person("Bea", trustedAs: "boss", with: "desk")
            // Before Ann has used her link, nobody is meant by her name.
            try await customer.say("/tell")
            try await room.settle()
            for stranger in strangers { try await stranger.expectNothing() }
            let ann = try await room.person("Annika", trustedAs: "ann", with: "desk"), annToo = try await room.person("Annika", trustedAs: "ann", with: "other")
            for command in ["/tell", "/forward", "/through", "/form"] { try await customer.say(command) }
            try await customer.say("customer's form")
            try await boss.say("/broadcast")
            try await boss.say("/many")
            try await boss.say("boss's form")
            try await room.settle()
            try await room.advance(by: .seconds(12 * 3_600 + 1))
            try await room.settle()
            let expected = ["told", "/forward", "form customer's form", "to many", "form boss's form", "noon"]
            for (person, chat) in [(ann, nil), (reader, "Staff")] as [(TestPerson, String?)] {
                let texts = try await person.conversation(in: chat).map(\.text)
                for text in expected { #expect(texts.contains(text), "\(person.name): \(text)") }
            }
            #expect(try await member.conversation(in: "Board").map(\.text).contains("/through"))
            #expect(try await annToo.conversation().map(\.text).contains("/through"))
            for stranger in strangers {
                let texts = try await stranger.conversation().map(\.text)
                #expect(texts.isEmpty, "\(stranger.name): \(texts)")
            }
        }
    }

    @Test func aGroupOfATrustedContactIsATargetAndOneOfAStrangerIsNot() async throws {
        let bots = try BotsFile(
            parsing: """
                parley: 1
                profiles:
                  desk:
                    trusted-contacts: ann
                    joined-groups: Team
                    rules:
                      - { when: { invitation: true }, then: { accept: true } }
                      - { when: { text: help }, then: { tell: { chat: Team, text: "help {{ contact.name }}" } } }
                """
        ).makeBots()
        try await withBots(bots) { room in
            let mallory = try await room.person("Mallory"), customer = try await room.person("Customer")
            try await mallory.makeGroup(GroupSettings("Team"))
            try await mallory.invite("desk", to: "Team")
            try await room.settle()
            try await customer.say("help")
            try await mallory.expectNothing(in: "Team")
            let ann = try await room.person("Ann", trustedAs: "ann")
            try await ann.makeGroup(GroupSettings("Team"))
            try await ann.invite("desk", to: "Team")
            try await room.settle()
            try await customer.say("help")
            try await ann.expect("help Customer", in: "Team")
            try await mallory.expectNothing(in: "Team")
        }
    }

    private static let actions = [
        "tell: { chat: §Kitchen, text: x }",
        "tell: { chat: §\"@Kitchen\", text: x }",
        "tell: { chat: §\"#Kitchen\", text: x }",
        "forward: §Kitchen",
        "forward: { to: §Kitchen }",
        "forward: { to: §Kitchen, through: b }",
        "broadcast: { text: x, to: [ann, §Kitchen] }",
        "post: { channel: §Kitchen, text: x }",
        "post: { channel: §ann, text: x }",
        "post: { channel: §Lobby, text: x }",
        "tell: { chat: §\"#ann\", text: x }",
        "tell: { chat: §\"@Lobby\", text: x }",
        "tell: { chat: §ANN, text: x }",
        "tell: { chat: §lobby, text: x }",
        "tell: { chat: §Anna Smith, text: x }",
        "forward: { to: §Lobby, through: b }",
    ]

    @Test(arguments: actions)
    func aNameThatNobodyVouchesForIsRefusedAtItsPlaceWithAWayToFixIt(_ action: String) throws {
        let source = MarkedSource(
            """
            parley: 1
            profiles:
              a:
                trusted-contacts: [ann]
                groups: { lobby: { name: Lobby, moderators: [ann] } }
                rules:
                  - when: { command: x, from: ann }
                    then: { \(action) }
              b: {}
            """)
        let found = faults(in: source.text)
        #expect(found.map(\.code) == [.unknownChat] && found.first?.position == source.position, "\(found)")
        #expect(found.first?.hint?.isEmpty == false)
    }

    @Test(arguments: [
        "schedules: [ { id: s, every: 1h, to: §Kitchen, send: x } ]", "schedules: [ { id: s, every: 1h, to: [ann, §Kitchen], send: x } ]",
        "forms: { f: { questions: [ { name: a, ask: b } ], done: { tell: { chat: §Kitchen, text: x } } } }",
        "forms: { f: { questions: [ { name: a, ask: b } ], done: [ { send: x }, { broadcast: { text: x, to: §Kitchen } } ] } }",
        "rules: [ { when: { request: true }, then: { tell: { chat: §Kitchen, text: x } } } ], address: { accept: manual }",
        "rules: [ { when: { delivery-failed: true, chat: any }, then: { tell: { chat: §Kitchen, text: x } } } ]",
    ])
    func soItIsInFormsSchedulesAndOtherEvents(_ keys: String) throws {
        let source = MarkedSource("parley: 1\nprofiles:\n  a: { trusted-contacts: ann, \(keys) }\n")
        let found = faults(in: source.text)
        #expect(found.map(\.code) == [.unknownChat] && found.first?.position == source.position, "\(found)")
        #expect(faults(in: source.text.replacing("Kitchen", with: "ann")) == [])
    }

    @Test func aProfileConnectsByLinksAndNames() throws {
        let link = "https://smp.simplex.im/a#lrdvu2d8A1GumSmoKb2krQmtKhWXq-tyGpHuM7aMwsw"
        let file = try BotsFile(parsing: "parley: 1\nprofiles:\n  a: { connect: [\"@ann.simplex\", \"#news\", team.simplex, \"\(link)\"] }\n")
        #expect(file.profiles.first?.connections == ["@ann.simplex", "#news", "team.simplex", link])
        #expect(try BotsFile(parsing: "parley: 1\nprofiles:\n  a: { connect: \"@ann.simplex\" }\n").makeBots().first?.connections == ["@ann.simplex"])
        for (value, message) in [
            ("ann", "\"ann\" is neither a link nor a name"), ("\"@ann\"", "\"@ann\" is neither a link nor a name"),
            ("\"#a--b.simplex\"", "\"#a--b.simplex\" is neither a link nor a name"),
            ("[a.simplex, a.simplex]", "\"a.simplex\" is there twice"),
            ("\"\(link.replacing("/a#", with: "/r#"))\"", "neither a link nor a name"),
        ] {
            let found = faults(in: "parley: 1\nprofiles:\n  a: { connect: \(value) }\n")
            #expect(found.count == 1 && found.first?.message.contains(message) == true, "\(value): \(found)")
        }
    }

    @Test func groupsThatABotJoinsNeedSomebodyWhoInvitesIt() throws {
        let source = MarkedSource("parley: 1\nprofiles:\n  a: { joined-groups: §[Team] }\n"), found = faults(in: source.text)
        #expect(found.map(\.code) == [.badValue] && found.first?.position == source.position, "\(found)")
        #expect(try BotsFile(parsing: "parley: 1\nprofiles:\n  a: { trusted-contacts: ann, joined-groups: Team }\n").profiles.first?.joinedGroups == ["Team"])
        for (names, column) in [("[Team, Team]", 56), ("[\" x\"]", 50), ("{ a: b }", 49)] {
            let found = faults(in: "parley: 1\nprofiles:\n  a: { trusted-contacts: ann, joined-groups: \(names) }\n")
            #expect(found.count == 1 && (found.first?.position.column ?? 0) <= column, "\(names): \(found)")
        }
    }

    @Test func aReportAboutADeliveryEndsWhateverWayItsTargetIsWritten() throws {
        for target in ["ann", "\"@ann\""] {
            let file = try BotsFile(
                parsing:
                    "parley: 1\nprofiles:\n  a: { trusted-contacts: ann, rules: [ { when: { delivered: true }, then: { tell: { chat: \(target), text: x } } } ] }\n"
            )
            let rules = try RuleSet(try #require(file.profiles.first).rules)
            var input = RuleInput(event: .delivered)
            (input.sender, input.isTrusted) = ("ann", true)
            #expect(rules.decide(input).isEmpty)
            // A stranger of that name is another contact.
            input.isTrusted = false
            #expect(rules.decide(input).count == 1)
        }
    }
}
