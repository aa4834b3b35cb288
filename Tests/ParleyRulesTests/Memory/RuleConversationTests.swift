import ChatAPI
import ChatProtocol
import Foundation
import Parley
import ParleyTesting
import Testing

@testable import ParleyRules

/// Rules that remember, with people who talk to the bot over a network in memory.
@Suite(.timeLimit(.minutes(5))) struct RuleConversationTests {
    private func bots(_ text: String) throws -> [Bot] { try BotsFile(parsing: "parley: 1\nprofiles:\n" + text).makeBots() }

    @Test func whatIsRememberedSurvivesARestart() async throws {
        let bots = try bots(
            """
              shop:
                rules:
                  - { id: welcome, when: { message: any }, then: { send: "Welcome, {{ contact.name }}!" }, once: person, continue: true }
                  - { id: away, when: { message: any }, then: { send: We are away. }, cooldown: 1h }
            """)
        try await withBots(bots) { room in
            let ann = try await room.person("Ann")
            try await ann.say("hi")
            try await ann.expect("Welcome, Ann!")
            try await ann.expect("We are away.")
            try await room.restart(after: .seconds(60))
            try await ann.say("hi")
            try await ann.expectNothing()
            try await room.advance(by: .seconds(3_600))
            try await ann.say("hi")
            try await ann.expect("We are away.")
            let ben = try await room.person("Ben")
            try await ben.say("hi")
            try await ben.expect("Welcome, Ben!")
        }
    }

    @Test func anAnswerToAMessageThatIsModeratedHasNoQuote() async throws {
        let bots = try bots(
            """
              guard:
                groups: { lobby: { name: Lobby } }
                rules:
                  - { when: { link: true, chat: group }, then: [ { moderate: true }, { reply: "No links, {{ member.name }}." } ] }
            """)
        try await withBots(bots) { room in
            let ann = try await room.person("Ann")
            try await ann.join(group: "lobby")
            try await ann.say("https://x.example", in: "Lobby")
            try await ann.expect("No links, Ann.", in: "Lobby")
        }
    }

    private static let guardian = """
          guard:
            groups: { lobby: { name: Lobby } }
            rules:
              - id: links
                when: { link: true, chat: group }
                then: [ { warn: { expires: 7d, reason: links } }, { reply: "{{ points }} of 2" } ]
              - { id: quiet, when: { warned: ">= 2" }, then: { role: { to: observer, for: 12h } } }
              - { id: log, when: { command: log, role: [moderator, admin, owner] }, then: { cases: true } }
        """

    @Test func warningsAddUpAndTheRoleComesBack() async throws {
        try await withBots(bots(Self.guardian)) { room in
            let ann = try await room.person("Ann")
            try await ann.join(group: "lobby")
            try await ann.say("https://x.example", in: "Lobby")
            try await ann.expect("1 of 2", in: "Lobby")
            try await room.restart()
            try await ann.say("https://x.example", in: "Lobby")
            try await ann.expect("2 of 2", in: "Lobby")
            try await room.settle()
            let group = try #require(await room.bot("guard").groups.group(named: "Lobby"))
            #expect(try await group.members().first { $0.displayName == "Ann" }?.role == .observer)
            let record = try await room.bot("guard").state(ModerationRecord.self, of: .chat(.group(group.id)))
            #expect(
                record.cases.map(\.line) == [
                    "1: warn Ann, rule links, links: https://x.example", "2: warn Ann, rule links, links: https://x.example",
                    "3: role Ann, rule quiet: https://x.example",
                ])
            try await room.advance(by: .seconds(12 * 3_600 + 1))
            #expect(try await group.members().first { $0.displayName == "Ann" }?.role == .member)
            #expect(try await room.bot("guard").state(ModerationRecord.self, of: .chat(.group(group.id))).cases.last?.undoneBy == "expiry")
        }
    }

    @Test func anAuthorWhoWasMadeAnObserverForATimeIsAnAuthorAgain() async throws {
        try await withBots(bots(Self.guardian)) { room in
            let ann = try await room.person("Ann")
            try await ann.join(group: "lobby")
            let group = try #require(await room.bot("guard").groups.group(named: "Lobby"))
            try await group.members().first { $0.displayName == "Ann" }?.setRole(.author)
            for points in 1...2 {
                try await ann.say("https://x.example", in: "Lobby")
                try await ann.expect("\(points) of 2", in: "Lobby")
            }
            try await room.settle()
            #expect(try await group.members().first { $0.displayName == "Ann" }?.role == .observer)
            try await room.advance(by: .seconds(12 * 3_600 + 1))
            #expect(try await group.members().first { $0.displayName == "Ann" }?.role == .author)
        }
    }

    @Test func moderatorsSeeCasesAndTakeThemBack() async throws {
        try await withBots(bots(Self.guardian)) { room in
            let ann = try await room.person("Ann")
            try await ann.join(group: "lobby")
            for points in 1...2 {
                try await ann.say("https://x.example", in: "Lobby")
                try await ann.expect("\(points) of 2", in: "Lobby")
            }
            try await room.settle()
            let client = try room.bot("guard"), group = try #require(await client.groups.group(named: "Lobby"))
            let undo = CaseUndo(client: client, group: group)
            #expect(try await undo.undo(1, by: "Bob") == "Case 1 is undone: warn Ann.")
            #expect(try await undo.undo(1, by: "Bob") == "Case 1 was undone before, by Bob.")
            #expect(try await undo.undo(9, by: "Bob") == "There is no case 9.")
            #expect(try await undo.undo(nil, by: "Bob") == "Case 3 is undone: role Ann.")
            #expect(try await group.members().first { $0.displayName == "Ann" }?.role == .member)
            let member = try #require(try await group.members().first { $0.displayName == "Ann" })
            let memory = try await client.state(RuleMemory.self, of: .person(.member(member.id, of: group.id)))
            #expect(memory.points(at: room.now.timeIntervalSince1970) == 1)
        }
    }

    @Test func aFormGoesOnAfterARestartAndTellsAnother() async throws {
        let bots = try bots(
            """
              pizza:
                trusted-contacts: Cook
                rules:
                  - { when: { command: order }, then: { form: order } }
                  - { when: { message: any }, then: { send: "Try /order." } }
                forms:
                  order:
                    questions:
                      - { name: size, ask: Which size?, pattern: "^[0-9]+$", error: A number. }
                      - { name: kind, ask: Which kind?, choices: [Margherita, Funghi] }
                    done:
                      - { tell: { chat: Cook, text: "{{ contact.name }}: {{ form.kind }} {{ form.size }}" } }
                      - { send: Thank you. }
                    timeout: 1h
            """)
        try await withBots(bots) { room in
            let ann = try await room.person("Ann"), cook = try await room.person("Carl", trustedAs: "Cook")
            try await ann.say("/order")
            try await ann.expect("Which size?")
            try await ann.say("big")
            try await ann.expect("A number.")
            try await cook.say("hello")
            try await cook.expect("Try /order.")
            try await room.restart()
            try await ann.say("30")
            try await ann.expect("Which kind?\n1. Margherita\n2. Funghi")
            try await ann.say("funghi")
            try await ann.expect("Thank you.")
            try await cook.expect("Ann: Funghi 30")
            try await ann.say("30")
            try await ann.expect("Try /order.")
            try await ann.say("/order")
            try await ann.expect("Which size?")
            try await room.advance(by: .seconds(3_601))
            try await ann.say("30")
            try await ann.expect("Try /order.")
        }
    }

    @Test func schedulesAreSentOnceAtTheirTimes() async throws {
        let bots = try bots(
            """
              clock:
                trusted-contacts: [Ann, Nobody]
                schedules:
                  - { id: party, at: "2026-01-01 06:00", to: contacts, send: The party begins. }
                  - { id: daily, cron: "0 9 * * *", to: [Ann, Nobody], send: "Good morning, it is {{ date }}." }
                  - { id: past, at: "2025-01-01 06:00", missed: skip, to: contacts, send: never }
                  - { id: before, at: "2025-12-31 23:59", to: contacts, send: never }
                  - { id: meanwhile, at: "2026-01-01 06:01", to: contacts, send: Late. }
            """)
        try await withBots(bots) { room in
            let ann = try await room.person("Ann", trustedAs: "Ann")
            try await room.advance(by: .seconds(6 * 3_600 + 30))
            try await ann.expect("The party begins.")
            try await room.restart(after: .seconds(120))
            try await ann.expect("Late.")
            try await room.restart(after: .seconds(60))
            try await ann.expectNothing()
            try await room.advance(by: .seconds(3 * 3_600))
            try await ann.expect("Good morning, it is 2026-01-01.")
            try await room.advance(by: .seconds(24 * 3_600))
            try await ann.expect("Good morning, it is 2026-01-02.")
            try await ann.expectNothing()
        }
    }

    /// A chat that is there at the first start already, when the bot learns of its schedules.
    @Test func aTimeThatWasOverBeforeTheBotKnewItIsNotMadeUpFor() async throws {
        let bots = try bots(
            """
              clock:
                groups: { lobby: { name: Lobby } }
                schedules:
                  - { id: past, at: "2025-12-31 23:59", to: Lobby, send: never }
                  - { id: long-past, at: "1970-01-01 00:00", missed: run, to: Lobby, send: never }
                  - { id: soon, at: "2026-01-01 00:01", to: Lobby, send: one }
                  - { id: missed, at: "2026-01-01 01:00", missed: run, to: Lobby, send: two }
                  - { id: skipped, at: "2026-01-01 01:00", missed: skip, to: Lobby, send: never }
            """)
        try await withBots(bots) { room in
            func sent() async throws -> [String] {
                try await room.settle()
                return try await #require(await room.bot("clock").groups.group(named: "Lobby")).chat.history().map(\.text)
            }
            #expect(try await sent() == [])
            try await room.person("Ann").join(group: "lobby")
            try await room.advance(by: .seconds(61))
            #expect(try await sent() == ["one"])
            try await room.restart(after: .seconds(2 * 3_600))
            #expect(try await sent() == ["one", "two"])
            try await room.restart()
            try await room.advance(by: .seconds(86_400))
            #expect(try await sent() == ["one", "two"])
        }
    }
}
