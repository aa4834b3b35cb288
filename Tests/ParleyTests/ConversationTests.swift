import ChatAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Parley

private enum Base: String, CaseIterable, Codable {
    case thin, deep
}

private struct Orders: StoredState { var total = 0 }

@Suite("A conversation", .timeLimit(.minutes(5))) struct ConversationTests {
    private static func pizzeria(_ works: CallCount = CallCount(), timedOut: String? = nil) -> Bot {
        var texts = ConversationTexts()
        texts.timedOut = timedOut
        return Bot("Pizza") {
            Conversation("order", on: .command("order", "Order a pizza"), in: [.contacts, .groups], timeout: .seconds(600), texts: texts) { talk in
                let size = try await talk.ask("Which size?", .integer(in: 20...60))
                let base = try await talk.choose("Which base?", of: Base.self)
                let total = try await talk.perform("count") { step in
                    works.add()
                    return try await step.update(Orders.self, of: .bot) { orders in
                        orders.total += 1
                        return orders.total
                    }
                }
                try await talk.say("Order \(total): \(size) cm, \(base.rawValue).")
                if try await talk.confirm("A drink?") { try await talk.say("Tea it is.") }
            }
            On(.anyMessage, in: [.contacts, .groups]) { try await $0.send("?") }
        }
    }

    @Test("asks one question after the other, says what is wrong with an answer, and does each step once") func steps() async throws {
        let runner = try BotSessionRunner(), core = runner.core, works = CallCount()
        let ann = try core.add(contact: 4, name: "ann"), ben = try core.add(contact: 5, name: "ben")
        try await runner.run(Self.pizzeria(works)) { _, _ in
            for text in ["/order", "big", "30", "thick", "2", "perhaps", "yes", "and now?"] { core.receive(text, from: ann) }
            core.receive("30", from: ben)
            await core.waitForSent(9, to: 4)
            await core.waitForSent(1, to: 5)
        }
        #expect(
            core.sent(to: 4) == [
                "Which size?", "Please write a whole number from 20 to 60.", "Which base?\n1. thin\n2. deep",
                "Please choose one of these, by its number or in words:\n1. thin\n2. deep", "Order 1: 30 cm, deep.", "A drink?", "Please write yes or no.",
                "Tea it is.", "?",
            ])
        #expect(core.sent(to: 5) == ["?"])
        #expect(works.value == 1)
    }

    @Test("goes on after a restart at any question") func restart() async throws {
        var runner = try BotSessionRunner()
        let ann = try runner.core.add(contact: 4, name: "ann"), works = CallCount()
        for (text, sent) in [("/order", 1), ("30", 2), ("Thin", 4), ("no", 4), ("over?", 5)] {
            let core = runner.core
            try await runner.run(Self.pizzeria(works)) { _, _ in
                core.receive(text, from: ann)
                await core.waitForSent(sent, to: 4)
            }
            runner = try runner.restarted(after: .seconds(60))
        }
        #expect(runner.core.sent(to: 4) == ["Which size?", "Which base?\n1. thin\n2. deep", "Order 1: 30 cm, thin.", "A drink?", "?"])
        #expect(works.value == 1)
    }

    @Test("whose process dies between an answer and the end of its steps does them once") func kill() async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: HostSessionTests.logger)
        let isStopping = Mutex(true)
        let bot = Bot("Shop") {
            Conversation("buy", on: .command("buy")) { talk in
                let article = try await talk.ask("What?")
                try await talk.say("You want \(article).")
                let number = try await talk.perform("reserve") { step in
                    try await step.send("Reserving under \(step.idempotencyKey).")
                    let number = try await step.update(Orders.self, of: .bot) { orders in
                        orders.total += 1
                        return orders.total
                    }
                    if isStopping.withLock(\.self) { try await suspendUntilCancelled() }
                    return number
                }
                try await talk.say("Number \(number).")
            }
        }
        let ann = try core.add(contact: 4, name: "ann")
        try await run(bot, on: core, store, stoppingWithin: .zero) {
            core.receive("/buy", from: ann)
            core.receive("tea", from: ann)
            await core.waitForSent(3, to: 4)
        }
        isStopping.withLock { $0 = false }
        let again = core.restarted()
        try await run(bot, on: again, store, stoppingWithin: .seconds(600)) { await again.waitForSent(4, to: 4) }
        #expect(again.sent(to: 4) == ["What?", "You want tea.", "Reserving under conversation/buy/item/101/2.", "Number 1."])
    }

    @Test("is cancelled by its command, begun anew by the one that begins it, and ends when nobody answers") func endings() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.pizzeria(timedOut: "Too late.")) { _, session in
            for text in ["/order", "/cancel", "30", "/order", "40", "/order"] { core.receive(text, from: ann) }
            await core.waitForSent(6, to: 4)
            await session.settle()
            await runner.pass(.seconds(60))
            for _ in 1...9 { await runner.pass(.seconds(60)) }
            await core.waitForSent(7, to: 4)
            core.receive("30", from: ann)
            await core.waitForSent(8, to: 4)
        }
        #expect(
            core.sent(to: 4) == [
                "Which size?", "Cancelled.", "?", "Which size?", "Which base?\n1. thin\n2. deep", "Which size?", "Too late.", "?",
            ])
    }

    @Test("has a hundred steps at the most", arguments: [(98, "done"), (99, "Something went wrong. Please begin again.")])
    func stepLimit(_ performed: Int, _ last: String) async throws {
        let bot = Bot("Form") {
            Conversation("long", on: .command("long")) { talk in
                _ = try await talk.ask("Go?")
                for number in 0..<performed { _ = try await talk.perform("\(number)") { _ in number } }
                // With the question and this, the steps are two more.
                try await talk.say("done")
            }
        }
        #expect(try await BotSessionRunner.answers(to: ["/long", "on"], of: bot) == ["Go?", last])
    }

    @Test("ends after four weeks, however often it is answered and whatever its timeout is") func fourWeeks() async throws {
        let bot = Bot("Diary") {
            Conversation("diary", on: .command("diary"), timeout: .seconds(100 * 86_400)) { talk in
                for day in 1...50 { _ = try await talk.ask("Entry \(day)?") }
            }
            On(.anyMessage) { try await $0.send("no diary") }
        }
        var runner = try BotSessionRunner()
        let ann = try runner.core.add(contact: 4, name: "ann")
        for (text, pause) in [("/diary", 0), ("one", 14 * 86_400), ("two", 14 * 86_400 - 1), ("three", 1), ("/diary", 0)] {
            runner = try runner.restarted(after: .seconds(pause))
            try await runner.run(bot) { [runner] _, session in
                await session.settleTimers()
                runner.core.receive(text, from: ann)
            }
        }
        #expect(runner.core.sent(to: 4) == ["Entry 1?", "Entry 2?", "Entry 3?", "no diary", "Entry 1?"])
    }

    @Test("belongs to one person and one chat of a group") func group() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let (team, bob) = try core.addGroup()
        var eve = bob
        eve.groupMemberID = 99
        eve.localDisplayName = "eve"
        let ann = try core.add(contact: 4, name: "ann"), other = eve
        try await runner.run(Self.pizzeria()) { _, _ in
            core.receive("/order", from: bob, in: team)
            core.receive("hello", from: other, in: team)
            core.receive("/order", from: other, in: team)
            core.receive("25", from: bob, in: team)
            core.receive("1", from: bob, in: team)
            core.receive("50", from: other, in: team)
            core.receive("30", from: ann)
            await core.waitForSent(7, to: 7)
            await core.waitForSent(1, to: 4)
        }
        let choice = "Which base?\n1. thin\n2. deep"
        #expect(core.sent(to: .group(7)) == ["Which size?", "?", "Which size?", choice, "Order 1: 25 cm, thin.", "A drink?", choice])
        #expect(core.sent(to: 4) == ["?"])
    }

    @Test("that does not fit the recorded answers any more ends and says so, and assigns nothing", arguments: 0...4) func changed(_ change: Int) async throws {
        let runner = try BotSessionRunner()
        let ann = try runner.core.add(contact: 4, name: "ann")
        func bot(_ change: Int?) -> Bot {
            Bot("Form") {
                Conversation("form", on: .command("form")) { talk in
                    if change == 0 { try await talk.say("New here.") }
                    let name = try await talk.ask(change == 1 ? "Your full name?" : "Name?")
                    if change == 2 { _ = try await talk.ask("Age?", .integer()) }
                    if change == 3 { return }
                    let town = try await talk.ask("Town?", named: change == 4 ? "city" : nil)
                    try await talk.say("\(name) of \(town)")
                }
            }
        }
        try await runner.run(bot(nil)) { _, _ in
            for text in ["/form", "Ann"] { runner.core.receive(text, from: ann) }
            await runner.core.waitForSent(2, to: 4)
        }
        let later = try runner.restarted(after: .seconds(60))
        try await later.run(bot(change)) { _, session in
            for text in ["Paris", "Rome"] { later.core.receive(text, from: ann) }
            await later.core.waitForSent(3, to: 4)
            await session.settle()
        }
        #expect(later.core.sent(to: 4) == ["Name?", "Town?", "I have been changed meanwhile. Please begin again."])
    }

    @Test("goes on with a question whose text has changed if the question has a name") func named() async throws {
        let runner = try BotSessionRunner()
        let ann = try runner.core.add(contact: 4, name: "ann")
        func bot(_ price: Int) -> Bot {
            Bot("Shop") {
                Conversation("buy", on: .command("buy")) { talk in
                    let isAgreed = try await talk.confirm("It costs \(price). Agreed?", named: "agreed")
                    try await talk.say("\(isAgreed)")
                }
            }
        }
        try await runner.run(bot(3)) { _, _ in
            runner.core.receive("/buy", from: ann)
            await runner.core.waitForSent(1, to: 4)
        }
        let later = try runner.restarted(after: .seconds(60))
        try await later.run(bot(4)) { _, _ in
            later.core.receive("y", from: ann)
            await later.core.waitForSent(2, to: 4)
        }
        #expect(later.core.sent(to: 4) == ["It costs 3. Agreed?", "true"])
    }

    @Test("ends with an error beyond its steps, and when its function throws, and the person is told") func failures() async throws {
        struct Refused: Error {}
        let runner = try BotSessionRunner(), core = runner.core, errors = Mutex<[String]>([])
        let ann = try core.add(contact: 4, name: "ann")
        let bot = Bot("Form") {
            Handlers(catching: { error, _ in errors.withLock { $0.append("\(error)") } }) {
                Conversation("endless", on: .command("endless")) { talk in
                    _ = try await talk.ask("Go?")
                    for number in 1... { _ = try await talk.perform("\(number)") { _ in number } }
                }
                Conversation("parallel", on: .command("parallel")) { talk in
                    try await talk.perform("outer") { _ in _ = try await talk.ask("Inner?") }
                }
                Conversation("thrown", on: .command("thrown")) { talk in
                    // What is caught holds up nothing.
                    let answer = try? await talk.ask("Go?")
                    try await talk.say("after \(answer ?? "nothing")")
                    throw Refused()
                }
            }
            On(.anyMessage) { try await $0.send("?") }
        }
        try await runner.run(bot) { _, _ in
            for text in ["/endless", "on", "more", "/parallel", "/thrown", "on", "more"] { core.receive(text, from: ann) }
            await core.waitForSent(8, to: 4)
        }
        let failed = "Something went wrong. Please begin again."
        #expect(core.sent(to: 4) == ["Go?", failed, "?", failed, "Go?", "after on", failed, "?"])
        let found = errors.withLock(\.self)
        #expect(found.count == 3)
        #expect(found.first?.hasPrefix("conversation.tooManySteps") == true)
        #expect(found.dropFirst().first?.hasPrefix("conversation.parallelSteps") == true)
    }

    @Test(
        "is not broken by any answer",
        arguments: [
            ("", 1), (" ", 1), ("a", 15_000), ("\u{0}\u{202E}\u{200B}", 9), ("{{ x }}", 1), ("9", 20), ("-9223372036854775809", 1), ("٣٠", 1), ("1e3", 1),
        ])
    func hostile(_ part: String, _ count: Int) async throws {
        let answer = String(repeating: part, count: count)
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.pizzeria()) { _, _ in
            for text in ["/order", answer, "30", answer, "1"] { core.receive(text, from: ann) }
            await core.waitForSent(6, to: 4)
        }
        #expect(
            core.sent(to: 4) == [
                "Which size?", "Please write a whole number from 20 to 60.", "Which base?\n1. thin\n2. deep",
                "Please choose one of these, by its number or in words:\n1. thin\n2. deep", "Order 1: 30 cm, thin.", "A drink?",
            ])
    }

    @Test("refuses text that is longer than asked for, and answers that are too much to store") func longAnswers() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        let ann = try core.add(contact: 4, name: "ann")
        let bot = Bot("Form") {
            Conversation("form", on: .command("form")) { talk in
                let text = try await talk.ask("Short?", .text(upTo: 3))
                _ = try await talk.perform("grow") { _ in String(repeating: "x", count: BotStateError.largestValue) }
                _ = try await talk.ask("More, \(text)?")
            }
            On(.anyMessage) { try await $0.send("?") }
        }
        try await runner.run(bot) { _, _ in
            for text in ["/form", "four", " ok ", "?"] { core.receive(text, from: ann) }
            await core.waitForSent(5, to: 4)
        }
        #expect(
            core.sent(to: 4) == [
                "Short?", "Please write at most 3 characters. Yours has 4.", "More, ok?", "Something went wrong. Please begin again.", "?",
            ])
    }

    @Test("with the name of another one is found before the start") func duplicates() {
        let bot = Bot("Form") {
            Conversation("form", on: .command("one")) { _ in }
            Conversation("form", on: .command("two")) { _ in }
        }
        #expect(bot.validationErrors.map(\.message).first?.contains("is called \"form\" too") == true)
        #expect(bot.validationErrors.count == 1)
        let long = Bot("Form") { Conversation(String(repeating: "x", count: 65), on: .command("one")) { _ in } }
        #expect(long.validationErrors.map(\.message) == ["the name of a conversation has 1 to 64 bytes"])
    }

    /// Runs a bot until a body has ended, then stops it: handlers are cancelled at the limit, as at the end of a process.
    private func run(
        _ bot: Bot, on core: ScriptedCore, _ store: BotStateStore, stoppingWithin limit: Duration, _ body: @Sendable () async throws -> Void
    ) async throws {
        let session = HostSession(
            core: core, bots: [bot], store: store, maxConcurrentHandlers: 8, logger: HostSessionTests.logger, clock: ImpatientClock())
        try await session.running { _ in
            try await body()
            await session.drain(within: limit)
            core.finish()
        }
        try await store.flush()
    }
}

/// Counts from several tasks.
private final class CallCount: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock(\.self) }
    func add() { count.withLock { $0 += 1 } }
}
