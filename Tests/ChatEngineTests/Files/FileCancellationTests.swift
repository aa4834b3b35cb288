import ChatAPI
import ChatProtocol
import ChatRules
import ChatSimulation
import Foundation
import SMPCrypto
import SMPWire
import TestSupport
import Testing
import XFTPAgent

@testable import ChatEngine

/// Transfers that are cancelled, and files that are deleted.
@Suite struct FileCancellationTests {
    private static let content = SeededRandomSource(seed: 2).bytes(10_000)

    @Test func theSenderCancelsDuringTheUpload() async throws {
        let scene = try await FileScene()
        scene.cloud.closeGate()
        let item = try await scene.send(Self.content, "a.bin")
        let offer = try await scene.offered("a.bin")
        _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
        let file = try #require(item.file).fileID
        guard case .sndFileCancelled = try await scene.alice.core.run("/fcancel \(file)") else { throw UnexpectedAnswer() }
        #expect(await scene.alice.core.refusal(of: "/fcancel \(file)") == "fileCancel")
        await scene.atBob("a.bin", .receiveCancelled)
        await scene.atAlice("a.bin", .sendCancelled)
        #expect(scene.bob.core.count("rcvFileSndCancelled") == 1)
        #expect(await scene.bob.core.refusal(of: "/freceive \(offer.fileID)") == "fileCancelled")
        scene.cloud.openGate()
        try await scene.settle()
        await scene.nothingIsLeft()
        await scene.bob.expectFiles([])
        #expect(scene.cloud.keptFiles == 0)
        #expect(scene.bob.core.count("rcvFileDescrReady") == 0)
        // The original is the sender's.
        #expect(scene.alice.contents("a.bin") == Self.content)
        await scene.close()
    }

    @Test func aContactThatIsDeletedWithoutItsMessagesEndsTheTransfers() async throws {
        let scene = try await FileScene()
        scene.cloud.closeGate()
        try await scene.send(Self.content, "a.bin")
        let offer = try await scene.offered("a.bin")
        _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
        _ = try await scene.bob.core.run("/_delete @\(scene.aliceAtBob) entity notify=off")
        #expect(await scene.bob.core.files(with: scene.aliceAtBob).last?.status == .receiveCancelled)
        _ = try await scene.alice.core.run("/_delete @\(scene.bobAtAlice) entity notify=off")
        #expect(await scene.alice.core.files(with: scene.bobAtAlice).last?.status == .sendCancelled)
        scene.cloud.openGate()
        await scene.nothingIsLeft()
        await scene.bob.expectFiles([])
        #expect(scene.alice.contents("a.bin") == Self.content)
        await scene.close()
    }

    @Test func theSenderCancelsBeforeTheUploadHasBegun() async throws {
        let scene = try await FileScene()
        await scene.alice.core.native.stop()
        let item = try await scene.send(Self.content, "a.bin")
        _ = try await scene.alice.core.run("/fcancel \(try #require(item.file).fileID)")
        try await scene.alice.core.native.start()
        await scene.atBob("a.bin", .receiveCancelled)
        await scene.nothingIsLeft()
        #expect(scene.alice.files?.calls.contains { $0.name == "upload" } == false)
        #expect(scene.cloud.keptFiles == 0)
        await scene.close()
    }

    @Test func theSenderCancelsAfterTheUploadAndBobDuringOrAfterHisDownload() async throws {
        let scene = try await FileScene()
        for isLate in [false, true] {
            let name = isLate ? "late.bin" : "early.bin"
            let item = try await scene.send(Self.content, name)
            await scene.atAlice(name, .sendComplete)
            let offer = try await scene.offered(name)
            if !isLate { scene.cloud.closeGate() }
            _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
            await scene.atBob(name, isLate ? .receiveComplete : .receiveTransfer(received: 5_000, total: 10_000))
            _ = try await scene.alice.core.run("/fcancel \(try #require(item.file).fileID)")
            try await scene.settle()
            // What has arrived is Bob's.
            await scene.atBob(name, isLate ? .receiveComplete : .receiveCancelled)
            scene.cloud.openGate()
            await scene.nothingIsLeft()
            await scene.alice.eventually("the file is deleted from the routers") { _ in scene.cloud.keptFiles == 0 }
        }
        await scene.bob.expectFiles(["late.bin"])
        await scene.close()
    }

    @Test func aSenderWhoCannotTellItsContactCancelsAllTheSame() async throws {
        let scene = try await FileScene()
        scene.cloud.closeGate()
        let item = try await scene.send(Self.content, "a.bin")
        _ = try await scene.bob.core.run("/_delete @\(scene.aliceAtBob) full notify=on")
        await scene.alice.eventually("bob has left") { $0.count("contactDeletedByContact") == 1 }
        guard case .sndFileCancelled = try await scene.alice.core.run("/fcancel \(try #require(item.file).fileID)") else { throw UnexpectedAnswer() }
        scene.cloud.openGate()
        await scene.nothingIsLeft()
        #expect(scene.cloud.keptFiles == 0)
        await scene.close()
    }

    @Test func theReceiverCancelsAndAcceptsAgain() async throws {
        let scene = try await FileScene()
        try await scene.send(Self.content, "a.bin")
        let offer = try await scene.offered("a.bin")
        await scene.atAlice("a.bin", .sendComplete)
        for encrypt in ["on", "off"] {
            scene.cloud.closeGate()
            _ = try await scene.bob.core.run("/freceive \(offer.fileID) encrypt=\(encrypt)")
            await scene.atBob("a.bin", .receiveTransfer(received: 5_000, total: 10_000))
            guard case .rcvFileCancelled(_, let shown, _) = try await scene.bob.core.run("/fcancel \(offer.fileID)") else { throw UnexpectedAnswer() }
            #expect(shown?.chatItem.file?.status == .receiveInvitation)
            await scene.nothingIsLeft()
            await scene.bob.expectFiles([])
            scene.cloud.openGate()
        }
        // Without the key of an earlier time.
        _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
        await scene.atBob("a.bin", .receiveComplete)
        #expect(scene.bob.contents("a.bin") == Self.content)
        #expect(scene.bob.core.count("rcvFileComplete") == 1)
        await scene.nothingIsLeft()
        await scene.close()
    }

    @Test func anAcceptedFileThatIsCancelledBeforeItsDescriptionIsReceivedOnlyIfItIsAcceptedAgain() async throws {
        let scene = try await FileScene()
        scene.cloud.closeGate()
        try await scene.send(Self.content, "a.bin")
        let offer = try await scene.offered("a.bin")
        _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
        _ = try await scene.bob.core.run("/fcancel \(offer.fileID)")
        await scene.bob.expectFiles([])
        scene.cloud.openGate()
        await scene.bob.eventually("the description") { $0.count("rcvFileDescrReady") == 1 }
        try await scene.settle()
        await scene.atBob("a.bin", .receiveInvitation)
        #expect(scene.bob.files?.calls.contains { $0.name == "download" } == false)
        _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
        await scene.atBob("a.bin", .receiveComplete)
        await scene.close()
    }

    // MARK: Deletion

    enum Deletion: String, CaseIterable, Sendable { case item, chat, contact, profile, expiry, byTheContact }

    @Test(arguments: Deletion.allCases, [false, true])
    func theCopyAndTheTransferGoWithTheMessage(_ deletion: Deletion, isComplete: Bool) async throws {
        let scene = try await FileScene()
        if !isComplete { scene.cloud.closeGate() }
        let item = try await scene.send(Self.content, "a.bin")
        let offer = try await scene.offered("a.bin")
        _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
        await scene.atBob("a.bin", isComplete ? .receiveComplete : .receiveAccepted)
        try scene.bob.put([1], "unrelated")
        let received = try #require(await scene.bob.core.messages(with: scene.aliceAtBob).last)
        switch deletion {
        case .item: _ = try await scene.bob.core.run("/_delete item @\(scene.aliceAtBob) \(received.meta.itemID) internal")
        case .chat: _ = try await scene.bob.core.run("/_clear chat @\(scene.aliceAtBob)")
        case .contact: _ = try await scene.bob.core.run("/_delete @\(scene.aliceAtBob) full notify=off")
        case .profile: _ = try await scene.bob.core.run("/_delete user 1 del_smp=off")
        case .expiry:
            await scene.bob.core.close()
            scene.bob.pass(seconds: 200_000)
            try await scene.bob.restart()
            _ = try await scene.bob.core.run("/_ttl 1 86400")
        case .byTheContact:
            _ = try await scene.bob.core.run("/_set prefs @\(scene.aliceAtBob) {\"fullDelete\":{\"allow\":\"yes\"}}")
            _ = try await scene.alice.core.run("/_set prefs @\(scene.bobAtAlice) {\"fullDelete\":{\"allow\":\"yes\"}}")
            try await scene.settle()
            _ = try await scene.alice.core.run("/_delete item @\(scene.bobAtAlice) \(item.meta.itemID) broadcast")
        }
        await scene.bob.expectFiles(["unrelated"])
        await scene.bob.eventually("the transfer is forgotten") { core in
            guard scene.bob.files?.count == 0 else { return false }
            return await core.leftovers() == 0
        }
        await scene.close()
    }

    @Test func aSenderWhoDeletesTheMessageCancelsTheUploadAndLosesTheCopy() async throws {
        let scene = try await FileScene()
        scene.cloud.closeGate()
        let item = try await scene.send(Self.content, "a.bin")
        await scene.atAlice("a.bin", .sendTransfer(sent: 5_000, total: 10_000))
        _ = try await scene.alice.core.run("/_delete item @\(scene.bobAtAlice) \(item.meta.itemID) internal")
        await scene.alice.expectFiles([])
        scene.cloud.openGate()
        await scene.nothingIsLeft()
        #expect(scene.cloud.keptFiles == 0)
        // Once it is uploaded, the message's recipient keeps what it was offered.
        let next = try await scene.send(Self.content, "b.bin")
        await scene.atAlice("b.bin", .sendComplete)
        _ = try await scene.alice.core.run("/_delete item @\(scene.bobAtAlice) \(next.meta.itemID) internal")
        await scene.alice.expectFiles([])
        await scene.nothingIsLeft()
        #expect(scene.cloud.keptFiles == 1)
        await scene.close()
    }

    @Test func aCopyThatAnotherMessageUsesStaysUntilThatGoesToo() async throws {
        let scene = try await FileScene()
        let first = try await scene.send(Self.content, "a.bin")
        let second = try await scene.sendStored("a.bin")
        let third = try await scene.sendStored(scene.alice.filesFolder + "/a.bin")
        await scene.atAlice("a.bin", .sendComplete)
        for item in [first, second] {
            _ = try await scene.alice.core.run("/_delete item @\(scene.bobAtAlice) \(item.meta.itemID) internal")
            await scene.alice.eventually("what was left is removed") { await $0.leftovers() == 0 }
            #expect(scene.alice.contents("a.bin") == Self.content)
        }
        _ = try await scene.alice.core.run("/_delete item @\(scene.bobAtAlice) \(third.meta.itemID) internal")
        await scene.nothingIsLeft()
        #expect(scene.alice.contents("a.bin") == Self.content, "a full path is the person's own file")
        await scene.close()
    }

    @Test func withoutAFolderForFilesNothingThatIsThePersonsIsRemoved() async throws {
        let folder = try TemporaryFolder()
        let folders = FileFolders(files: nil)
        try Data([1]).write(to: URL(fileURLWithPath: folder("mine")))
        let relative = String(repeating: "../", count: 40) + folder("mine").dropFirst()
        try folders.remove(relative)
        #expect(FileManager.default.fileExists(atPath: folder("mine")))
        try folders.remove(folder("mine"))
        #expect(!FileManager.default.fileExists(atPath: folder("mine")))
        // A folder is nobody's copy of a file.
        let own = FileFolders(files: folder.path)
        try FileManager.default.createDirectory(atPath: folder("album/deep"), withIntermediateDirectories: true)
        #expect(throws: (any Error).self) { try own.remove("album") }
        #expect(FileManager.default.fileExists(atPath: folder("album/deep")))
    }
}
