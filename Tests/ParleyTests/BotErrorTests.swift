import ChatAPI
import ChatProtocol
import Foundation
import Testing

@testable import Hosting
@testable import Parley

/// What the author of a bot is told who asks for something that is not possible: a code for programs, and a sentence with the reason and the way out.
@Suite(.timeLimit(.minutes(5))) struct BotErrorTests {
    private struct Mistake: Sendable, CustomTestStringConvertible {
        let code: String
        /// Parts of the sentence.
        let parts: [String]
        let make: @Sendable (BotClient) async throws -> Void

        var testDescription: String { "\(code) \(parts)" }

        init(_ code: String, _ parts: String..., make: @escaping @Sendable (BotClient) async throws -> Void) {
            (self.code, self.parts, self.make) = (code, parts, make)
        }
    }

    private static func chat(_ client: BotClient) async throws -> BotChat { try #require(await client.chat(.direct(4))) }

    private static let mistakes = [
        Mistake("core.unsupported", "the bot has no chat @99") { try await $0.send("x", to: .direct(99)) },
        Mistake("core.unsupported", "the bot has no chat #99") { _ = try await $0.sendAndWait("x", to: .group(99)) },
        Mistake("state.notRunning", "name the chat or the person", ".chat(reference)", ".person(id)") { _ = try await $0.state(Empty.self, of: .chat) },
        Mistake("state.notRunning", "name the chat or the person") { try await $0.update(Empty.self, of: .person) { _ in } },
        Mistake("reply.tooLong", "at most 600.0 seconds", "use a Conversation") { _ = try await chat($0).sendAndWait("x", within: .seconds(601)) },
        Mistake("reply.timedOut", "nobody answered within 0.0 seconds") { _ = try await chat($0).sendAndWait("x", within: .zero) },
        Mistake("core.unsupported", "\"🦖\" is not a reaction", "there are 👍") {
            try await chat($0).effects.react(to: 1, "🦖", added: true, in: .direct(4))
        },
        Mistake("file.notFound", "there is no file /nowhere/a.txt, or it cannot be read") {
            try await $0.broadcast(OutgoingFile("/nowhere/a.txt"), to: [.direct(4)], onceAs: "x")
        },
        Mistake("file.notFound", "there is no picture /nowhere/a.png") { _ in _ = try BotProfile.picture(from: "/nowhere/a.png") },
        Mistake("file.picture", "is no JPEG, PNG or WebP picture") { _ in _ = try BotProfile.picture(from: #filePath) },
        Mistake("core.unsupported", "the bot news has no chat @99") { client in
            let item = ScriptedCore.item(1, .receivedMessage(content: .text("x")), .directReceived, "x")
            try await MessageContext(chat: chat(client), item: item, content: .text("x")).forward(to: .direct(99), through: client)
        },
        Mistake("file.none") { client in
            let item = ScriptedCore.item(1, .receivedMessage(content: .text("x")), .directReceived, "x")
            _ = try await MessageContext(chat: chat(client), item: item, content: .text("x")).file()
        },
    ]

    private struct Empty: StoredState {}

    @Test(arguments: mistakes) private func isToldWithItsCode(_ mistake: Mistake) async throws {
        let runner = try BotSessionRunner()
        try runner.core.add(contact: 4, name: "ann")
        try await runner.run(Bot("News", id: "news") {}) { profiles, _ in
            do {
                try await mistake.make(profiles[0].client)
                Issue.record("no error")
            } catch let error as any CodedError {
                #expect(ErrorCode.of(error) == mistake.code)
                for part in mistake.parts { #expect(error.message.contains(part), "\(error.message)") }
                #expect(error.description == "\(mistake.code): \(error.message)", "as it is logged")
            }
        }
    }

    @Test func aFailedHandlerIsKnownByTheCodeOfItsErrorAndAnErrorWithoutOneAsAHandlers() async throws {
        struct Plain: Error {}
        let monitor = HostMonitor()
        let bot = Bot("News", id: "news") {
            On(.text("coded")) { _ in throw BotStateError(.tooLarge, "x") }
            On(.text("plain")) { _ in throw Plain() }
            On(.text("core")) { try await $0.client.send("x", to: .direct(99)) }
        }
        let runner = try BotSessionRunner(monitor: monitor), ann = try runner.core.add(contact: 4, name: "ann")
        try await runner.run(bot) { _, _ in for text in ["coded", "plain", "core"] { runner.core.receive(text, from: ann) } }
        #expect(monitor.failures.map(\.code) == ["core.unsupported", "handler", "state.tooLarge"])
        #expect(monitor.failures.allSatisfy { $0.bot == "news" && $0.place.contains("BotErrorTests.swift:") })
    }
}
