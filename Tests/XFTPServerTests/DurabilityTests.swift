import Foundation
import RouterFaults
import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import TestSupport
import Testing
import XFTPClient
import XFTPProtocol

@testable import XFTPServer

@Suite struct DurabilityTests {
    @Test func whatWasAcceptedIsThereAfterAKillAtAnyMomentAndNothingElseIs() async throws {
        let folder = try TemporaryFolder()
        let chunks = try (1...4).map { try TestChunk(seed: UInt64($0), in: folder) }
        var ids: [(sender: EntityID, recipient: EntityID)] = []
        var copies: [TemporaryFolder] = []
        try await withRouter(configuration(folder)) { _, session in
            for chunk in chunks { ids.append(try await chunk.announce(session)) }
            try await chunks[0].upload(session, ids[0].sender)
            copies.append(try folder.copy())
            try await chunks[1].upload(session, ids[1].sender)
            try await session.delete(ids[0].sender, key: chunks[0].sender)
            copies.append(try folder.copy())
        }
        // Remains of uploads that were on their way, and a chunk that the journal does not know.
        for name in ["abc.1.new", "unknown"] { try Data([1]).write(to: URL(fileURLWithPath: copies[0].path + "/files/" + name)) }
        try await withRouter(configuration(copies[0])) { _, session in
            try await chunks[0].expectDownload(session, ids[0].recipient, in: folder)
            #expect(await failure { _ = try await chunks[1].isDownloaded(session, ids[1].recipient, in: folder) } == .protocol(.noFile))
            try await chunks[1].upload(session, ids[1].sender)
            try await chunks[1].expectDownload(session, ids[1].recipient, in: folder)
            #expect(try copies[0].files().count == 2)
        }
        try await withRouter(configuration(copies[1])) { router, session in
            #expect(await failure { _ = try await chunks[0].isDownloaded(session, ids[0].recipient, in: folder) } == .protocol(.auth))
            try await chunks[1].expectDownload(session, ids[1].recipient, in: folder)
            #expect(router.statistics.bytes == 65_536)
            #expect(router.statistics.files == 3)
        }
    }

    @Test func theFolderOfARouterThatRunsIsRefused() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder)) { _, _ in
            let error = await #expect(throws: RouterError.self) { _ = try await FileRouter.start(configuration(folder), logger: quiet) }
            #expect(error?.code == .inUse)
        }
    }

    @Test func aChunkThatIsNotOnTheDiskAnyMoreIsForgottenAndCounted() async throws {
        let folder = try TemporaryFolder()
        let chunk = try TestChunk(in: folder)
        var ids: (sender: EntityID, recipient: EntityID)?
        try await withRouter(configuration(folder)) { _, session in
            let announced = try await chunk.announce(session)
            try await chunk.upload(session, announced.sender)
            ids = announced
        }
        let id = try #require(ids)
        for name in try folder.files() { try Data([1, 2]).write(to: URL(fileURLWithPath: folder.path + "/files/" + name)) }
        try await withRouter(configuration(folder)) { router, session in
            #expect(await failure { _ = try await chunk.isDownloaded(session, id.recipient, in: folder) } == .protocol(.auth))
            #expect(router.statistics.counted.total.filesLost == 1)
            #expect(router.statistics.files == 0)
        }
        try await withRouter(configuration(folder)) { router, _ in #expect(router.statistics.counted.total.filesLost == 1) }
    }

    @Test func theJournalIsWrittenAnewWithoutLosingAnything() async throws {
        let folder = try TemporaryFolder()
        let chunk = try TestChunk(in: folder)
        var recipients: [EntityID] = []
        try await withRouter(configuration(folder) { $0.segmentSize = 2_000 }) { router, session in
            let (id, first) = try await chunk.announce(session)
            try await chunk.upload(session, id)
            recipients = [first]
            // More than one record holds.
            for _ in 0..<3 {
                recipients += try await session.add(
                    recipients: Array(repeating: chunk.recipient.publicKey, count: 150), to: id, key: chunk.sender)
            }
            for _ in 0..<20 {
                let (other, _) = try await chunk.announce(session)
                try await session.delete(other, key: chunk.sender)
            }
            try await session.acknowledge(recipients[5], key: chunk.recipient)
            let before = router.statistics.journalBytes
            try await router.compact()
            #expect(router.statistics.journalBytes < before)
            _ = try await chunk.announce(session)
        }
        try await withRouter(configuration(folder)) { router, session in
            #expect(router.statistics.files == 2)
            for (index, recipient) in recipients.enumerated() where index % 50 == 5 {
                if index == 5 {
                    #expect(await failure { _ = try await chunk.isDownloaded(session, recipient, in: folder) } == .protocol(.auth))
                } else {
                    try await chunk.expectDownload(session, recipient, in: folder)
                }
            }
        }
    }

    @Test func aDiskThatRefusesTheJournalHasCommandsRefusedUntilItTakesSomethingAgain() async throws {
        let folder = try TemporaryFolder()
        let storage = FaultyStorage()
        let chunk = try TestChunk(in: folder)
        try await withRouter(configuration(folder), storage: storage) { router, session in
            let (id, recipient) = try await chunk.announce(session)
            storage.losePower()
            #expect(await failure { try await chunk.upload(session, id) } == .protocol(.fileIO))
            #expect(await failure { _ = try await chunk.announce(session) } == .protocol(.fileIO))
            #expect(router.statistics.storageFailure != nil)
            storage.fails.store(false, ordering: .relaxed)
            try await eventually("the router accepts something again") { router.statistics.storageFailure == nil }
            // What was refused may have been done: a repetition finds it.
            try await chunk.upload(session, id)
            try await chunk.expectDownload(session, recipient, in: folder)
        }
    }

    @Test(arguments: [false, true])
    func anUploadThatIsRepeatedIsAnsweredWhenTheFirstOneIsDurable(_ isRefused: Bool) async throws {
        let folder = try TemporaryFolder()
        let storage = FaultyStorage()
        let chunk = try TestChunk(in: folder)
        try await withRouter(configuration(folder), storage: storage) { router, session in
            let (id, recipient) = try await chunk.announce(session)
            storage.held.enter()
            async let first = failure { try await chunk.upload(session, id) }
            async let second = await again()
            func again() async -> XFTPClientError.Code? {
                await failure {
                    try await eventually("the first is there") { router.fileCore.shared.withLock { $0.store.file(sender: id)?.isUploaded == true } }
                    try await chunk.upload(session, id)
                }
            }
            do {
                defer { storage.held.leave() }
                try await eventually("both wait for the disk") { router.fileCore.journal.waiterCount == 2 }
                if isRefused { storage.losePower() }
            }
            let answers = await [first, second]
            #expect(answers == Array(repeating: isRefused ? .protocol(.fileIO) : nil, count: 2))
            storage.fails.store(false, ordering: .relaxed)
            try await eventually("the disk takes everything") { router.statistics.storageFailure == nil }
            // An acknowledgement is written, and nobody waits for it to be durable.
            try await session.acknowledge(recipient, key: chunk.recipient)
            try await chunk.upload(session, id)
        }
    }

    @Test func whatWasAnsweredSurvivesALossOfPower() async throws {
        let folder = try TemporaryFolder()
        let storage = FaultyStorage()
        let chunks = try (1...2).map { try TestChunk(seed: UInt64($0), in: folder) }
        var ids: [(sender: EntityID, recipient: EntityID)] = []
        var contents: [UInt64: Bytes] = [:]
        var copy: TemporaryFolder?
        try await withRouter(configuration(folder), storage: storage) { _, session in
            for chunk in chunks { ids.append(try await chunk.announce(session)) }
            try await chunks[0].upload(session, ids[0].sender)
            contents = storage.durableContents
            copy = try folder.copy()
        }
        try await withRouter(configuration(try #require(copy)), storage: MemoryStorage(contents)) { _, session in
            try await chunks[0].expectDownload(session, ids[0].recipient, in: folder)
            try await chunks[1].upload(session, ids[1].sender)
        }
    }

    @Test func aFolderThatCannotBeWrittenHasUploadsRefusedAndHeals() async throws {
        let folder = try TemporaryFolder()
        let chunk = try TestChunk(in: folder)
        try await withRouter(configuration(folder)) { router, session in
            let (id, recipient) = try await chunk.announce(session)
            let files = folder.path + "/files"
            try FileManager.default.moveItem(atPath: files, toPath: files + ".away")
            #expect(await failure { try await chunk.upload(session, id) } == .protocol(.fileIO))
            #expect(router.fileCore.shared.withLock { $0.store.usedBytes } == 0)
            try FileManager.default.moveItem(atPath: files + ".away", toPath: files)
            try await chunk.upload(session, id)
            try await chunk.expectDownload(session, recipient, in: folder)
        }
    }
}
