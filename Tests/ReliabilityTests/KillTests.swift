import ChatAPI
import Foundation
import Parley
import ProcessSupport
import Testing

/// Bot and router are killed at random moments of an exchange and started again.
///
/// The environment variables `PARLEY_MESSAGES`, `PARLEY_KILLS` and `PARLEY_SEED` make the run longer or repeat its plan; `PARLEY_RUNS` and
/// `PARLEY_SIDE_BY_SIDE` ask for so many runs with the seeds from there on, so many of them at once; `PARLEY_KEEP` keeps their data folders.
@Suite struct KillTests {
    @Test(.serialized, .timeLimit(.minutes(120)), arguments: Deployment.Layout.allCases)
    func everyAcceptedMessageAndEveryAnswerArrivesOnceAndInOrderWhateverIsKilled(_ layout: Deployment.Layout) async throws {
        try await KillPlan.carryOut(try KillPlan.fromEnvironment("PARLEY_MESSAGES", else: 60, kills: 4), "kill", layout, run)
    }

    private func run(_ plan: KillPlan, on deployment: Deployment) async throws {
        let sender = try await deployment.open("sender")
        let exchange = try await Exchange(core: sender.core, to: deployment.botAddress)
        let started = ContinuousClock.now
        let isDone = try await exchange.conduct(plan.messages, sender.core.events()) {
            for kill in plan.kills {
                await exchange.waitUntilSent(kill.afterMessages)
                try await deployment.carryOut(kill)
            }
        }
        #expect(isDone, "\(plan): no answer for a minute, or no events any more")
        print("\(plan), \(deployment.layout): \(started.duration(to: .now))")
        try await verify(exchange, sentFrom: sender, on: deployment, plan)
        #expect(await exchange.accepted.count == plan.messages)
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
