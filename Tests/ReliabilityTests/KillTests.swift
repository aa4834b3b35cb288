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
            group.addTask {
                await exchange.waitUntilStalled(for: .seconds(60))
                return .stall
            }
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
        try await verify(exchange, sentFrom: sender, on: deployment)
        #expect(await exchange.accepted.count == plan.messages)
    }

    /// What came to its end.
    private enum Ending {
        case kills, exchange, events, stall
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
