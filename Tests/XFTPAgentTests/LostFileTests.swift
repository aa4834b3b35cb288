import Foundation
import SMPServer
import SMPWire
import Synchronization
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

    /// A run that ends at the n-th passing of a moment.
    private final class Interruption: Sendable {
        private let left: Mutex<Int>
        private let moment: FileStep

        init(_ moment: FileStep, after count: Int) {
            self.moment = moment
            left = Mutex(count)
        }

        var isOver: Bool { left.withLock { $0 <= 0 } }

        func pass(_ passed: FileStep) throws {
            guard passed == moment else { return }
            let isNow = left.withLock { left in
                left -= 1
                return left <= 0
            }
            if isNow { throw CancellationError() }
        }
    }

    @Test(arguments: Loss.allCases) func anEncryptedFileThatIsLostIsMadeAgain(_ loss: Loss) async throws {
        try await withRouter { router, servers in
            let party = try Party(servers)
            let interruption = Interruption(.uploaded, after: 1)
            let agent = try await party.start { try interruption.pass($0) }
            let (file, bytes) = try party.folder.file("a", size: 1_500_000)
            let upload = try await agent.sendFile(user: 1, file, name: "a")
            try await eventually("the upload is interrupted") { interruption.isOver }
            try await party.stop(agent)
            let encrypted = party.folder.names(in: "work").filter { $0.hasSuffix("/encrypted") }
            try #require(encrypted.count == 1)
            try loss.befall(party.folder("work/" + encrypted[0]))
            let again = try await party.start()
            let description = try await party.log.descriptions(of: upload).recipients[0]
            // What was announced before counts: the file is encrypted to the same bytes.
            #expect(router.statistics.files == description.chunks.count)
            let download = try await again.receiveFile(user: 1, description, to: LocalFile(party.folder("b")))
            _ = try await party.log.file(of: download)
            #expect(try party.folder.contents("b") == bytes)
            for id in [upload, download] { try await again.remove(id) }
            #expect(party.folder.names(in: "work").isEmpty)
            try await party.stop(again)
        }
    }

    /// The key stream of an upload must encrypt one content only.
    @Test(arguments: [10, 1_500_000]) func aFileThatHasChangedSinceItWasAnnouncedIsNotUploaded(_ size: Int) async throws {
        try await withRouter { router, servers in
            let party = try Party(servers)
            let interruption = Interruption(.announced, after: 1)
            let agent = try await party.start { try interruption.pass($0) }
            let (file, _) = try party.folder.file("a", size: size)
            let upload = try await agent.sendFile(user: 1, file, name: "a")
            try await eventually("the upload is interrupted") { interruption.isOver }
            try await party.stop(agent)
            let uploaded = router.statistics.uploadedFiles
            try Data(count: size).write(to: URL(fileURLWithPath: file.path))
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
            let party = try Party(servers)
            let interruption = Interruption(.decrypted, after: 1)
            let agent = try await party.start { try interruption.pass($0) }
            let (file, bytes) = try party.folder.file("a", size: 1_500_000)
            let upload = try await agent.sendFile(user: 1, file, name: "a")
            let description = try await party.log.descriptions(of: upload).recipients[0]
            let download = try await agent.receiveFile(user: 1, description, to: LocalFile(party.folder("b")))
            try await eventually("the download is interrupted") { interruption.isOver }
            try await party.stop(agent)
            let chunks = party.folder.names(in: "work").filter { $0.contains("/chunk-") }
            try #require(chunks.count == description.chunks.count && chunks.count > 1)
            try loss.befall(party.folder("work/" + chunks[0]))
            let before = router.statistics.counted.total.filesDownloaded
            let again = try await party.start()
            _ = try await party.log.file(of: download)
            #expect(try party.folder.contents("b") == bytes)
            #expect(router.statistics.counted.total.filesDownloaded == before + 1)
            for id in [upload, download] { try await again.remove(id) }
            #expect(party.folder.names(in: "work").isEmpty)
            try await party.stop(again)
        }
    }
}
