import Dispatch
import Foundation
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import TestSupport
import Testing
import XFTPClient
import XFTPProtocol
import XFTPServer

@testable import XFTPAgent

/// Sessions that take no more commands, because an upload was refused before it was sent, while others still use them.
@Suite struct RetiredSessionTests {
    /// A disk that keeps whoever flushes a file below a folder waiting.
    private final class HeldDisk: DiskInterposer {
        let held = DispatchGroup()
        private let folder: String
        private let count = Atomic(0)

        init(below folder: String) { self.folder = folder }

        var waiting: Int { count.load(ordering: .acquiring) }

        func willPerform(_ operation: DiskOperation, on path: String) -> Int32? {
            guard operation == .synchronize, path.hasPrefix(folder) else { return nil }
            count.add(1, ordering: .acquiringAndReleasing)
            held.wait()
            return nil
        }
    }

    private static let key = PrivateAuthKey.ed25519(Ed25519.generateKeyPair(SeededRandomSource(seed: 3)).privateKey)

    @Test func anotherTakesItsPlaceAndWhatIsUnderWayOnItGoesOn() async throws {
        let folder = try TemporaryFolder(), disk = HeldDisk(below: folder("router/files"))
        DiskInterposers.add(disk)
        defer { DiskInterposers.remove(disk) }
        try await withRouter {
            $0.folder = folder("router")
        } _: { _, servers in
            let sessions = FileSessions(try XFTPConnector()), use = FileSessions.Key(user: 1, server: servers.servers[0].server)
            let bytes = SeededRandomSource(seed: 4).bytes(65_536)
            let first = try await sessions.with(use) { session throws(XFTPClientError) in session }
            let id = try await first.create(
                key: Self.key, size: 65_536, digest: Hash.sha256(bytes), recipients: [Self.key.publicKey]
            ).sender
            disk.held.enter()
            async let upload: Void = sessions.with(use) { session throws(XFTPClientError) in
                try await session.upload(ChunkSource(bytes), to: id, key: Self.key)
            }
            do {
                defer { disk.held.leave() }
                try await eventually("the chunk is put on the disk") { disk.waiting > 0 }
                // More than the router passes over of a chunk that nobody has announced.
                let error = await #expect(throws: XFTPClientError.self) {
                    try await sessions.with(use) { session throws(XFTPClientError) in
                        try await session.upload(ChunkSource(Bytes(repeating: 1, count: 16 << 20)), to: EntityID([9]), key: Self.key)
                    }
                }
                #expect(error?.code == .protocol(.auth))
                #expect(!first.isOpen)
                let next = try await sessions.with(use) { session throws(XFTPClientError) in session }
                #expect(next !== first && next.isOpen)
                try await next.ping()
            }
            try await upload
            await sessions.close()
        }
    }
}
