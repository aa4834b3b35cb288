import Foundation
import SMPCrypto
import SMPProtocol
import SMPWire
import TestSupport
import Testing
import XFTPProtocol
import XFTPTransport

@testable import XFTPClient

/// Chunks that are not those of the description, as a router sends them.
@Suite struct HostileChunkTests {
    private static let key = PrivateAuthKey.ed25519(Ed25519.generateKeyPair(SeededRandomSource(seed: 1)).privateKey)
    private static let id = EntityID(Bytes(repeating: 7, count: 24))
    private static let chunk = SeededRandomSource(seed: 2).bytes(300_000)
    private static let digest = Hash.sha256(chunk)

    /// Sends an answer to `FGET` and what follows it, which is made of the sealed chunk.
    private static func send(_ request: ScriptedFileRouter.Request, _ outbound: HTTP2Writer, _ change: (Bytes) throws -> [Bytes]) async throws {
        guard case .get(let peer) = request.command else { throw CancellationError() }
        let random = SystemRandomSource()
        let own = X25519.generateKeyPair(random), nonce = BoxNonce.random(random)
        let sealed = try BoxSecret(own.privateKey, with: peer).sealWithTagAtEnd(chunk, nonce: nonce)
        try await outbound.send(try request.block(.file(own.publicKey, nonce)), isEnd: false)
        let pieces = try change(sealed)
        for (index, piece) in pieces.enumerated() { try await outbound.send(piece, isEnd: index == pieces.count - 1) }
    }

    /// The result of downloading a chunk into memory and into a file: both have the same.
    private static func outcome(
        digest: Bytes = digest, size: Int = chunk.count, _ change: @escaping @Sendable (Bytes) throws -> [Bytes]
    ) async throws -> XFTPClientError.Code? {
        let folder = try TemporaryFolder()
        var codes: [XFTPClientError.Code?] = []
        try await withScriptedRouter { request, _, outbound in
            try await send(request, outbound, change)
        } _: { session in
            let inMemory = await clientError {
                let bytes = try await session.download(id, key: key, size: UInt32(size), digest: digest)
                #expect(bytes == chunk)
            }
            let target = folder("chunk")
            let inFile = await clientError {
                try await session.download(id, key: key, to: target, size: UInt32(size), digest: digest)
                let bytes = try Data(contentsOf: URL(fileURLWithPath: target))
                #expect(bytes == Data(chunk))
            }
            codes = [inMemory?.code, inFile?.code]
            #expect(FileManager.default.fileExists(atPath: target) == (inFile == nil))
        }
        #expect(codes[0] == codes[1])
        return codes[0]
    }

    @Test(arguments: [1, 15, 16, 17, 16_383, 131_071, 131_072, 131_073, 299_999, 300_000, 300_001, 300_015])
    func aChunkIsReadHoweverItIsCut(_ cut: Int) async throws {
        let code = try await Self.outcome { sealed in [Bytes(sealed[..<cut]), Bytes(sealed[cut...])] }
        #expect(code == nil)
    }

    /// A change of what is sent, and the error that it gives.
    struct Change: Sendable, CustomStringConvertible {
        let description: String
        let error: XFTPErrorType
        let body: @Sendable (Bytes) -> Bytes
    }

    static let changes: [Change] = [
        Change(description: "nothing", error: .size) { _ in [] },
        Change(description: "a byte less", error: .size) { Bytes($0.dropLast()) },
        Change(description: "no tag", error: .size) { Bytes($0.dropLast(16)) },
        Change(description: "a part of the chunk", error: .size) { Bytes($0.prefix(150_000)) },
        Change(description: "a byte more", error: .size) { $0 + [0] },
        Change(description: "much more", error: .size) { $0 + Bytes(repeating: 0, count: 400_000) },
        Change(description: "the chunk twice", error: .size) { $0 + $0 },
        Change(description: "another first byte", error: .crypto) { [$0[0] ^ 1] + $0.dropFirst() },
        Change(description: "another last byte of the chunk", error: .crypto) { flipped($0, at: $0.count - 17) },
        Change(description: "another first byte of the tag", error: .crypto) { flipped($0, at: $0.count - 16) },
        Change(description: "another last byte of the tag", error: .crypto) { flipped($0, at: $0.count - 1) },
        Change(description: "zeros", error: .crypto) { Bytes(repeating: 0, count: $0.count) },
        Change(description: "the tag in front", error: .crypto) { Bytes($0.suffix(16)) + $0.dropLast(16) },
    ]

    private static func flipped(_ bytes: Bytes, at index: Int) -> Bytes {
        var bytes = bytes
        bytes[index] ^= 0x80
        return bytes
    }

    @Test(arguments: changes) func aChunkThatIsNotWholeOrWasChangedIsRefusedAndMayBeAskedForAgain(_ change: Change) async throws {
        let code = try await Self.outcome { [change.body($0)] }
        #expect(code == .response(change.error))
        #expect(XFTPClientError(.response(change.error), "").isTemporary)
    }

    @Test func anotherChunkThanThatOfTheDescriptionIsRefusedForGood() async throws {
        for digest in [Hash.sha256([]), [], Bytes(Self.digest.dropLast()), Self.digest + [0]] as [Bytes] {
            let code = try await Self.outcome(digest: digest) { [$0] }
            #expect(code == .response(.digest))
        }
        #expect(!XFTPClientError(.response(.digest), "").isTemporary)
    }

    @Test(arguments: [0, 1, 299_999, 300_001, 400_000]) func aChunkOfAnotherSizeThanThatOfTheDescriptionIsRefused(_ size: Int) async throws {
        let code = try await Self.outcome(size: size) { [$0] }
        #expect(code == .response(.size))
    }

    @Test func aKeyThatGivesNoSecretIsRefusedBeforeAFileIsMade() async throws {
        let folder = try TemporaryFolder(), zero = try X25519.PublicKey(raw: Bytes(repeating: 0, count: 32))
        try await withScriptedRouter { request, _, outbound in
            try await outbound.send(try request.block(.file(zero, BoxNonce(padding: []))) + Self.chunk, isEnd: true)
        } _: { session in
            let target = folder("chunk")
            try Data("before".utf8).write(to: URL(fileURLWithPath: target))
            let error = await clientError {
                try await session.download(Self.id, key: Self.key, to: target, size: UInt32(Self.chunk.count), digest: Self.digest)
            }
            #expect(error?.code == .response(.crypto))
            #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("before".utf8))
        }
    }

    @Test func aRefusedDownloadLeavesWhatIsThere() async throws {
        let folder = try TemporaryFolder()
        try await withScriptedRouter { request, _, outbound in
            try await outbound.send(try request.block(.error(.auth)), isEnd: true)
        } _: { session in
            let target = folder("chunk")
            try Data("before".utf8).write(to: URL(fileURLWithPath: target))
            let error = await clientError { try await session.download(Self.id, key: Self.key, to: target, size: 10, digest: []) }
            #expect(error?.code == .protocol(.auth))
            #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("before".utf8))
        }
    }

    @Test func aRouterThatSendsWithoutEndIsLeftAtTheEndOfTheChunk() async throws {
        try await withScriptedRouter { request, _, outbound in
            let own = X25519.generateKeyPair(SystemRandomSource())
            try await outbound.send(try request.block(.file(own.publicKey, BoxNonce(padding: []))), isEnd: false)
            while true { try await outbound.send(Self.chunk, isEnd: false) }
        } _: { session in
            let error = await clientError {
                _ = try await session.download(Self.id, key: Self.key, size: UInt32(Self.chunk.count), digest: Self.digest)
            }
            #expect(error?.code == .response(.size))
        }
    }

    @Test func aTargetThatCannotBeMadeIsToldAsAFileError() async throws {
        let folder = try TemporaryFolder()
        try await withScriptedRouter { request, _, outbound in
            try await Self.send(request, outbound) { [$0] }
        } _: { session in
            let error = await clientError {
                try await session.download(
                    Self.id, key: Self.key, to: folder("none/chunk"), size: UInt32(Self.chunk.count), digest: Self.digest)
            }
            #expect(error?.code == .file(.io))
            #expect(error?.endsSession == false && error?.isTemporary == false)
            let bytes = try await session.download(Self.id, key: Self.key, size: UInt32(Self.chunk.count), digest: Self.digest)
            #expect(bytes == Self.chunk)
        }
    }
}
