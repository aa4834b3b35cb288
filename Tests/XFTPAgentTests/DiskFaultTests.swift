import FileFaults
import Foundation
import SMPCrypto
import SMPWire
import StorageFaults
import TestSupport
import Testing
import XFTPProtocol

@testable import XFTPAgent

/// Uploads and downloads on a disk that fails.
@Suite(.serialized) struct DiskFaultTests {
    /// Asks again after an error of the disk, which must be one of these.
    private func again<Value>(_ body: () async throws -> Value) async throws -> Value {
        for _ in 0..<30 {
            do {
                return try await body()
            } catch let error as FileTransferError where [.file, .storage].contains(error.code) {
                continue
            }
        }
        return try await body()
    }

    /// Opens the database, whose errors are not the agent's, until that succeeds.
    private func start(_ party: Party) async throws -> FileAgent {
        for _ in 0..<30 {
            if let agent = try? await party.start() { return agent }
        }
        return try await party.start()
    }

    /// A file of one small chunk, and one that goes through files.
    private static let sizes = [200_000, 300_000]

    @Test(.timeLimit(.minutes(10)), arguments: DiskOperation.allCases, sizes)
    func theNthOperationOnFilesFailsForEveryN(_ operation: DiskOperation, size: Int) async throws {
        try await withRouter { _, servers in
            // There are few names to give, and few folders.
            let failed = try await FaultySweep.run(few: [.rename, .makeFolder, .list].contains(operation) ? 1 : 3) { number in
                let party = try Party(servers)
                return try await FileFaults.with(below: party.folder.path) { disk in
                    let times = [1, 3][number % 2]
                    // The file that is sent is there before.
                    let (file, bytes) = try party.folder.file("sent", size: size)
                    disk.fail(operation, number: number, times: times)
                    try await transfer(file, bytes, by: party, "\(operation) \(number), \(times) times") { disk.heal() }
                    return disk.failures > 0
                }
            }
            #expect(failed > 0)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: [StorageFaults.Operation.write, .sync], sizes)
    func theNthOperationOnTheDatabaseFailsForEveryN(_ operation: StorageFaults.Operation, size: Int) async throws {
        try await withRouter { _, servers in
            let failed = try await FaultySweep.run(few: operation == .sync ? 5 : 40) { number in
                let party = try Party(servers)
                let disk = try StorageFaults(below: party.folder.path)
                let (file, bytes) = try party.folder.file("sent", size: size)
                let times = [1, 3, 10][number % 3]
                disk.fail(operation, number: number, times: times, with: number % 2 == 0 ? .full : .io)
                try await transfer(file, bytes, by: party, "\(operation) of the database \(number), \(times) times") { disk.heal() }
                return disk.failures > 0
            }
            #expect(failed > 0)
        }
    }

    /// Sends a file and its description, and receives the file by that, asking again after each failure.
    private func transfer(
        _ file: LocalFile, _ bytes: Bytes, by party: Party, _ what: String, heal: () -> Void
    ) async throws {
        let comment = Comment(rawValue: what)
        let agent = try await start(party)
        var transfers: [FileTransferID] = []
        func outcome(_ begin: (FileTransferID) async throws -> Void, failed: () -> Void = {}) async throws -> FileTransferEvent {
            for _ in 0..<30 {
                let id = FileTransferID(SystemRandomSource().bytes(16))
                try await again { try await begin(id) }
                transfers.append(id)
                let event = try await party.log.outcome(of: id)
                switch event {
                case .uploadFailed(_, let error), .downloadFailed(_, let error):
                    #expect(error.code == .file, comment)
                    failed()
                    try await again { try await agent.remove(id) }
                default: return event
                }
            }
            throw TransferInterrupted()
        }
        let uploaded = try await outcome { try await agent.sendFile(user: 1, file, name: "sent", as: $0) }
        guard case .uploadComplete(_, _, let long) = uploaded else { throw UnexpectedEvent(event: uploaded) }
        let described = try await outcome { try await agent.sendDescription(user: 1, long[0], as: $0) }
        guard case .uploadComplete(_, _, let short) = described else { throw UnexpectedEvent(event: described) }
        let target = LocalFile(party.folder("received"))
        let downloaded = try await outcome {
            try await agent.receiveFile(user: 1, short[0], to: target, as: $0)
        } failed: {
            #expect(!party.folder.names(in: "").contains("received"), comment)
        }
        guard case .downloadComplete(let id, target, _) = downloaded else { throw UnexpectedEvent(event: downloaded) }
        #expect(try party.folder.contents("received") == bytes, comment)
        let announced = party.log.all.filter { if case .downloadComplete(id, _, _) = $0 { true } else { false } }
        #expect(announced.count == 1, comment)
        for id in transfers { try await again { try await agent.remove(id) } }
        heal()
        try await party.stop(agent)
        // What could not be removed then is removed at the next start.
        try await party.stop(try await party.start())
        #expect(party.folder.names(in: "work").isEmpty, comment)
        #expect(party.folder.names(in: "").filter { $0.contains(".part-") }.isEmpty, comment)
    }
}
