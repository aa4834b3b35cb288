import ChatAPI
import ChatRules
import EncryptedSQLite
import Foundation
import SMPSimulation
import StorageFaults
import TestSupport
import Testing

@testable import ChatEngine

@Suite("A disk that fails beneath a core")
struct DiskFaultTests {
    @Test("for any N-th write or flush: what was received is shown once and in order when it works again", arguments: [StorageFaults.Operation.write, .sync])
    func receiving(_ operation: StorageFaults.Operation) async throws {
        let folder = try TemporaryFolder(), world = TestWorld()
        let disk = try StorageFaults(below: folder.path)
        let alice = try await world.open(agent: .quick)
        let bob = try await world.open(prefix: folder.path + "/core", agent: .quick, clock: ImpatientClock())
        for (core, name) in [(alice, "alice"), (bob, "bob")] { _ = try await core.createUser(name) }
        let (atAlice, atBob) = try await TestWorld.connect(alice, bob)
        var expected: [String] = [], answered: [String] = [], failures = 0
        for number in 1...16 {
            disk.fail(operation, number: (number - 1) % 4 + 1, with: number % 2 == 0 ? .io : .full, tears: number % 3 == 0)
            for index in 0..<3 {
                let text = "\(number).\(index)"
                _ = try await alice.send(text, to: atAlice)
                expected.append(text)
                // What Bob's core answers is sent, what it refuses is not.
                guard index == 1 else { continue }
                if (try? await bob.send("bob " + text, to: atBob, key: text)) != nil { answered.append("bob " + text) }
            }
            failures += disk.failures
            disk.heal()
            let count = expected.count
            let isThere = await bob.eventually { await bob.received(from: atBob).count >= count }
            let received = await bob.received(from: atBob)
            try #require(isThere, "\(operation) \(number): \(received.suffix(5)) of \(expected.suffix(5))")
            #expect(await bob.received(from: atBob) == expected, "\(operation) \(number)")
        }
        #expect(failures > 3)
        let sent = answered
        try #require(await alice.eventually { await alice.received(from: atAlice).count >= sent.count })
        #expect(await alice.received(from: atAlice) == sent)
        await alice.close()
        await bob.close()
        // And all of it is there after a restart.
        let again = try await world.open(prefix: folder.path + "/core", agent: .quick)
        #expect(await again.received(from: atBob) == expected)
        await again.close()
    }

    @Test("is told of by an event, once until it works again")
    func events() async throws {
        let folder = try TemporaryFolder(), world = TestWorld()
        let disk = try StorageFaults(below: folder.path)
        let network = world.internet.makeClient()
        let core = TestCore(try NativeCore.open(world.configuration(prefix: folder.path + "/core"), network: network), network)
        _ = try await core.createUser("alice")
        for round in 1...3 {
            disk.fail(.write, of: [.log], number: 1, with: .full)
            for name in ["a", "b", "c"] { _ = try? await core.createUser("\(name) \(round)") }
            disk.heal()
            _ = try await core.createUser("after \(round)")
        }
        let told = await core.wait { events in
            events.count { if case .chatError(.store(.databaseException(let message))) = $0 { message.hasPrefix("storage.diskFull") } else { false } } >= 3
        }
        #expect(told)
        await core.close()
    }

    @Test("a core closes although its disk fails, and what it had not acknowledged comes again")
    func closing() async throws {
        let folder = try TemporaryFolder(), world = TestWorld()
        let disk = try StorageFaults(below: folder.path)
        let alice = try await world.open(agent: .quick), bob = try await world.open(prefix: folder.path + "/core", agent: .quick)
        for (core, name) in [(alice, "alice"), (bob, "bob")] { _ = try await core.createUser(name) }
        let (atAlice, atBob) = try await TestWorld.connect(alice, bob)
        disk.fail(.write, number: 1, with: .full)
        for text in ["one", "two"] { _ = try await alice.send(text, to: atAlice) }
        try #require(await bob.eventually { disk.failures > 0 })
        await bob.close()
        disk.heal()
        let again = try await world.open(prefix: folder.path + "/core", agent: .quick)
        try #require(await again.eventually { await again.received(from: atBob).count == 2 })
        #expect(await again.received(from: atBob) == ["one", "two"])
        await again.close()
        await alice.close()
    }
}
