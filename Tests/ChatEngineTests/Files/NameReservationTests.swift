import ChatSimulation
import Foundation
import Logging
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

@Suite("A name that is reserved for a file")
struct NameReservationTests {
    @Test("is free after a transaction that is not on disk, and kept after one that is, whatever error was reported", arguments: [false, true])
    func withdrawal(_ isHeld: Bool) async throws {
        let bob = try await TestPerson("bob", TestWorld(), files: SimulatedFileService(SimulatedFileStorage()))
        let transactions = bob.core.native.engine.transactions, folders = transactions.folders
        let reservation = NameReservation(in: folders, isHeld: isHeld)
        struct Failure: Error {}

        await #expect(throws: (any Error).self) {
            try await transactions.transaction { _ in
                reservation.begin()
                #expect(try reservation.reserve("a.bin") == "a.bin")
                throw Failure()
            }
        }
        await reservation.withdraw(unlessStoredBy: transactions, logger: Logger(label: "test"))
        #expect(!FileManager.default.fileExists(atPath: bob.filesFolder + "/a.bin") && !folders.isHeld("a.bin"))

        try await transactions.transaction { transaction in
            reservation.begin()
            try transaction.db.files.insertRemovedFile(path: try reservation.reserve("a.bin"), transfer: nil, isUnfinishedUpload: false)
        }
        #expect(folders.isHeld("a.bin") == isHeld)
        await reservation.withdraw(unlessStoredBy: transactions, logger: Logger(label: "test"))
        #expect(FileManager.default.fileExists(atPath: bob.filesFolder + "/a.bin") && !folders.isHeld("a.bin"))
        await bob.core.close()
    }

    @Test("is reserved once by a transaction that runs twice")
    func repetition() async throws {
        let bob = try await TestPerson("bob", TestWorld(), files: SimulatedFileService(SimulatedFileStorage()))
        let reservation = NameReservation(in: bob.core.native.engine.transactions.folders)
        for _ in 0..<2 {
            reservation.begin()
            #expect(try reservation.reserve("a.bin") == "a.bin")
        }
        reservation.begin()
        #expect(try FileManager.default.contentsOfDirectory(atPath: bob.filesFolder).isEmpty)
        await bob.core.close()
    }
}
