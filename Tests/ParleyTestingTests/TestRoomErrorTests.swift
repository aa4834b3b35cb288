import ChatAPI
import Parley
import ParleyTesting
import Testing

/// What the author of a test is told who asks for something that is not there.
@Suite struct TestRoomErrorTests {
    private static func bots() -> [Bot] {
        var keeper = Bot("Keeper", id: "k") { On(.text) { try await $0.reply("Hello") } }
        keeper.groups = [ManagedGroup("lobby", GroupSettings("Lobby")), ManagedGroup("closed", GroupSettings("Closed"), linkRole: nil)]
        return [keeper, Bot("Hermit", address: .none) {}]
    }

    @Test func eachWrongNameIsTold() async throws {
        try await withBots(Self.bots()) { room in
            let ann = try await room.person("Ann"), ben = try await room.stranger("Ben")
            func message(_ body: @Sendable () async throws -> Void) async -> String {
                do {
                    try await body()
                    return "no error"
                } catch {
                    return "\(error)"
                }
            }
            let told = [
                await message { _ = try room.bot("nobody") }, await message { _ = try await room.person("Cat", with: "nobody") },
                await message { try await ann.connect(with: "nobody") }, await message { try await ben.connect(with: "Hermit") },
                await message { try await ben.request("Hermit") }, await message { try await ben.say("hi") },
                await message { try await ben.expect("hi") }, await message { try await ann.say("hi", in: "Lobby") },
                await message { try await ann.join(group: "cellar") }, await message { try await ann.join(group: "closed") },
                await message { try await ann.subscribe(to: "news") }, await message { try await ann.react("🦖") },
                await message { try await ann.expectReaction("🦖") }, await message { try await ann.leave("Lobby") },
                await message { try await ann.invite("Hermit", to: "Lobby") },
                await message { try await ann.send(file: "/nowhere/file.txt") },
            ]
            #expect(
                told == [
                    "there is no bot \"nobody\"", "there is no bot \"nobody\"", "there is no bot \"nobody\"", "Hermit has no address", "Hermit has no address",
                    "Ben has not connected with a bot", "Ben has not connected with a bot", "Ann has no chat \"Lobby\"",
                    "no bot keeps a group \"cellar\" with a link", "no bot keeps a group \"closed\" with a link", "no bot keeps a channel \"news\" with a link",
                    "\"🦖\" is not a reaction", "\"🦖\" is not a reaction", "Ann is in no group \"Lobby\"", "Ann is not connected with Hermit",
                    "file.notFound: there is no file /nowhere/file.txt, or it cannot be read",
                ])
            try await ann.expectNothing()
        }
    }

    @Test func botsThatCouldNotStartDoNotStartInATestEither() async throws {
        let faulty = Bot("Faulty") { On(.matches("(")) { _ in } }
        await #expect(throws: HandlerFault.self) { try await withBots(faulty) { _ in } }
        let error = await #expect(throws: HostError.self) { try await withBots(Bot("Ann") {}, Bot("Ben", id: "Ann") {}) { _ in } }
        #expect(error?.message == "two bots have the id \"Ann\": give each its own")
    }

    @Test func aWrongAnswerIsToldWithThePlaceAndTheConversation() async throws {
        try await withBots(Self.bots()) { room in
            let ann = try await room.person("Ann"), line = #line
            try await ann.say("hi")
            let error = await #expect(throws: ConversationError.self) { try await ann.expect("Goodbye") }
            #expect(error?.message == "Ann expected \"Goodbye\", and got \"Hello\"")
            #expect(error?.file.hasSuffix("TestRoomErrorTests.swift") == true && error?.line == line + 2)
            #expect(error?.conversation.split(separator: "\n").count == 2)
            // The message is used up: what follows is compared with the next one.
            try await ann.say("hi")
            let next = await #expect(throws: ConversationError.self) { try await ann.expectNothing() }
            #expect(next?.message == "Ann expected nothing, and got \"Hello\"")
            try await ann.expect("Hello")
            try await ann.expectNothing()
        }
    }

    @Test func whatABodyThrowsIsThrownAndTheFolderIsGone() async throws {
        struct Problem: Error {}
        await #expect(throws: Problem.self) { try await withBots(Self.bots()) { _ in throw Problem() } }
        #expect(try await withBots(Self.bots()) { room in try room.bot("k").bot.name } == "Keeper")
    }
}
