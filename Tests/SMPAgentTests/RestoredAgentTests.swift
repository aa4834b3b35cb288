import AsyncPrimitives
import EncryptedSQLite
import Foundation
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

/// Agents on a store that is older than what their peers have seen, and agents of which there are two.
@Suite struct RestoredAgentTests {
    private static var healing: AgentConfiguration {
        var configuration = AgentConfiguration.quick
        configuration.synchronizesRatchets = true
        return configuration
    }

    private func takeCopy(of path: String, to copy: String) throws {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: copy + suffix)
            if FileManager.default.fileExists(atPath: path + suffix) { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `All connections of a restored store agree on new keys by themselves`() async throws {
        let folder = try TemporaryFolder(), internet = SimulatedInternet()
        let routers = [internet.addRouter("one.example"), internet.addRouter("two.example")]
        let path = folder.path + "/a.db"
        let alice = try await TestParty("alice", internet, on: [routers[0].address], path: path, configuration: Self.healing)
        let bob = try await TestParty("bob", internet, on: [routers[1].address])
        var connections: [(alice: ConnectionID, bob: ConnectionID)] = []
        for _ in 0..<50 {
            let created = try await alice.invite(), joined = try await bob.join(created.link)
            await alice.wait("connected") { $0.connected[created.id] != nil }
            await bob.wait("connected") { $0.connected[joined] != nil }
            connections.append((created.id, joined))
        }
        await alice.kill()
        try takeCopy(of: path, to: folder.path + "/copy.db")
        try await alice.restart()
        for (one, other) in connections {
            try await alice.send("before", to: one)
            try await bob.send("before", to: other)
        }
        let pairs = connections
        await bob.wait("all messages") { memory in pairs.allSatisfy { memory.order[$0.bob]?.count == 1 } }
        await alice.wait("all messages") { memory in pairs.allSatisfy { memory.order[$0.alice]?.count == 1 } }
        await alice.kill()

        try takeCopy(of: folder.path + "/copy.db", to: path)
        let store = try AgentStore(path: path)
        #expect(try await SMPAgent.putAllOutOfStep(in: store.file) == 50)
        try await store.close()
        try await alice.restart()
        try await eventually("all connections are in step") {
            for (one, other) in pairs {
                let (state, there) = try await (alice.agent.stats(of: one), bob.agent.stats(of: other))
                guard state.ratchetSyncState == .ok, there.ratchetSyncState == .ok else { return false }
                guard try await alice.agent.ratchetHash(of: one) == bob.agent.ratchetHash(of: other) else { return false }
            }
            return true
        }
        for (one, other) in connections {
            try await alice.send("after", to: one)
            try await bob.send("after", to: other)
        }
        await bob.wait("all answers") { memory in pairs.allSatisfy { memory.order[$0.bob]?.last == Bytes("after".utf8) } }
        await alice.wait("all answers") { memory in pairs.allSatisfy { memory.order[$0.alice]?.last == Bytes("after".utf8) } }
        await alice.close()
        await bob.close()
    }

    /// As for a copy that is one message behind: what is received fits its ratchet, and what it would send does not.
    @Test func `A message that a restored store can decrypt does not stand for new keys`() async throws {
        let folder = try TemporaryFolder(), internet = SimulatedInternet()
        let routers = [internet.addRouter("one.example"), internet.addRouter("two.example")]
        let path = folder.path + "/a.db"
        let alice = try await TestParty("alice", internet, on: [routers[0].address], path: path, configuration: Self.healing)
        let bob = try await TestParty("bob", internet, on: [routers[1].address])
        var connections: [(alice: ConnectionID, bob: ConnectionID, hash: Bytes)] = []
        for _ in 0..<10 {
            let created = try await alice.invite(), joined = try await bob.join(created.link)
            await alice.wait("connected") { $0.connected[created.id] != nil }
            await bob.wait("connected") { $0.connected[joined] != nil }
            connections.append((created.id, joined, try await alice.agent.ratchetHash(of: created.id)))
        }
        await alice.kill()
        try takeCopy(of: path, to: folder.path + "/copy.db")
        try await alice.restart()
        let all = connections
        for (one, _, _) in all { try await alice.send("before", to: one) }
        await bob.wait("all messages") { memory in all.allSatisfy { memory.order[$0.bob]?.count == 1 } }
        await alice.kill()
        try takeCopy(of: folder.path + "/copy.db", to: path)
        let store = try AgentStore(path: path)
        #expect(try await SMPAgent.putAllOutOfStep(in: store.file) == 10)
        try await store.close()
        for (_, other, _) in all { try await bob.send("while nobody is there", to: other) }
        try await alice.restart()
        await alice.wait("all messages") { memory in all.allSatisfy { memory.order[$0.alice]?.count == 1 } }
        try await eventually("all connections have new keys") {
            for (one, other, hash) in all {
                guard try await alice.agent.stats(of: one).ratchetSyncState == .ok, try await bob.agent.stats(of: other).ratchetSyncState == .ok else {
                    return false
                }
                let agreed = try await alice.agent.ratchetHash(of: one)
                let theirs = try await bob.agent.ratchetHash(of: other)
                guard agreed != hash, agreed == theirs else { return false }
            }
            return true
        }
        for (one, _, _) in all { try await alice.send("after", to: one) }
        await bob.wait("all answers") { memory in all.allSatisfy { memory.order[$0.bob]?.last == Bytes("after".utf8) } }
        await alice.close()
        await bob.close()
    }

    @Test func `Nothing is sent in a connection of a restored store before both sides have agreed`() async throws {
        let folder = try TemporaryFolder(), internet = SimulatedInternet()
        let routers = [internet.addRouter("one.example"), internet.addRouter("two.example")]
        let path = folder.path + "/a.db"
        let alice = try await TestParty("alice", internet, on: [routers[0].address], path: path, configuration: Self.healing)
        let bob = try await TestParty("bob", internet, on: [routers[1].address])
        let created = try await alice.invite(), joined = try await bob.join(created.link)
        await alice.wait("connected") { $0.connected[created.id] != nil }
        await bob.wait("connected") { $0.connected[joined] != nil }
        // The one who joined cannot be reached: what is agreed on is not agreed yet.
        await bob.kill()
        await alice.kill()
        let store = try AgentStore(path: path)
        #expect(try await SMPAgent.putAllOutOfStep(in: store.file) == 1)
        try await store.close()
        try await alice.restart()
        try await eventually("new keys are offered") { try await alice.agent.stats(of: created.id).ratchetSyncState == .started }
        let error = await #expect(throws: AgentError.self) { try await alice.send("too early", to: created.id) }
        #expect(error?.isOutOfStep == true)
        await alice.close()
    }

    @Test func `What a second agent on a copy has taken is taken back, also before that agent ends, and agrees on new keys`() async throws {
        let folder = try TemporaryFolder(), internet = SimulatedInternet()
        let routers = [internet.addRouter("one.example"), internet.addRouter("two.example")]
        let path = folder.path + "/a.db", taken = Mutex<[Bool]>([])
        var configuration = Self.healing
        configuration.onTakeover = { change in taken.withLock { $0.append(change) } }
        configuration.takeoverRetry = RetryInterval(initial: .milliseconds(200), increaseAfter: .zero, maximum: .seconds(1))
        let alice = try await TestParty("alice", internet, on: [routers[0].address], path: path, configuration: configuration)
        let bob = try await TestParty("bob", internet, on: [routers[1].address])
        let created = try await alice.invite(), joined = try await bob.join(created.link)
        await alice.wait("connected") { $0.connected[created.id] != nil }
        await bob.wait("connected") { $0.connected[joined] != nil }
        await alice.kill()
        try takeCopy(of: path, to: folder.path + "/copy.db")
        try await alice.restart()
        // It may be started by mistake, and its user may leave it running.
        let copy = SMPAgent(configuration: .quick, store: try AgentStore(path: folder.path + "/copy.db"), network: internet.makeClient())
        try await copy.start()
        _ = await copy.subscribeAll()
        try await eventually("it is told, and ends") { taken.withLock(\.self).starts(with: [true, false]) }
        try await eventually("the connection is in step") {
            let (state, there) = try await (alice.agent.stats(of: created.id), bob.agent.stats(of: joined))
            guard state.ratchetSyncState == .ok, there.ratchetSyncState == .ok else { return false }
            return try await alice.agent.ratchetHash(of: created.id) == bob.agent.ratchetHash(of: joined)
        }
        try await alice.send("after", to: created.id)
        try await bob.send("after", to: joined)
        await bob.wait("the message") { $0.order[joined]?.last == Bytes("after".utf8) }
        await alice.wait("the message") { $0.order[created.id]?.last == Bytes("after".utf8) }
        await copy.close()
        await alice.close()
        await bob.close()
    }

    @Test func `The pause before queues are taken back grows with each takeover of a day`() {
        let interval = RetryInterval(initial: .seconds(60), increaseAfter: .zero, maximum: .seconds(300))
        var detection = TakeoverDetection()
        #expect(
            [0, 60_000, 200_000, 400_000, 700_000, 1_100_000].map { detection.pause(interval, now: $0) } == [60, 90, 135, 202.5, 300, 300].map { .seconds($0) })
        #expect(detection.pause(interval, now: 100_000_000) == .seconds(60))
    }

    @Test func `A second agent on a copy of the store is noticed, and the first one sends nothing until it has agreed on new keys`() async throws {
        let folder = try TemporaryFolder(), internet = SimulatedInternet()
        let routers = [internet.addRouter("one.example"), internet.addRouter("two.example")]
        let path = folder.path + "/a.db", taken = Mutex<[Bool]>([])
        var configuration = Self.healing
        configuration.onTakeover = { change in taken.withLock { $0.append(change) } }
        let alice = try await TestParty("alice", internet, on: [routers[0].address], path: path, configuration: configuration)
        let bob = try await TestParty("bob", internet, on: [routers[1].address])
        var connections: [(alice: ConnectionID, bob: ConnectionID)] = []
        for _ in 0..<3 {
            let created = try await alice.invite(), joined = try await bob.join(created.link)
            await alice.wait("connected") { $0.connected[created.id] != nil }
            await bob.wait("connected") { $0.connected[joined] != nil }
            connections.append((created.id, joined))
        }
        await alice.kill()
        try takeCopy(of: path, to: folder.path + "/copy.db")
        try await alice.restart()
        #expect(taken.withLock(\.self).isEmpty)

        let copy = SMPAgent(configuration: .quick, store: try AgentStore(path: folder.path + "/copy.db"), network: internet.makeClient())
        try await copy.start()
        _ = await copy.subscribeAll()
        try await eventually("the takeover is told") { taken.withLock(\.self) == [true] }
        let pairs = connections
        try await eventually("nothing is sent any more") {
            for (one, _) in pairs where try await alice.agent.stats(of: one).ratchetSyncState != .required { return false }
            return true
        }
        await copy.close()
        await alice.kill()
        try await alice.restart()
        try await eventually("all connections are in step") {
            for (one, _) in pairs where try await alice.agent.stats(of: one).ratchetSyncState != .ok { return false }
            return true
        }
        for (one, other) in connections {
            try await alice.send("after", to: one)
            await bob.wait("the message") { $0.order[other]?.last == Bytes("after".utf8) }
        }
        await alice.close()
        await bob.close()
    }
}
