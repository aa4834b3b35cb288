import Foundation
import Testing

/// Agents and routers in one process, with time, chance and faults out of one seed.
///
/// `PARLEY_SIMULATIONS` runs so many seeds, `PARLEY_SEED` begins with that one.
@Suite struct SimulationTests {
    private static func number(_ name: String) -> UInt64? { ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } }

    @Test("A seed gives the same run twice, to the last step") func sameRunTwice() throws {
        let first = try SimulatedWorld(seed: 4, Scenario(messages: 15), keepsTrace: true).run()
        let second = try SimulatedWorld(seed: 4, Scenario(messages: 15), keepsTrace: true).run()
        #expect(first.faults == [])
        compare(first, second)
        let other = try SimulatedWorld(seed: 5, Scenario(messages: 15)).run()
        #expect(other.fingerprint != first.fingerprint)
    }

    @Test("Stores with and without SQL give the same run, to the last step", arguments: [7, 8] as [UInt64]) func sameRunWithoutSQL(seed: UInt64) throws {
        var scenario = Scenario(seed: seed, messages: 40, isDeep: true)
        let first = try SimulatedWorld(seed: seed, scenario, keepsTrace: true).run()
        scenario.usesSQL = false
        let second = try SimulatedWorld(seed: seed, scenario, keepsTrace: true).run()
        compare(first, second)
        #expect(first.faults == [])
    }

    private func compare(_ first: SimulationOutcome, _ second: SimulationOutcome) {
        guard first.fingerprint != second.fingerprint else { return }
        let index = zip(first.trace, second.trace).enumerated().first { $1.0 != $1.1 }?.offset ?? min(first.trace.count, second.trace.count)
        let start = max(0, index - 5)
        Issue.record("the runs part at \(index):\n\(first.trace.dropFirst(start).prefix(8))\n\(second.trace.dropFirst(start).prefix(8))")
    }

    /// - Parameter isDeep: with SQL, real keys and full lengths.
    @Test("Nothing accepted is lost, nothing comes twice and everything in order, whatever ends and breaks", arguments: [true, false])
    func storms(isDeep: Bool) throws {
        let first = Self.number("PARLEY_SEED") ?? UInt64.random(in: 1...1_000_000)
        let count = Self.number("PARLEY_SIMULATIONS") ?? 3
        let messages = Self.number("PARLEY_MESSAGES").map { Int($0) } ?? (isDeep ? 40 : 150)
        var (total, repeats, kills) = (0, 0, 0)
        let started = ContinuousClock.now
        for seed in first..<first + count {
            let outcome = try SimulatedWorld(seed: seed, Scenario(seed: seed, messages: messages, isDeep: isDeep)).run()
            #expect(outcome.faults == [], "PARLEY_SEED=\(seed) PARLEY_SIMULATIONS=1 PARLEY_MESSAGES=\(messages)")
            total += outcome.messages
            repeats += outcome.repeats
            kills += outcome.kills
        }
        let took = started.duration(to: .now)
        print(
            "simulated \(isDeep ? "deep" : "fast") seeds \(first) to \(first + count - 1): \(total) messages, \(repeats) delivered again, \(kills) kills, \(took)"
        )
    }
}
