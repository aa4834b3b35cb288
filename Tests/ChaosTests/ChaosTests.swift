import ChaosProxy
import Foundation
import Synchronization
import TestSupport
import Testing

/// Two agents and a router in this process, with real connections through a proxy that treats them badly.
///
/// `PARLEY_SEED` repeats a run. `PARLEY_CUTS` says how many places of an exchange are cut, or, as `every:N`, that every N-th byte is, from
/// `PARLEY_CUTS_FROM` to `PARLEY_CUTS_TO`, by what `PARLEY_ENDINGS` names (`close`, `reset`, `silence`, `damage`, `repetition`) in turn, in as
/// many exchanges at once as `PARLEY_SIDE_BY_SIDE` says, in time that passes `PARLEY_HURRY` times as fast.
@Suite(.serialized) struct ChaosTests {
    private let hurry = 10

    private static func text(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
    private static var seed: UInt64 { text("PARLEY_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: 1...1_000_000) }

    private static func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

    /// Bytes that an exchange has in one direction, about.
    private static let length = 55_000

    /// The places where an exchange is cut: all of the handshake's are different, those inside a block are alike.
    private static func cuts(_ random: inout SplitMix64) -> [Treatment] {
        let asked = text("PARLEY_CUTS") ?? "60"
        if asked.hasPrefix("every:"), let step = Int(asked.dropFirst(6)) {
            let range = (number("PARLEY_CUTS_FROM") ?? 0)..<(number("PARLEY_CUTS_TO") ?? length)
            let endings = text("PARLEY_ENDINGS")?.split(separator: ",").compactMap { Treatment.Ending(rawValue: String($0)) } ?? [.close, .reset]
            return stride(from: range.lowerBound, to: range.upperBound, by: max(1, step)).enumerated().flatMap { number, place in
                Treatment.Direction.allCases.map { Treatment(endings[number % endings.count], after: place, $0) }
            }
        }
        return (0..<(Int(asked) ?? 60)).map { number in
            let place = number % 2 == 0 ? random.draw(0...2_500) : random.draw(0...length)
            // Silence is waited out: it is rare.
            let ending: Treatment.Ending = number % 45 == 44 ? .silence : [.close, .reset, .damage, .repetition][number % 4]
            return Treatment(ending, after: place, number % 3 == 0 ? .toRouter : .toClient)
        }
    }

    @Test("An exchange that is cut, damaged, repeated or silenced at any byte goes on over the next connection", .timeLimit(.minutes(180)))
    func cuts() async throws {
        let seed = Self.seed
        var random = SplitMix64(seed: seed)
        let treatments = Self.cuts(&random), workers = max(1, Self.number("PARLEY_SIDE_BY_SIDE") ?? 4)
        let start = ContinuousClock.now
        let struck = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<workers {
                let own = treatments.enumerated().filter { $0.offset % workers == worker }.map(\.element)
                group.addTask { try await Self.cut(own, seed) }
            }
            return try await group.reduce(0, +)
        }
        print("\(treatments.count) treatments, \(struck) of which struck: \(start.duration(to: .now))")
        #expect(struck > treatments.count / 4)
    }

    /// - Returns: how many connections came to the byte where something happened to them.
    private static func cut(_ treatments: [Treatment], _ seed: UInt64) async throws -> Int {
        let world = try await ChaosWorld(hurry: number("PARLEY_HURRY") ?? 10)
        try await world.connect()
        let proxy = try #require(world.proxy)
        for (number, treatment) in treatments.enumerated() {
            let before = proxy.connectionCount
            proxy.setPlan { $0 == before + 1 ? treatment : Treatment() }
            proxy.dropAll()
            try await world.alice.send()
            try await world.bob.send()
            let start = ContinuousClock.now
            await world.settle()
            let took = start.duration(to: .now)
            if took > .seconds(15) { print("\(treatment): \(took)") }
            // Each side connects once, and once more when it was cut. While a busy machine stands still, hurried time runs out and connections are
            // given up: a few in each second that the exchange took.
            let attempts = proxy.connectionCount - before
            if attempts > 12 + 3 * Int(took / .seconds(1)) { world.alice.note("\(attempts) connections were made") }
            if max(world.alice.taskCount, world.bob.taskCount) > 20 { world.alice.note("\(world.alice.taskCount), \(world.bob.taskCount) tasks") }
            guard world.faults.isEmpty else {
                Issue.record("PARLEY_SEED=\(seed), \(number), \(treatment): \(world.faults)")
                break
            }
            if number % 1_000 == 999 { print("\(number + 1) of \(treatments.count): \(treatment)") }
        }
        let struck = proxy.struckCount
        try await world.close()
        return struck
    }

    @Test("A storm of cuts, damage, delays and refusals loses nothing and doubles nothing", .timeLimit(.minutes(60)))
    func storm() async throws {
        let seed = Self.seed
        let messages = Self.text("PARLEY_MESSAGES").flatMap { Int($0) } ?? 60
        let random = Mutex(SplitMix64(seed: seed))
        let world = try await ChaosWorld()
        try await world.connect()
        let proxy = try #require(world.proxy)
        proxy.setPlan { _ in random.withLock { Self.weather(&$0) } }
        proxy.dropAll()
        for number in 1...messages {
            try await world.alice.send()
            if number % 2 == 0 { try await world.bob.send() }
            // Not too far ahead, so that the storm is met on the way.
            await world.bob.waitUntilReceived(number - 8)
        }
        proxy.setPlan { _ in Treatment() }
        proxy.dropAll()
        await world.settle()
        #expect(world.faults == [], "PARLEY_SEED=\(seed)")
        print("\(messages * 3 / 2) messages over \(proxy.connectionCount) connections")
        try await world.close()
    }

    private static func weather(_ random: inout SplitMix64) -> Treatment {
        switch random.draw(0...11) {
        case 0: return .refusal
        case 1 where random.once(in: 3): return Treatment(.silence, after: random.draw(0...200_000), .toClient)
        case 2, 3:
            var slow = Treatment()
            slow.pieceLength = random.draw(500...6_000)
            slow.pause = 1
            return slow
        case 4:
            // Every byte of the handshake by itself.
            var split = Treatment(.close, after: random.draw(20_000...60_000), .toClient)
            split.pieceLength = random.draw(1...64)
            return split
        default:
            let ending = Treatment.Ending.allCases[random.draw(0...4)]
            return Treatment(ending == .silence ? .reset : ending, after: random.draw(0...300_000), random.once(in: 2) ? .toClient : .toRouter)
        }
    }

    @Test("A router that is away is asked seldom, costs little, and gets everything when it is back")
    func patience() async throws {
        let world = try await ChaosWorld(hurry: hurry)
        try await world.connect()
        let proxy = try #require(world.proxy)
        try await world.alice.send()
        await world.settle()
        proxy.setPlan { _ in .refusal }
        let before = proxy.connectionCount
        proxy.dropAll()
        let clock = HurriedClock(factor: hurry)
        let start = clock.now
        try await world.alice.send(300)
        try await world.bob.send(300)
        // Each of the two tries to take up its subscription and to send: after 2 s at first, then at longer times.
        await proxy.waitForConnections(before + 24)
        #expect(start.duration(to: clock.now) > .seconds(12), "24 attempts in \(start.duration(to: clock.now))")
        #expect(world.alice.taskCount < 20 && world.bob.taskCount < 20, "\(world.alice.taskCount), \(world.bob.taskCount) tasks")
        proxy.setPlan { _ in Treatment() }
        await world.settle()
        #expect(world.faults == [])
        try await world.close()
    }
}

extension SplitMix64 {
    mutating func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    mutating func once(in times: Int) -> Bool { draw(1...times) == 1 }
}
