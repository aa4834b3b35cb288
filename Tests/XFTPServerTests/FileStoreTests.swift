import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import TestSupport
import Testing
import XFTPProtocol

@testable import XFTPServer

/// The names of steps, in order.
private final class Order: Sendable {
    private let state = Mutex<[String]>([])

    var names: [String] { state.withLock(\.self) }

    func add(_ name: String) { state.withLock { $0.append(name) } }
}

/// What one client may take of a file router's room and time.
@Suite struct FileStoreTests {
    @Test func fewUploadsOfOneChunkTakeRoomAtATime() throws {
        var store = FileStore()
        let id = EntityID([1])
        for _ in 0..<FileStore.uploadsPerFile { try store.reserve(100, of: id, quota: 10_000) }
        #expect(throws: XFTPErrorType.timeout) { try store.reserve(100, of: id, quota: 10_000) }
        try store.reserve(100, of: EntityID([2]), quota: 10_000)
        #expect(store.reservedBytes == 100 * Int64(FileStore.uploadsPerFile + 1))
        store.release(100, of: id)
        try store.reserve(100, of: id, quota: 10_000)
        #expect(throws: XFTPErrorType.quota) { try store.reserve(10_000, of: EntityID([3]), quota: 10_000) }
    }

    @Test func anAddressHasItsDownloadsOneAfterAnotherAndHoldsUpNoOther() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder) { $0.downloadsPerAddress = 1 }) { router, _ in
            let one = try #require(IPAddress(parsing: "192.0.2.1")?.limitedPrefix), other = try #require(IPAddress(parsing: "192.0.2.2")?.limitedPrefix)
            let core = router.fileCore, order = Order()
            let second = try await core.download(from: one) {
                order.add("first")
                let second = Task { try await core.download(from: one) { order.add("second") } }
                try await core.download(from: other) { order.add("another address's") }
                try await core.download(from: nil) { order.add("this machine's") }
                return second
            }
            try await second.value
            #expect(order.names == ["first", "another address's", "this machine's", "second"])
        }
    }

    @Test func anAddressAddsALimitedNumberOfRecipients() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder) { $0.filesPerAddressAndHour = 1 }) { router, session in
            let chunk = try TestChunk(in: folder), key = chunk.recipient.publicKey
            let (id, _) = try await chunk.announce(session)
            let prefix = try #require(IPAddress(parsing: "192.0.2.1")?.limitedPrefix)
            _ = try await router.fileCore.add(Array(repeating: key, count: FileLimits.recipientsPerFile), to: id, from: prefix)
            await #expect(throws: XFTPErrorType.quota) { _ = try await router.fileCore.add([key], to: id, from: prefix) }
            _ = try await router.fileCore.add([key], to: id, from: nil)
        }
    }
}
