import ChatAPI
import EncryptedSQLite
import GRDB
import Testing

@testable import Parley

/// What a handler of one bot does through another.
@Suite(.timeLimit(.minutes(5))) struct OtherBotTests {
    private static func bots() -> [Bot] {
        [
            Bot("Clerk", id: "clerk") {
                On(.text) { message in
                    try await message.client.other("courier")?.send("first", to: .direct(4))
                    try await message.send("own")
                    try await message.client.other("courier")?.send("second", to: .direct(5))
                    guard let courier = message.client.other("courier") else { return }
                    for text in ["third", "fourth"] { try await courier.send(text, to: .direct(5)) }
                }
            },
            Bot("Courier", id: "courier") {},
        ]
    }

    @Test func eachMessageIsSentAndNoneTwiceWhenTheHandlerRunsAgain() async throws {
        let runner = try BotSessionRunner(), core = runner.core, ann = try core.add(contact: 4, name: "ann")
        try core.add(contact: 5, name: "ben")
        let bots = Self.bots()
        try await runner.run(bots[0], bots[1]) { _, _ in core.receive("go", from: ann) }
        #expect(core.sent(to: 4) == ["first", "own"] && core.sent(to: 5) == ["second", "third", "fourth"])
        // As if the process had died before it was noted that the message is handled.
        try await runner.store.database.write { db in try db.execute(sql: "DELETE FROM chat_progress") }
        let later = try runner.restarted()
        try await later.run(bots[0], bots[1]) { _, session in await session.settle() }
        #expect(later.core.sent(to: 4) == ["first", "own"] && later.core.sent(to: 5) == ["second", "third", "fourth"])
    }

    @Test func aBotIsFoundByItsIDAndAlsoByItself() async throws {
        let runner = try BotSessionRunner()
        try runner.core.add(contact: 4, name: "ann")
        let bots = Self.bots()
        try await runner.run(bots[0], bots[1]) { profiles, _ in
            let client = profiles[0].client
            #expect(client.other("courier")?.bot.name == "Courier" && client.other("clerk")?.bot == client.bot)
            #expect(client.other("Courier") == nil && client.other("") == nil)
            // Outside of handlers each call is one of its own.
            for _ in 1...2 { try await client.other("courier")?.send("news", to: .direct(4)) }
        }
        #expect(runner.core.sent(to: 4) == ["news", "news"])
    }
}
