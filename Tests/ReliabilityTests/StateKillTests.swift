import ChatAPI
import ChatProtocol
import Parley
import ProcessSupport
import TestSupport
import Testing

/// Example bots that keep state are killed at random moments: nothing that they keep or say is lost or repeated.
///
/// `PARLEY_KILLS`, `PARLEY_RUNS` and `PARLEY_SEED` make a run longer or repeat its plan, as for ``KillTests``.
@Suite(.serialized) struct StateKillTests {
    @Test(.timeLimit(.minutes(60))) func aDialogueGoesOnWhereItWasAndAsksNothingTwice() async throws {
        let rounds = 4
        try await run("SurveyBot", steps: rounds * 4) { plan, deployment in
            let ann = try await deployment.person("ann")
            var expected = ["Hello! Send /survey to begin."]
            try await disturbed(plan, deployment) { progress in
                for round in 1...rounds {
                    let steps = [
                        ("/survey", "How often do you visit us? A number of days a month, please."), ("\(round)", "How do you like it, from 1 to 5?"),
                        ("3", "What should we do better?"), ("wish \(round)", "Thank you!"),
                    ]
                    for (text, answer) in steps {
                        try await ann.say(text)
                        expected.append(answer)
                        progress()
                        try await ann.hear(expected.count)
                    }
                }
            }
            try await ann.say("/results")
            expected.append("1 answered. Mean grade: 3.0. Mean days a month: \(rounds).0.")
            try await ann.hear(expected.count)
            #expect(try await ann.heard() == expected, "\(plan)")
            await ann.host.close()
        }
    }

    @Test(.timeLimit(.minutes(60))) func aConversationGoesOnWhereItWasAndDoesEachStepOnce() async throws {
        let rounds = 3
        try await run("OrderBot", steps: rounds * 5) { plan, deployment in
            let ann = try await deployment.person("ann")
            var expected = ["Hello! Send /order for a pizza."]
            try await disturbed(plan, deployment) { progress in
                for round in 1...rounds {
                    let steps = [
                        ("/order", "Which size, in centimetres?"), ("\(20 + round)", "Which base?\n1. thin\n2. deep"), ("1", "Where to?"),
                        ("Rue \(round)", "\(20 + round) cm, thin, to Rue \(round). Right?"), ("yes", "Order \(round) is on its way."),
                    ]
                    for (text, answer) in steps {
                        try await ann.say(text)
                        expected.append(answer)
                        progress()
                        try await ann.hear(expected.count)
                    }
                }
            }
            // Its answer comes behind everything that the bot has said before.
            try await ann.say("thanks")
            expected.append("Send /order for a pizza.")
            try await ann.hear(expected.count)
            #expect(try await ann.heard() == expected, "\(plan)")
            await ann.host.close()
        }
    }

    @Test(.timeLimit(.minutes(60))) func eachTimerRunsOnce() async throws {
        // As many as the bot admits in a minute.
        let count = 10
        try await run("ReminderBot", steps: count) { plan, deployment in
            let ann = try await deployment.person("ann")
            try await disturbed(plan, deployment) { progress in
                for number in 1...count {
                    try await ann.say("/remind \(1 + number % 4)s tea \(number)")
                    progress()
                    try await ann.hear(1 + number)
                }
                try await ann.hear(1 + 2 * count)
            }
            // Its answer comes behind everything that the bot has said before.
            try await ann.say("/list")
            try await ann.hear(2 + 2 * count)
            let heard = try await ann.heard()
            #expect(heard.filter { $0.hasPrefix("⏰") }.sorted() == (1...count).map { "⏰ tea \($0)" }.sorted(), "\(plan)")
            #expect(heard.count { $0.hasSuffix(" is set.") } == count && heard.count == 2 + 2 * count, "\(plan): \(heard)")
            await ann.host.close()
        }
    }

    @Test(.timeLimit(.minutes(60))) func aBroadcastReachesEverybodyOnce() async throws {
        let count = 6
        try await run("BroadcastBot", environment: ["PUBLISHERS": "ann"], steps: count) { plan, deployment in
            let ann = try await deployment.person("ann", isTrusted: true)
            var subscribers: [Interlocutor] = []
            for name in ["ben", "cath", "dan"] {
                let person = try await deployment.person(name)
                try await person.say("/subscribe")
                try await person.hear(2)
                subscribers.append(person)
            }
            let people = subscribers
            try await disturbed(plan, deployment) { progress in
                for number in 1...count {
                    try await ann.say("news \(number)")
                    progress()
                    try await ann.hear(number)
                }
                for person in people { try await person.hear(2 + count) }
            }
            #expect(try await ann.heard() == Array(repeating: "On its way to 3.", count: count), "\(plan)")
            for person in people {
                try await person.say("/subscribe")
                try await person.hear(3 + count)
                let heard = try await person.heard()
                // Broadcasts run side by side: their order is not promised.
                #expect(heard.dropFirst(2).dropLast().sorted() == (1...count).map { "news \($0)" }, "\(plan), \(person.name)")
                #expect(heard.last == "You get the news already.")
                await person.host.close()
            }
            await ann.host.close()
        }
    }

    @Test(.timeLimit(.minutes(60))) func eachOffenceIsModeratedAndCountedOnceAndThePenaltyComesAtTheLimit() async throws {
        let limit = 5, offenders = ["ann", "ben", "cath"], rounds = limit + 1
        let environment = ["GUARD_WORDS": "casino", "GUARD_WARNINGS": "\(limit)", "GUARD_FLOOD": "1000"]
        try await run("GuardBot", environment: environment, steps: rounds * offenders.count) { plan, deployment in
            let witness = try await deployment.person("wendy")
            var people: [Interlocutor] = []
            for name in offenders { people.append(try await deployment.person(name)) }
            let members = people, before = try await witness.heard().count(where: Self.isRules)
            try await disturbed(plan, deployment) { progress in
                for round in 1...rounds {
                    for member in members {
                        try await member.say("good morning \(round)")
                        try await member.say("casino \(round)")
                        progress()
                    }
                    // Some rounds come while the one before is handled.
                    if round % 2 == 0 { try await witness.see("the penalties of round \(round)") { Self.verdicts($0).count >= round * members.count } }
                }
            }
            // Its answer comes behind everything that the bot has said before.
            try await witness.say("/rules")
            try await witness.see("the rules") { items in items.count { Self.isRules($0.meta.text) } > before }
            let expected = offenders.flatMap { name in
                (1...limit).map { "\(name), that is against the rules (\($0) of \(limit) warnings). See /rules." } + ["\(name) blocked"]
            }
            #expect(try await Self.verdicts(witness.items()).sorted() == expected.sorted(), "\(plan)")

            let bot = try await deployment.openBotData()
            let items = try await bot.items(of: .group(1), user: 1)
            #expect(Self.verdicts(items).sorted() == expected.sorted(), "\(plan), as the bot has it")
            for (word, isModerated) in [("casino", true), ("good morning", false)] {
                let messages = items.filter { $0.direction.isReceived && $0.meta.text.hasPrefix(word) }
                #expect(messages.count == rounds * offenders.count && messages.allSatisfy { $0.isModerated == isModerated }, "\(plan), \(word)")
            }
            await bot.close()
            // The members and the witness see the same.
            for person in members + [witness] {
                // Only the witness has waited: what the bot did last may be on its way to the others.
                try await person.see("moderated messages") { items in
                    let messages = items.filter { $0.meta.text.hasPrefix("casino") }
                    return !messages.isEmpty && messages.allSatisfy(\.isModerated)
                }
                await person.host.close()
            }
        }
    }

    /// The warnings and blocks that a chat has, in order.
    private static func verdicts(_ items: [ChatItem]) -> [String] {
        items.compactMap { item in
            switch item.content {
            case .receivedGroupEvent(.memberBlocked(_, let profile, blocked: true)), .sentGroupEvent(.memberBlocked(_, let profile, blocked: true)):
                "\(profile.displayName) blocked"
            default: item.meta.text.contains("that is against the rules") ? item.meta.text : nil
            }
        }
    }

    private static func isRules(_ text: String) -> Bool { text.hasPrefix("Be kind.") }

    /// Carries out an exchange while the bot is killed.
    ///
    /// - Parameter body: calls its argument after each step.
    private func disturbed(_ plan: KillPlan, _ deployment: ExampleDeployment, _ body: (() -> Void) async throws -> Void) async throws {
        let (steps, continuation) = AsyncStream.makeStream(of: Void.self)
        async let kills: Void = {
            var done = 0
            var waiting = plan.kills[...]
            for await _ in steps {
                done += 1
                while let kill = waiting.first, kill.afterMessages <= done {
                    waiting.removeFirst()
                    try await deployment.carryOut(kill)
                }
            }
            for kill in waiting { try await deployment.carryOut(kill) }
        }()
        do {
            defer { continuation.finish() }
            try await body { continuation.yield() }
        }
        try await kills
    }

    private func run(
        _ program: String, environment: [String: String] = [:], steps: Int, _ body: (KillPlan, ExampleDeployment) async throws -> Void
    ) async throws {
        for plan in try KillPlan.fromEnvironment("PARLEY_STEPS", else: steps, kills: 4) {
            print("\(program) by the plan of \(plan)")
            let folder = try ScratchFolder("parley-state")
            defer { folder.remove() }
            let deployment = try await ExampleDeployment(program, environment: environment, in: folder)
            do {
                try await body(plan, deployment)
            } catch {
                await deployment.abandon()
                print("\(plan): \(error)\n\(deployment.log)")
                throw error
            }
            await deployment.abandon()
        }
    }
}

extension ChatItem {
    /// True for a message that a moderator has deleted.
    fileprivate var isModerated: Bool {
        if case .moderated? = meta.deleted { true } else { false }
    }
}
