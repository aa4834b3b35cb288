import FileFaults
import Foundation
import RouterSupport
import SMPProtocol
import Synchronization
import TestSupport
import Testing
import XFTPClient
import XFTPProtocol

@testable import XFTPServer

@Suite(.serialized) struct DiskFaultTests {
    /// Asks again as a client does, as long as the refusal is one that may pass.
    private func again<Value>(_ body: () async throws -> Value) async throws -> Value {
        for _ in 0..<20 {
            do {
                return try await body()
            } catch let error as XFTPClientError where error.isTemporary {
                continue
            } catch let error as RouterError where error.code == .storage {
                continue
            }
        }
        return try await body()
    }

    @Test(.timeLimit(.minutes(10)), arguments: DiskOperation.allCases)
    func theNthOperationFailsForEveryNAndWhatWasAcceptedIsThereAndNothingElse(_ operation: DiskOperation) async throws {
        let failed = try await FaultySweep.run(few: 1) { number in
            try await exchange(operation, number, times: [1, 3][number % 2])
        }
        #expect(failed > 0)
    }

    /// Uploads, downloads and deletes chunks, and starts the router again, while an operation fails.
    ///
    /// - Returns: True if something has failed.
    private func exchange(_ operation: DiskOperation, _ number: Int, times: Int) async throws -> Bool {
        let what: Comment = "\(operation) \(number), \(times) times"
        let folder = try TemporaryFolder()
        let configuration = configuration(folder)
        return try await FileFaults.with(below: folder.path + "/files") { disk in
            disk.fail(operation, number: number, times: times)
            let chunks = try (1...3).map { try TestChunk(seed: UInt64($0), in: folder) }
            var ids: [(sender: EntityID, recipient: EntityID)] = []
            try await again {
                try await withRouter(configuration) { router, session in
                    ids = []
                    for chunk in chunks {
                        let id = try await chunk.announce(session)
                        try await again { try await chunk.upload(session, id.sender) }
                        let isEqual = try await again { try await chunk.isDownloaded(session, id.recipient, in: folder) }
                        #expect(isEqual, what)
                        ids.append(id)
                    }
                    try await session.delete(ids[2].sender, key: chunks[2].sender)
                    let reserved = router.fileCore.shared.withLock { $0.store.reservedBytes }
                    #expect(reserved == 0, what)
                    // What cannot be removed now is removed at the next start.
                    if operation != .remove { #expect(try folder.files().count == 2, what) }
                }
            }
            try await again {
                try await withRouter(configuration) { _, session in
                    for (chunk, id) in zip(chunks.prefix(2), ids) {
                        let isEqual = try await again { try await chunk.isDownloaded(session, id.recipient, in: folder) }
                        #expect(isEqual, what)
                    }
                    #expect(await failure { _ = try await chunks[2].isDownloaded(session, ids[2].recipient, in: folder) } == .protocol(.auth), what)
                    #expect(try folder.files().count == 2, what)
                }
            }
            return disk.failures > 0
        }
    }

    @Test func aChunkThatGotItsNameAndWasNotAcceptedIsRemoved() async throws {
        let folder = try TemporaryFolder()
        let chunk = try TestChunk(in: folder)
        try await FileFaults.with(below: folder.path + "/files") { disk in
            try await withRouter(configuration(folder)) { _, session in
                let (id, recipient) = try await chunk.announce(session)
                // The chunk itself is flushed, and the folder with its name is not.
                disk.fail(.synchronize, number: 2, times: 1)
                #expect(await failure { try await chunk.upload(session, id) } == .protocol(.fileIO))
                #expect(disk.failures == 1)
                #expect(try folder.files().isEmpty)
                try await chunk.upload(session, id)
                try await chunk.expectDownload(session, recipient, in: folder)
            }
        }
    }

    @Test func aChunkThatCannotBeReadAtPresentIsNotTakenForALostOne() async throws {
        let folder = try TemporaryFolder()
        let chunk = try TestChunk(in: folder)
        try await FileFaults.with(below: folder.path + "/files") { disk in
            var recipient = EntityID.none
            try await withRouter(configuration(folder)) { router, session in
                let announced = try await chunk.announce(session)
                recipient = announced.recipient
                try await chunk.upload(session, announced.sender)
                disk.fail(.open, number: 1, times: 1)
                #expect(await failure { _ = try await chunk.isDownloaded(session, recipient, in: folder) } == .protocol(.fileIO))
                try await chunk.expectDownload(session, recipient, in: folder)
                #expect(router.statistics.counted.total.filesLost == 0)
            }
            // The folder can be listed, and the chunk cannot be opened.
            disk.fail(.open, number: 1, times: 1)
            try await withRouter(configuration(folder)) { router, session in
                #expect(disk.failures == 1)
                try await chunk.expectDownload(session, recipient, in: folder)
                #expect(router.statistics.counted.total.filesLost == 0)
            }
        }
    }
}
