import ChatAPI
import ChatProtocol
import Foundation
import Parley
import ParleyTesting
import Testing

@testable import ParleyRules

/// Admission, warnings and cases of a bots.yaml, with people who join a real group of a bot that runs.
@Suite(.timeLimit(.minutes(10))) struct AdmissionConversationTests {
    private static let door = """
        parley: 1
        profiles:
          door:
            groups: { lobby: { name: Lobby, review: true } }
            rules:
              - { id: posing, when: { member: pending, name: "(?i)admin" }, then: { reject: true } }
              - { id: ask, when: { member: pending }, then: { captcha: { attempts: 2, within: 10m } } }
              - { id: greet, when: { member: joined }, then: { send: "Welcome to {{ group.name }}, {{ member.name }}." } }
              - { id: any, when: { message: any, chat: [group, support] }, then: { react: 👍 } }
        """

    /// The sum that a question asks for.
    private func answer(to question: String) throws -> Int {
        let words = [
            "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13,
            "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
        ]
        let match = try #require(question.firstMatch(of: /how much is ([a-z]+) plus ([0-9]+)/), "\(question)")
        return try #require(words[String(match.1)]) + #require(Int(match.2))
    }

    /// - Parameter count: the questions that the person has been asked.
    private func ask(_ person: TestPerson, _ count: Int) async throws -> Int {
        try answer(to: try await person.expectMessages(count, fromModeratorsOf: "Lobby").text)
    }

    @Test func theRightAnswerAdmitsAndWrongOnesDoNot() async throws {
        try await withBots(BotsFile(parsing: Self.door).makeBots()) { room in
            let ann = try await room.person("Ann"), ben = try await room.person("Ben")
            try await ann.askToJoin(group: "lobby")
            let first = try await ask(ann, 1)
            try await ann.say("\(first + 1)", toModeratorsOf: "Lobby")
            let second = try await ask(ann, 2)
            // What is asked survives a restart.
            try await room.restart()
            try await ann.say(" \(second) ", toModeratorsOf: "Lobby")
            try await ann.expectMembership(of: "Lobby")
            try await ann.expect("Welcome to Lobby, Ann.", in: "Lobby")
            try await ann.say("hello", in: "Lobby")
            try await ann.expectReaction("👍", in: "Lobby")

            try await ben.askToJoin(group: "lobby")
            for count in 1...2 {
                _ = try await ask(ben, count)
                try await ben.say("it is 1", toModeratorsOf: "Lobby")
            }
            try await ben.expectRemoval(from: "Lobby")
            try await ann.expectNothing(in: "Lobby")
        }
    }

    @Test func whoDoesNotAnswerInTimeOrPosesIsRefused() async throws {
        try await withBots(BotsFile(parsing: Self.door).makeBots()) { room in
            let ann = try await room.person("Ann"), posing = try await room.person("The Admin")
            try await ann.askToJoin(group: "lobby")
            _ = try await ask(ann, 1)
            try await room.settle()
            try await room.restart(after: .seconds(60))
            try await room.advance(by: .seconds(600))
            try await ann.expectRemoval(from: "Lobby")
            try await posing.askToJoin(group: "lobby")
            try await posing.expectRemoval(from: "Lobby")
        }
    }

    private static let guardian = """
        parley: 1
        profiles:
          guard:
            groups: { lobby: { name: Lobby } }
            rules:
              - id: links
                when: { link: true, chat: group }
                then: [ { moderate: true }, { warn: { expires: 7d, reason: links } }, { send: "{{ member.name }}: {{ points }} of 2" } ]
              - { id: quiet, when: { warned: ">= 2" }, then: { role: { to: observer, for: 12h } } }
              - { id: cases, when: { command: cases, role: [moderator, admin, owner] }, then: { cases: true } }
              - { id: undo, when: { command: undo, role: [moderator, admin, owner] }, then: { undo: true } }
              - { id: out, when: { contains: casino, chat: group }, then: { block: { for: 1h } } }
              - { id: gone, when: { contains: lottery, chat: group }, then: { remove: true } }
        """

    private func role(of name: String, _ client: BotClient) async throws -> GroupMember? {
        let group = try #require(await client.groups.group(named: "Lobby"))
        return try await group.members().first { $0.displayName == name }?.member
    }

    @Test func moderatorsSeeCasesAndUndoThemByCommands() async throws {
        try await withBots(BotsFile(parsing: Self.guardian).makeBots()) { room in
            let ann = try await room.person("Ann"), mo = try await room.person("Mo")
            for person in [ann, mo] { try await person.join(group: "lobby") }
            let client = try room.bot("guard"), group = try #require(await client.groups.group(named: "Lobby"))
            try await room.settle()
            try await #require(try await group.members().first { $0.displayName == "Mo" }).setRole(.moderator)
            try await room.settle()

            try await ann.say("https://a.example", in: "Lobby")
            try await mo.expect("https://a.example", in: "Lobby")
            try await mo.expect("Ann: 1 of 2", in: "Lobby")
            try await room.settle()
            #expect(try await mo.conversation(in: "Lobby").first { $0.text == "https://a.example" || $0.isDeleted }?.isDeleted == true)
            try await ann.say("https://b.example", in: "Lobby")
            try await room.settle()
            #expect(try await role(of: "Ann", client)?.role == .observer)
            let ruled = try await mo.conversation(in: "Lobby").last { $0.senderName != "Mo" && $0.text.contains("of 2") }
            #expect(ruled?.text == "Ann: 2 of 2")

            // Only moderators are answered, and what was deleted is not published again.
            try await mo.say("/cases", in: "Lobby")
            try await room.settle()
            for person in [ann, mo] {
                let said = try await person.conversation(in: "Lobby").filter { $0.senderName != "Ann" }.map(\.text)
                #expect(!said.contains { $0.contains("a.example") }, "\(said)")
            }
            try await mo.say("/undo 5", in: "Lobby")
            try await room.settle()
            #expect(try await mo.conversation(in: "Lobby").contains { $0.text == "Case 5 is undone: role Ann." })
            #expect(try await role(of: "Ann", client)?.role == .member)
            try await ann.say("/undo 4", in: "Lobby")
            try await room.settle()
            #expect(try await !ann.conversation(in: "Lobby").contains { $0.text.hasPrefix("Case 4") })
            try await mo.say("/undo 1", in: "Lobby")
            try await room.settle()
            #expect(try await mo.conversation(in: "Lobby").contains { $0.text.contains("moderate is final") })
            try await mo.say("https://c.example", in: "Lobby")
            try await room.settle()
            #expect(try await ann.conversation(in: "Lobby").contains { $0.text == "https://c.example" && !$0.isDeleted }, "moderators are exempt")
        }
    }

    @Test func theListOfCasesReachesAModeratorWithoutADirectChatInTheConversationOfModerators() async throws {
        try await withBots(BotsFile(parsing: Self.guardian).makeBots()) { room in
            let ann = try await room.person("Ann"), mo = try await room.stranger("Mo")
            for person in [ann, mo] { try await person.join(group: "lobby") }
            let client = try room.bot("guard"), group = try #require(await client.groups.group(named: "Lobby"))
            try await room.settle()
            try await #require(try await group.members().first { $0.displayName == "Mo" }).setRole(.moderator)
            try await room.settle()
            try await ann.say("https://a.example", in: "Lobby")
            try await mo.expect("https://a.example", in: "Lobby")
            try await mo.expect("Ann: 1 of 2", in: "Lobby")
            try await mo.say("/cases", in: "Lobby")
            let list = try await mo.expectMessages(1, fromModeratorsOf: "Lobby")
            #expect(list.text.contains("moderate Ann") && list.text.contains("https://a.example"), "\(list.text)")
            try await room.settle()
            for person in [ann, mo] {
                let said = try await person.conversation(in: "Lobby").filter { $0.senderName != "Ann" }.map(\.text)
                #expect(said.contains("The list is in your chat with the moderators.") && !said.contains { $0.contains("a.example") }, "\(said)")
            }
            // Asked there, the bot answers there.
            try await mo.say("/cases", toModeratorsOf: "Lobby")
            let again = try await mo.expectMessages(2, fromModeratorsOf: "Lobby")
            #expect(again.text == list.text)
        }
    }

    @Test func aBlockEndsByItselfAndARemovalIsFinal() async throws {
        try await withBots(BotsFile(parsing: Self.guardian).makeBots()) { room in
            let ann = try await room.person("Ann"), ben = try await room.person("Ben")
            for person in [ann, ben] { try await person.join(group: "lobby") }
            let client = try room.bot("guard")
            try await ann.say("casino", in: "Lobby")
            try await room.settle()
            #expect(try await role(of: "Ann", client)?.blockedByAdmin == true)
            try await room.restart(after: .seconds(600))
            #expect(try await role(of: "Ann", try room.bot("guard"))?.blockedByAdmin == true)
            try await room.advance(by: .seconds(3_600))
            #expect(try await role(of: "Ann", try room.bot("guard"))?.blockedByAdmin == false)
            try await ben.say("lottery", in: "Lobby")
            try await ben.expectRemoval(from: "Lobby")
        }
    }
}
