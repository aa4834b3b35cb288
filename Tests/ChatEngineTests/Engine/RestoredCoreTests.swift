import ChatAPI
import ChatRules
import Foundation
import SMPAgent
import TestSupport
import Testing

@testable import ChatEngine

@Suite("A core whose databases were restored from a backup")
struct RestoredCoreTests {
    private static var healing: AgentConfiguration {
        var configuration = AgentConfiguration.quick
        configuration.synchronizesRatchets = true
        return configuration
    }

    private func copyDatabases(from source: String, to target: String) throws {
        for name in ["chat", "agent"] {
            for suffix in ["", "-wal", "-shm"] {
                let path = "\(target)_\(name).db\(suffix)"
                try? FileManager.default.removeItem(atPath: path)
                if FileManager.default.fileExists(atPath: "\(source)_\(name).db\(suffix)") {
                    try FileManager.default.copyItem(atPath: "\(source)_\(name).db\(suffix)", toPath: path)
                }
            }
        }
    }

    @Test("sends what it is given at once when both sides have agreed on new keys, once and in order")
    func restored() async throws {
        let folder = try TemporaryFolder(), world = TestWorld()
        let alice = try await world.open(agent: .quick)
        var bob = try await world.open(prefix: folder.path + "/core", agent: Self.healing)
        for (core, name) in [(alice, "alice"), (bob, "bob")] { _ = try await core.createUser(name) }
        let (atAlice, atBob) = try await TestWorld.connect(alice, bob)
        await bob.close()
        try copyDatabases(from: folder.path + "/core", to: folder.path + "/copy")
        bob = try await world.open(prefix: folder.path + "/core", agent: Self.healing)
        for text in ["one", "two"] { _ = try await bob.send(text, to: atBob) }
        try #require(await alice.eventually { await alice.received(from: atAlice) == ["one", "two"] })
        _ = try await alice.send("an answer", to: atAlice)
        let reader = bob
        try #require(await reader.eventually { await reader.received(from: atBob) == ["an answer"] })
        await bob.close()

        try copyDatabases(from: folder.path + "/copy", to: folder.path + "/core")
        let store = try AgentStore(path: folder.path + "/core_agent.db")
        #expect(try await SMPAgent.putAllOutOfStep(in: store.file) == 1)
        try await store.close()
        let restored = try await world.open(prefix: folder.path + "/core", agent: Self.healing)
        let texts = (1...20).map { "after \($0)" }
        for text in texts { _ = try await restored.send(text, to: atBob) }
        #expect(await alice.eventually { await alice.received(from: atAlice) == ["one", "two"] + texts })
        _ = try await alice.send("understood", to: atAlice)
        #expect(await restored.eventually { await restored.received(from: atBob).last == "understood" })
        // The router still has the answer to the other copy, if that was closed before it could acknowledge it.
        let received = await restored.received(from: atBob)
        #expect([["understood"], ["an answer", "understood"]].contains(received), "\(received)")
        await restored.close()
        await alice.close()
    }

    @Test("keeps messages for a contact that is away, sends to others meanwhile, and goes on after a restart")
    func away() async throws {
        let folder = try TemporaryFolder(), world = TestWorld()
        let bob = try await world.open(prefix: folder.path + "/core", agent: Self.healing)
        let alice = try await world.open(prefix: folder.path + "/alice", agent: .quick), carol = try await world.open(agent: .quick)
        for (core, name) in [(bob, "bob"), (alice, "alice"), (carol, "carol")] { _ = try await core.createUser(name) }
        let (aliceAtBob, bobAtAlice) = try await TestWorld.connect(bob, alice)
        let (carolAtBob, bobAtCarol) = try await TestWorld.connect(bob, carol)
        await alice.close()
        await bob.close()
        let store = try AgentStore(path: folder.path + "/core_agent.db")
        #expect(try await SMPAgent.putAllOutOfStep(in: store.file) == 2)
        try await store.close()
        for round in 1...2 {
            let restored = try await world.open(prefix: folder.path + "/core", agent: Self.healing)
            _ = try await restored.send("to alice \(round)", to: aliceAtBob)
            _ = try await restored.send("to carol \(round)", to: carolAtBob)
            #expect(await carol.eventually { await carol.received(from: bobAtCarol).last == "to carol \(round)" })
            await restored.close()
        }
        let back = try await world.open(prefix: folder.path + "/alice", agent: .quick)
        let restored = try await world.open(prefix: folder.path + "/core", agent: Self.healing)
        #expect(await back.eventually { await back.received(from: bobAtAlice) == ["to alice 1", "to alice 2"] })
        await restored.close()
        await back.close()
        await carol.close()
    }
}
