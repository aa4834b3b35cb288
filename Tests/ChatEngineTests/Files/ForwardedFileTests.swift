import ChatAPI
import ChatProtocol
import ChatRules
import ChatSimulation
import EncryptedSQLite
import Foundation
import GRDB
import SMPCrypto
import SMPWire
import TestSupport
import Testing
import XFTPAgent
import XFTPProtocol

@testable import ChatEngine
@testable import ChatStore

/// Files that are forwarded, and files without a message.
@Suite struct ForwardedFileTests {
    private static let content = SeededRandomSource(seed: 3).bytes(5_000)

    private func forwarded(_ core: TestCore, _ command: String) async throws -> [ChatItem] {
        guard case .newChatItems(_, let items) = try await core.run(command) else { throw UnexpectedAnswer() }
        return items.map(\.chatItem)
    }

    @Test func aForwardedFileIsACopyThatOutlivesTheOriginal() async throws {
        let scene = try await FileScene()
        try await scene.send(Self.content, "a.bin", text: "look")
        let offer = try await scene.offered("a.bin")
        _ = try await scene.bob.core.run("/freceive \(offer.fileID) encrypt=on")
        await scene.atBob("a.bin", .receiveComplete)
        let original = try #require(await scene.bob.core.messages(with: scene.aliceAtBob).last)
        let copy = try #require(
            try await forwarded(scene.bob.core, "/_forward *1 @\(scene.aliceAtBob) \(original.meta.itemID)").first?.file?.fileSource)
        #expect(copy.filePath == "a_1.bin")
        _ = try await scene.bob.core.run("/_delete item @\(scene.aliceAtBob) \(original.meta.itemID) internal")
        await scene.bob.expectFiles(["a_1.bin"])
        // The copy is as the setting says, whatever the original is.
        #expect(copy.cryptoArguments == nil && scene.bob.contents("a_1.bin") == Self.content)
        // From the notes it is sent on like any file.
        guard case .apiChat(_, let notes, _) = try await scene.bob.core.run("/_get chat *1 count=10"), let note = notes.chatItems.last else {
            throw UnexpectedAnswer()
        }
        _ = try await forwarded(scene.bob.core, "/_forward @\(scene.aliceAtBob) *1 \(note.meta.itemID)")
        let contact = scene.bobAtAlice
        let back = try await scene.alice.eventual("the forwarded file") { core in
            let files = await core.files(with: contact)
            return files.count == 2 ? files.last : nil
        }
        _ = try await scene.alice.core.run("/freceive \(back.fileID)")
        await scene.atAlice(back.fileName, .receiveComplete)
        #expect(scene.alice.contents(back.fileName) == Self.content)
        await scene.close()
    }

    /// As it does when another transaction that shares its commit breaks a constraint.
    @Test func aForwardWhoseTransactionsRunTwiceLeavesNoEmptyFile() async throws {
        let scene = try await FileScene()
        try await scene.send(Self.content, "a.bin", text: "look")
        _ = try await scene.bob.core.run("/freceive \(try await scene.offered("a.bin").fileID)")
        await scene.atBob("a.bin", .receiveComplete)
        let original = try #require(await scene.bob.core.messages(with: scene.aliceAtBob).last)
        let store = scene.bob.core.native.engine.store
        store.breakEveryCommit()
        let copy = try await forwarded(scene.bob.core, "/_forward *1 @\(scene.aliceAtBob) \(original.meta.itemID)").first?.file?.fileSource
        #expect(copy?.filePath == "a_1.bin" && scene.bob.contents("a_1.bin") == Self.content)
        #expect(scene.bob.fileNames == ["a.bin", "a_1.bin"])
        await scene.close()
    }

    @Test func aPlanNamesTheFirstObstacleAndWhatIsForwardedWithoutFiles() async throws {
        let scene = try await FileScene()
        func item(_ name: String) async throws -> ChatItemID {
            try #require(await scene.bob.core.messages(with: scene.aliceAtBob).last { $0.file?.fileName == name }).meta.itemID
        }
        func plan(_ names: [String]) async throws -> (ForwardConfirmation?, [ChatItemID]) {
            var ids: [String] = []
            for name in names { ids.append("\(try await item(name))") }
            guard
                case .forwardPlan(_, _, let forwardable, let confirmation) = try await scene.bob.core.run(
                    "/_forward plan @\(scene.aliceAtBob) \(ids.joined(separator: ","))")
            else { throw UnexpectedAnswer() }
            return (confirmation, forwardable)
        }
        for name in ["offered", "missing", "whole"] {
            try await scene.send(Self.content, name, text: name == "whole" ? "" : "text")
            await scene.atAlice(name, .sendComplete)
            _ = try await scene.offered(name)
        }
        await scene.bob.eventually("the descriptions") { $0.count("rcvFileDescrReady") == 3 }
        for name in ["missing", "whole"] {
            _ = try await scene.bob.core.run("/freceive \(try await scene.offered(name).fileID)")
            await scene.atBob(name, .receiveComplete)
        }
        try FileManager.default.removeItem(atPath: scene.bob.filesFolder + "/missing")
        scene.bob.files?.fail(FileTransferError(.noFile, "gone", router: .auth))
        try await scene.send(Self.content, "failed")
        _ = try await scene.bob.core.run("/freceive \(try await scene.offered("failed").fileID)")
        await scene.atBob("failed", .receiveError(error: .noFile))
        scene.bob.files?.fail(nil)
        scene.cloud.closeGate()
        try await scene.send(Self.content, "running")
        _ = try await scene.bob.core.run("/freceive \(try await scene.offered("running").fileID)")
        await scene.atBob("running", .receiveAccepted)

        #expect(try await plan(["whole"]) == (nil, [try await item("whole")]))
        #expect(try await plan(["missing"]).0 == .filesMissing(filesCount: 1))
        #expect(try await plan(["failed"]) == (.filesFailed(filesCount: 1), []))
        #expect(try await plan(["running"]).0 == .filesInProgress(filesCount: 1))
        let offered = try await scene.offered("offered").fileID
        let all = try await plan(["whole", "missing", "failed", "running", "offered"])
        #expect(all.0 == .filesNotAccepted(fileIDs: [offered]))
        #expect(all.1 == [try await item("whole"), try await item("missing"), try await item("offered")])
        // Of messages whose files are not here the text is forwarded, and of those that say nothing without them nothing is.
        let sent = try await forwarded(
            scene.bob.core, "/_forward *1 @\(scene.aliceAtBob) \(try await item("missing")),\(try await item("failed")),\(try await item("whole"))")
        #expect(sent.map(\.meta.text) == ["text", ""])
        #expect(sent.map { $0.file == nil } == [true, false])
        await scene.close()
    }

    @Test func picturesAndRecordingsAreForwardedUnderNamesThatTellNothing() {
        let time = UTCTimestamp(seconds: 1_790_000_000)
        #expect(FileNames.forwarded("Berlin home.jpg", .image(text: "", image: ImageData("")), at: time) == "IMG_20260921_141320.jpg")
        #expect(FileNames.forwarded("report.pdf", .file("x"), at: time) == "report.pdf")
    }

    // MARK: Without a message

    @Test func aFileWithoutAMessageIsDownloadedByItsLink() async throws {
        let scene = try await FileScene()
        try scene.alice.put(Self.content, "site.zip")
        guard case .sndStandaloneFileCreated = try await scene.alice.core.run("/_upload 1 site.zip") else { throw UnexpectedAnswer() }
        let link = try await link(scene)
        guard case .standaloneFileInfo = try await scene.bob.core.run("/_download info \(link)") else { throw UnexpectedAnswer() }
        let folder = try TemporaryFolder()
        let target = folder("received.zip")
        guard case .rcvStandaloneFileCreated = try await scene.bob.core.run("/_download 1 \(link) \(target)") else { throw UnexpectedAnswer() }
        await scene.bob.eventually("the download") { $0.count("rcvStandaloneFileComplete") == 1 }
        #expect(Bytes(try Data(contentsOf: URL(fileURLWithPath: target))) == Self.content)
        #expect(await scene.bob.core.refusal(of: "/_download 1 \(link) \(target)") == "fileAlreadyExists")
        #expect(await scene.bob.core.refusal(of: "/_download 1 \(link) ../outside") == "fileNotFound")
        await scene.nothingIsLeft()
        #expect(scene.cloud.keptFiles == 1)
        await scene.close()
    }

    @Test func theLinksOfALargeFileLeadToItsDescription() async throws {
        let scene = try await FileScene()
        scene.cloud.chunks = 20
        try scene.alice.put(Self.content, "site.zip")
        try scene.alice.put([7], "redirect.yaml")
        _ = try await scene.alice.core.run("/_upload 1 site.zip")
        await scene.alice.eventually("the redirect") { $0.count("sndFileRedirectStartXFTP") == 1 }
        let link = try await link(scene)
        #expect(link.utf8.count < 1_500)
        _ = try await scene.bob.core.run("/_download 1 \(link) site.zip")
        await scene.bob.eventually("the download") { $0.count("rcvStandaloneFileComplete") == 1 }
        #expect(scene.bob.contents("site.zip") == Self.content)
        await scene.nothingIsLeft()
        // The description is no file of the person's.
        _ = try await scene.alice.core.run("/_delete user 1 del_smp=off")
        await scene.alice.eventually("everything is cleaned up") { await $0.leftovers() == 0 }
        #expect(scene.alice.contents("redirect.yaml") == [7])
        await scene.close()
    }

    @Test func aFileOnUnknownRoutersIsDownloadedUnlessTheCommandSaysOtherwise() async throws {
        let scene = try await FileScene()
        scene.cloud.server = "xftp://AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=@other.example"
        try scene.alice.put(Self.content, "site.zip")
        _ = try await scene.alice.core.run("/_upload 1 site.zip")
        let link = try await link(scene)
        #expect(await scene.bob.core.refusal(of: "/_download 1 \(link) approved_relays=off site.zip") == "fileNotApproved")
        _ = try await scene.bob.core.run("/_download 1 \(link) site.zip")
        await scene.bob.eventually("the download") { $0.count("rcvStandaloneFileComplete") == 1 }
        // Where a redirect leads is known only later: nobody offers such a file again.
        scene.bob.files?.fail(FileTransferError(.notApproved, "unknown", servers: ["xftp://x"]))
        _ = try await scene.bob.core.run("/_download 1 \(link) other.zip")
        await scene.bob.eventually("the failure") { $0.count("rcvFileError") == 1 }
        await scene.nothingIsLeft()
        await scene.close()
    }

    @Test(arguments: [1, 20]) func anUploadThatIsCancelledLeavesNothingOnRouters(_ chunks: Int) async throws {
        let scene = try await FileScene()
        scene.cloud.chunks = chunks
        try scene.alice.put(Self.content, "site.zip")
        guard case .sndStandaloneFileCreated(_, let meta) = try await scene.alice.core.run("/_upload 1 site.zip"), let id = meta["fileId"]?.intValue
        else { throw UnexpectedAnswer() }
        _ = try await link(scene)
        #expect(scene.cloud.keptFiles == (chunks == 1 ? 1 : 2))
        _ = try await scene.alice.core.run("/fcancel \(id)")
        await scene.alice.eventually("the routers are asked") { _ in scene.cloud.keptFiles == 0 }
        await scene.nothingIsLeft()
        await scene.close()
    }

    private func link(_ scene: FileScene) async throws -> String {
        try await scene.alice.eventual("the links") { core in
            for event in core.events { if case .sndStandaloneFileComplete(_, _, let links) = event { return links.first } }
            return nil
        }
    }
}

extension ChatStore {
    /// Adds a transaction to each of those that follow that cannot be committed, so that all are undone together and run again.
    fileprivate func breakEveryCommit() {
        file.submit(joinsNext: true) { db in
            try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
            try db.execute(sql: "INSERT INTO delivery_items (delivery_id, chat_item_id) VALUES (-1, -1)")
        } completion: { [self] result in
            // A store that is closed takes no more.
            if case .failure(let error) = result, error is GRDB.DatabaseError { breakEveryCommit() }
        }
    }
}
