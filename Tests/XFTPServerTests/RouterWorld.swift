import Foundation
import Logging
import NIOPosix
import RouterSupport
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import TestSupport
import Testing
import XFTPClient
import XFTPProtocol

@testable import XFTPServer

extension TemporaryFolder {
    /// The state that a kill at this moment would leave, as another folder.
    func copy() throws -> TemporaryFolder {
        let copy = try TemporaryFolder(isCreated: false)
        try FileManager.default.copyItem(atPath: path, toPath: copy.path)
        return copy
    }

    func files(_ name: String = "files") throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: self(name)) }
}

/// A chunk and the keys of its sender and a recipient.
struct TestChunk: Sendable {
    let path: String
    let bytes: Bytes
    let sender: PrivateAuthKey
    let recipient: PrivateAuthKey

    var size: UInt32 { UInt32(bytes.count) }
    var digest: Bytes { Hash.sha256(bytes) }

    init(_ size: Int = 65_536, seed: UInt64 = 1, in folder: TemporaryFolder) throws {
        let random = SeededRandomSource(seed: seed)
        bytes = random.bytes(size)
        path = folder.path + "/chunk-\(seed)-\(size)"
        sender = .ed25519(Ed25519.generateKeyPair(random).privateKey)
        recipient = .ed25519(Ed25519.generateKeyPair(random).privateKey)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    func announce(_ session: XFTPSession, basicAuth: BasicAuth? = nil) async throws -> (sender: EntityID, recipient: EntityID) {
        let (id, recipients) = try await session.create(
            key: sender, size: size, digest: digest, recipients: [recipient.publicKey], basicAuth: basicAuth)
        return (id, recipients[0])
    }

    func upload(_ session: XFTPSession, _ id: EntityID) async throws {
        try await session.upload(try ChunkSource(path: path, size: size), to: id, key: sender)
    }

    func expectDownload(_ session: XFTPSession, _ id: EntityID, in folder: TemporaryFolder) async throws {
        let isDownloaded = try await isDownloaded(session, id, in: folder)
        #expect(isDownloaded)
    }

    /// Downloads the chunk and compares it.
    func isDownloaded(_ session: XFTPSession, _ id: EntityID, in folder: TemporaryFolder) async throws -> Bool {
        let target = folder.path + "/received-\(UUID().uuidString)"
        try await session.download(id, key: recipient, to: target, size: size, digest: digest)
        return try Data(contentsOf: URL(fileURLWithPath: target)) == Data(bytes)
    }
}

func configuration(_ folder: TemporaryFolder, _ change: (inout FileRouterConfiguration) -> Void = { _ in }) -> FileRouterConfiguration {
    var configuration = FileRouterConfiguration(folder: folder.path)
    configuration.port = 0
    change(&configuration)
    return configuration
}

let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Starts a router, connects to it, and stops it at the end.
func withRouter(
    _ configuration: FileRouterConfiguration, storage: (any SegmentStorage)? = nil, now: @escaping @Sendable () -> Int64 = RouterClock.now,
    _ body: (FileRouter, XFTPSession) async throws -> Void
) async throws {
    let router =
        if let storage {
            try await FileRouter.start(
                configuration, on: storage, group: MultiThreadedEventLoopGroup.singleton, random: SystemRandomSource(), now: now, logger: quiet)
        } else {
            try await FileRouter.start(configuration, now: now, logger: quiet)
        }
    do {
        let session = try await XFTPConnector().connect(router.address)
        try await body(router, session)
        await session.close()
    } catch {
        await router.stop()
        throw error
    }
    await router.stop()
}

/// The error of what must fail.
func failure(_ body: () async throws -> Void) async -> XFTPClientError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? XFTPClientError)?.code
    }
}
