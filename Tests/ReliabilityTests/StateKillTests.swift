import Parley
import ProcessSupport
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
            let ann = try await deployment.person("ann")
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
                    try await ann.hear(1 + number)
                }
                for person in people { try await person.hear(2 + count) }
            }
            #expect(try await ann.heard().dropFirst() == Array(repeating: "On its way to 3.", count: count)[...], "\(plan)")
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
