import Foundation
import RouterFaults
import SMPAgent
import StorageFaults
import TestSupport
import Testing

/// Two agents make a connection, talk, and end it; the N-th operation of a disk fails meanwhile, for N = 1, 2, 3 …, until there is no such
/// operation. What was accepted arrives once and in order, and in the end nothing is left.
///
/// `PARLEY_FAULTS=all` goes through all N.
@Suite(.serialized) struct StorageFaultTests {
    /// What the two say to each other, from the first message to the end of the connection.
    private func exchange(in world: ChaosWorld, _ what: String, between: () async throws -> Void = {}) async throws {
        try await world.connect()
        for round in 1...3 {
            try await world.alice.send(round)
            try await world.bob.send(2)
            await world.settle()
            if round == 2 { try await between() }
        }
        #expect(world.faults == [], "\(what)")
        for party in [world.alice, world.bob] {
            try await party.delete()
            await party.waitUntilDeleted()
            let remains = try await party.remains()
            #expect(remains == [:], "\(what)")
        }
        #expect(world.faults == [], "\(what)")
    }

    @Test(
        "The N-th operation of the disk with both agents' databases fails, for every N", .timeLimit(.minutes(120)),
        arguments: [StorageFaults.Operation.read, .write, .sync, .truncate, .open, .delete])
    func agents(_ operation: StorageFaults.Operation) async throws {
        // An exchange has hundreds of writes, dozens of flushes, and opens few files.
        let step =
            switch operation {
            case .read, .write: 60
            case .open: 2
            default: 12
            }
        let failed = try await FaultySweep.run(few: step) { number in
            let folder = try TemporaryFolder(), disk = try StorageFaults(below: folder.path)
            let times = [1, 3, 10][number % 3]
            // Only what needs room finds the disk full.
            let fault = number % 2 == 0 || ![.write, .truncate].contains(operation) ? StorageFaults.Fault.io : .full
            disk.fail(operation, number: number, times: times, with: fault, tears: number % 4 == 0)
            let what = "\(operation) \(number), \(times) times"
            let world = try await ChaosWorld(.init(folder: folder.path), hasProxy: false)
            try await world.watched(what) { try await exchange(in: world, what) }
            try await world.close()
            return disk.failures > 0
        }
        print("\(failed) exchanges in which a \(operation) of a database failed")
        #expect(failed > 0 || [.truncate, .delete].contains(operation))
    }

    @Test("A start that the disk refused can be repeated")
    func start() async throws {
        var refused = 0
        for number in 1...8 {
            let folder = try TemporaryFolder(), disk = try StorageFaults(below: folder.path)
            let party = try ChaosParty(clock: HurriedClock(factor: 10), path: folder.path + "/party.db")
            disk.fail(.read, number: number, times: 1, with: .io)
            do throws(AgentError) {
                try await party.agent.start()
            } catch {
                #expect(error.isTemporary)
                refused += 1
                try await party.agent.start()
            }
            // It hears its routers, and cleans up.
            #expect(party.taskCount >= 2, "read \(number)")
            await party.close()
        }
        #expect(refused > 0)
    }

    @Test("The N-th operation of the disk with the router's journal fails, for every N, and it loses its power", .timeLimit(.minutes(120)))
    func router() async throws {
        let failed = try await FaultySweep.run(few: 12) { number in
            let folder = try TemporaryFolder(), disk = FaultyStorage(tears: number % 4 == 0)
            let times = [1, 2, 4][number % 3]
            disk.fail(number - 1..<number - 1 + times)
            let what = "operation \(number) of the journal, \(times) times"
            let world = try await ChaosWorld(.init(journal: (disk, folder.path)), hasProxy: false)
            try await world.watched(what) {
                try await exchange(in: world, what) {
                    try await world.alice.send(4)
                    try await world.bob.send(4)
                    try await world.losePower()
                }
            }
            // One of a queue whose making was not answered in time may be left.
            #expect(world.queueCount <= 1, "\(what)")
            try await world.close()
            return !disk.failed.isEmpty
        }
        print("\(failed) exchanges in which an operation of the journal failed")
        #expect(failed > 0)
    }
}
