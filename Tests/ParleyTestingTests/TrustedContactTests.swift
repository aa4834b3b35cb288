import ChatProtocol
import Parley
import ParleyTesting
import Testing

/// The people whom a bot knows by the link that they were given, and not by the name that they chose.
@Suite(.timeLimit(.minutes(5))) struct TrustedContactTests {
    private static func newsroom(_ names: [String] = ["ann", "ben"]) -> Bot {
        var bot = Bot("News") {
            On(.text && .fromTrustedContact("ann")) { message in try await message.send("published") }
            On(.text && .fromTrustedContact) { message in try await message.send("noted, \(message.trustedName ?? "nobody")") }
            On(.text) { message in try await message.send("you are \(message.trustedName ?? "nobody")") }
        }
        bot.trustedContacts = names
        return bot
    }

    @Test func whoeverUsesTheLinkIsTheTrustedContactUnderAnyName() async throws {
        try await withBots(Self.newsroom()) { room in
            let impostor = try await room.person("ann"), ann = try await room.person("Annika", trustedAs: "ann")
            let ben = try await room.person("ann", trustedAs: "ben")
            for (person, answer) in [(impostor, "you are nobody"), (ann, "published"), (ben, "noted, ben")] {
                try await person.say("Snow")
                try await person.expect(answer)
            }
            let bot = try room.bot("News")
            let chat = await bot.chat(named: "ann"), other = await bot.chat(withTrusted: "News")
            // A name that is trusted leads to that contact only, and others lead where the profile says.
            #expect(chat?.contact?.profile.displayName == "Annika" && other == nil)
            #expect(await bot.chat(named: "ann_1")?.trustedName == "ben")
        }
    }

    @Test func aLinkStaysTheSameUntilItIsUsedAndIsOfNoUseAfterwards() async throws {
        try await withBots(Self.newsroom()) { room in
            let first = try room.invitations()
            #expect(first.map(\.name) == ["ann", "ben"])
            try await room.restart()
            #expect(try room.invitations() == first)
            let ann = try await room.person("Ann", trustedAs: "ann")
            try await room.restart()
            #expect(try room.invitations() == first.filter { $0.name == "ben" })
            try await ann.say("Snow")
            try await ann.expect("published")
            await #expect(throws: TestRoomError.self) { _ = try await room.person("Eve", trustedAs: "ann") }
        }
    }

    @Test func aModeratorByNameIsTheTrustedContactAndNotTheMemberOfThatName() async throws {
        var bot = Self.newsroom(["ann"])
        bot.groups = [ManagedGroup("team", GroupSettings("Team"), moderators: ["ann"])]
        try await withBots(bot) { room in
            let impostor = try await room.stranger("ann")
            try await impostor.join(group: "team")
            let ann = try await room.person("Annika", trustedAs: "ann")
            try await room.restart()
            try await ann.acceptInvitation(to: "Team")
            try await ann.expectMembership(of: "Team")
            try await room.settle()
            let group = try #require(await room.bot("News").groups.group(named: "Team"))
            let members = try await group.members()
            let roles = Dictionary(members.map { ($0.member.profile.displayName, $0.role) }) { first, _ in first }
            #expect(roles == ["Annika": .moderator, "ann": .member] && members.count == 2)
            #expect(members.filter { $0.trustedName == "ann" }.map(\.member.profile.displayName) == ["Annika"])
        }
    }

    @Test func aTrustedContactWhoChangesTheNameStaysTheSame() async throws {
        try await withBots(Self.newsroom()) { room in
            let ann = try await room.person("Ann", trustedAs: "ann")
            try await ann.rename(to: "Somebody")
            try await ann.say("Snow")
            try await ann.expect("published")
        }
    }
}
