import ChatAPI
import ChatProtocol
import ChatRules
import ChatSimulation
import EncryptedSQLite
import Foundation
import GRDB
import SMPCrypto
import SMPProtocol
import SMPWire
import TestSupport
import Testing
import XFTPAgent
import XFTPProtocol

@testable import ChatEngine
@testable import ChatStore

/// Files that no client offers. Whatever comes, it changes nothing outside of the folder for files and nothing of others.
@Suite struct HostileFileTests {
    @Test(
        arguments: [
            ("../../etc/passwd", "passwd"), ("..", "file"), (".", "file"), ("", "file"), ("/", "file"), ("a/b\\c", "c"), ("a\0b", "b"), ("..\\..\\x", "x"),
            ("a\u{1}b\u{7f}\u{85}\n\r\u{2028}.txt", "ab.txt"), ("invoice\u{202e}fdp.exe", "invoicefdp.exe"), ("\u{200b}", "file"),
            // A slash with a combining mark is one character, and still divides for the file system.
            ("../\u{301}x", "\u{301}x"), ("a/\u{338}", "\u{338}"), ("\0\u{301}", "\u{301}"), ("über Größe 😀.png", "über Größe 😀.png"),
            // What a script or an emoji needs stays, and nothing else that is not seen.
            ("👨\u{200d}👩\u{200d}👧.txt", "👨\u{200d}👩\u{200d}👧.txt"), ("می\u{200c}خواهم.pdf", "می\u{200c}خواهم.pdf"), ("❤\u{fe0f}.txt", "❤\u{fe0f}.txt"),
            ("set\u{200d}up.e\u{200c}xe", "setup.exe"), ("a\u{fe0f}\u{200d}😀", "a😀"), ("😀\u{200d}\u{200b}😀\u{200d}", "😀😀"), ("x\u{fff9}\u{ad}y", "xy"),
        ] as [(String, String)])
    func aNameIsTheLastPartOfAPathAndShowsWhatItIs(_ name: String, _ safe: String) {
        #expect(Array(FileNames.safe(name).unicodeScalars) == Array(safe.unicodeScalars))
    }

    @Test func aLongNameIsCutAndKeepsItsExtension() {
        for name in [String(repeating: "a", count: 10_000) + ".jpg", String(repeating: "😀", count: 10_000) + ".jpg"] {
            let safe = FileNames.safe(name)
            #expect(safe.utf8.count <= FileNames.longest && safe.utf8.count > FileNames.longest - 5)
            #expect(safe.hasSuffix(".jpg"))
        }
        for name in [String(repeating: "👨\u{200d}", count: 400), String(repeating: "ب\u{200c}", count: 400), String(repeating: "a\u{200d}😀", count: 400)] {
            let safe = FileNames.safe(name)
            #expect(FileNames.safe(safe) == safe && safe.utf8.count <= FileNames.longest, "a name that was cut is a name")
        }
        #expect(FileNames.safe("a." + String(repeating: "b", count: 10_000)).utf8.count <= FileNames.longest)
        #expect(FileNames.safe(String(repeating: "\u{301}", count: 10_000)).utf8.count <= FileNames.longest)
    }

    @Test func pathsThatLeaveTheFolderAreRefusedHoweverTheyAreWritten() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("files"), withIntermediateDirectories: true)
        let folders = FileFolders(files: folder("files"))
        for path in ["../x", "a/../../x", "..", "../\u{301}x", "a/../\u{338}x/..", ""] {
            #expect(throws: Refusal.self, "\(path)") { try folders.fullPath(path) }
        }
        #expect(try folders.fullPath("/\u{301}x") == "/\u{301}x", "this is a full path")
        #expect(try folders.fullPath("..a/b") == folder("files") + "/..a/b")
        // A name that begins with a combining mark is stored as it is.
        let name = try folders.reserve("\u{301}x")
        #expect(Array(name.utf8) == Array("\u{301}x".utf8))
        #expect(FileManager.default.fileExists(atPath: try folders.fullPath(name)))
    }

    private func offer(_ name: String, size: Int64) -> ChatMessageEvent {
        .newMessage(MessageContainer(content: .file("offer"), file: FileInvitation(name: name, size: size, fileDescription: .pending)))
    }

    private func parts(_ text: String, of id: SharedMessageID) -> [ChatMessageEvent] {
        FileDescriptionPart.parts(of: text).map { .fileDescription(messageID: id, $0) }
    }

    private static let id = SharedMessageID(Bytes(repeating: 9, count: 12))

    /// Offers a file to Bob, with a description of it.
    private func offer(_ name: String, size: Int64, _ description: RouterFileDescription, in scene: FileScene, id: SharedMessageID = Self.id) async throws
        -> ItemFile
    {
        try await scene.attack([offer(name, size: size)], id: id)
        try await scene.attack(parts(description.text, of: id))
        try await scene.settle()
        let contact = scene.aliceAtBob
        return try await scene.bob.eventual("the offer") { await $0.files(with: contact).last }
    }

    @Test(arguments: ["../core_chat.db", "a/../../x", "../\u{301}x", String(repeating: "n", count: 10_000), "\0", "a\u{1}b"])
    func aFileOfAnyNameIsReceivedInTheFolder(_ name: String) async throws {
        let scene = try await FileScene()
        let made = try scene.cloud.put([1, 2, 3], recipients: 1)
        let before = try FileManager.default.contentsOfDirectory(atPath: scene.bob.filesFolder + "/..").sorted()
        let file = try await offer(name, size: 3, made.recipients[0], in: scene)
        _ = try await scene.bob.core.run("/freceive \(file.fileID)")
        await scene.atBob(file.fileName, .receiveComplete)
        #expect(scene.bob.fileNames.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scene.bob.filesFolder + "/..").sorted() == before)
        await scene.close()
    }

    @Test(arguments: [-1, .min, 0] as [Int64])
    func aFileWithoutContentIsNotOfferedAndItsMessageIsShown(_ size: Int64) async throws {
        let scene = try await FileScene()
        try await scene.attack([offer("a", size: size)], id: Self.id)
        await scene.bob.eventually("the error") {
            $0.events.contains { if case .chatError(.chat(.fileSize(let name))) = $0 { name == "a" } else { false } }
        }
        let contact = scene.aliceAtBob
        let messages = await scene.bob.core.messages(with: contact)
        #expect(messages.map(\.meta.text) == ["offer"] && messages.allSatisfy { $0.file == nil })
        #expect(await scene.bob.core.files(with: contact).isEmpty)
        await scene.close()
    }

    @Test(arguments: [1, .max] as [Int64])
    func anySizeIsShownAndAFileThatIsLargerThanItSaysIsNotFetched(_ size: Int64) async throws {
        let scene = try await FileScene()
        scene.cloud.chunks = 200
        let made = try scene.cloud.put([1], recipients: 1)
        let file = try await offer("a", size: size, made.recipients[0], in: scene)
        #expect(file.fileSize == size)
        if size == .max {
            _ = try await scene.bob.core.run("/freceive \(file.fileID)")
            await scene.atBob("a", .receiveComplete)
        } else {
            // 200 chunks of 64 KiB are 12 MiB and more.
            #expect(await scene.bob.core.refusal(of: "/freceive \(file.fileID)") == "invalidFileDescription")
            await scene.atBob("a", .receiveInvitation)
            await scene.bob.expectFiles([])
            #expect(scene.bob.files?.calls.contains { $0.name == "download" } == false)
        }
        await scene.close()
    }

    @Test func aDescriptionOfTheSenderOrNoneAtAllIsNotFetched() async throws {
        let scene = try await FileScene()
        let made = try scene.cloud.put([1], recipients: 1)
        var damaged = made.recipients[0].text
        damaged.removeLast(200)
        for (number, text) in [made.sender.text, damaged, "", "\u{0}"].enumerated() {
            let id = SharedMessageID(Bytes(repeating: UInt8(number), count: 12))
            try await scene.attack([offer("\(number)", size: 1)], id: id)
            try await scene.attack(parts(text, of: id))
            let file = try await scene.offered("\(number)")
            await scene.bob.eventually("the description") { $0.count("rcvFileDescrReady") == number + 1 }
            #expect(await scene.bob.core.refusal(of: "/freceive \(file.fileID)") == "invalidFileDescription", "\(number)")
            await scene.atBob("\(number)", .receiveInvitation)
        }
        // Accepted before it comes, too.
        let id = SharedMessageID(Bytes(repeating: 100, count: 12))
        try await scene.attack([offer("early", size: 1)], id: id)
        let early = try await scene.offered("early")
        _ = try await scene.bob.core.run("/freceive \(early.fileID)")
        try await scene.attack(parts(made.sender.text, of: id))
        await scene.atBob("early", .receiveInvitation)
        await scene.bob.expectFiles([])
        await scene.nothingIsLeft()
        await scene.close()
    }

    @Test func partsThatAreRepeatedReorderedOrMissingNeverMakeAnotherDescription() async throws {
        let scene = try await FileScene()
        scene.cloud.chunks = 300
        let made = try scene.cloud.put([5], recipients: 1)
        let all = parts(made.recipients[0].text, of: Self.id)
        try #require(all.count > 2)
        try await scene.attack([offer("a", size: 50 << 20)], id: Self.id)
        let file = try await scene.offered("a")
        // The second before the first, the first twice, the last before its time.
        try await scene.attack([all[1], all[0], all[0], all[all.count - 1]])
        try await scene.settle()
        #expect(scene.bob.core.count("rcvFileDescrReady") == 0)
        #expect(scene.bob.core.errors.count == 3)
        try await scene.attack(Array(all[1...]))
        await scene.bob.eventually("the description") { $0.count("rcvFileDescrReady") == 1 }
        // After completion nothing is added.
        try await scene.attack(all + parts("more", of: Self.id))
        try await scene.settle()
        let kept = try await scene.bob.core.native.engine.store.read { try $0.files.find(file.fileID)?.description?.text }
        #expect(kept == made.recipients[0].text)
        #expect(scene.bob.core.count("rcvFileDescrReady") == 1)
        _ = try await scene.bob.core.run("/freceive \(file.fileID)")
        await scene.atBob("a", .receiveComplete)
        // And after the file is there, neither a description nor a cancellation changes it.
        try await scene.attack(all + [.cancelFile(messageID: Self.id)])
        try await scene.settle()
        await scene.atBob("a", .receiveComplete)
        #expect(scene.bob.contents("a") == [5])
        await scene.close()
    }

    @Test func aDescriptionThatIsTooLongIsNotKept() async throws {
        let scene = try await FileScene()
        try await scene.attack([offer("a", size: 1)], id: Self.id)
        let file = try await scene.offered("a")
        let text = String(repeating: "x", count: ChatLimits.fileDescriptionPart)
        let count = ChatLimits.fileDescription / text.utf8.count + 2
        for first in stride(from: 1, through: count, by: 50) {
            try await scene.attack(
                (first..<min(first + 50, count + 1)).map {
                    .fileDescription(messageID: Self.id, FileDescriptionPart(text: text, partNumber: $0, isComplete: false))
                })
        }
        try await scene.settle()
        let kept = try await scene.bob.core.native.engine.store.read { try $0.files.find(file.fileID)?.description?.text.utf8.count ?? 0 }
        #expect(kept <= ChatLimits.fileDescription)
        #expect(!scene.bob.core.errors.isEmpty)
        await scene.close()
    }

    @Test func nobodyCancelsOrDescribesAFileOfSomebodyElse() async throws {
        let scene = try await FileScene()
        let mallory = try await TestPerson("mallory", scene.world)
        let (bobAtMallory, malloryAtBob) = try await TestPerson.connect(mallory, scene.bob)
        // Bob has sent one file to Mallory and one to Alice, and was offered one by Alice.
        scene.cloud.closeGate()
        try await scene.send([1, 2, 3], "offered")
        let offered = try await scene.offered("offered")
        _ = try await scene.bob.core.run("/freceive \(offered.fileID)")
        try scene.bob.put([4], "own")
        let message: JSONValue = ["fileSource": ["filePath": "own"], "msgContent": ["type": "file", "text": ""]]
        guard case .newChatItems(_, let toMallory) = try await scene.bob.core.run("/_send @\(malloryAtBob) json \(JSONValue.array([message]).text)"),
            case .newChatItems(_, let toAlice) = try await scene.bob.core.run("/_send @\(scene.aliceAtBob) json \(JSONValue.array([message]).text)")
        else { throw UnexpectedAnswer() }
        let theirs = try #require(await scene.bob.core.messages(with: scene.aliceAtBob).first { $0.file?.fileName == "offered" }?.meta.sharedMessageID)
        let own = try [toMallory, toAlice].map { try #require($0.first?.chatItem.meta.sharedMessageID) }
        let forged = try scene.cloud.put([6], recipients: 1).recipients[0]
        try await mallory.core.native.engine.transactions.transaction { transaction in
            let contact = try transaction.conversations.contact(bobAtMallory, of: try transaction.user())
            for id in own + [theirs] {
                try transaction.outbox.send([.init(.cancelFile(messageID: id), id: transaction.newSharedMessageID())], to: contact)
                for part in FileDescriptionPart.parts(of: forged.text) {
                    try transaction.outbox.send([.init(.fileDescription(messageID: id, part), id: transaction.newSharedMessageID())], to: contact)
                }
            }
        }
        _ = try await mallory.core.send("after it", to: bobAtMallory)
        await scene.bob.eventually("the message after it") { await $0.received(from: malloryAtBob, count: 1).last == "after it" }
        await scene.atBob("offered", .receiveAccepted)
        #expect(await scene.bob.core.files(with: malloryAtBob).allSatisfy { $0.status != .sendCancelled })
        scene.cloud.openGate()
        await scene.atBob("offered", .receiveComplete)
        #expect(scene.bob.contents("offered") == [1, 2, 3])
        await scene.atBob("own", .sendComplete)
        await mallory.core.close()
        await scene.close()
    }

    @Test func aRedirectToARedirectFails() async throws {
        let scene = try await FileScene()
        let file = try scene.cloud.put([1], recipients: 1).recipients[0]
        let inner = try scene.cloud.put(Bytes(file.text.utf8), recipients: 1, redirect: .init(size: file.size, digest: file.digest)).recipients[0]
        let outer = try scene.cloud.put(Bytes(inner.text.utf8), recipients: 1, redirect: .init(size: inner.size, digest: inner.digest)).recipients[0]
        let offered = try await offer("a", size: 1, outer, in: scene)
        _ = try await scene.bob.core.run("/freceive \(offered.fileID)")
        await scene.bob.eventually("the failure") { $0.count("rcvFileError") == 1 }
        await scene.bob.expectFiles([])
        await scene.nothingIsLeft()
        await scene.close()
    }

    @Test func aFloodOfOffersBeginsNothingAndLeavesTheChatUsable() async throws {
        let scene = try await FileScene()
        for _ in 0..<10 {
            try await scene.attack((0..<50).map { offer("\($0)", size: 1 << 40) })
        }
        try await scene.settle()
        #expect(scene.bob.files?.calls.isEmpty == true)
        #expect(scene.bob.fileNames == [])
        let contact = scene.aliceAtBob
        let count = try await scene.bob.core.native.engine.store.read { try $0.number("SELECT count(*) FROM files", []) }
        #expect(count == 500)
        _ = try await scene.bob.core.run("/_delete @\(contact) full notify=off")
        #expect(try await scene.bob.core.native.engine.store.read { try $0.number("SELECT count(*) FROM files", []) } == 0)
        await scene.close()
    }
}
