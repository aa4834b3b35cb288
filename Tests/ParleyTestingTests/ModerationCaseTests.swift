import ChatAPI
import ChatProtocol
import Parley
import ParleyTesting
import Testing

private func moderator() -> Bot {
    var bot = Bot("Guard", address: .none) {
        On(.text("spam"), in: .groups) { message in
            try await message.member?.warn(points: 2, reason: "spam", evidence: message.text, expiresAfter: .seconds(3600))
        }
        On(.text("quiet"), in: .groups) { message in
            try await message.member?.moderate(.role(.observer), rule: "noise", by: "Ann", expiresAfter: .seconds(7200))
        }
        On(.text("block"), in: .groups) { message in try await message.member?.moderate(.block, reason: "rude") }
    }
    bot.groups = [ManagedGroup("lobby", GroupSettings("Lobby"))]
    return bot
}

@Suite("Cases of a bot in Swift") struct ModerationCaseTests {
    @Test("add up, expire, are undone once, and survive restarts") func cases() async throws {
        try await withBots(moderator()) { room in
            let ann = try await room.stranger("Ann")
            try await ann.join(group: "lobby")
            for text in ["spam", "spam", "quiet"] {
                try await ann.say(text, in: "Lobby")
                try await room.settle()
            }
            func group() async throws -> BotGroup { try #require(await room.bot("Guard").groups.all.first) }
            func member() async throws -> BotMember { try #require(try await group().members().first { $0.displayName == "Ann" }) }
            #expect(try await member().warningPoints() == 4)
            #expect(try await member().role == .observer)
            let cases = try await group().cases()
            #expect(cases.map(\.line) == ["1: warn Ann, spam: spam", "2: warn Ann, spam: spam", "3: role Ann, rule noise, by Ann"])
            try await group().undoCase(1, by: "Ben")
            #expect(try await member().warningPoints() == 2)
            await #expect(throws: ModerationError.self) { try await group().undoCase(1, by: "Ben") }
            await #expect(throws: ModerationError.self) { try await group().undoCase(99, by: "Ben") }
            try await room.restart(after: .seconds(3600))
            #expect(try await member().warningPoints() == 0)
            #expect(try await member().role == .observer)
            try await room.advance(by: .seconds(3600))
            #expect(try await member().role == .member)
            #expect(try await group().cases().last?.undoneBy == "expiry")
        }
    }

    @Test("spare moderators, and lose the name and words of a member who wants that") func deletion() async throws {
        try await withBots(moderator()) { room in
            let ann = try await room.stranger("Ann")
            try await ann.join(group: "lobby")
            try await ann.say("spam", in: "Lobby")
            try await room.settle()
            let group = try #require(await room.bot("Guard").groups.all.first)
            let member = try #require(try await group.members().first { $0.displayName == "Ann" })
            await #expect(throws: ModerationError.self) { try await member.warn(points: 0) }
            try await group.deleteData(of: member.id)
            #expect(try await member.warningPoints() == 0)
            #expect(try await group.cases().map(\.line) == ["1: warn (deleted), spam"])
            try await member.setRole(.moderator)
            let promoted = try #require(try await group.members().first { $0.displayName == "Ann" })
            await #expect(throws: ModerationError.self) { try await promoted.warn() }
            try await ann.say("block", in: "Lobby")
            try await room.settle()
            #expect(try await group.cases().count == 1)
        }
    }
}
