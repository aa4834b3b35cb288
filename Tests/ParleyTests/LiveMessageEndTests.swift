import ChatAPI
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// The end of a live message that fails, and is asked for again.
@Suite(.timeLimit(.minutes(5))) struct LiveMessageEndTests {
    private static let gone = ChatCoreError(.unsupported, "no network")
    /// A text of three messages.
    private static let whole = String(repeating: "word ", count: 7_000)

    /// Runs a body with a live message that may be edited at any time.
    ///
    /// - Returns: the edits with whether they leave the message live, and the messages that follow it.
    private static func run(
        _ body: @Sendable (LiveMessage, ScriptedCore) async throws -> Void
    ) async throws -> (edits: [String], isLive: [Bool], following: [String]) {
        let runner = try BotSessionRunner(), core = runner.core, clock = ManualClock()
        try core.add(contact: 4, name: "ann")
        try await runner.run(Bot("Writer") {}) { profiles, _ in
            let sent = try await #require(await profiles[0].client.chat(.direct(4))).sendLive("…").sent
            let live = LiveMessage(sent, text: "…", every: .seconds(1), clock: clock)
            clock.advance(by: .seconds(5))
            try await body(live, core)
        }
        let edits = core.state.withLock(\.commands).compactMap {
            if case .messages(.update(_, _, let message, let isLive)) = $0 { (message.content.text, isLive) } else { nil }
        }
        return (edits.map(\.0), edits.map(\.1), Array(core.sent(to: 4).dropFirst()))
    }

    /// The first command shows the beginning, and the others send what follows it.
    @Test(arguments: 1...3) func anEndThatHasFailedIsMadeAgainFromWhereItFailed(_ failing: Int) async throws {
        let count = Mutex(0), parts = Mutex<[String]>([])
        let (edits, isLive, following) = try await Self.run { live, core in
            let limit = LongText.limit(in: live.sent.chat.info)
            parts.withLock { $0 = LongText.parts(of: Self.whole, first: limit, other: limit) }
            core.hold.withLock {
                $0 = { command in
                    guard case .messages = command else { return }
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    if number == failing { core.state.withLock { $0.failures = [Self.gone] } }
                }
            }
            await #expect(throws: ChatCoreError.self) { try await live.finish(Self.whole) }
            try await live.update("a text that comes too late")
            for _ in 1...2 { try await live.finish(Self.whole) }
        }
        let expected = parts.withLock(\.self)
        #expect(expected.count == 3 && following == Array(expected.dropFirst()))
        #expect(edits == [expected[0], expected[0]] && isLive == [false, false])
    }

    @Test func whoEndsItAtTheSameTimeEndsItIfTheFirstOneFails() async throws {
        let begun = Gate(), gate = Gate()
        let (edits, isLive, _) = try await Self.run { live, core in
            core.state.withLock { $0.failures = [Self.gone] }
            core.hold.withLock {
                $0 = { command in
                    guard case .messages(.update) = command else { return }
                    begun.open()
                    await gate.wait()
                }
            }
            let first = Task { try await live.finish("whole") }
            await begun.wait()
            let second = Task { try await live.finish("whole") }
            gate.open()
            await #expect(throws: ChatCoreError.self) { try await first.value }
            try await second.value
        }
        #expect(edits == ["whole", "whole"] && isLive == [false, false])
    }
}
