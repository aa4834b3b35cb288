import ChatAPI
import ChatProtocol
import ChatRules
import StorageFaults
import TestSupport
import Testing

@testable import ChatEngine

@Suite("The N-th operation of the disk beneath two cores fails, for every N", .serialized)
struct NthFaultTests {
    /// Does something as one who is told that it could not be done, and asks again.
    private func again<Value>(_ body: () async throws -> Value) async throws -> Value {
        for _ in 0..<30 {
            if let value = try? await body() { return value }
        }
        return try await body()
    }

    @Test(
        "they connect, talk both ways and part: what was accepted is there once and in order", .timeLimit(.minutes(60)),
        arguments: [StorageFaults.Operation.read, .write, .sync, .truncate])
    func exchange(_ operation: StorageFaults.Operation) async throws {
        let failed = try await FaultySweep.run(few: [.read, .write].contains(operation) ? 200 : 25) { number in
            let folder = try TemporaryFolder(), world = TestWorld()
            let disk = try StorageFaults(below: folder.path)
            let times = [1, 3, 10][number % 3]
            disk.fail(
                operation, number: number, times: times, with: number % 2 == 0 || ![.write, .truncate].contains(operation) ? .io : .full, tears: number % 4 == 0
            )
            try await converse(in: folder, of: world, "\(operation) \(number), \(times) times")
            return disk.failures > 0
        }
        print("\(failed) exchanges of two cores in which a \(operation) failed")
        #expect(failed > 0 || operation == .truncate)
    }

    private func converse(in folder: TemporaryFolder, of world: TestWorld, _ what: String) async throws {
        func open(_ name: String) async throws -> TestCore {
            try await again { try await world.open(prefix: "\(folder.path)/\(name)", agent: .light, clock: ImpatientClock()) }
        }
        let cores = [try await open("alice"), try await open("bob")]
        _ = try await again { try await cores[0].createUser("alice") }
        _ = try await again { try await cores[1].createUser("bob") }
        let link = try await again { try await cores[0].invite() }
        try await again { try await cores[1].join(link) }
        for core in cores { try #require(await core.eventually { await core.connected().count == 1 }, "\(what): not connected") }
        let contacts = [try #require(await cores[0].connected().first), try #require(await cores[1].connected().first)]
        var sent: [[String]] = [[], []]
        for number in 1...3 {
            for side in 0...1 {
                let text = "\(number) of \(side)"
                _ = try await again { try await cores[side].send(text, to: contacts[side], key: text) }
                sent[side].append(text)
            }
        }
        for side in 0...1 {
            let (core, contact, expected) = (cores[1 - side], contacts[1 - side], sent[side])
            try #require(await core.eventually { await core.received(from: contact).count >= expected.count }, "\(what): something is missing")
            #expect(await core.received(from: contact) == expected, "\(what)")
        }
        // The same is there after a restart.
        await cores[0].close()
        let alice = try await open("alice")
        #expect(await alice.received(from: contacts[0]) == sent[1], "\(what)")
        let contact = contacts[0]
        _ = try await again { try await alice.send(.chats(.delete(.direct(contact)))) }
        try #require(await alice.eventually { await alice.connected().isEmpty }, "\(what): not deleted")
        await alice.close()
        await cores[1].close()
    }
}
