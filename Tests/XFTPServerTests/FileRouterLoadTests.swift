import Foundation
import NIOCore
import ProcessSupport
import SMPClient
import SMPProtocol
import SMPTransport
import SMPWire
import TestSupport
import Testing
import XFTPClient
import XFTPProtocol
import XFTPTransport

@testable import XFTPServer

/// A file router in a process of its own while many strangers do what they should not: its memory is bounded, and an honest client is served.
///
/// 40 strangers; as many as `PARLEY_STRANGERS` says, with figures printed.
/// A sanitizer's own memory is not what is measured.
@Suite(
    .serialized, .enabled(if: ParleyProgram.isBuilt, "the executable parley was not built"),
    .enabled(if: ProcessInfo.processInfo.environment["PARLEY_SANITIZE"] == nil, "a sanitizer changes memory and time"))
struct FileRouterLoadTests {
    private static let asked = ProcessInfo.processInfo.environment["PARLEY_STRANGERS"].flatMap { Int($0) }
    private static let strangers = asked ?? 40
    /// What a connection may add to the router's memory, TLS and HTTP/2 and all, and what it may take besides.
    private static let (perConnection, base) = (400 << 10, 24 << 20)

    /// A router in a child process, and a client that minds its own business there.
    private final class Scene {
        let address: XFTPServerAddress
        let process: ChildProcess
        let folder: TemporaryFolder
        let session: XFTPSession
        private var peak = 0
        private let before: Int

        init() async throws {
            folder = try TemporaryFolder()
            process = try ParleyProgram.start(["server", "xftp", "--data", folder("router"), "--port", "0", "--json", "--fsync", "1s"])
            address = try XFTPServerAddress(wireString: try #require(try await process.ready().address))
            session = try await XFTPConnector().connect(address)
            before = try #require(ProcessFigures.residentMemory(of: process.id))
        }

        /// Uploads and downloads a chunk.
        func exchange(_ seed: UInt64) async throws {
            let chunk = try TestChunk(seed: seed, in: folder)
            let (id, recipient) = try await chunk.announce(session)
            try await chunk.upload(session, id)
            try await chunk.expectDownload(session, recipient, in: folder)
            try await session.delete(id, key: chunk.sender)
            note()
        }

        func note() { peak = max(peak, ProcessFigures.residentMemory(of: process.id) ?? 0) }

        func end(_ name: String, connections: Int) async throws {
            note()
            #expect(process.isRunning)
            #expect(peak - before < FileRouterLoadTests.base + connections * FileRouterLoadTests.perConnection, "\((peak - before) >> 10) KiB")
            await session.close()
            #expect(await process.stop() == 0)
            if FileRouterLoadTests.asked != nil { print("\(name): router \(before >> 20) MiB before, \(peak >> 20) MiB at most") }
        }
    }

    private func connect(_ address: XFTPServerAddress) async throws -> HTTP2Connection {
        var settings = SMPTransportClient.Configuration()
        settings.applicationProtocols = ["xftp/1"]
        return try await SMPTransportClient(configuration: settings).connect(
            host: "127.0.0.1", port: Int(address.port ?? 443), keyHash: address.keyHash.bytes, open: HTTP2Connection.open(isClient: true))
    }

    /// Begins requests of which no end comes, as many as a connection takes.
    private func begin(_ count: Int, bytes: Int, on connection: HTTP2Connection) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try? await connection.openStream().executeThenClose { _, outbound in
                        try await outbound.send(headers: requestHeaders, isEnd: false)
                        try await outbound.send(Bytes(repeating: 1, count: bytes), isEnd: false)
                        try await suspendUntilCancelled()
                    }
                }
            }
            try? await suspendUntilCancelled()
            group.cancelAll()
        }
    }

    @Test func bodiesBeforeAnyHandshake() async throws {
        let scene = try await Scene()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.strangers {
                let connection = try await connect(scene.address)
                group.addTask { await self.begin(32, bytes: 16_000, on: connection) }
                scene.note()
            }
            for seed in 1...10 as ClosedRange<UInt64> { try await scene.exchange(seed) }
            group.cancelAll()
        }
        try await scene.end("\(Self.strangers) clients that send bodies before any handshake", connections: Self.strangers)
    }

    @Test func wrongSignatures() async throws {
        let scene = try await Scene()
        let stranger = try await XFTPConnector().connect(scene.address)
        let chunk = try TestChunk(seed: 99, in: scene.folder)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    while !Task.isCancelled { _ = await failure { try await stranger.delete(EntityID(Bytes(repeating: 1, count: 24)), key: chunk.sender) } }
                }
            }
            for seed in 1...20 as ClosedRange<UInt64> { try await scene.exchange(seed) }
            group.cancelAll()
        }
        // One connection has a thousand of them checked in a second, and those that are under way.
        let seconds = Int((ContinuousClock.now - start).components.seconds) + 1
        let refused = try await statistics(scene)
        #expect(refused <= 1_000 * seconds + 100)
        await stranger.close()
        try await scene.end("a client with wrong signatures", connections: 1)
    }

    /// The commands that were refused.
    private func statistics(_ scene: Scene) async throws -> Int {
        let program = try ParleyProgram.start(["server", "xftp", "stats", "--data", scene.folder("router"), "--json"])
        let lines = await program.restOfOutput()
        let object = try JSONSerialization.jsonObject(with: Data((lines.first ?? "").utf8)) as? [String: Any]
        return try #require((object?["total"] as? [String: Any])?["authorization_failures"] as? Int)
    }
}
