import ChatAPI
import FailPoints
import Foundation
import Parley
import ProcessSupport
import TestSupport
import Testing

/// The bot, with the router inside it, ends at every named place of the code, and is started again to end at the next.
///
/// The default run takes some of the places; `PARLEY_FAIL_POINTS=all` takes all, and so many rounds of them as `PARLEY_ROUNDS` says.
/// `PARLEY_SEED` repeats the order and the counts of a run.
@Suite struct FailPointTests {
    private static func text(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    @Test(.timeLimit(.minutes(30))) func everythingArrivesOnceAndInOrderWhereverTheProcessEnds() async throws {
        let seed = Self.text("PARLEY_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: 1...99_999)
        var random = SplitMix64(seed: seed)
        let isAll = Self.text("PARLEY_FAIL_POINTS") == "all"
        let rounds = Self.text("PARLEY_ROUNDS").flatMap { Int($0) } ?? 1
        let ends = (0..<rounds).flatMap { _ in
            FailPoint.allCases.shuffled(using: &random).prefix(isAll ? .max : 5).map { (point: $0, count: Int.random(in: 1...3, using: &random)) }
        }
        print("PARLEY_SEED=\(seed): \(ends.map { "\($0.point.rawValue):\($0.count)" }.joined(separator: " "))")
        try await KillPlan(seed: seed, messages: 0, kills: 0).carryOut("fail-points", .routerInside) { _, deployment in
            try await run(ends, on: deployment)
        }
    }

    private func run(_ ends: [(point: FailPoint, count: Int)], on deployment: Deployment) async throws {
        let sender = try await CoreHost.open(HostConfiguration(dataFolder: deployment.folder("sender"), servers: [deployment.routerAddress]))
        let exchange = try await Exchange(core: sender.core, to: deployment.botAddress)
        let events = sender.core.events()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await exchange.listen(to: events) }
            group.addTask { try await exchange.send(.max) }
            for end in ends { try await deployment.endBot(at: end.point, count: end.count) }
            await exchange.finishSending()
            await exchange.waitUntilAnswered(await exchange.accepted.count)
            events.cancel()
            await exchange.giveUp()
            group.cancelAll()
        }
        try await verify(exchange, sentFrom: sender, on: deployment)
        print("\(await exchange.accepted.count) messages, \(ends.count) ends")
    }
}
