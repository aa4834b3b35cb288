import ChatAPI
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Edits of a live message that are asked for while an earlier one is on its way.
@Suite(.timeLimit(.minutes(5))) struct LiveMessageOrderTests {
    private struct Edit: Equatable {
        let text: String
        let isLive: Bool
    }

    /// Runs a body with a live message whose first edit waits until the body opens the gate.
    ///
    /// - Returns: the edits, in the order in which the core was given them.
    private static func edits(
        _ body: @Sendable (LiveMessage, ManualClock, _ begun: Gate, _ gate: Gate, ScriptedCore) async throws -> Void
    ) async throws -> [Edit] {
        let runner = try BotSessionRunner(), core = runner.core, begun = Gate(), gate = Gate(), clock = ManualClock()
        try core.add(contact: 4, name: "ann")
        try await runner.run(Bot("Writer") {}) { profiles, _ in
            let sent = try await #require(await profiles[0].client.chat(.direct(4))).sendLive("…")
            core.hold.withLock {
                $0 = { command in
                    guard case .messages(.update) = command else { return }
                    begun.open()
                    await gate.wait()
                }
            }
            try await body(LiveMessage(sent.sent, text: "…", every: .seconds(1), clock: clock), clock, begun, gate, core)
        }
        return core.state.withLock(\.commands).compactMap {
            if case .messages(.update(_, _, let message, let isLive)) = $0 { Edit(text: message.content.text, isLive: isLive) } else { nil }
        }
    }

    @Test(
        arguments: [
            (["a"], "ab", ["a", "ab"]), (["a", "ab"], nil, ["a", "ab"]), (["a", "ab", "abc"], nil, ["a", "abc"]), (["a", "ab"], "abc", ["a", "abc"]),
            (["a", "ab", "a"], nil, ["a"]), (["a"], "a", ["a", "a"]),
        ] as [([String], String?, [String])])
    func theNewestTextIsShownLastWhateverWasPassedOver(_ updates: [String], _ whole: String?, _ shown: [String]) async throws {
        let edits = try await Self.edits { live, clock, begun, gate, _ in
            try await withThrowingTaskGroup(of: Void.self) { calls in
                for (number, text) in updates.enumerated() {
                    clock.advance(by: .seconds(1))
                    calls.addTask { try await live.update(text) }
                    if number == 0 { await begun.wait() }
                    try await eventually("the call waits") { await live.waitingCount == number }
                }
                if let whole {
                    calls.addTask { try await live.finish(whole) }
                    try await eventually("the end waits") { await live.waitingCount == updates.count }
                }
                gate.open()
                try await calls.waitForAll()
            }
        }
        #expect(edits.map(\.text) == shown)
        #expect(edits.map(\.isLive) == shown.indices.map { whole == nil || $0 < shown.count - 1 })
    }

    @Test func anEditThatFailsDoesNotHoldUpTheNext() async throws {
        let edits = try await Self.edits { live, clock, begun, gate, core in
            core.state.withLock { $0.failures = [ChatCoreError(.unsupported, "the message is gone")] }
            clock.advance(by: .seconds(1))
            let first = Task { try await live.update("a") }
            await begun.wait()
            let last = Task { try await live.finish("ab") }
            try await eventually("the end waits") { await live.waitingCount == 1 }
            gate.open()
            await #expect(throws: ChatCoreError.self) { try await first.value }
            try await last.value
        }
        #expect(edits == [Edit(text: "a", isLive: true), Edit(text: "ab", isLive: false)])
    }
}
