import Foundation
import Logging
import Synchronization

/// Simulates one seed after the other, on all cores.
///
/// | Variable | Meaning |
/// |---|---|
/// | `PARLEY_SEED` | the first seed; without it one is drawn |
/// | `PARLEY_SIMULATIONS` | how many seeds; without it as many as fit into the time |
/// | `PARLEY_SECONDS` | how long seeds are begun, 60 without it |
/// | `PARLEY_MESSAGES` | messages from each party to each other one, 1,000 without it |
/// | `PARLEY_SQL` | the agents' own SQL, real keys and full lengths |
/// | `PARLEY_ROTATIONS` | queues move to other routers meanwhile in every world, else in three of five |
/// | `PARLEY_QUEUES` | queues that each side of a connection receives through, in every world, else two in one of six |
/// | `PARLEY_TRACE` | prints what happened in worlds that failed |
/// | `PARLEY_CORES` | how many at the same time, all without it |
@main struct Driver {
    private struct Results {
        var next: UInt64
        var messages = 0
        var transmissions = 0
        var repeats = 0
        var kills = 0
        var moves = 0
        var simulatedSeconds: Int64 = 0
        var worlds = 0
        var failed: [UInt64] = []
    }

    private static func number(_ name: String) -> UInt64? { ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } }

    static func main() {
        // Agents that are killed complain.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        let first = number("PARLEY_SEED") ?? UInt64.random(in: 1...1_000_000)
        let end = number("PARLEY_SIMULATIONS").map { first + $0 } ?? .max
        let messages = Int(number("PARLEY_MESSAGES") ?? 1_000)
        let usesSQL = ProcessInfo.processInfo.environment["PARLEY_SQL"] != nil
        let alwaysRotates = ProcessInfo.processInfo.environment["PARLEY_ROTATIONS"] != nil
        let queues = number("PARLEY_QUEUES")
        let keepsTrace = ProcessInfo.processInfo.environment["PARLEY_TRACE"] != nil
        let started = ContinuousClock.now
        let deadline = started + .seconds(Int64(number("PARLEY_SECONDS") ?? 60))
        let results = Mutex(Results(next: first))
        let cores = Int(number("PARLEY_CORES") ?? UInt64(ProcessInfo.processInfo.activeProcessorCount))
        DispatchQueue.concurrentPerform(iterations: cores) { _ in
            while ContinuousClock.now < deadline {
                let seed = results.withLock { results in
                    defer { results.next += 1 }
                    return results.next
                }
                guard seed < end else { return }
                var scenario = Scenario(seed: seed, messages: messages, isDeep: usesSQL)
                if alwaysRotates { scenario.rotates = true }
                if let queues { scenario.queues = Int(queues) }
                let faults: [String]
                do {
                    let outcome = try SimulatedWorld(seed: seed, scenario, keepsTrace: keepsTrace).run()
                    faults = outcome.faults
                    if !faults.isEmpty { for line in outcome.trace { print(line) } }
                    results.withLock { results in
                        results.worlds += 1
                        results.messages += outcome.messages
                        results.transmissions += outcome.transmissions
                        results.repeats += outcome.repeats
                        results.kills += outcome.kills
                        results.moves += outcome.moves
                        results.simulatedSeconds += outcome.simulatedSeconds
                    }
                } catch {
                    faults = ["the simulation could not be set up: \(error)"]
                }
                guard !faults.isEmpty else { continue }
                results.withLock { $0.failed.append(seed) }
                print("PARLEY_SEED=\(seed) PARLEY_SIMULATIONS=1 PARLEY_MESSAGES=\(messages): \(faults)")
            }
        }
        let took = started.duration(to: .now)
        let outcome = results.withLock { $0 }
        let perMinute = 60 / (Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18)
        let rates = [outcome.messages, outcome.transmissions].map { Int(Double($0) * perMinute) }
        print(
            """
            \(outcome.worlds) worlds from seed \(first) on, \(outcome.failed.count) failed: \(outcome.messages) messages in \
            \(outcome.transmissions) transmissions, \(outcome.repeats) delivered again, \(outcome.kills) deaths, \
            \(outcome.moves) queues moved, \(outcome.simulatedSeconds / 3_600) simulated hours
            took \(took) on \(cores) cores: \(rates[0]) messages and \(rates[1]) transmissions a minute
            """)
        if !outcome.failed.isEmpty { exit(1) }
    }
}
