import ChatAPI
import ChatProtocol
import ParleyTesting
import Testing

@testable import Parley
@testable import ParleyRules

/// How blocks and roles that rules give for a time end: by the timer, by a moderator, and where several cases hold at once.
@Suite(.timeLimit(.minutes(5))) struct RuleCaseEndTests {
    private static let file = """
        parley: 1
        profiles:
          guard:
            groups: { lobby: { name: Lobby } }
            rules:
              - { id: spam, when: { contains: spam, chat: group }, then: { block: { for: 1h } } }
              - { id: casino, when: { contains: casino, chat: group }, then: { block: true } }
              - { id: quiet, when: { contains: noise, chat: group }, then: { role: { to: observer, for: 1h } } }
              - { id: author, when: { contains: praise, chat: group }, then: { role: { to: author, for: 2h } } }
        """

    /// A group that the rules keep, as their bot sees it.
    private struct Lobby: Sendable {
        let room: TestRoom
        let ann: TestPerson

        var client: BotClient {
            get throws { try room.bot("guard") }
        }

        var group: BotGroup {
            get async throws { try #require(await client.groups.group(named: "Lobby")) }
        }

        func member() async throws -> BotMember { try #require(try await group.members().first { $0.displayName == "Ann" }) }

        /// The state of Ann, in a word.
        func state() async throws -> String {
            let member = try await member()
            return member.member.blockedByAdmin ? "blocked" : member.role.code
        }

        /// Who has ended the cases, in their order.
        func ends() async throws -> [String?] { try await group.cases().map(\.undoneBy) }

        /// Ann writes what a rule is about.
        func say(_ text: String) async throws {
            try await ann.say(text, in: "Lobby")
            try await room.settle()
        }

        func advance(minutes: Int) async throws {
            try await room.advance(by: .seconds(minutes * 60))
            try await room.settle()
        }

        /// Opens as many cases as a record holds, none of which acts against Ann.
        func fillRecord() async throws {
            try await client.update(ModerationRecord.self, of: .chat(.group(try await group.id))) { record in
                for _ in 1...ModerationRecord.maximumCases {
                    record.add(ModerationCase(number: record.next, rule: "", action: "moderate", name: "Ben", evidence: "", time: 0))
                }
            }
        }

        func undo(_ number: Int?) async throws -> String { try await CaseUndo(client: client, group: try await group).undo(number, by: "Bob") }
    }

    private func lobby(_ body: @Sendable (Lobby) async throws -> Void) async throws {
        try await withBots(try BotsFile(parsing: Self.file).makeBots()) { room in
            let ann = try await room.person("Ann")
            try await ann.join(group: "lobby")
            try await body(Lobby(room: room, ann: ann))
        }
    }

    @Test(arguments: [("spam", "blocked"), ("noise", "observer")]) func anActionEndsInTimeAlsoWhenNewerCasesHavePushedItOut(_ text: String, _ state: String)
        async throws
    {
        try await lobby { lobby in
            try await lobby.say(text)
            #expect(try await lobby.state() == state)
            try await lobby.fillRecord()
            #expect(try await lobby.group.cases().first?.number == 2)
            #expect(try await lobby.undo(1) == "There is no case 1.")
            try await lobby.advance(minutes: 59)
            #expect(try await lobby.state() == state)
            try await lobby.room.restart(after: .seconds(60))
            try await lobby.room.settle()
            #expect(try await lobby.state() == "member")
        }
    }

    @Test func aTimerOfAnEarlierVersionEndsItsCase() async throws {
        try await lobby { lobby in
            try await lobby.say("spam")
            let client = try lobby.client, group = try await lobby.group, opened = try #require(try await group.cases().first)
            try await client.cancelEnd(of: opened, in: group.id)
            try await client.schedule(CaseTimer.end, key: "\(group.id)/1", after: .seconds(1_800), 1, in: .group(group.id))
            try await lobby.advance(minutes: 30)
            #expect(try await lobby.state() == "member")
            #expect(try await lobby.ends() == ["expiry"])
        }
    }

    @Test func whatAModeratorHasTakenBackDoesNotEndAgain() async throws {
        try await lobby { lobby in
            try await lobby.say("spam")
            #expect(try await lobby.undo(nil) == "Case 1 is undone: block Ann.")
            #expect(try await lobby.state() == "member")
            try await lobby.member().block()
            try await lobby.advance(minutes: 61)
            #expect(try await lobby.state() == "blocked", "a block without a case is nobody's but the moderator's")
            #expect(try await lobby.ends() == ["Bob"])
            #expect(try await lobby.undo(1) == "Case 1 was undone before, by Bob.")
        }
    }

    /// The block for ever comes first here: a member who is blocked writes nothing that a rule could see.
    @Test func theEndOfOneBlockLeavesAnotherInForce() async throws {
        try await lobby { lobby in
            try await lobby.say("casino")
            try await lobby.member().unblock()
            try await lobby.say("spam")
            try await lobby.advance(minutes: 61)
            #expect(try await lobby.state() == "blocked")
            #expect(try await lobby.ends() == [nil, "expiry"])
            #expect(try await lobby.undo(nil) == "Case 1 is undone: block Ann.")
            #expect(try await lobby.state() == "member")
        }
    }

    @Test(arguments: [nil, 1]) func aBlockThatIsTakenBackLeavesAnotherInForce(_ number: Int?) async throws {
        try await lobby { lobby in
            for text in ["spam", "casino"] {
                try await lobby.say(text)
                if text == "spam" { try await lobby.member().unblock() }
            }
            let taken = number ?? 2
            #expect(try await lobby.undo(number) == "Case \(taken) is undone: block Ann.")
            #expect(try await lobby.state() == "blocked")
            #expect(try await lobby.undo(3 - taken) == "Case \(3 - taken) is undone: block Ann.")
            #expect(try await lobby.state() == "member")
        }
    }

    @Test func aRoleThatEndsLeadsBackToTheOneBeforeAndNotOverALaterOne() async throws {
        try await lobby { lobby in
            try await lobby.say("praise")
            #expect(try await lobby.state() == "author")
            try await lobby.advance(minutes: 90)
            try await lobby.say("noise")
            #expect(try await lobby.state() == "observer")
            try await lobby.advance(minutes: 30)
            #expect(try await lobby.state() == "observer")
            #expect(try await lobby.ends() == ["expiry", nil])
            try await lobby.advance(minutes: 30)
            #expect(try await lobby.state() == "member")
            #expect(try await lobby.ends() == ["expiry", "expiry"])
        }
    }

    @Test func whatCannotBeTakenBackIsSaidInASentence() async throws {
        try await lobby { lobby in
            #expect(try await lobby.undo(nil) == "There is no case to undo.")
            for number in [0, -1, 1, Int.max, Int.min] { #expect(try await lobby.undo(number) == "There is no case \(number).") }
            try await lobby.client.update(ModerationRecord.self, of: .chat(.group(try await lobby.group.id))) { record in
                for (action, member) in [("remove", 1), ("moderate", 1), ("block", nil), ("role", 1)] as [(String, Int64?)] {
                    record.add(
                        ModerationCase(number: record.next, rule: "r", action: action, member: member, name: "Ben", roleBefore: "king", evidence: "", time: 0))
                }
            }
            let sentences = ["remove is final", "moderate is final", "block is final", "the role before is not known"]
            for (number, end) in zip(1..., sentences) { #expect(try await lobby.undo(number) == "Case \(number) cannot be undone: \(end).") }
            #expect(try await lobby.ends() == [nil, nil, nil, nil])
        }
    }
}
