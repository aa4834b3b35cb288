import ChatAPI
import TestSupport
import Testing

@testable import Parley

/// Handlers of several bots, which run in one process.
@Suite(.timeLimit(.minutes(5))) struct SharedSlotsTests {
    /// As many people as handlers can run at once, and more, who write to the first bot.
    private func crowd(_ core: ScriptedCore) throws -> [Contact] { try (10..<40).map { try core.add(contact: ContactID($0), name: "p\($0)") } }

    @Test func aBotWhoseHandlersAllWaitLeavesSlotsToTheOthers() async throws {
        let gate = Gate(), runner = try BotSessionRunner(), core = runner.core, begun = EventLog<String>()
        let slow = Bot("Slow") {
            On(.text) { message in
                begun.add(message.text)
                await gate.wait()
            }
        }
        let quick = Bot("Quick") { On(.text) { try await $0.send("re: \($0.text)") } }
        let ann = try core.add(contact: 4, name: "ann"), people = try crowd(core)
        try await runner.run(slow, quick) { _, session in
            for person in people { core.receive("to slow", from: person, by: 1) }
            try await eventually("the slow bot has what it may have") { begun.all.count == 6 }
            for number in 1...3 {
                core.receive("\(number)", from: ann, by: 2)
                await core.waitForSent(number, to: 4)
            }
            #expect(begun.all.count == 6, "three quarters of eight are for one bot at the most")
            gate.open()
            await session.settle()
        }
        #expect(core.sent(to: 4) == ["re: 1", "re: 2", "re: 3"] && begun.all.count == people.count)
    }

    @Test func aBotThatIsAloneHasAllSlots() async throws {
        let gate = Gate(), runner = try BotSessionRunner(), core = runner.core, begun = EventLog<String>()
        let slow = Bot("Slow") {
            On(.text) { message in
                begun.add(message.text)
                await gate.wait()
            }
        }
        let people = try crowd(core)
        try await runner.run(slow) { _, session in
            for person in people { core.receive("to slow", from: person) }
            try await eventually("all slots are in use") { begun.all.count == 8 }
            gate.open()
            await session.settle()
        }
        #expect(begun.all.count == people.count)
    }

    /// One whose handler fails in each way gives its slot back.
    @Test func whoFailsHoldsUpNobody() async throws {
        struct Failure: Error {}
        let runner = try BotSessionRunner(), core = runner.core
        let bot = Bot("Clumsy") {
            On(.text("throw")) { _ in throw Failure() }
            On(.text("cancel")) { _ in throw CancellationError() }
            On(.text("cancelled")) { _ in withUnsafeCurrentTask { $0?.cancel() } }
            On(.text) { try await $0.send("re: \($0.text)") }
        }
        let ann = try core.add(contact: 4, name: "ann"), people = try crowd(core)
        try await runner.run(bot) { _, _ in
            for word in ["throw", "cancel", "cancelled"] { for person in people { core.receive(word, from: person) } }
            core.receive("still there?", from: ann)
            await core.waitForSent(1, to: 4)
        }
        #expect(core.sent(to: 4) == ["re: still there?"])
    }
}
