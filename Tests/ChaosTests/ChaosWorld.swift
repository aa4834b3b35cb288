import ChaosProxy
import Foundation
import Logging
import NIOPosix
import RouterFaults
import RouterSupport
import SMPCrypto
import SMPProtocol
import Synchronization
import TestSupport

@testable import SMPServer

/// Two connected parties and a router in this process, with real connections, if need be through a proxy.
final class ChaosWorld: Sendable {
    /// Where they keep what must not be lost.
    struct Storage: Sendable {
        /// The folder of the parties' databases; nil for ones in memory.
        var folder: String?
        /// The disk beneath the router's journal, with the folder of its certificates; nil for a router in memory.
        var journal: (disk: FaultyStorage, folder: String)?
    }

    let proxy: ChaosProxy?
    let alice: ChaosParty
    let bob: ChaosParty
    private let storage: Storage
    private let router: Mutex<SMPRouter>

    /// Starts all of them.
    ///
    /// - Parameters:
    ///   - hurry: how many times faster than real time the parties' time passes.
    ///   - hasProxy: whether there is one between parties and router.
    init(_ storage: Storage = Storage(), hurry: Int = 10, hasProxy: Bool = true) async throws {
        self.storage = storage
        let started = try await Self.startRouter(storage, port: 0)
        router = Mutex(started)
        proxy = hasProxy ? try await ChaosProxy.start(to: started.port) : nil
        let address = SMPServerAddress(
            host: .ipv4(127, 0, 0, 1), port: UInt16(proxy?.port ?? started.port), keyHash: started.address.keyHash)
        let clock = HurriedClock(factor: hurry)
        alice = try Self.party("alice", storage, clock)
        bob = try Self.party("bob", storage, clock)
        try await alice.start(on: address)
        try await bob.start(on: address)
    }

    /// Connects the parties with each other.
    func connect() async throws {
        try await bob.join(try await alice.invite())
        await alice.waitUntilConnected()
        await bob.waitUntilConnected()
    }

    /// Runs `body`, and notes a fault, which ends all waiting, when it takes too long.
    func watched(_ what: String, _ body: () async throws -> Void) async throws {
        let watchdog = Watchdog(.seconds(90)) { [self] in
            for party in [alice, bob] { party.note("\(what): nothing more happens: \(party)") }
        }
        defer { watchdog.dismiss() }
        try await body()
    }

    /// Opening is tried again by who was told that it failed.
    private static func party(_ name: String, _ storage: Storage, _ clock: HurriedClock) throws -> ChaosParty {
        let path = storage.folder.map { "\($0)/\(name).db" }
        for _ in 0..<20 {
            if let party = try? ChaosParty(clock: clock, path: path) { return party }
        }
        return try ChaosParty(clock: clock, path: path)
    }

    private static func startRouter(_ storage: Storage, port: Int) async throws -> SMPRouter {
        for _ in 0..<20 {
            if let router = try? await tryToStartRouter(storage, port: port) { return router }
        }
        return try await tryToStartRouter(storage, port: port)
    }

    private static func tryToStartRouter(_ storage: Storage, port: Int) async throws -> SMPRouter {
        var configuration = RouterConfiguration(storage: storage.journal.map { .folder($0.folder) } ?? .memory)
        configuration.port = port
        guard let disk = storage.journal?.disk else { return try await SMPRouter.start(configuration) }
        configuration.segmentSize = 64 << 10
        return try await SMPRouter.start(
            configuration, on: disk, group: MultiThreadedEventLoopGroup.singleton, random: SystemRandomSource(), now: RouterClock.now,
            logger: Logger(label: "smp.router") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The router's machine loses its power, and comes back with what its disk has.
    func losePower() async throws {
        guard let journal = storage.journal else { return }
        let old = router.withLock { $0 }
        journal.disk.losePower()
        await old.stop()
        journal.disk.recover()
        let new = try await Self.startRouter(storage, port: old.port)
        router.withLock { $0 = new }
    }

    /// Everything that was accepted has come, and its senders know it.
    func settle() async {
        let (toBob, toAlice) = (alice.sent, bob.sent)
        await alice.waitUntilReceived(toAlice)
        await bob.waitUntilReceived(toBob)
        await alice.waitUntilDelivered(toBob)
        await bob.waitUntilDelivered(toAlice)
    }

    var faults: [String] { alice.faults.map { "alice: \($0)" } + bob.faults.map { "bob: \($0)" } }

    /// Queues that the router has.
    var queueCount: Int { router.withLock { $0 }.statistics.queues }

    func close() async throws {
        await alice.close()
        await bob.close()
        try await proxy?.stop()
        await router.withLock { $0 }.stop()
    }
}
