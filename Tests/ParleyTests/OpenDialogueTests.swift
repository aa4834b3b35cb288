import ChatAPI
import Foundation
import Synchronization
import Testing

@testable import Parley

private enum Order: DialogueState {
    case size
    static let timeout: Duration? = .seconds(60)
}

/// Its state reads the same as that of an order.
private enum Survey: DialogueState {
    case size
    static let timeout: Duration? = .seconds(600)
}

private enum Vote: DialogueState {
    case open(count: Int)
    static let participants = DialogueParticipants.chat
    static let timeout: Duration? = nil
}

/// Which dialogue is open, when several begin, end and run out.
@Suite(.timeLimit(.minutes(5))) struct OpenDialogueTests {
    private static func bot() -> Bot {
        Bot("Asker") {
            On(.command("end-order")) { try await $0.endDialogue(Order.self) }
            On(.command("order")) { try await $0.begin(Order.size, "Which pizza?") }
            On(.command("survey")) { try await $0.begin(Survey.size, "How many live with you?") }
            On(.command("replace")) { message in
                try await message.begin(Order.size)
                try await message.begin(Survey.size, "How many?")
                try await message.endDialogue(Order.self)
            }
            On(.command("never-mind")) { message in
                try await message.begin(Order.size, "Which?")
                try await message.endDialogue(Order.self)
            }
            On(.dialogue(Order.self)) { step in
                guard step.text == "survey" else { return try await step.end("Pizza \(step.text)") }
                try await step.begin(Survey.size, "First, how many?")
                try await step.end("Later, then.")
            }
            On(.dialogue(Survey.self)) { try await $0.end("Survey \($0.text)") }
            On(.dialogueTimeout(Order.self)) { try await $0.send("No pizza.") }
            On(.dialogueTimeout(Survey.self)) { try await $0.send("No survey.") }
            On(.anyMessage) { try await $0.send("?") }
        }
    }

    @Test(
        arguments: [
            (["/order", "/survey", "3", "4"], ["Which pizza?", "How many live with you?", "Survey 3", "?"]),
            (["/survey", "/end-order", "3"], ["How many live with you?", "Survey 3"]), (["/end-order", "3"], ["?"]),
            (["/order", "/end-order", "/end-order", "3"], ["Which pizza?", "?"]), (["/replace", "3"], ["How many?", "Survey 3"]),
            (["/never-mind", "3"], ["Which?", "?"]), (["/order", "survey", "3"], ["Which pizza?", "First, how many?", "Later, then.", "Survey 3"]),
            (["/order", "/order", "3", "4"], ["Which pizza?", "Which pizza?", "Pizza 3", "?"]),
        ] as [([String], [String])])
    func theDialogueThatBeganLastIsOpenUntilItEnds(_ said: [String], _ answered: [String]) async throws {
        #expect(try await BotSessionRunner.answers(to: said, of: Self.bot()) == answered)
    }

    @Test func theTimeOfADialogueThatAnotherHasReplacedEndsNothing() async throws {
        let runner = try BotSessionRunner(), core = runner.core, ann = try core.add(contact: 4, name: "ann")
        try await runner.run(Self.bot()) { _, _ in for text in ["/order", "/survey"] { core.receive(text, from: ann) } }
        // The order's minute is over, and the survey's ten are not.
        let later = try runner.restarted(after: .seconds(120))
        try await later.run(Self.bot()) { _, session in
            await session.settleTimers()
            later.core.receive("3", from: ann)
        }
        #expect(later.core.sent(to: 4) == ["Which pizza?", "How many live with you?", "Survey 3"])
    }

    @Test func aDialogueWithoutATimeoutStaysOpenForYears() async throws {
        let bot = Bot("Asker") {
            On(.command("ask")) { try await $0.begin(Vote.open(count: 0), "Yes or no?") }
            On(.dialogue(Vote.self)) { step in
                guard case .open(let count) = step.state, count < 1 else { return try await step.end("Enough.") }
                try await step.next(.open(count: count + 1), "\(count + 1)")
            }
        }
        let runner = try BotSessionRunner(), core = runner.core, ann = try core.add(contact: 4, name: "ann")
        try await runner.run(bot) { _, _ in core.receive("/ask", from: ann) }
        #expect(try await runner.store.timers(.dialogue, of: 1).isEmpty)
        let later = try runner.restarted(after: .seconds(10 * 365 * 86_400))
        try await later.run(bot) { _, _ in for text in ["yes", "no", "yes"] { later.core.receive(text, from: ann) } }
        #expect(later.core.sent(to: 4) == ["Yes or no?", "1", "Enough."])
    }

    @Test func aDialogueOfAChatIsContinuedByEverybodyInItAndOneOfAPersonIsNot() async throws {
        let bot = Bot("Asker") {
            On(.command("vote"), in: .groups) { try await $0.begin(Vote.open(count: 0), "Vote!") }
            On(.command("order"), in: .groups) { try await $0.begin(Order.size, "Which?") }
            On(.dialogue(Order.self), in: .groups) { try await $0.end("Order of \($0.person): \($0.text)") }
            On(.dialogue(Vote.self), in: .groups) { step in
                guard case .open(let count) = step.state else { return }
                try await step.next(.open(count: count + 1), "\(count + 1)")
            }
        }
        let runner = try BotSessionRunner(), core = runner.core, (group, bob) = try core.addGroup()
        var eve = bob
        eve.groupMemberID = 99
        core.state.withLock { [eve] in $0.members.append(eve) }
        try await runner.run(bot) { [eve] _, _ in
            for (text, member) in [("/vote", bob), ("a", eve), ("b", bob), ("/order", eve), ("c", bob), ("d", eve), ("e", eve)] {
                core.receive(text, from: member, in: group)
            }
        }
        #expect(core.sent(to: .group(7)) == ["Vote!", "1", "2", "Which?", "3", "Order of #7/99: d", "4"])
    }
}
