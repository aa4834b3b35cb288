import ChatAPI
import Foundation
import Parley
import ProcessSupport
import Testing

/// Bot and router are killed at random moments of an exchange and started again.
///
/// The environment variables `PARLEY_MESSAGES`, `PARLEY_KILLS` and `PARLEY_SEED` make the run longer or repeat its plan;
/// `PARLEY_KEEP` keeps its data folders.
@Suite struct KillTests {
    @Test(.serialized, .timeLimit(.minutes(30)), arguments: Deployment.Layout.allCases)
    func everyAcceptedMessageAndEveryAnswerArrivesOnceAndInOrderWhateverIsKilled(_ layout: Deployment.Layout) async throws {
        try await KillPlan.fromEnvironment("PARLEY_MESSAGES", else: 60, kills: 4).carryOut("kill", layout, run)
    }

    private func run(_ plan: KillPlan, on deployment: Deployment) async throws {
        let sender = try await CoreHost.open(HostConfiguration(dataFolder: deployment.folder("sender"), servers: [deployment.routerAddress]))
        let exchange = try await Exchange(core: sender.core, to: deployment.botAddress)
        let events = sender.core.events()
        let started = ContinuousClock.now
        try await withThrowingTaskGroup(of: Ending.self) { group in
            group.addTask {
                try await exchange.listen(to: events)
                return .events
            }
            group.addTask {
                for kill in plan.kills {
                    await exchange.waitUntilSent(kill.afterMessages)
                    try await deployment.carryOut(kill)
                }
                return .kills
            }
            group.addTask {
                try await exchange.send(plan.messages)
                await exchange.waitUntilAnswered(plan.messages)
                return .exchange
            }
            group.addTask { try await stall(of: exchange) }
            var endings: Set<Ending> = []
            while !endings.isSuperset(of: [.kills, .exchange]), endings.isDisjoint(with: [.events, .stall]) {
                guard let ending = try await group.next() else { break }
                endings.insert(ending)
            }
            #expect(endings == [.kills, .exchange], "no answer for a minute, or no events any more")
            events.cancel()
            await exchange.giveUp()
            group.cancelAll()
        }
        print("\(plan.messages) messages, \(plan.kills.count) kills: \(started.duration(to: .now))")
        let exitCodes = try await deployment.stop()
        #expect(exitCodes.allSatisfy { $0 == 0 }, "\(exitCodes)")

        let accepted = await exchange.accepted
        let here = try await exchange.chat()
        await sender.close()
        let bot = try await CoreHost.open(HostConfiguration(dataFolder: deployment.folder("bot"), servers: [deployment.routerAddress]))
        let there = try await ChatTexts(core: bot.core)
        await bot.close()
        let answers = accepted.map { Deployment.answer(to: $0) }
        #expect(accepted.count == plan.messages)
        #expect(here.sent == accepted, "what the sender's chat has is what its core took")
        expectSame(there.received, accepted, "messages in the bot's chat")
        expectSame(there.sent, answers, "answers in the bot's chat")
        expectSame(here.received, answers, "answers in the sender's chat")
    }

    /// What came to its end.
    private enum Ending {
        case kills, exchange, events, stall
    }

    /// Waits until a minute has passed without an answer.
    private func stall(of exchange: Exchange) async throws -> Ending {
        var before = -1
        while await exchange.answers != before {
            before = await exchange.answers
            try await Task.sleep(for: .seconds(60))
        }
        return .stall
    }

    /// Says what is missing, doubled or out of order, instead of two long lists.
    private func expectSame(_ found: [String], _ expected: [String], _ what: String, sourceLocation: SourceLocation = #_sourceLocation) {
        guard found != expected else { return }
        let missing = Set(expected).subtracting(found).sorted(), unknown = Set(found).subtracting(expected).sorted()
        let doubled = Dictionary(grouping: found) { $0 }.filter { $1.count > 1 }.keys.sorted()
        let firstOutOfPlace = zip(found, expected).enumerated().first { $1.0 != $1.1 }.map { "\($0.offset): \($0.element.0) instead of \($0.element.1)" }
        Issue.record(
            "\(what): missing \(missing), doubled \(doubled), unknown \(unknown), first out of place \(firstOutOfPlace ?? "none")",
            sourceLocation: sourceLocation)
    }
}

@Suite struct KillPlanTests {
    @Test func aPlanFollowsFromItsSeed() {
        let plan = KillPlan(seed: 7, messages: 1000, kills: 50)
        #expect(plan == KillPlan(seed: 7, messages: 1000, kills: 50))
        #expect(plan != KillPlan(seed: 8, messages: 1000, kills: 50))
        #expect(plan.kills.count == 50)
        #expect(Set(plan.kills.map(\.victim)) == Set(KillPlan.Victim.allCases))
        #expect(plan.kills.map(\.afterMessages) == plan.kills.map(\.afterMessages).sorted())
    }
}
