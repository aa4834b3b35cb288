import ChatAPI
import ChatProtocol
import Parley
import ParleyTesting
import Testing

/// How actions against members end: by time, by a moderator, and where several hold at once.
@Suite struct ModerationEndTests {
    /// A group with a member, as the bot that keeps it sees both.
    private struct Lobby: Sendable {
        let room: TestRoom

        var group: BotGroup {
            get async throws { try #require(await room.bot("Guard").groups.all.first) }
        }

        func member(_ name: String = "Ann") async throws -> BotMember { try #require(try await group.members().first { $0.displayName == name }) }

        /// The state of a member, in a word.
        func state(_ name: String = "Ann") async throws -> String {
            let member = try await member(name)
            return member.member.blockedByAdmin ? "blocked" : member.role.code
        }

        func moderate(_ action: ModerationAction, for seconds: Int? = nil) async throws -> Int {
            try await member().moderate(action, expiresAfter: seconds.map { .seconds($0) }).number
        }
    }

    private static func lobby(_ names: String..., body: @Sendable (Lobby) async throws -> Void) async throws {
        var bot = Bot("Guard", address: .none) {}
        bot.groups = [ManagedGroup("lobby", GroupSettings("Lobby"))]
        try await withBots(bot) { room in
            for name in names { try await room.stranger(name).join(group: "lobby") }
            try await room.settle()
            try await body(Lobby(room: room))
        }
    }

    @Test func aBlockThatEndsLeavesAnotherInForce() async throws {
        try await Self.lobby("Ann") { lobby in
            let hour = try await lobby.moderate(.block, for: 3_600), ever = try await lobby.moderate(.block)
            #expect(hour == 1 && ever == 2)
            try await lobby.room.advance(by: .seconds(7_200))
            #expect(try await lobby.group.cases().map(\.undoneBy) == ["expiry", nil])
            #expect(try await lobby.state() == "blocked")
            try await lobby.group.undoCase(ever, by: "Ben")
            #expect(try await lobby.state() == "member")
        }
    }

    @Test func aBlockThatIsUndoneLeavesOneForATimeInForceUntilItEnds() async throws {
        try await Self.lobby("Ann") { lobby in
            let ever = try await lobby.moderate(.block)
            _ = try await lobby.moderate(.block, for: 3_600)
            try await lobby.group.undoCase(ever, by: "Ben")
            #expect(try await lobby.state() == "blocked")
            try await lobby.room.restart(after: .seconds(3_600))
            try await lobby.room.settle()
            #expect(try await lobby.state() == "member")
        }
    }

    @Test func aRoleThatEndsDoesNotEndALaterOneWhichLeadsBackToTheFirst() async throws {
        try await Self.lobby("Ann") { lobby in
            _ = try await lobby.moderate(.role(.observer), for: 3_600)
            _ = try await lobby.moderate(.role(.author), for: 7_200)
            #expect(try await lobby.state() == "author")
            try await lobby.room.advance(by: .seconds(3_600))
            #expect(try await lobby.state() == "author")
            try await lobby.room.advance(by: .seconds(3_600))
            #expect(try await lobby.state() == "member")
        }
    }

    @Test func aBlockEndsInTimeAlsoWhenTheRecordHasForgottenIt() async throws {
        try await Self.lobby("Ann", "Ben") { lobby in
            _ = try await lobby.moderate(.block, for: 3_600)
            let ben = try await lobby.member("Ben")
            for _ in 1...200 { try await ben.warn() }
            #expect(try await lobby.group.cases().first?.number == 2)
            await #expect { try await lobby.group.undoCase(1, by: "Ben") } throws: { ($0 as? ModerationError)?.code == .noCase }
            #expect(try await lobby.state() == "blocked")
            try await lobby.room.advance(by: .seconds(3_600))
            #expect(try await lobby.state() == "member")
        }
    }

    /// What a timer of a case can hold: that of an earlier version is the number alone, and what nobody has written is passed over.
    @Test func aTimerOfAnEarlierVersionEndsItsCaseAndADamagedOneNothing() async throws {
        try await Self.lobby("Ann") { lobby in
            let client = try lobby.room.bot("Guard"), group = try await lobby.group.id, name = "parley.case"
            let number = try await lobby.moderate(.block, for: 3_600)
            try await client.cancelScheduled(name, key: "\(group)/\(number)")
            try await client.schedule(name, key: "damaged", after: .seconds(1_799), ["number": "one"], in: .group(group))
            try await client.schedule(name, key: "unknown", after: .seconds(1_799), 99, in: .group(group))
            try await client.schedule(name, key: "elsewhere", after: .seconds(1_799), number, in: .group(9_999))
            try await client.schedule(name, key: "nowhere", after: .seconds(1_799), number)
            try await client.schedule(name, key: "\(group)/\(number)", after: .seconds(1_800), number, in: .group(group))
            try await lobby.room.advance(by: .seconds(1_799))
            #expect(try await lobby.state() == "blocked")
            try await lobby.room.advance(by: .seconds(1))
            #expect(try await lobby.state() == "member")
            #expect(try await lobby.group.cases().map(\.undoneBy) == ["expiry"])
        }
    }

    @Test func aCaseThatWasUndoneDoesNotEndAgainByTime() async throws {
        try await Self.lobby("Ann") { lobby in
            let first = try await lobby.moderate(.block, for: 3_600)
            try await lobby.group.undoCase(first, by: "Ben")
            try await lobby.member().block()
            try await lobby.room.advance(by: .seconds(7_200))
            #expect(try await lobby.state() == "blocked", "a block without a case is nobody's but the moderator's")
            #expect(try await lobby.group.cases().map(\.undoneBy) == ["Ben"])
        }
    }

    @Test func whatCannotBeTakenBackIsToldWithItsCode() async throws {
        try await Self.lobby("Ann", "Ben") { lobby in
            func refusal(_ number: Int?) async throws -> String {
                let group = try await lobby.group
                let error = await #expect(throws: ModerationError.self) { try await group.undoCase(number, by: "Cat") }
                return error?.description ?? ""
            }
            #expect(try await refusal(nil) == "moderation.noCase: there is no case to undo")
            try await lobby.member("Ben").moderate(.remove())
            #expect(try await refusal(1) == "moderation.final: case 1 cannot be undone: remove is final")
            #expect(try await refusal(nil) == "moderation.noCase: there is no case to undo", "a removal is not looked at")
            let warned = try await lobby.member().warn(points: 1_000).number
            try await lobby.group.undoCase(by: "Cat")
            #expect(try await refusal(warned) == "moderation.undone: case 2 was undone before, by Cat")
            for number in [0, -1, 3, Int.max] { #expect(try await refusal(number) == "moderation.noCase: there is no case \(number)") }
        }
    }

    @Test(arguments: [0, -1, 1_001, .max]) func pointsBeyondTheirRangeOpenNoCase(_ points: Int) async throws {
        try await Self.lobby("Ann") { lobby in
            let ann = try await lobby.member()
            let error = await #expect(throws: ModerationError.self) { try await ann.warn(points: points) }
            #expect(error?.description == "moderation.points: a warning has 1 to 1,000 points")
            #expect(try await lobby.group.cases() == [])
            #expect(try await ann.warningPoints() == 0)
        }
    }

    /// What each role can be made to suffer, with and without leave to act against moderators.
    @Test func whoKeepsTheGroupIsSparedUnlessTheCallerSaysSo() async throws {
        try await Self.lobby("Ann") { lobby in
            for role in [GroupMemberRole.observer, .author, .member, .moderator, .admin, .owner] {
                try await lobby.member().setRole(role)
                let ann = try await lobby.member(), isSpared = role >= .moderator
                for action in [ModerationAction.warn(), .block, .role(.observer), .remove()] where isSpared {
                    let error = await #expect(throws: ModerationError.self) { try await ann.moderate(action) }
                    #expect(error?.code == .exempt && error?.message.contains("includingModerators: true") == true)
                }
                let points = try await ann.warningPoints()
                try await ann.moderate(.warn(), includingModerators: isSpared)
                #expect(try await ann.warningPoints() == points + 1)
            }
            #expect(try await lobby.group.cases().map(\.action) == Array(repeating: "warn", count: 6))
            #expect(try await lobby.state() == "owner")
        }
    }

    @Test func forgivingForgetsThePointsAndNotTheCases() async throws {
        try await Self.lobby("Ann", "Ben") { lobby in
            for name in ["Ann", "Ben"] { try await lobby.member(name).warn(points: 3) }
            try await lobby.member().forgive()
            #expect(try await lobby.member().warningPoints() == 0)
            #expect(try await lobby.member("Ben").warningPoints() == 3)
            #expect(try await lobby.group.cases().map(\.name) == ["Ann", "Ben"])
            // A case whose points are forgiven can be undone all the same.
            #expect(try await lobby.group.undoCase(1, by: "Cat").undoneBy == "Cat")
        }
    }
}
