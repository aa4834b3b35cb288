import ChatAPI
import ChatRules
import EncryptedSQLite
import Foundation
import SMPWire
import TestSupport
import Testing
import XFTPAgent
import XFTPProtocol

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// The rules of transfers, without any: whose a file is, what a report that comes late or again changes, and what is left of a file that fails.
@Suite struct FileRuleTests {
    private static let transfer = FileTransferID(Bytes(repeating: 5, count: 16))
    private static let address = "xftp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@file.example"

    /// A contact who has offered a file, and has been sent one.
    private func scene(_ name: String = "notes.txt") async throws -> (RuleScene, file: FileID) {
        let scene = try await RuleScene()
        let bob = try await scene.addContact("bob")
        let offer = FileInvitation(name: name, size: 1_000, fileDescription: .pending)
        try await scene.receive([.newMessage(MessageContainer(content: .file("look"), file: offer))], from: .contact(bob))
        let item = try #require(try await scene.messages(in: .direct(bob)).last)
        return (scene, try #require(item.file).fileID)
    }

    private func record(_ id: FileID, in scene: RuleScene) async throws -> FileRecord { try await scene.run { try #require(try $0.db.files.find(id)) } }

    /// Has the transfer of a file begin.
    private func begin(_ id: FileID, in scene: RuleScene) async throws {
        try await scene.run { transaction in
            try transaction.db.files.accept(id, path: "notes.txt", key: nil, approvesRelays: false, inline: nil)
            try transaction.db.files.update(id, state: .connected, status: .receiveTransfer(received: 0, total: 1))
            try transaction.db.files.update(id, transfer: Self.transfer)
        }
    }

    @Test func aFileOfOneProfileIsNotToBeHadByAnother() async throws {
        let (scene, file) = try await scene()
        let other = try await scene.run { transaction in
            try transaction.db.users.insert(
                NewUserRecord(agentUserID: 2, profile: Profile(displayName: "other", fullName: ""), isChatRelay: false, createdAt: transaction.now))
        }
        #expect(try await scene.refusal { try $0.receivedFiles.receivedFile(file) } == nil)
        #expect(try await scene.refusal { try $0.fileTransfers.status(file) } == nil)
        #expect(try await scene.refusal(as: other) { try $0.receivedFiles.receivedFile(file) } == "userNotFoundByFileId")
        #expect(try await scene.refusal(as: other) { try $0.fileTransfers.status(file) } == "fileNotFound")
        #expect(try await scene.refusal { try $0.receivedFiles.receivedFile(99) } == "userNotFoundByFileId")
        #expect(try await scene.refusal { try $0.fileTransfers.status(99) } == "fileNotFound")
        try await scene.close()
    }

    @Test func progressGoesForwardOnlyAndEndsWithTheTransfer() async throws {
        let (scene, file) = try await scene()
        try await begin(file, in: scene)
        for (received, isTold) in [(Int64(50), true), (20, false), (50, true), (80, true), (10, false)] {
            let effects = try await scene.memory.run { try $0.receivedFiles.receiveProgress(Self.transfer, received: received, total: 100) }.1
            #expect(effects.events.types == (isTold ? ["rcvFileProgressXFTP"] : []), "\(received)")
        }
        #expect(try await record(file, in: scene).status == .receiveTransfer(received: 80, total: 100))
        let complete = try await scene.memory.run { try $0.receivedFiles.receiveDownload(Self.transfer, size: 100) }.1
        #expect(complete.events.types == ["rcvFileProgressXFTP", "rcvFileComplete"])
        for late in [
            try await scene.memory.run { try $0.receivedFiles.receiveProgress(Self.transfer, received: 90, total: 100) }.1,
            try await scene.memory.run { try $0.receivedFiles.receiveDownload(Self.transfer, size: 100) }.1,
            try await scene.memory.run { try $0.receivedFiles.receiveFailure(Self.transfer, FileTransferError(.noFile, "gone")) }.1,
            try await scene.memory.run { try $0.receivedFiles.receiveWarning(Self.transfer, FileTransferError(.noFile, "gone")) }.1,
        ] { #expect(late.events.isEmpty) }
        #expect(try await record(file, in: scene).status == .receiveComplete)
        try await scene.close()
    }

    @Test func aFileThatNeedsAnApprovalIsOfferedAgainAndOneThatFailsForAnotherReasonIsNot() async throws {
        for (code, state, status) in [
            (FileTransferError.Code.notApproved, FileRecord.State.new, ItemFileStatus.receiveAborted), (.noFile, .cancelled, .receiveError(error: .noFile)),
        ] {
            let (scene, file) = try await scene()
            try await begin(file, in: scene)
            let effects = try await scene.memory.run { try $0.receivedFiles.receiveFailure(Self.transfer, FileTransferError(code, "why")) }.1
            #expect(effects.events.types == [code == .notApproved ? "chatItemUpdated" : "rcvFileError"])
            let after = try await record(file, in: scene)
            #expect(after.state == state && after.transfer == nil && effects.removesFiles)
            if code == .notApproved { #expect(after.status == status) }
            #expect(try await scene.count("removed_files WHERE path = 'notes.txt'") == 1)
            try await scene.close()
        }
    }

    @Test func whoCancelsMayAcceptAgainAndWhoIsCancelledMayNot() async throws {
        let (scene, file) = try await scene()
        try await begin(file, in: scene)
        let before = try await record(file, in: scene)
        _ = try await scene.run { try $0.receivedFiles.cancel(before, of: try $0.user()) }
        #expect(try await record(file, in: scene).state == .new)
        let bob = try #require(try await scene.run { try $0.db.number("SELECT contact_id FROM contacts WHERE is_user = 0") })
        let item = try #require(try await scene.messages(in: .direct(ContactID(bob))).last), id = try #require(item.meta.sharedMessageID)
        let told = try await scene.receive([.cancelFile(messageID: id)], from: .contact(ContactID(bob)))
        #expect(told.events.types == ["rcvFileSndCancelled"])
        #expect(try await record(file, in: scene).state == .cancelled)
        let again = try await scene.receive([.cancelFile(messageID: id)], from: .contact(ContactID(bob)))
        #expect(again.events.isEmpty, "once")
        // A description that comes after that is of no use.
        let part = FileDescriptionPart(text: "x", partNumber: 1, isComplete: true)
        let late = try await scene.receive([.fileDescription(messageID: id, part)], from: .contact(ContactID(bob)))
        #expect(late.events.isEmpty)
        #expect(try await record(file, in: scene).description?.isComplete == false)
        try await scene.close()
    }

    @Test func aFileThatIsMarkedIsReceivedForAsLongAsRoutersKeepIt() async throws {
        let (scene, file) = try await scene()
        try await scene.run { try $0.db.files.markToReceive(file, key: nil, approvesRelays: true) }
        for (seconds, isThere) in [(Int64(1), true), (0, false)] {
            // It was offered at the beginning.
            let since = MemoryStore.now.adding(seconds: -seconds)
            #expect(try await scene.run { try $0.db.files.filesToReceive(since: since) }.map(\.id) == (isThere ? [file] : []))
        }
        try await begin(file, in: scene)
        #expect(
            try await scene.run { try $0.db.files.filesToReceive(since: MemoryStore.now.adding(seconds: -1)) }.isEmpty, "what was accepted is marked no more")
        try await scene.close()
    }

    @Test func aCopyThatIsSentOrReceivedIsUsedAndOneThatWasCancelledIsNot() async throws {
        let (scene, file) = try await scene()
        func isUsed(_ path: String) async throws -> Bool { try await scene.run { try $0.db.files.hasFile(at: [path]) } }
        #expect(try await !isUsed("notes.txt"))
        try await begin(file, in: scene)
        #expect(try await isUsed("notes.txt"))
        try await scene.run { try $0.db.files.update(file, state: .cancelled, status: .receiveCancelled) }
        #expect(try await !isUsed("notes.txt"))
        let sent = FileRecord(
            id: 0, user: MemoryStore.user, isSent: true, name: "mine.txt", size: 1, fileProtocol: .xftp, status: .sendStored, path: "mine.txt",
            state: .cancelled, createdAt: MemoryStore.now)
        _ = try await scene.run { try $0.db.files.insert(sent) }
        #expect(try await isUsed("mine.txt"), "the file of this profile is not the engine's to remove")
        try await scene.close()
    }

    @Test func aFileOfTheLargestSizeIsSentAndOneByteMoreIsNot() throws {
        let folder = try TemporaryFolder()
        try Data(count: 100).write(to: URL(fileURLWithPath: folder.path + "/hundred"))
        let folders = FileFolders(files: folder.path)
        let file = CryptoFile(filePath: "hundred", cryptoArguments: nil)
        #expect(try folders.size(of: file, limit: 100) == 100)
        let refusal = #expect(throws: Refusal.self) { try folders.size(of: file, limit: 99) }
        #expect(refusal?.code == "fileSize")
        for path in ["missing", "..", "../hundred", "", "a/../hundred"] {
            let refusal = #expect(throws: Refusal.self) { try folders.size(of: CryptoFile(filePath: path, cryptoArguments: nil), limit: 100) }
            #expect(refusal?.code == "fileNotFound", "\(path)")
        }
    }

    @Test(arguments: [(true, true, true, true), (false, true, true, false), (true, false, true, false), (true, true, false, false)])
    func aFileRouterIsUsedIfItAndItsOperatorAreEnabledForFiles(_ server: Bool, _ company: Bool, _ storage: Bool, _ isUsed: Bool) {
        let known = ServerOperator(
            tradeName: "company", serverDomains: ["file.example"], conditionsAcceptance: .required(deadline: nil), enabled: company,
            smpRoles: ServerRoles(storage: true, proxy: true), xftpRoles: ServerRoles(storage: storage, proxy: true))
        let own = UserServer(server: Self.address, isPreset: false, enabled: server, deleted: false)
        var set = UserServerSet(operators: [known])
        set.xftpServers = [own]
        #expect(set.usedFileRouters.map(\.wireString) == (isUsed ? [Self.address] : []))
        // One of nobody known is used as it is enabled itself.
        set.operators = []
        #expect(set.usedFileRouters.count == (server ? 1 : 0))
    }
}
