import Foundation
import ProcessSupport

extension KillPlan {
    /// The plan of `PARLEY_SEED` and `PARLEY_KILLS`; without a seed one is drawn.
    ///
    /// - Parameter steps: names the variable for how many steps the run has.
    static func fromEnvironment(_ steps: String, else count: Int, kills: Int) -> KillPlan {
        let environment = ProcessInfo.processInfo.environment
        func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
        return KillPlan(
            seed: environment["PARLEY_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...99_999), messages: number(steps) ?? count,
            kills: number("PARLEY_KILLS") ?? kills)
    }

    /// Starts a deployment in a folder of its own, and shows what its processes said if the run on it fails. `PARLEY_KEEP` keeps the
    /// folder.
    func carryOut(
        _ name: String, _ layout: Deployment.Layout, _ run: (KillPlan, Deployment) async throws -> Void
    ) async throws {
        print("\(name) by the plan of \(self), \(layout)")
        let isKept = ProcessInfo.processInfo.environment["PARLEY_KEEP"] != nil
        let folder = try ScratchFolder("parley-\(name)", isKept: isKept)
        if isKept { print("data is kept in \(folder.path)") }
        defer { folder.remove() }
        let deployment = try await Deployment(layout, in: folder)
        do {
            try await run(self, deployment)
        } catch {
            await deployment.abandon()
            print("bot:\n\(deployment.log("bot"))\nrouter:\n\(deployment.log("router"))")
            throw error
        }
    }
}
