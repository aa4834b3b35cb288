import ChatAPI
import Synchronization
import TestSupport
import Testing

@testable import Parley

private enum Order: DialogueState {
    case size
    static let timeout: Duration? = .seconds(60)
}

/// Timers that become due while the job of their chat takes them back: they wait behind it, and are not there any more when their turn comes.
@Suite(.timeLimit(.minutes(5))) struct WithdrawnTimerTests {
    /// A bot whose handlers wait before they take a timer back.
    private static func bot(_ begun: Gate, _ gate: Gate, _ log: EventLog<String>) -> Bot {
        Bot("Reminder") {
            On(.text("remind")) { message in
                try await message.schedule("tea", key: "k", after: .seconds(60))
                try await message.send("I will.")
            }
            On(.text("order")) { try await $0.begin(Order.size, "Which size?") }
            On(.dialogue(Order.self)) { step in
                begun.open()
                await gate.wait()
                try await step.stay("A number, please.")
            }
            On(.text) { message in
                begun.open()
                await gate.wait()
                switch message.text {
                case "cancel": try await message.client.cancelScheduled("tea", key: "k")
                case "snooze": try await message.schedule("tea", key: "k", after: .seconds(60))
                case "forget": try await message.deleteData()
                default: break
                }
                try await message.send("Done.")
            }
            On(.scheduled("tea")) { _ in log.add("tea") }
            On(.dialogueTimeout(Order.self)) { _ in log.add("too late") }
        }
    }

    @Test(
        arguments: [
            ("remind", "cancel", [], 0), ("remind", "snooze", [], 1), ("remind", "forget", [], 0), ("remind", "wait", ["tea"], 0),
            ("order", "big", [], 1),
        ] as [(String, String, [String], Int)])
    func aTimerRunsOnlyIfItIsStillThereWhenItsTurnComes(_ first: String, _ second: String, _ runs: [String], _ left: Int) async throws {
        let runner = try BotSessionRunner(), core = runner.core, begun = Gate(), gate = Gate(), log = EventLog<String>()
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.bot(begun, gate, log)) { _, session in
            core.receive(first, from: ann)
            await core.waitForSent(1, to: 4)
            core.receive(second, from: ann)
            await begun.wait()
            await runner.pass(.seconds(60))
            try await eventually("the timer waits in the queue") { await session.status().profiles.first?.waiting == 1 }
            gate.open()
            await core.waitForSent(2, to: 4)
        }
        #expect(log.all == runs)
        let once = try await runner.store.timers(.once, of: 1), dialogues = try await runner.store.timers(.dialogue, of: 1)
        #expect(once.count + dialogues.count == left)
    }
}
