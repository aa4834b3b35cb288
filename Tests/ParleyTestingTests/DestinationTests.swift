import ChatAPI
import ChatProtocol
import Parley
import ParleyTesting
import Testing

@testable import ParleyTesting

/// The chats that names lead to when something is sent under them that not everybody may read.
@Suite(.timeLimit(.minutes(5))) struct DestinationTests {
    private static func desk() -> Bot {
        var bot = Bot("Desk") { On(.groupInvitation) { try await $0.join() } }
        bot.trustedContacts = ["ann"]
        bot.groups = [ManagedGroup("staff", GroupSettings("Staff"))]
        return bot
    }

    private func isTrustedChat(_ chat: BotChat?) -> Bool { chat?.trustedName == "ann" }

    @Test func aNameLeadsToNobodyWhoHasOnlyTakenIt() async throws {
        try await withBots(Self.desk()) { room in
            let bot = try room.bot("Desk")
            for name in ["Staff", "ann", "Kitchen"] { _ = try await room.person(name) }
            #expect(await bot.chat(named: "Kitchen")?.contact != nil)
            for name in ["ann", "@ann", "Kitchen", "@Kitchen", "#Kitchen", "kitchen", "Staff_1", "@Staff", "", "@", "#"] {
                #expect(try await bot.destination(name)?.reference == nil, "\(name)")
            }
            for name in ["Staff", "#Staff", "staff", "STAFF", "#staff"] {
                #expect(try await bot.destination(name)?.group?.info.groupProfile.displayName == "Staff", "\(name)")
            }
            let ann = try await room.person("Annika", trustedAs: "ann")
            for name in ["ann", "@ann", "ANN", "@Ann"] { #expect(isTrustedChat(try await bot.destination(name)), "\(name)") }
            #expect(try await bot.destination("#ann")?.reference == nil)
            #expect(try await bot.destination("Annika")?.reference == nil, "a name of her own choice")
            _ = ann
        }
    }

    @Test func aGroupOfAStrangerIsNotMeantAndOneOfATrustedContactIs() async throws {
        try await withBots(Self.desk()) { room in
            let bot = try room.bot("Desk"), mallory = try await room.person("Mallory")
            try await mallory.makeGroup(GroupSettings("Team"))
            try await mallory.invite("Desk", to: "Team")
            try await room.settle()
            #expect(await bot.groups.group(named: "Team") != nil)
            #expect(try await bot.destination("Team")?.reference == nil)
            let ann = try await room.person("Annika", trustedAs: "ann")
            try await ann.makeGroup(GroupSettings("Crew"))
            try await ann.invite("Desk", to: "Crew")
            try await room.settle()
            let crew = try #require(try await bot.destination("crew")?.group)
            #expect(crew.displayName == "Crew")
            // The name stays with the group, whatever the group is called later, and whatever others are called.
            try await ann.update(group: "Crew") { $0.displayName = "Others" }
            try await mallory.makeGroup(GroupSettings("Crew"))
            try await mallory.invite("Desk", to: "Crew")
            try await room.settle()
            #expect(try await bot.destination("Crew")?.group?.id == crew.id)
            try await room.restart()
            #expect(try await room.bot("Desk").destination("Crew")?.group?.id == crew.id)
            #expect(try await room.bot("Desk").destination("Team")?.reference == nil)
        }
    }

    @Test func aGroupThatTheBotHasMadeKeepsItsNameWhateverAStrangerMakesItAnOwnerOf() async throws {
        var bot = Self.desk()
        bot.groups = []
        try await withBots(bot) { room in
            let desk = try room.bot("Desk")
            let made = try await desk.groups.create(GroupSettings("Board"))
            #expect(try await desk.destination("Board")?.group?.id == made.id)
            #expect(try await desk.groups.managed("staff")?.id == nil)
            let mallory = try await room.person("Mallory")
            try await mallory.makeGroup(GroupSettings("Board"))
            try await mallory.invite("Desk", to: "Board", as: .owner)
            try await room.settle()
            #expect(try await desk.destination("Board")?.group?.id == made.id)
            #expect(await desk.groups.all.filter { $0.displayName == "Board" }.count == 2)
        }
    }

    @Test func aCustomerWhoTakesTheNameOfAGroupGetsNothing() async throws {
        var bot = Self.desk()
        bot.address = .business(welcome: nil)
        bot.groups = []
        try await withBots(bot) { room in
            let customer = try await room.stranger("Kitchen")
            let profile = try #require(room.profiles.first)
            _ = try await customer.core.connect(by: try #require(profile.shortAddress ?? profile.address), as: customer.user)
            try await customer.expectMembership(of: "Desk")
            try await room.settle()
            #expect(await profile.client.groups.all.contains { $0.info.businessChat != nil })
            #expect(try await profile.client.destination("Kitchen")?.reference == nil)
        }
    }
}
