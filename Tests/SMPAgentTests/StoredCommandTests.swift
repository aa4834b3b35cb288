import AsyncPrimitives
import Foundation
import GRDB
import SMPClient
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import SystemSupport
import TestSupport
import Testing

@testable import SMPAgent

/// Work of connections that is stored: it ends, it is bounded, and none of it makes process after process crash.
@Suite("Stored commands of connections")
struct StoredCommandTests {
    /// Alice, whose agent notes what it tries, and Bob.
    private final class Stage: Sendable {
        let folder: TemporaryFolder
        let internet = SimulatedInternet()
        let routers: [SimulatedRouter]
        let alice: TestParty, bob: TestParty
        var inFlight: String { folder.path + "/a.inflight" }

        init(_ configuration: AgentConfiguration = .quick) async throws {
            folder = try TemporaryFolder()
            routers = ["one.example", "two.example", "three.example"].map { [internet] in internet.addRouter($0) }
            alice = try await TestParty(
                "alice", internet, on: [routers[0].address], path: folder.path + "/a.db", configuration: configuration, inFlight: folder.path + "/a.inflight")
            bob = try await TestParty("bob", internet, on: [routers[1].address])
        }

        /// Bob joins; Alice answers as far as she can.
        func join() async throws -> (alice: ConnectionID, bob: ConnectionID) {
            let created = try await alice.invite()
            return (created.id, try await bob.join(created.link))
        }

        func connected(_ pair: (alice: ConnectionID, bob: ConnectionID)) async {
            await alice.wait("connected") { $0.connected[pair.alice] != nil }
            await bob.wait("connected") { $0.connected[pair.bob] != nil }
        }

        var commands: [CommandRecord] { get async throws { try await alice.agent.core.store.commands().map(\.1) } }

        func close() async {
            await alice.close()
            await bob.close()
        }
    }

    private static func isSKey(_ request: SMPRequest) -> Bool { if case .skey = request.command { true } else { false } }

    private static func quarantined(_ memory: TestParty.Memory) -> [QuarantinedCommand] {
        memory.events.compactMap { if case .commandQuarantined(let command) = $0.event { command } else { nil } }
    }

    // MARK: Crashes

    @Test("are noted while they are tried, and no longer")
    func noted() async throws {
        let stage = try await Stage(), gate = AsyncSemaphore(limit: 1)
        await gate.acquire()
        stage.alice.network.setPause { request in
            guard Self.isSKey(request) else { return }
            await gate.acquire()
            gate.release()
        }
        let pair = try await stage.join()
        try await eventually("it is noted") {
            let left = try InFlightTable(path: stage.inFlight, slots: AgentConfiguration.quick.notedCommands).leftBehind
            let stored = try await stage.commands.compactMap(\.key)
            return !left.isEmpty && left == stored
        }
        gate.release()
        await stage.connected(pair)
        #expect(try InFlightTable(path: stage.inFlight, slots: AgentConfiguration.quick.notedCommands).leftBehind == [])
        await stage.close()
    }

    private final class Shared: Sendable {
        let file = Mutex<Data?>(nil)
    }

    /// Has the next process of Alice crash when it sends SKEY, and the ones after it, so many in all, each in its first attempt.
    private func crash(_ stage: Stage, times: Int) async throws {
        let left = Shared(), path = stage.inFlight, alice = stage.alice.crash
        let crash: @Sendable (SimulatedNetwork) -> Void = { network in
            network.setFault { request, _ in Self.isSKey(request) ? .lostRequest : nil }
            network.setPause { request in
                guard Self.isSKey(request), left.file.withLock({ $0 == nil }) else { return }
                // What a process leaves that crashes now.
                var file = try? Data(contentsOf: URL(fileURLWithPath: path))
                file?[16] = 1
                left.file.withLock { $0 = file }
                alice.crash()
            }
        }
        stage.alice.preparesNetwork.withLock { $0 = crash }
        crash(stage.alice.network)
        for number in 1...times {
            if number > 1 { try await stage.alice.restart() }
            try await eventually("process \(number) crashes") { left.file.withLock { $0 != nil } }
            await stage.alice.kill()
            try left.file.withLock { file in
                try file?.write(to: URL(fileURLWithPath: path))
                file = nil
            }
        }
    }

    @Test("that three processes crashed on are set aside, told of once, and done on demand; others go on")
    func quarantine() async throws {
        let stage = try await Stage()
        let pair = try await joinBeforeCrash(stage)
        try await crash(stage, times: 3)
        try await stage.alice.restart()
        await stage.alice.wait("it is told of") { Self.quarantined($0).count == 1 }
        let command = try #require(Self.quarantined(stage.alice.seen).first)
        #expect(command.kind == "allow")
        #expect(!stage.alice.network.sentCommands.contains("SKEY"), "it is not tried")
        #expect(try await stage.commands.isEmpty)

        stage.alice.preparesNetwork.withLock { $0 = nil }
        await stage.alice.kill()
        try await stage.alice.restart()
        let other = try await stage.join()
        await stage.connected(other)
        // The event itself comes again until it is confirmed.
        let told = stage.alice.seen.events.filter { if case .commandQuarantined = $0.event { true } else { false } }
        #expect(Set(told.map(\.durableID)).count == 1, "it is not told of again")
        #expect(stage.alice.seen.connected[pair.alice] == nil)

        try await stage.alice.agent.retryCommand(command.id)
        await stage.connected(pair)
        let missing = await #expect(throws: AgentError.self) { try await stage.alice.agent.retryCommand(command.id) }
        #expect(missing?.code == "CONN.NOT_FOUND")
        await stage.close()
    }

    @Test("that fewer processes crashed on are done, and nothing is counted of them then")
    func suspect() async throws {
        let stage = try await Stage()
        let pair = try await joinBeforeCrash(stage)
        try await crash(stage, times: 2)
        stage.alice.preparesNetwork.withLock { $0 = nil }
        try await stage.alice.restart()
        await stage.connected(pair)
        #expect(Self.quarantined(stage.alice.seen).isEmpty)
        #expect(try await stage.commands.isEmpty)
        await stage.close()
    }

    @Test("that are set aside can be dropped, which is reported")
    func drop() async throws {
        let stage = try await Stage()
        _ = try await joinBeforeCrash(stage)
        try await crash(stage, times: 3)
        try await stage.alice.restart()
        await stage.alice.wait("it is told of") { Self.quarantined($0).count == 1 }
        let command = try #require(Self.quarantined(stage.alice.seen).first)
        try await stage.alice.agent.dropCommand(command.id)
        await stage.alice.wait("the failure") { $0.failures.contains { $0.code == "CONN.NOT_AVAILABLE" } }
        #expect(try await stage.alice.agent.core.store.quarantinedCommand(command.id) == nil)
        await stage.close()
    }

    /// Bob joins while no SKEY of Alice arrives.
    private func joinBeforeCrash(_ stage: Stage) async throws -> (alice: ConnectionID, bob: ConnectionID) {
        stage.alice.network.setFault { request, _ in Self.isSKey(request) ? .lostRequest : nil }
        let pair = try await stage.join()
        try await eventually("the command is stored") { try await stage.commands.count == 1 }
        return pair
    }

    // MARK: Their end

    @Test("are given up when they could not be done for long, which is reported; before that they are tried", arguments: [true, false])
    func end(isOld: Bool) async throws {
        var configuration = AgentConfiguration.quick
        configuration.commandPatience = .zero
        configuration.commandAttempts = 3
        if isOld { configuration.commandLifetime = .zero }
        let stage = try await Stage(configuration)
        stage.alice.network.setFault { request, _ in Self.isSKey(request) ? .lostRequest : nil }
        let pair = try await stage.join()
        if isOld {
            await stage.alice.wait("the failure") { $0.failures.contains { $0.code == "CONN.NOT_AVAILABLE" } }
            #expect(try await stage.commands.isEmpty)
            #expect(stage.alice.network.sentCommands.count { $0 == "SKEY" } == 4)
        } else {
            try await eventually("it is tried") { stage.alice.network.sentCommands.count { $0 == "SKEY" } > 8 }
            stage.alice.network.setFault(nil)
            await stage.connected(pair)
        }
        await stage.close()
    }

    @Test("are not given up in their first hour by a process, however old they are")
    func patience() {
        let configuration = AgentConfiguration(), day: Int64 = 86_400_000
        func ends(_ attempts: Int, tried: Int64, age: Int64) -> Bool {
            let command = CommandRecord(row: 1, connection: 1, kind: .deleteQueue(queue: 1), createdAt: 100 * day - age)
            return configuration.endsCommand(command, after: attempts, since: 100 * day - tried, now: 100 * day)
        }
        #expect(ends(10, tried: 3_600_000, age: 7 * day))
        #expect(!ends(9, tried: 3_600_000, age: 7 * day))
        #expect(!ends(10, tried: 3_599_999, age: 7 * day))
        #expect(!ends(10, tried: 3_600_000, age: 7 * day - 1))
    }

    @Test("for a new queue leave the connection as it was when they are given up, and another move can begin")
    func move() async throws {
        var configuration = AgentConfiguration.quick
        configuration.commandPatience = .zero
        configuration.commandAttempts = 1
        configuration.commandLifetime = .zero
        let stage = try await Stage(configuration)
        let pair = try await stage.join()
        await stage.connected(pair)
        let user = stage.alice.user.withLock { $0 }
        try await stage.alice.agent.setServers([SMPServerWithAuth(stage.routers[2].address)], user: user)
        stage.alice.network.setFault { request, _ in if case .key = request.command { .lostRequest } else { nil } }
        _ = try await stage.alice.agent.switchQueue(of: pair.alice)
        await stage.alice.wait("the failure") { $0.failures.contains { $0.code == "CONN.NOT_AVAILABLE" } }
        try await eventually("the new queue is gone") { stage.routers[2].queueCount == 0 }
        #expect(try await stage.alice.agent.stats(of: pair.alice).receiveQueues.map(\.switchStatus) == [nil])
        stage.alice.network.setFault(nil)
        _ = try await stage.alice.agent.switchQueue(of: pair.alice)
        await stage.alice.wait("moved") { memory in
            memory.events.contains { if case .queueSwitch(.receive, .completed, _) = $0.event { true } else { false } }
        }
        try await stage.bob.send("hello", to: pair.bob)
        await stage.alice.wait("the message") { $0.order[pair.alice]?.count == 1 }
        await stage.close()
    }

    // MARK: Their number

    @Test("to secure a queue are one, however often its sender sends keys")
    func keys() async throws {
        let stage = try await Stage()
        let pair = try await stage.join()
        await stage.connected(pair)
        let user = stage.alice.user.withLock { $0 }
        try await stage.alice.agent.setServers([SMPServerWithAuth(stage.routers[2].address)], user: user)
        stage.alice.network.setFault { request, _ in if case .key = request.command { .lostRequest } else { nil } }
        _ = try await stage.alice.agent.switchQueue(of: pair.alice)
        try await eventually("the command is stored") {
            try await stage.commands.contains { if case .secureNewQueue = $0.kind { true } else { false } }
        }
        let queue = try #require(try await stage.bob.agent.core.store.connection(pair.bob)?.sendQueues.first { $0.replaces != nil })
        for _ in 1...20 {
            try await stage.bob.inject(.queueKey(Array(repeating: queue.keysForRecipient, count: 10)), into: pair.bob)
            #expect(try await stage.commands.count == 1)
        }
        try await stage.bob.inject(.queueKey(Array(repeating: queue.keysForRecipient, count: 40)), into: pair.bob)
        await stage.alice.wait("one fault") { memory in
            memory.failures.contains { if case .agent(.queue("QKEY: too many queues")) = $0.reason { true } else { false } }
        }
        #expect(try await stage.commands.count == 1)
        #expect(stage.alice.seen.failures.count { $0.code == "AGENT.A_QUEUE" } == 1)
        stage.alice.network.setFault(nil)
        await stage.alice.wait("moved") { memory in
            memory.events.contains { if case .queueSwitch(.receive, .completed, _) = $0.event { true } else { false } }
        }
        await stage.close()
    }

    private final class Running: Sendable {
        let rows = Mutex<[RowID]>([])
    }

    @Test("are tried side by side up to a number, and those that are tried again leave new ones their turn")
    func permits() async throws {
        var configuration = AgentConfiguration.quick
        configuration.concurrentCommands = 2
        configuration.concurrentCommandRetries = 1
        let guarding = CommandGuard(configuration), folder = try TemporaryFolder(), store = try AgentStore(path: folder.path + "/a.db")
        let gate = AsyncSemaphore(limit: 1), running = Running()
        await gate.acquire()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for row in 1...8 as ClosedRange<RowID> {
                group.addTask {
                    let command = CommandRecord(row: row, connection: 1, kind: .deleteQueue(queue: 1))
                    try await guarding.attempt(command, isFirst: row <= 4, store) { () throws(AgentError) in
                        running.rows.withLock { $0.append(row) }
                        await gate.acquire()
                        gate.release()
                    }
                }
            }
            try await eventually("two first attempts and one that is tried again") {
                running.rows.withLock { rows in rows.count { $0 <= 4 } == 2 && rows.count { $0 > 4 } == 1 }
            }
            gate.release()
            try await group.waitForAll()
        }
        #expect(running.rows.withLock { $0.sorted() } == Array(1...8))
        try await store.close()
    }

    // MARK: What is not understood

    @Test("that this version does not understand are kept, and all others are done")
    func unreadable() async throws {
        let stage = try await Stage()
        let pair = try await joinBeforeCrash(stage)
        await stage.alice.kill()
        let store = try AgentStore(path: stage.folder.path + "/a.db")
        try await store.write { database in
            for (row, kind) in [(1, "of a later version"), (2, "join")] {
                try database.execute(
                    sql: "INSERT INTO commands (command_id, connection_id, kind, link) SELECT ?, connection_id, ?, 'nonsense' FROM connections",
                    arguments: [row, kind])
            }
        }
        try await store.close()
        try await stage.alice.restart()
        await stage.connected(pair)
        let kinds = try await stage.alice.agent.core.store.read { try String.fetchAll($0, sql: "SELECT kind FROM commands ORDER BY command_id") }
        #expect(kinds == ["of a later version", "join"])
        await stage.close()
    }
}

extension AgentStorage {
    fileprivate func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        guard let store = self as? AgentStore else { throw AgentError(.internal("a store in memory")) }
        return try await store.read(body)
    }
}
