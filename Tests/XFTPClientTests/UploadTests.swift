import Foundation
import SMPCrypto
import SMPProtocol
import SMPWire
import TestSupport
import Testing
import XFTPClient
import XFTPProtocol
import XFTPTransport

/// What a router receives of a chunk, and what becomes of a chunk that it does not want.
@Suite struct UploadTests {
    private static let key = PrivateAuthKey.ed25519(Ed25519.generateKeyPair(SeededRandomSource(seed: 1)).privateKey)
    private static let id = EntityID(Bytes(repeating: 7, count: 24))

    /// A router that takes a chunk and answers its digest as the id of a recipient, which no router does.
    private static let digesting: ScriptedFileRouter.Script = { request, body, outbound in
        let chunk = try await body.bytes(1 << 22)
        try await outbound.send(try request.block(chunk.isEmpty ? .error(.noFile) : .recipientIDs([EntityID(Hash.sha256(chunk))])), isEnd: true)
    }

    private static func file(_ size: Int, in folder: TemporaryFolder) throws -> (path: String, bytes: Bytes) {
        let bytes = SeededRandomSource(seed: UInt64(size)).bytes(size), path = folder("file")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return (path, bytes)
    }

    @Test(arguments: [(0, 1), (0, 131_072), (0, 131_073), (1, 131_072), (131_071, 168_929), (299_999, 1), (7, 299_993)])
    func aPartOfAFileIsSentAsItIs(_ offset: Int, _ size: Int) async throws {
        let folder = try TemporaryFolder(), (path, bytes) = try Self.file(300_000, in: folder)
        let sent = Mailbox()
        try await withScriptedRouter { request, body, outbound in
            await sent.put(try await body.bytes(1 << 22))
            try await outbound.send(try request.block(.ok), isEnd: true)
        } _: { session in
            try await session.upload(try ChunkSource(path: path, offset: Int64(offset), size: UInt32(size)), to: Self.id, key: Self.key)
            try await session.upload(ChunkSource(Bytes(bytes[offset..<offset + size])), to: Self.id, key: Self.key)
        }
        let received = await sent.all
        #expect(received == [Bytes(bytes[offset..<offset + size]), Bytes(bytes[offset..<offset + size])])
    }

    /// The bodies that a router has read.
    private actor Mailbox {
        private(set) var all: [Bytes] = []
        func put(_ bytes: Bytes) { all.append(bytes) }
    }

    @Test func aChunkWithoutBytesEndsWithItsBlock() async throws {
        try await withScriptedRouter(Self.digesting) { session in
            let error = await clientError { try await session.upload(ChunkSource([]), to: Self.id, key: Self.key) }
            #expect(error?.code == .protocol(.noFile))
        }
    }

    @Test func anAnswerToAnUploadIsOKOnly() async throws {
        try await withScriptedRouter(Self.digesting) { session in
            let error = await clientError { try await session.upload(ChunkSource([1, 2, 3]), to: Self.id, key: Self.key) }
            #expect(error?.code == .unexpectedResponse("RIDS"))
            #expect(session.isOpen)
        }
    }

    @Test(arguments: [(250_000, 100_000), (250_000, 1), (300_000, 1), (0, 300_001)])
    func aFileThatIsShorterThanItsChunkIsNotFilledUp(_ offset: Int, _ missing: Int) async throws {
        let folder = try TemporaryFolder(), (path, bytes) = try Self.file(300_000, in: folder)
        let size = missing == 300_001 ? missing : max(1, bytes.count - offset) + missing
        try await withScriptedRouter(Self.digesting) { session in
            let source = try ChunkSource(path: path, offset: Int64(offset), size: UInt32(size))
            let error = await clientError { try await session.upload(source, to: Self.id, key: Self.key) }
            #expect(error?.code == .file(.invalidSize))
        }
    }

    @Test func aFileThatIsNotThereIsNoChunk() throws {
        let folder = try TemporaryFolder()
        #expect { try ChunkSource(path: folder("none"), size: 1) } throws: { ($0 as? FileFormatError)?.code == .io }
    }
}
