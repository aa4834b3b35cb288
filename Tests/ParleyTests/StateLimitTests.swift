import ChatAPI
import Foundation
import Testing

@testable import Hosting
@testable import Parley

private struct Text: StoredState { var text = "" }

/// Settings as a program wrote them, and as the next version of it has them.
private struct First: StoredState {
    var lang = "en"
    static let stateName = "Settings"
}

private struct Second: StoredState {
    var language = "en"
    static let stateName = "Settings"
    static let stateVersion = 2
    static func migrating(_ json: Data, from version: Int) throws -> Second { Second(language: try JSONDecoder().decode(First.self, from: json).lang) }
}

/// A version that has forgotten how to read the ones before it.
private struct Fourth: StoredState {
    var tongue = "en"
    static let stateName = "Settings"
    static let stateVersion = 4
}

/// Values that are too large, and values of other versions of a program, in a running bot.
@Suite(.timeLimit(.minutes(5))) struct StateLimitTests {
    /// The code of the error that a body throws.
    private static func code(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "none"
        } catch {
            return ErrorCode.of(error) ?? "\(error)"
        }
    }

    /// Runs a bot without handlers.
    private static func run(_ runner: BotSessionRunner, _ body: @escaping @Sendable (BotClient) async throws -> Void) async throws {
        try await runner.run(Bot("Keeper") {}) { profiles, _ in try await body(profiles[0].client) }
    }

    @Test(arguments: [(0, "none"), (1, "state.tooLarge")]) func aValueMayHaveAMebibyte(_ excess: Int, _ expected: String) async throws {
        // The rest is `{"text":""}`.
        let text = String(repeating: "x", count: BotStateError.largestValue - 11 + excess)
        let bot = Bot("Keeper") {
            On(.text("store")) { message in
                try await message.update(Text.self, of: .bot) { $0.text = "before" }
                try await message.send(await Self.code { try await message.update(Text.self) { $0.text = text } })
            }
            On(.text("schedule")) { message in
                try await message.send(await Self.code { try await message.schedule("x", after: .seconds(60), Text(text: text)) })
            }
        }
        let runner = try BotSessionRunner(), ann = try runner.core.add(contact: 4, name: "ann")
        try await runner.run(bot) { profiles, _ in
            for text in ["store", "schedule"] { runner.core.receive(text, from: ann) }
            let outside = await Self.code { try await profiles[0].client.update(Text.self, of: .person(.contact(9))) { $0.text = text } }
            #expect(outside == expected)
        }
        #expect(runner.core.sent(to: 4) == [expected, expected])
        // What a handler had changed before it was refused, and caught that, is stored.
        #expect(try Text(stored: try await runner.store.value(StateKey(scope: "", name: "Text"), of: 1)).text == "before")
    }

    @Test func aValueGoesFromVersionToVersionAndNeverBack() async throws {
        let runner = try BotSessionRunner()
        try await Self.run(runner) { try await $0.update(First.self) { $0.lang = "de" } }
        try await Self.run(try runner.restarted()) { bot in
            let read = try await bot.state(Second.self).language
            #expect(read == "de")
            // Reading stores nothing: an earlier program still finds its own.
            let earlier = try await bot.state(First.self).lang
            #expect(earlier == "de")
            try await bot.update(Second.self) { $0.language += "-AT" }
        }
        try await Self.run(try runner.restarted()) { bot in
            let back = await #expect(throws: BotStateError.self) { try await bot.state(First.self) }
            #expect(back?.code == .version && back?.message == "Settings was stored as version 2, and this program knows version 1: run a newer one")
            let overwritten = await #expect(throws: BotStateError.self) { try await bot.update(First.self) { $0.lang = "fr" } }
            #expect(overwritten?.code == .version)
            let forgotten = await #expect(throws: BotStateError.self) { try await bot.state(Fourth.self) }
            #expect(forgotten?.message == "Settings was stored as version 2, and version 4 has no migration from it")
            let kept = try await bot.state(Second.self).language
            #expect(kept == "de-AT")
        }
    }

    @Test(arguments: ["", "[]", "null", "{", "{\"text\":5}", "{\"text\":null}", "\u{0}"]) func bytesThatAreNoValueAreToldAndKept(_ json: String) async throws {
        let runner = try BotSessionRunner(), key = StateKey(scope: "", name: "Text"), damaged = StateValue(version: 1, json: Data(json.utf8))
        _ = try await runner.store.update(key, of: 1) { _ in (damaged, 0) }
        try await Self.run(runner) { client in
            for _ in 1...2 {
                let error = await #expect(throws: BotStateError.self) { try await client.update(Text.self) { $0.text = "new" } }
                #expect(error?.code == .unreadable && error?.message.hasPrefix("Text cannot be read: ") == true)
            }
        }
        #expect(try await runner.store.value(key, of: 1) == damaged)
    }

    @Test(arguments: [0, -1, Int.min]) func aVersionFromBeforeTheFirstHasNoMigration(_ version: Int) throws {
        let error = #expect(throws: BotStateError.self) { try Text(stored: StateValue(version: version, json: Data("{\"text\":\"x\"}".utf8))) }
        #expect(error?.code == .version)
    }
}
