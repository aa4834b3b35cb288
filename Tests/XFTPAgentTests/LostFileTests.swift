import AsyncPrimitives
import Foundation
import RouterSupport
import SMPWire
import TestSupport
import Testing
import XFTPProtocol

@testable import XFTPAgent
@testable import XFTPServer

/// Files of the work folder that were not on the disk when the power failed. They are not flushed, so the agent must not rely on them.
@Suite struct LostFileTests {
    /// What has become of a file.
    enum Loss: CaseIterable, Sendable {
        case gone, empty, zeros

        func befall(_ path: String) throws {
            switch self {
            case .gone: try FileManager.default.removeItem(atPath: path)
            case .empty: try Data().write(to: URL(fileURLWithPath: path))
            case .zeros:
                let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
                try Data(count: size).write(to: URL(fileURLWithPath: path))
            }
        }
    }

    /// A party that sends a file, and whose agent ends its work at a moment.
    private struct Sender {
        let party: Party
        let agent: FileAgent
        let file: LocalFile
        let bytes: Bytes
        let upload: FileTransferID
        private let interrupted: AsyncSignal

        init(_ servers: any FileServerSource, interruptedAt moment: FileStep, size: Int) async throws {
            let interrupted = AsyncSignal()
            party = try Party(servers)
            agent = try await party.start { passed in
                guard passed == moment else { return }
                interrupted.signal()
                throw CancellationError()
            }
            (file, bytes) = try party.folder.file("a", size: size)
            upload = try await agent.sendFile(user: 1, file, name: "a")
            self.interrupted = interrupted
        }

        /// Waits for the moment, and ends the process.
        func end() async throws {
            try await withTimeLimit(.seconds(120), else: "the transfer is not interrupted") { [interrupted] in try await interrupted.waitUnlessCancelled() }
            try await party.stop(agent)
        }
    }

    @Test(arguments: Loss.allCases) func anEncryptedFileThatIsLostIsMadeAgain(_ loss: Loss) async throws {
        try await withRouter { router, servers in
            let sender = try await Sender(servers, interruptedAt: .uploaded, size: 1_500_000)
            try await sender.end()
            let (party, upload) = (sender.party, sender.upload)
            let encrypted = party.folder.names(in: "work").filter { $0.hasSuffix("/encrypted") }
            try #require(encrypted.count == 1)
            try loss.befall(party.folder("work/" + encrypted[0]))
            let again = try await party.start()
            let description = try await party.log.descriptions(of: upload).recipients[0]
            // What was announced before counts: the file is encrypted to the same bytes.
            #expect(router.statistics.files == description.chunks.count)
            let download = try await again.receiveFile(user: 1, description, to: LocalFile(party.folder("b")))
            _ = try await party.log.file(of: download)
            #expect(try party.folder.contents("b") == sender.bytes)
            for id in [upload, download] { try await again.remove(id) }
            #expect(party.folder.names(in: "work").isEmpty)
            try await party.stop(again)
        }
    }

    /// The key stream of an upload must encrypt one content only.
    @Test(arguments: [10, 1_500_000]) func aFileThatHasChangedSinceItWasAnnouncedIsNotUploaded(_ size: Int) async throws {
        try await withRouter { router, servers in
            let sender = try await Sender(servers, interruptedAt: .announced, size: size)
            try await sender.end()
            let (party, upload) = (sender.party, sender.upload)
            let uploaded = router.statistics.uploadedFiles
            try Data(count: size).write(to: URL(fileURLWithPath: sender.file.path))
            for name in party.folder.names(in: "work") where name.hasSuffix("/encrypted") { try Loss.gone.befall(party.folder("work/" + name)) }
            let again = try await party.start()
            #expect(try await party.log.failure(of: upload).code == .file)
            #expect(router.statistics.uploadedFiles == uploaded)
            try await again.delete(upload)
            #expect(party.folder.names(in: "work").isEmpty)
            try await party.stop(again)
        }
    }

    @Test(arguments: Loss.allCases) func aReceivedChunkThatIsLostIsReceivedAgainAndTheOthersAreNot(_ loss: Loss) async throws {
        try await withRouter { router, servers in
            let sender = try await Sender(servers, interruptedAt: .decrypted, size: 1_500_000)
            let (party, upload) = (sender.party, sender.upload)
            let description = try await party.log.descriptions(of: upload).recipients[0]
            let download = try await sender.agent.receiveFile(user: 1, description, to: LocalFile(party.folder("b")))
            try await sender.end()
            let chunks = party.folder.names(in: "work").filter { $0.contains("/chunk-") }
            try #require(chunks.count == description.chunks.count && chunks.count > 1)
            try loss.befall(party.folder("work/" + chunks[0]))
            let before = router.statistics.counted.total.filesDownloaded
            let again = try await party.start()
            _ = try await party.log.file(of: download)
            #expect(try party.folder.contents("b") == sender.bytes)
            #expect(router.statistics.counted.total.filesDownloaded == before + 1)
            for id in [upload, download] { try await again.remove(id) }
            #expect(party.folder.names(in: "work").isEmpty)
            try await party.stop(again)
        }
    }
}
