import Foundation
import OfficialPeers
import ProcessSupport
import SMPCrypto
import SMPProtocol
import SMPWire
import TestSupport
import Testing
import XFTPClient
import XFTPProtocol

/// The protocol as the official file router speaks it.
@Suite("With the official file router", .enabled(if: PeerProgram.xftpServer.isInstalled), .serialized)
struct OfficialRouterTests {
    private let random = SystemRandomSource()

    private func key() -> PrivateAuthKey { .ed25519(Ed25519.generateKeyPair(random).privateKey) }

    private func withSession(
        settings: [OfficialRouter.Setting] = [], versions: VersionRange = XFTPVersion.offered,
        _ body: @Sendable (XFTPSession, String) async throws -> Void
    ) async throws {
        let router = try await OfficialFileRouter.start(settings: settings)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("parley-xftp-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var configuration = XFTPClientConfiguration()
        configuration.versions = versions
        do {
            let session = try await XFTPConnector(configuration).connect(try router.serverAddress)
            try await body(session, folder)
            await session.close()
        } catch {
            await router.stop(.kill)
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
        await router.stop(.kill)
        try FileManager.default.removeItem(atPath: folder)
    }

    private func chunk(_ size: Int, in folder: String) throws -> (path: String, bytes: Bytes) {
        let bytes = SeededRandomSource(seed: UInt64(size)).bytes(size)
        let path = folder + "/chunk"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return (path, bytes)
    }

    @Test("Chunks of every size are uploaded, downloaded by each recipient, given up and deleted at every version", arguments: 1...3 as ClosedRange<UInt16>)
    func exchange(_ version: UInt16) async throws {
        try await withSession(versions: VersionRange(version)) { session, folder in
            #expect(session.version == version)
            try await session.ping()
            for size in ChunkPlan.sizes {
                let (path, bytes) = try chunk(Int(size), in: folder)
                let digest = Hash.sha256(bytes)
                let (sender, first, second) = (key(), key(), key())
                let (id, recipients) = try await session.create(key: sender, size: size, digest: digest, recipients: [first.publicKey])
                let added = try await session.add(recipients: [second.publicKey], to: id, key: sender)
                try await session.upload(try ChunkSource(path: path, size: size), to: id, key: sender)
                // An upload that is repeated after a lost answer changes nothing.
                try await session.upload(try ChunkSource(path: path, size: size), to: id, key: sender)
                for (recipient, key) in [(recipients[0], first), (added[0], second)] {
                    let target = folder + "/received"
                    try await session.download(recipient, key: key, to: target, size: size, digest: digest)
                    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data(bytes))
                }
                try await session.acknowledge(recipients[0], key: first)
                let gone = await #expect(throws: XFTPClientError.self) {
                    try await session.download(recipients[0], key: first, to: folder + "/none", size: size, digest: digest)
                }
                #expect(gone?.code == .protocol(.auth))
                try await session.delete(id, key: sender)
                let deleted = await #expect(throws: XFTPClientError.self) { try await session.delete(id, key: sender) }
                #expect(deleted?.code == .protocol(.auth))
                #expect(!FileManager.default.fileExists(atPath: folder + "/none"))
            }
        }
    }

    @Test("A chunk with another digest, of another size or by another sender is refused")
    func refusals() async throws {
        try await withSession { session, folder in
            let size = ChunkPlan.sizes[2]
            let (path, bytes) = try chunk(Int(size), in: folder)
            let sender = key()
            let odd = await #expect(throws: XFTPClientError.self) {
                _ = try await session.create(key: sender, size: 1_000, digest: Hash.sha256(bytes), recipients: [sender.publicKey])
            }
            #expect(odd?.code == .protocol(.size))
            let (id, recipients) = try await session.create(
                key: sender, size: size, digest: Hash.sha256([1]), recipients: [sender.publicKey])
            let absent = await #expect(throws: XFTPClientError.self) {
                try await session.download(recipients[0], key: sender, to: folder + "/none", size: size, digest: [])
            }
            #expect(absent?.code == .protocol(.noFile))
            let wrong = await #expect(throws: XFTPClientError.self) {
                try await session.upload(try ChunkSource(path: path, size: size), to: id, key: sender)
            }
            #expect(wrong?.code == .protocol(.digest))
            try await session.ping()
            // Refused without a look at the chunk: the router does not read on.
            let stranger = await #expect(throws: XFTPClientError.self) {
                try await session.upload(try ChunkSource(path: path, size: size), to: id, key: key())
            }
            #expect(stranger?.code == .protocol(.auth))
        }
    }

    @Test("What is downloaded with another digest or size is refused and leaves no file")
    func wrongChunk() async throws {
        try await withSession { session, folder in
            let size = ChunkPlan.sizes[0]
            let (path, bytes) = try chunk(Int(size), in: folder)
            let key = key()
            let (id, recipients) = try await session.create(key: key, size: size, digest: Hash.sha256(bytes), recipients: [key.publicKey])
            try await session.upload(try ChunkSource(path: path, size: size), to: id, key: key)
            for (size, digest, code) in [
                (size, Hash.sha256([]), XFTPErrorType.digest), (size - 100, Hash.sha256(bytes), .size), (size + 1, Hash.sha256(bytes), .size),
            ] {
                let error = await #expect(throws: XFTPClientError.self) {
                    try await session.download(recipients[0], key: key, to: folder + "/none", size: size, digest: digest)
                }
                #expect(error?.code == .response(code))
                #expect(!FileManager.default.fileExists(atPath: folder + "/none"))
            }
        }
    }

    @Test("A router with a password takes new chunks from those who know it only")
    func password() async throws {
        try await withSession(settings: [.init("AUTH", "create_password", "secret")]) { session, folder in
            let key = key()
            let (_, bytes) = try chunk(65_536, in: folder)
            for (password, isRight) in [(nil, false), ("wrong", false), ("secret", true)] as [(String?, Bool)] {
                let auth = password.flatMap { BasicAuth(Bytes($0.utf8)) }
                do {
                    _ = try await session.create(key: key, size: 65_536, digest: Hash.sha256(bytes), recipients: [key.publicKey], basicAuth: auth)
                    #expect(isRight)
                } catch let error as XFTPClientError {
                    #expect(!isRight)
                    #expect(error.code == .protocol(.auth))
                }
            }
        }
    }

    @Test("A router that is not the one of the address is refused")
    func identity() async throws {
        let router = try await OfficialFileRouter.start()
        let address = try router.serverAddress
        let other = XFTPServerAddress(host: address.hosts[0], port: address.port, keyHash: KeyHash(Bytes(repeating: 1, count: 32)))
        let error = await #expect(throws: XFTPClientError.self) { _ = try await XFTPConnector().connect(other) }
        #expect(error?.code == .network(.unknownCA))
        #expect(error?.isTemporary == false)
        await router.stop(.kill)
        let gone = await #expect(throws: XFTPClientError.self) { _ = try await XFTPConnector().connect(address) }
        #expect(gone?.isTemporary == true)
    }
}
