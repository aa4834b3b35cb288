import FileFaults
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

/// Deletions that a loss of power could still undo, and bytes that cannot be removed with their chunk.
@Suite(.serialized) struct DeletionTests {
    /// What a client asks of a chunk that another request has deleted.
    enum Question: CaseIterable, Sendable { case delete, add, upload, download }

    private func ask(_ question: Question, _ chunk: TestChunk, _ id: (sender: EntityID, recipient: EntityID), _ session: XFTPSession) async throws {
        switch question {
        case .delete: try await session.delete(id.sender, key: chunk.sender)
        case .add: _ = try await session.add(recipients: [chunk.recipient.publicKey], to: id.sender, key: chunk.sender)
        case .upload: try await chunk.upload(session, id.sender)
        case .download: _ = try await session.download(id.recipient, key: chunk.recipient, size: chunk.size, digest: chunk.digest)
        }
    }

    /// Runs `body` with a router that has one chunk.
    private func withChunk(
        _ storage: FaultyStorage, _ change: (inout FileRouterConfiguration) -> Void = { _ in }, now: @escaping @Sendable () -> Int64 = RouterClock.now,
        _ body: (FileRouter, XFTPSession, TestChunk, (sender: EntityID, recipient: EntityID), TemporaryFolder) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder(), chunk = try TestChunk(in: folder)
        try await withRouter(configuration(folder, change), storage: storage, now: now) { router, session in
            let id = try await chunk.announce(session)
            try await chunk.upload(session, id.sender)
            try await body(router, session, chunk, id, folder)
        }
    }

    @Test(arguments: Question.allCases, [false, true])
    func aRefusalWaitsForTheDeletionThatItRestsOn(_ question: Question, _ isRefused: Bool) async throws {
        let storage = FaultyStorage()
        try await withChunk(storage) { router, session, chunk, id, _ in
            storage.held.enter()
            async let first = failure { try await session.delete(id.sender, key: chunk.sender) }
            async let second = again()
            func again() async -> XFTPClientError.Code? {
                await failure {
                    try await eventually("it is deleted") { router.fileCore.shared.withLock { $0.store.file(sender: id.sender) == nil } }
                    try await ask(question, chunk, id, session)
                }
            }
            do {
                defer { storage.held.leave() }
                try await eventually("both wait for the disk") { router.fileCore.journal.waiterCount == 2 }
                if isRefused { storage.losePower() }
            }
            #expect(await first == (isRefused ? .protocol(.fileIO) : nil))
            #expect(await second == .protocol(isRefused ? .fileIO : .auth))
            storage.fails.store(false, ordering: .relaxed)
            try await eventually("the disk takes everything") { router.statistics.storageFailure == nil }
            #expect(await failure { try await ask(question, chunk, id, session) } == .protocol(.auth))
        }
    }

    @Test func theOperatorIsNotToldThatThereIsNoChunkBeforeThatIsDurable() async throws {
        let storage = FaultyStorage()
        try await withChunk(storage) { router, _, _, id, _ in
            let name = id.sender.wireString
            storage.losePower()
            for line in ["delete \(name)", "delete \(name)", "block \(name) spam"] {
                await #expect { try await router.answer(line) } throws: { ($0 as? ControlError)?.code == "storage" }
            }
            storage.fails.store(false, ordering: .relaxed)
            try await eventually("the disk takes everything") { router.statistics.storageFailure == nil }
            await #expect { try await router.answer("delete \(name)") } throws: { ($0 as? ControlError)?.code == "noFile" }
        }
    }

    /// A way in which a chunk goes.
    enum Going: CaseIterable, Sendable { case deleted, blocked, expired }

    private func remove(_ going: Going, _ id: EntityID, _ key: TestChunk, _ router: FileRouter, _ session: XFTPSession) async {
        switch going {
        case .deleted: _ = await failure { try await session.delete(id, key: key.sender) }
        case .blocked: try? await router.fileCore.block(id, BlockingInfo(reason: .spam))
        case .expired: await router.expire()
        }
    }

    @Test(arguments: Going.allCases)
    func bytesThatMayNotGoYetGoWithTheNextSearchForOldChunks(_ going: Going) async throws {
        let storage = FaultyStorage(), time = Atomic<Int64>(1_000_000), isExpired = going == .expired
        try await withChunk(storage) {
            $0.fileLifetime = isExpired ? .seconds(3_600) : nil
        } now: {
            time.load(ordering: .relaxed)
        } _: { router, session, chunk, id, folder in
            if isExpired { time.add(3 * 3_600, ordering: .relaxed) }
            storage.held.enter()
            async let removal: Void = remove(going, id.sender, chunk, router, session)
            do {
                defer { storage.held.leave() }
                try await eventually("the change waits for the disk") { router.fileCore.journal.waiterCount > 0 }
                storage.losePower()
            }
            await removal
            // A chunk without its bytes would seem lost, were its deletion lost.
            await router.expire()
            #expect(try folder.files().count == 1)
            storage.fails.store(false, ordering: .relaxed)
            try await eventually("the disk takes everything") { router.statistics.storageFailure == nil }
            await router.expire()
            #expect(try folder.files().isEmpty)
        }
    }

    @Test(arguments: Going.allCases)
    func bytesThatCannotBeRemovedAreRemovedByTheNextSearchForOldChunks(_ going: Going) async throws {
        let time = Atomic<Int64>(1_000_000), isExpired = going == .expired
        try await withChunk(FaultyStorage()) {
            $0.fileLifetime = isExpired ? .seconds(3_600) : nil
        } now: {
            time.load(ordering: .relaxed)
        } _: { router, session, chunk, id, folder in
            try await FileFaults.with(below: folder("files")) { disk in
                disk.fail(.remove, number: 1, times: 2)
                if isExpired { time.add(3 * 3_600, ordering: .relaxed) }
                await remove(going, id.sender, chunk, router, session)
                for failures in 1...2 {
                    let files = try folder.files()
                    #expect(files.count == 1 && disk.failures == failures)
                    await router.expire()
                }
                #expect(try folder.files().isEmpty)
            }
        }
    }
}
