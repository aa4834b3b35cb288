import ChaosProxy
import Foundation
import SMPProtocol
import SMPServer
import Synchronization
import TestSupport
import Testing

/// Two agents and a router in this process, with real connections through a proxy that treats them badly.
///
/// `PARLEY_SEED` repeats a run. `PARLEY_CUTS` says how many places of an exchange are cut, or, as `every:N`, that every N-th byte is.
@Suite(.serialized) struct ChaosTests {
    /// Two connected parties.
    private struct World {
        /// How many times faster than real time the parties' time passes.
        static let hurry = 10

        let router: SMPRouter
        let proxy: ChaosProxy
        let alice: ChaosParty
        let bob: ChaosParty

        init() async throws {
            var configuration = RouterConfiguration(storage: .memory)
            configuration.port = 0
            router = try await SMPRouter.start(configuration)
            proxy = try await ChaosProxy.start(to: Int(router.address.port ?? 0))
            let address = SMPServerAddress(
                host: .ipv4(127, 0, 0, 1), port: UInt16(proxy.port), keyHash: router.address.keyHash)
            let clock = HurriedClock(factor: Self.hurry)
            alice = try ChaosParty(clock: clock)
            bob = try ChaosParty(clock: clock)
            try await alice.start(on: address)
            try await bob.start(on: address)
            try await bob.join(try await alice.invite())
            await alice.waitUntilConnected()
            await bob.waitUntilConnected()
        }

        /// Everything that was accepted has come.
        func settle() async {
            let (toBob, toAlice) = (alice.sent, bob.sent)
            await alice.waitUntilReceived(toAlice)
            await bob.waitUntilReceived(toBob)
        }

        var faults: [String] { alice.faults.map { "alice: \($0)" } + bob.faults.map { "bob: \($0)" } }

        func close() async throws {
            await alice.close()
            await bob.close()
            try await proxy.stop()
            await router.stop()
        }
    }

    private static func text(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
    private static var seed: UInt64 { text("PARLEY_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: 1...1_000_000) }

    /// The places where an exchange is cut: all of the handshake's are different, those inside a block are alike.
    private static func cuts(_ random: inout SplitMix64) -> [Treatment] {
        let asked = text("PARLEY_CUTS") ?? "60"
        if asked.hasPrefix("every:"), let step = Int(asked.dropFirst(6)) {
            return Treatment.Direction.allCases.flatMap { direction in
                stride(from: 0, to: 55_000, by: max(1, step)).map { Treatment($0 % 2 == 0 ? .close : .reset, after: $0, direction) }
            }
        }
        return (0..<(Int(asked) ?? 60)).map { number in
            let place = number % 2 == 0 ? random.draw(0...2_500) : random.draw(0...55_000)
            // Silence is waited out: it is rare.
            let ending: Treatment.Ending = number % 45 == 44 ? .silence : [.close, .reset, .damage, .repetition][number % 4]
            return Treatment(ending, after: place, number % 3 == 0 ? .toRouter : .toClient)
        }
    }

    @Test("An exchange that is cut, damaged or repeated at any byte goes on over the next connection", .timeLimit(.minutes(60)))
    func cuts() async throws {
        let seed = Self.seed
        var random = SplitMix64(seed: seed)
        let world = try await World()
        for treatment in Self.cuts(&random) {
            let first = world.proxy.connectionCount + 1
            world.proxy.setPlan { $0 == first ? treatment : Treatment() }
            world.proxy.dropAll()
            try await world.alice.send()
            try await world.bob.send()
            let start = ContinuousClock.now
            await world.settle()
            let took = start.duration(to: .now)
            if took > .seconds(3) { print("\(treatment): \(took)") }
            guard world.faults.isEmpty else { break }
        }
        #expect(world.faults == [], "PARLEY_SEED=\(seed)")
        try await world.close()
    }

    @Test("A storm of cuts, damage, delays and refusals loses nothing and doubles nothing", .timeLimit(.minutes(60)))
    func storm() async throws {
        let seed = Self.seed
        let messages = Self.text("PARLEY_MESSAGES").flatMap { Int($0) } ?? 60
        let random = Mutex(SplitMix64(seed: seed))
        let world = try await World()
        world.proxy.setPlan { _ in random.withLock { Self.weather(&$0) } }
        world.proxy.dropAll()
        for number in 1...messages {
            try await world.alice.send()
            if number % 2 == 0 { try await world.bob.send() }
            // Not too far ahead, so that the storm is met on the way.
            await world.bob.waitUntilReceived(number - 8)
        }
        world.proxy.setPlan { _ in Treatment() }
        world.proxy.dropAll()
        await world.settle()
        #expect(world.faults == [], "PARLEY_SEED=\(seed)")
        print("\(messages * 3 / 2) messages over \(world.proxy.connectionCount) connections")
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
        let world = try await World()
        try await world.alice.send()
        await world.settle()
        world.proxy.setPlan { _ in .refusal }
        let before = world.proxy.connectionCount
        world.proxy.dropAll()
        let clock = HurriedClock(factor: World.hurry)
        let start = clock.now
        try await world.alice.send(300)
        try await world.bob.send(300)
        // Each of the two tries to take up its subscription and to send: after 2 s at first, then at longer times.
        await world.proxy.waitForConnections(before + 24)
        #expect(start.duration(to: clock.now) > .seconds(12), "24 attempts in \(start.duration(to: clock.now))")
        #expect(world.alice.taskCount < 20 && world.bob.taskCount < 20, "\(world.alice.taskCount), \(world.bob.taskCount) tasks")
        world.proxy.setPlan { _ in Treatment() }
        await world.settle()
        #expect(world.faults == [])
        try await world.close()
    }
}

extension SplitMix64 {
    mutating func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    mutating func once(in times: Int) -> Bool { draw(1...times) == 1 }
}
