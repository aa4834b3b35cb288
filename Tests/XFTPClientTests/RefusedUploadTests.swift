import Foundation
import SMPCrypto
import SMPProtocol
import SMPWire
import TestSupport
import Testing
import XFTPClient
import XFTPProtocol
import XFTPTransport

/// What becomes of a session when an upload of it does not come to its end, or is answered before it does.
///
/// Official routers end the connection when they have answered a chunk before they had all of it: what is asked next would be lost with it.
@Suite struct RefusedUploadTests {
    private static let key = PrivateAuthKey.ed25519(Ed25519.generateKeyPair(SeededRandomSource(seed: 1)).privateKey)
    private static let id = EntityID(Bytes(repeating: 7, count: 24))
    /// More than waits unread on the way, and than a router passes over.
    private static let large = ChunkSource(Bytes(repeating: 1, count: 16 << 20))

    private static func upload(_ chunk: ChunkSource, _ session: XFTPSession) async -> XFTPClientError? {
        await clientError { try await session.upload(chunk, to: id, key: key) }
    }

    @Test(arguments: [XFTPResponse.error(.auth), .error(.quota), .ok])
    func aSessionTakesNoMoreAfterAChunkThatIsAnsweredBeforeItIsSent(_ answer: XFTPResponse) async throws {
        let router = try await ScriptedFileRouter.start { request, _, outbound in try await outbound.send(try request.block(answer), isEnd: true) }
        let session = try await XFTPConnector().connect(try router.address())
        let error = await Self.upload(Self.large, session)
        let refusal: XFTPErrorType? = if case .error(let error) = answer { error } else { nil }
        #expect(error?.code == refusal.map { .protocol($0) })
        // Otherwise nobody would end the connection, which is waited for.
        try #require(!session.isOpen)
        let next = await clientError { try await session.ping() }
        #expect(next?.endsSession == true && next?.isTemporary == true)
        // Nobody uses the connection any more: the client ends it.
        for await _ in router.firstEnd { break }
        await router.stop()
    }

    @Test func whatIsUnderWayGoesOnAndTheConnectionEndsAfterIt() async throws {
        let (pings, pinged) = AsyncStream.makeStream(of: Void.self), (refusals, refused) = AsyncStream.makeStream(of: Void.self)
        let router = try await ScriptedFileRouter.start { request, _, outbound in
            guard request.command == .ping else { return try await outbound.send(try request.block(.error(.auth)), isEnd: true) }
            pinged.yield()
            for await _ in refusals { break }
            try await outbound.send(try request.block(.pong), isEnd: true)
        }
        let session = try await XFTPConnector().connect(try router.address())
        async let ping = clientError { try await session.ping() }
        for await _ in pings { break }
        let error = await Self.upload(Self.large, session)
        #expect(error?.code == .protocol(.auth))
        // Otherwise nobody would end the connection, which is waited for.
        try #require(!session.isOpen)
        refused.yield()
        #expect(await ping == nil)
        for await _ in router.firstEnd { break }
        await router.stop()
    }

    @Test(arguments: [0, 1, 131_072, 131_073, 300_000])
    func aChunkThatIsRefusedOnceItIsSentLeavesTheSessionOpen(_ size: Int) async throws {
        try await withScriptedRouter { request, body, outbound in
            _ = try await body.bytes(1 << 22)
            try await outbound.send(try request.block(.error(.digest)), isEnd: true)
        } _: { session in
            for _ in 0..<2 {
                let error = await Self.upload(ChunkSource(Bytes(repeating: 1, count: size)), session)
                #expect(error?.code == .protocol(.digest))
                #expect(session.isOpen)
            }
        }
    }

    @Test(arguments: [1, 65_536, 131_072])
    func aChunkOfOnePieceIsOnItsWayBeforeItIsRefused(_ size: Int) async throws {
        try await withScriptedRouter { request, _, outbound in
            try await outbound.send(try request.block(.error(.auth)), isEnd: true)
        } _: { session in
            for _ in 0..<5 {
                let error = await Self.upload(ChunkSource(Bytes(repeating: 1, count: size)), session)
                #expect(error?.code == .protocol(.auth))
                #expect(session.isOpen)
            }
        }
    }

    /// The client gives the request up by itself then, which concerns no other one of the connection.
    @Test(arguments: [false, true])
    func anUploadThatTheClientGivesUpLeavesTheSessionToOthers(_ isCancelled: Bool) async throws {
        let folder = try TemporaryFolder()
        try Data(repeating: 1, count: 2 << 20).write(to: URL(fileURLWithPath: folder("file")))
        let (events, started) = AsyncStream.makeStream(of: Void.self)
        try await withScriptedRouter { request, body, outbound in
            guard request.command == .put else { return try await outbound.send(try request.block(.pong), isEnd: true) }
            _ = try await body.bytes(1)
            started.yield()
            while try await body.next() != nil {}
        } _: { session in
            // The file ends before its chunk does.
            let chunk = isCancelled ? Self.large : try ChunkSource(path: folder("file"), size: 3 << 20)
            let upload = Task { await Self.upload(chunk, session) }
            for await _ in events { break }
            if isCancelled { upload.cancel() }
            let error = await upload.value
            #expect(error?.code == (isCancelled ? .cancelled : .file(.invalidSize)))
            #expect(session.isOpen)
            try await session.ping()
        }
    }
}
