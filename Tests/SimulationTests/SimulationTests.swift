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
        if first.fingerprint != second.fingerprint {
            let index = zip(first.trace, second.trace).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
            Issue.record("the runs part at \(index):\n\(first.trace.dropFirst(index - 5).prefix(8))\n\(second.trace.dropFirst(index - 5).prefix(8))")
        }
        let other = try SimulatedWorld(seed: 5, Scenario(messages: 15)).run()
        #expect(other.fingerprint != first.fingerprint)
    }

    @Test("Nothing accepted is lost, nothing comes twice and everything in order, whatever ends and breaks") func storms() throws {
        let first = Self.number("PARLEY_SEED") ?? UInt64.random(in: 1...1_000_000)
        let count = Self.number("PARLEY_SIMULATIONS") ?? 3
        let messages = Self.number("PARLEY_MESSAGES").map { Int($0) } ?? 60
        var (total, repeats, kills) = (0, 0, 0)
        let started = ContinuousClock.now
        for seed in first..<first + count {
            var scenario = Scenario(messages: messages)
            scenario.parties = 2 + Int(seed % 3)
            scenario.quota = seed % 2 == 0 ? 8 : 128
            scenario.window = seed % 4 < 2 ? 24 : 6
            scenario.faultInterval = [400, 1_500, 6_000][Int(seed / 3 % 3)]
            let outcome = try SimulatedWorld(seed: seed, scenario).run()
            #expect(outcome.faults == [], "PARLEY_SEED=\(seed) PARLEY_SIMULATIONS=1 PARLEY_MESSAGES=\(messages)")
            total += outcome.messages
            repeats += outcome.repeats
            kills += outcome.kills
        }
        let took = started.duration(to: .now)
        print("simulated seeds \(first) to \(first + count - 1): \(total) messages, \(repeats) delivered again, \(kills) kills, \(took)")
    }
}
