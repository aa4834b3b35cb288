import Foundation
import Testing

/// `PARLEY_SIMULATIONS` runs so many groups, `PARLEY_SEED` begins with that one, `PARLEY_STEPS` makes them longer.
@Suite("Simulated groups")
struct GroupSimulationTests {
    private static func number(_ name: String) -> UInt64? { ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } }

    @Test("members agree on members, roles and messages after a random life of the group, whatever ends and breaks", .timeLimit(.minutes(30)))
    func storms() async throws {
        let first = Self.number("PARLEY_SEED") ?? UInt64.random(in: 1...1_000_000), count = Self.number("PARLEY_SIMULATIONS") ?? 4
        let steps = Int(Self.number("PARLEY_STEPS") ?? 60)
        let started = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, seed) in (first..<first + count).enumerated() {
                if number >= 4 { try await group.next() }
                group.addTask { try await GroupSimulation(seed: seed).run(steps: steps) }
            }
            try await group.waitForAll()
        }
        print("simulated groups of seeds \(first) to \(first + count - 1), \(steps) steps each: \(started.duration(to: .now))")
    }
}
