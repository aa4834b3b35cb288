import Foundation
import ProcessSupport
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import Testing
import XFTPClient
import XFTPProtocol

/// `parley server xftp`, killed while clients upload.
@Suite struct FileRouterKillTests {
    private struct Chunk: Sendable {
        let path: String
        let digest: Bytes
        let key: PrivateAuthKey
        var recipient: EntityID?
    }

    private final class Accepted: Sendable {
        private let chunks = Mutex<[Chunk]>([])

        var all: [Chunk] { chunks.withLock { $0 } }

        /// Adds a chunk.
        ///
        /// - Returns: How many there are with it.
        func add(_ chunk: Chunk) -> Int {
            chunks.withLock { chunks in
                chunks.append(chunk)
                return chunks.count
            }
        }
    }

    @Test(.timeLimit(.minutes(5))) func everyChunkThatWasAcceptedIsThereAfterAKill() async throws {
        let folder = try ScratchFolder("file-router-kill")
        defer { folder.remove() }
        let port = try LoopbackPort.free().number
        let arguments = ["server", "xftp", "--data", folder("r"), "--port", "\(port)", "--json"]
        let accepted = Accepted()
        for round in 0..<4 {
            let program = try ParleyProgram.start(arguments, log: folder("log"))
            let address = try XFTPServerAddress(wireString: try #require(try await program.ready().address))
            let before = accepted.all.count
            await withTaskGroup(of: Void.self) { group in
                for client in 0..<3 {
                    group.addTask {
                        var number = 0
                        while let chunk = try? await upload(to: address, folder, "\(round)-\(client)-\(number)") {
                            // In the middle of uploads, and each time after another number of them.
                            if accepted.add(chunk) == before + 3 + round { program.kill() }
                            number += 1
                        }
                    }
                }
            }
            _ = try await program.exit()
        }
        let program = try ParleyProgram.start(arguments, log: folder("log"))
        let session = try await XFTPConnector().connect(try XFTPServerAddress(wireString: try #require(try await program.ready().address)))
        let chunks = accepted.all
        #expect(chunks.count >= 4 * 3)
        for chunk in chunks {
            let recipient = try #require(chunk.recipient)
            try await session.download(recipient, key: chunk.key, to: folder("got"), size: 65_536, digest: chunk.digest)
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder("got"))) == Data(contentsOf: URL(fileURLWithPath: chunk.path)))
        }
        await session.close()
        // A chunk that was on its way leaves nothing. One whose answer did not arrive may be there.
        let files = try FileManager.default.contentsOfDirectory(atPath: folder("r/files"))
        #expect(files.filter { $0.hasSuffix(".new") }.isEmpty)
        #expect(files.count <= chunks.count + 4 * 3)
        program.send(.terminate)
        #expect(try await program.exit() == 0)
    }

    private func upload(to address: XFTPServerAddress, _ folder: ScratchFolder, _ name: String) async throws -> Chunk {
        let random = SystemRandomSource()
        let bytes = random.bytes(65_536)
        let path = folder(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        var chunk = Chunk(path: path, digest: Hash.sha256(bytes), key: .ed25519(Ed25519.generateKeyPair(random).privateKey))
        let session = try await XFTPConnector().connect(address)
        let (id, recipients) = try await session.create(key: chunk.key, size: 65_536, digest: chunk.digest, recipients: [chunk.key.publicKey])
        try await session.upload(try ChunkSource(path: path, size: 65_536), to: id, key: chunk.key)
        chunk.recipient = recipients[0]
        await session.close()
        return chunk
    }
}
