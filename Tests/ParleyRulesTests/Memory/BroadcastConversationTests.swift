import Foundation
import ParleyTesting
import TestSupport
import Testing

@testable import Parley
@testable import ParleyRules

/// Messages of rules, forms and schedules to many people over a network in memory.
@Suite(.timeLimit(.minutes(5))) struct BroadcastConversationTests {
    private func bots(_ text: String, in folder: TemporaryFolder? = nil) throws -> [Bot] {
        let source = "parley: 1\nprofiles:\n" + text
        guard let folder else { return try BotsFile(parsing: source).makeBots() }
        let path = folder.path + "/bots.yaml"
        try Data(source.utf8).write(to: URL(fileURLWithPath: path))
        return try BotsFile(contentsOf: path).makeBots()
    }

    @Test func whoIsNamedSendsToEverybodyAndNobodyElseDoes() async throws {
        let bots = try bots(
            """
              news:
                trusted-contacts: [Ann, Ben]
                rules:
                  - { when: { command: news, from: Ann }, then: [ { broadcast: "News: {{ arguments }}" }, { reply: It is on its way. } ] }
                  - { when: { command: say, from: Ann }, then: { broadcast: { text: "{{ arguments }}", to: [Ben] } } }
                  - { when: { message: any }, then: { send: "No." } }
            """)
        try await withBots(bots) { room in
            let ann = try await room.person("Ann", trustedAs: "Ann"), ben = try await room.person("Ben", trustedAs: "Ben")
            try await ben.say("/news buy")
            try await ben.expect("No.")
            try await ann.say("/news we are open")
            try await ben.expect("News: we are open")
            try await ann.expect("It is on its way.")
            try await ann.expect("News: we are open")
            try await ann.say("/say")
            try await ann.expect("Nothing was sent: there is no text.")
            try await ann.say("/say hello")
            try await ben.expect("hello")
            try await room.restart()
            try await ben.expectNothing()
            try await ann.expectNothing()
        }
    }

    @Test func aFormAsksBeforeItSendsAndSchedulesSendFiles() async throws {
        let folder = try TemporaryFolder()
        try Data("the menu".utf8).write(to: URL(fileURLWithPath: folder.path + "/menu.txt"))
        let bots = try bots(
            """
              news:
                trusted-contacts: [Ann, Ben]
                rules: [ { when: { command: news, from: Ann }, then: { form: news } } ]
                forms:
                  news:
                    questions:
                      - { name: text, ask: What is new? }
                      - { name: sure, ask: "Send to everybody: {{ form.text }}", choices: [send] }
                    done: [ { broadcast: "{{ form.text }}" }, { send: Sent. } ]
                schedules:
                  - { id: menu, at: "2026-01-01 11:00", to: contacts, send: { file: menu.txt, text: "The menu of {{ date }}" } }
                  - { id: tea, at: "2026-01-01 16:00", to: Ben, send: { file: menu.txt } }
            """, in: folder)
        try await withBots(bots) { room in
            let ann = try await room.person("Ann", trustedAs: "Ann"), ben = try await room.person("Ben", trustedAs: "Ben")
            try await ann.say("/news")
            try await ann.expect("What is new?")
            try await ann.say("We are open.")
            try await ann.expect("Send to everybody: We are open.\n1. send")
            try await ben.expectNothing()
            try await ann.say("1")
            try await ben.expect("We are open.")
            try await room.advance(by: .seconds(11 * 3_600 + 1))
            let menu = try await ben.expectFile("menu.txt")
            #expect(menu.caption == "The menu of 2026-01-01" && menu.bytes == Array("the menu".utf8))
            try await room.advance(by: .seconds(5 * 3_600))
            let tea = try await ben.expectFile("menu.txt")
            #expect(tea.caption == "")
        }
    }

    @Test func aBroadcastThatIsUnderWayIsCancelled() async throws {
        let bots = try bots(
            """
              news:
                trusted-contacts: Ann
                rules: [ { when: { command: stop, from: Ann }, then: { cancel-broadcast: true } } ]
            """)
        try await withBots(bots) { room in
            let ann = try await room.person("Ann", trustedAs: "Ann"), client = try room.bot("news")
            let chats = await client.contacts.map { "\($0)" }
            // As a broadcast is that waits for its turn behind the first chat.
            try await client.update(RuleBroadcasts.self) { $0.add("rule/1") }
            try await client.effects.update(BroadcastRecord.self, of: BroadcastRecord.scope("rule/1")) { record in
                record = BroadcastRecord(text: "one", chats: chats + ["@98", "@99"], sent: 1)
            }
            try await ann.say("/stop")
            try await ann.expect("The broadcast is cancelled: 1 of 3 chats have it.")
            try await room.restart()
            try await ann.say("/stop")
            try await ann.expect("No broadcast is under way.")
        }
    }

    @Test(
        "mistakes are told with their position",
        arguments: [
            ("rules: [ { when: { command: news }, then: { broadcast: x } } ]", "everybody could use it"),
            ("rules: [ { when: { command: stop, role: member }, then: { cancel-broadcast: true } } ]", "everybody could use it"),
            ("rules: [ { when: { connected: true }, then: { broadcast: x } } ]", "nobody has written"),
            ("rules: [ { when: { command: n, from: a }, then: { broadcast: { to: [b] } } } ]", "needs the key \"text\""),
            ("rules: [ { when: { command: n, from: a }, then: { broadcast: { file: x, image: y } } } ]", "one file, not file and image"),
            ("rules: [ { when: { command: n, from: a }, then: { broadcast: { text: x, seconds: 5 } } } ]", "a text has no seconds"),
            ("rules: [ { when: { command: n, from: a }, then: { broadcast: \"{{ match }}\" } } ]", "the rule has no pattern"),
            ("schedules: [ { id: a, every: 1h, to: contacts, send: { voice: a.m4a } } ]", "needs the key \"seconds\""),
            (
                "rules: [ { when: { command: n }, then: { form: f } } ], forms: { f: { questions: [ { name: a, ask: b } ], done: { broadcast: x } } }",
                "the form \"f\" sends to many, and everybody could use it"
            ),
        ])
    func mistakes(_ profile: String, _ expected: String) {
        let error = #expect(throws: BotsFileError.self) { _ = try self.bots("  a: { trusted-contacts: [a, b], \(profile) }") }
        #expect(error?.diagnostics.first?.message.contains(expected) == true, "\(error.map { "\($0)" } ?? "")")
        #expect(error?.diagnostics.first?.position.line == 3)
    }
}
