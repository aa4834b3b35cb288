import ChatAPI
import Foundation
import TestSupport
import Testing

@testable import Parley

private enum Order: DialogueState {
    case size
    case address(size: Int)
    static let timeout: Duration? = .seconds(600)
}

@Suite("A dialogue") struct DialogueTests {
    private static func pizzeria() -> Bot {
        Bot("Pizza") {
            On(.command("cancel")) { message in
                try await message.endDialogue(Order.self)
                try await message.send("Cancelled.")
            }
            On(.command("order", "Order a pizza")) { try await $0.begin(Order.size, "Which size?") }
            On(.dialogue(Order.self)) { step in
                switch step.state {
                case .size:
                    guard let size = Int(step.text) else { return try await step.stay("A number, please.") }
                    try await step.next(.address(size: size), "Where to?")
                case .address(let size): try await step.end("\(size) to \(step.text)")
                }
            }
            On(.dialogueTimeout(Order.self)) { try await $0.send("Too late.") }
            On(.anyMessage) { try await $0.send("?") }
        }
    }

    @Test("goes from state to state, and asks again for what it cannot use") func states() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann"), ben = try core.add(contact: 5, name: "ben")
        try await runner.run(Self.pizzeria()) { _, _ in
            for text in ["/order", "big", "30", "Rue 1", "and now?"] { core.receive(text, from: ann) }
            core.receive("30", from: ben)
            await core.waitForSent(5, to: 4)
            await core.waitForSent(1, to: 5)
        }
        #expect(core.sent(to: 4) == ["Which size?", "A number, please.", "Where to?", "30 to Rue 1", "?"])
        #expect(core.sent(to: 5) == ["?"])
    }

    @Test("goes on after a restart, and can be cancelled") func restart() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.pizzeria()) { _, _ in
            for text in ["/order", "28"] { core.receive(text, from: ann) }
            await core.waitForSent(2, to: 4)
        }
        let later = try runner.restarted(after: .seconds(60))
        try await later.run(Self.pizzeria()) { _, _ in
            for text in ["Rue 2", "/order", "/cancel", "20"] { later.core.receive(text, from: ann) }
            await later.core.waitForSent(6, to: 4)
        }
        #expect(later.core.sent(to: 4) == ["Which size?", "Where to?", "28 to Rue 2", "Which size?", "Cancelled.", "?"])
    }

    @Test("ends when nobody continues it in time") func timeout() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.pizzeria()) { _, _ in
            core.receive("/order", from: ann)
            await core.waitForSent(1, to: 4)
            await runner.pass(.seconds(60))
            for _ in 1...9 { await runner.pass(.seconds(60)) }
            await core.waitForSent(2, to: 4)
            core.receive("30", from: ann)
            await core.waitForSent(3, to: 4)
        }
        #expect(core.sent(to: 4) == ["Which size?", "Too late.", "?"])
    }

    @Test("that ended while the bot was not running says so at the next start") func timeoutWhileDown() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.pizzeria()) { _, _ in
            core.receive("/order", from: ann)
            await core.waitForSent(1, to: 4)
        }
        let later = try runner.restarted(after: .seconds(601))
        try await later.run(Self.pizzeria()) { _, _ in await later.core.waitForSent(2, to: 4) }
        #expect(later.core.sent(to: 4) == ["Which size?", "Too late."])
    }

    @Test("whose state another version of the program stored is left alone") func unreadable() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        var batch = HandlerChanges.Batch()
        batch.dialogues["@4"] = .some(DialogueRecord(name: "Order", state: .init("{\"gone\":{}}".utf8), expires: nil))
        try await runner.store.commit(batch, .none, of: 1)
        try await runner.run(Self.pizzeria()) { _, _ in
            core.receive("30", from: ann)
            await core.waitForSent(1, to: 4)
        }
        #expect(core.sent(to: 4) == ["?"])
    }
}
