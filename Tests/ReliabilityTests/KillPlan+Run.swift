import Foundation
import ProcessSupport

extension KillPlan {
    /// The plans of `PARLEY_SEED`, `PARLEY_KILLS` and `PARLEY_RUNS`; without a seed one is drawn.
    ///
    /// - Parameter steps: names the variable for how many steps a run has.
    static func fromEnvironment(_ steps: String, else count: Int, kills: Int) throws -> [KillPlan] {
        let first = PlanSettings.seed()
        return (0..<UInt64(max(1, PlanSettings.number("PARLEY_RUNS") ?? 1))).map { number in
            KillPlan(seed: first + number, messages: PlanSettings.number(steps) ?? count, kills: PlanSettings.number("PARLEY_KILLS") ?? kills)
        }
    }

    /// Carries out plans, each on a deployment of its own, as many at once as `PARLEY_SIDE_BY_SIDE` says.
    static func carryOut(
        _ plans: [KillPlan], _ name: String, _ layout: Deployment.Layout,
        _ run: @escaping @Sendable (KillPlan, Deployment) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, plan) in plans.enumerated() {
                if number >= max(1, PlanSettings.number("PARLEY_SIDE_BY_SIDE") ?? 1) { try await group.next() }
                group.addTask { try await plan.carryOut(name, layout, run) }
            }
            try await group.waitForAll()
        }
    }

    /// Starts a deployment in a folder of its own, and shows what its processes said if the run on it fails. `PARLEY_KEEP` keeps the
    /// folder.
    private func carryOut(
        _ name: String, _ layout: Deployment.Layout, _ run: (KillPlan, Deployment) async throws -> Void
    ) async throws {
        print("\(name) by the plan of \(self), \(layout)")
        let isKept = PlanSettings.text("PARLEY_KEEP") != nil
        let folder = try ScratchFolder("parley-\(name)", isKept: isKept)
        if isKept { print("data is kept in \(folder.path)") }
        defer { folder.remove() }
        let deployment = try await Deployment(layout, in: folder)
        do {
            try await run(self, deployment)
        } catch {
            await deployment.abandon()
            print("\(self): \(error)\nbot:\n\(deployment.log("bot"))\nrouter:\n\(deployment.log("router"))")
            throw error
        }
    }
}
