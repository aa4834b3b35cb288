import ChatAPI
import ChatProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// What a broadcast makes of its list of chats, its key and its file.
@Suite(.timeLimit(.minutes(5))) struct BroadcastRuleTests {
    private static let bot = Bot("News") { On(.text("x")) { _ in } }

    /// Runs a bot with the contacts 1 to 3.
    private static func run(_ runner: BotSessionRunner, _ body: @escaping @Sendable (BotClient) async throws -> Void) async throws {
        for id in 1...3 { try runner.core.add(contact: ContactID(Int64(id)), name: "person \(id)") }
        try await runner.run(bot) { profiles, _ in try await body(profiles[0].client) }
    }

    private static func finish(_ key: String, of client: BotClient) async throws -> BroadcastProgress {
        try await eventually("it is finished") { try await client.broadcastProgress(key)?.isFinished == true }
        return try #require(try await client.broadcastProgress(key))
    }

    @Test func aChatThatIsNamedTwiceGetsItOnce() async throws {
        let runner = try BotSessionRunner()
        try await Self.run(runner) { client in
            let begun = try await client.broadcast("news", to: [.direct(1), .direct(2), .direct(1), .direct(1)], onceAs: "monday")
            #expect(begun == BroadcastProgress(total: 2, sent: 0, failed: 0))
            let done = try await Self.finish("monday", of: client)
            #expect(done == BroadcastProgress(total: 2, sent: 2, failed: 0))
        }
        #expect((1...3).map { runner.core.sent(to: ContactID($0)) } == [["news"], ["news"], []])
    }

    @Test func aKeyBelongsToItsFirstBroadcastAlsoWithOtherTextsAndChats() async throws {
        let runner = try BotSessionRunner()
        try await Self.run(runner) { client in
            try await client.broadcast("first", to: [.direct(1)], onceAs: "monday")
            _ = try await Self.finish("monday", of: client)
            let again = try await client.broadcast("second", to: [.direct(1), .direct(2)], onceAs: "monday")
            #expect(again == BroadcastProgress(total: 1, sent: 1, failed: 0))
        }
        #expect(runner.core.sent(to: 1) == ["first"] && runner.core.sent(to: 2) == [])
    }

    @Test func aBroadcastToNobodyIsFinishedAndLeavesItsKeyFree() async throws {
        let runner = try BotSessionRunner()
        try await Self.run(runner) { client in
            let nobody = try await client.broadcast("news", to: [], onceAs: "monday")
            #expect(nobody.isFinished && nobody.total == 0)
            let progress = try await client.broadcastProgress("monday"), cancelled = try await client.cancelBroadcast("monday")
            #expect(progress == nil && cancelled == nil)
            try await client.broadcast("news", to: [.direct(1)], onceAs: "monday")
            _ = try await Self.finish("monday", of: client)
        }
        #expect(runner.core.sent(to: 1) == ["news"])
    }

    @Test func aChatThatRefusesAMessageCountsAsFailedAndTheNextGetsIt() async throws {
        let runner = try BotSessionRunner()
        try await Self.run(runner) { client in
            runner.core.state.withLock { $0.failures = [ChatCoreError(.store(error: .largeMessage)), ChatCoreError(.unsupported, "no")] }
            try await client.broadcast("news", to: [.direct(1), .direct(2), .direct(99), .direct(3)], onceAs: "monday")
            let done = try await Self.finish("monday", of: client)
            #expect(done == BroadcastProgress(total: 4, sent: 1, failed: 3))
        }
        #expect((1...3).map { runner.core.sent(to: ContactID($0)) } == [[], [], ["news"]])
    }

    @Test func aDiskThatIsFullForAMomentLeavesNobodyOut() async throws {
        let runner = try BotSessionRunner()
        try await Self.run(runner) { client in
            runner.core.state.withLock { $0.failures = Array(repeating: SendingTests.timeout, count: CommandRetry.waits.count + 1) }
            try await client.broadcast("news", to: [.direct(1), .direct(2)], onceAs: "monday")
            try await eventually("it is finished") {
                runner.clock.advance(by: .seconds(1))
                return try await client.broadcastProgress("monday")?.isFinished == true
            }
            let done = try await client.broadcastProgress("monday")
            #expect(done == BroadcastProgress(total: 2, sent: 2, failed: 0))
        }
        #expect((1...3).map { runner.core.sent(to: ContactID($0)) } == [["news"], ["news"], []])
    }

    @Test func aFinishedBroadcastCannotBeCancelled() async throws {
        let runner = try BotSessionRunner()
        try await Self.run(runner) { client in
            try await client.broadcast("news", to: [.direct(1)], onceAs: "monday")
            let done = try await Self.finish("monday", of: client), cancelled = try await client.cancelBroadcast("monday")
            #expect(cancelled == done && !done.isCancelled)
        }
    }

    @Test func ofAHandlerThatFailsNothingIsSent() async throws {
        struct Problem: Error {}
        let bot = Bot("News") {
            On(.text("go")) { message in
                try await message.client.broadcast("news", to: [.direct(1)], onceAs: "monday")
                throw Problem()
            }
        }
        let runner = try BotSessionRunner(), ann = try runner.core.add(contact: 1, name: "ann")
        try await runner.run(bot) { _, session in runner.core.receive("go", from: ann) }
        let later = try runner.restarted()
        try await later.run(bot) { profiles, session in
            await session.settleTimers()
            let progress = try await profiles[0].client.broadcastProgress("monday")
            #expect(progress == nil)
        }
        #expect(later.core.sent(to: 1) == [])
    }

    @Test(
        arguments: [
            ("none.txt", OutgoingFile.Appearance.file, "file.notFound"), ("none.jpg", .image, "file.notFound"), ("empty.jpg", .image, "file.picture"),
            ("fine.txt", .video(seconds: 3, thumbnail: "/nowhere/none.png"), "file.notFound"), ("fine.txt", .video(seconds: 3, thumbnail: nil), nil),
            ("fine.txt", .image, nil), ("fine.txt", .voice(seconds: -1), nil),
        ] as [(String, OutgoingFile.Appearance, String?)])
    func aFileThatCannotBeSentIsRefusedBeforeAnybodyGetsIt(_ name: String, _ appearance: OutgoingFile.Appearance, _ code: String?) async throws {
        let folder = try TemporaryFolder(), path = folder.path + "/" + name
        for (name, content) in [("fine.txt", "words"), ("empty.jpg", "")] { try Data(content.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)")) }
        try await Self.run(try BotSessionRunner()) { client in
            var refused: String?
            do {
                try await client.broadcast(OutgoingFile(path, as: appearance), to: [.direct(1)], onceAs: "monday")
            } catch let error as BotFileError {
                refused = error.code.rawValue
                #expect(error.message.contains("/"), "the path is told")
            }
            #expect(refused == code)
            let progress = try await client.broadcastProgress("monday")
            #expect((progress == nil) == (code != nil))
        }
    }
}
