import ChatAPI
import ChatRules
import EncryptedSQLite
import Foundation
import GRDB
import SMPCrypto
import SMPWire
import TestSupport
import Testing
import XFTPProtocol

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Files that old clients send inside messages.
@Suite struct InlineFileTests {
    private typealias Scene = InlineFileScene

    /// Two full chunks and a part of one.
    private static let content = SeededRandomSource(seed: 5).bytes(40_000)

    /// The content of Bob's file as it is on the disk.
    private func received(in scene: Scene, _ name: String = "a.bin") async throws -> (content: Bytes, isEncrypted: Bool) {
        let source = try #require(await scene.bob.core.files(with: scene.aliceAtBob).last { $0.fileName == name }?.fileSource)
        let file = LocalFile(scene.bob.filesFolder + "/" + source.filePath, key: try source.cryptoArguments?.localKey)
        return (try file.contents(upTo: 1 << 20), source.cryptoArguments != nil)
    }

    // MARK: Offers

    @Test(arguments: [false, true])
    func anOfferedFileIsAskedForAndArrivesByteEqual(isEncrypted: Bool) async throws {
        let scene = try await Scene()
        try await scene.send([Scene.offer(Self.content)], id: Scene.id)
        let offer = try await scene.offered()
        #expect(offer.status == .receiveInvitation && offer.fileProtocol == .smp && offer.fileSource == nil)
        guard case .rcvFileAccepted(_, let shown) = try await scene.bob.core.run("/freceive \(offer.fileID) encrypt=\(isEncrypted ? "on" : "off")") else {
            throw UnexpectedAnswer()
        }
        #expect(shown.chatItem.file?.status == .receiveAccepted && shown.chatItem.file?.fileSource?.filePath == "a.bin")
        // She knows nothing of the message that was made by hand in her name.
        await scene.alice.eventually("the request for the chunks") { $0.isReported("x.file.acpt.inv") }
        let chunks = Scene.chunks(Self.content)
        try await scene.send([chunks[0]])
        await scene.expect(.receiveTransfer(received: 0, total: 1))
        try await scene.send(Array(chunks[1...]))
        await scene.expect(.receiveComplete)
        let file = try await received(in: scene)
        #expect(file.content == Self.content && file.isEncrypted == isEncrypted)
        await scene.bob.eventually("all events") { $0.count("rcvFileComplete") == 1 }
        #expect(scene.bob.core.count("rcvFileStart") == 1)
        #expect(scene.bob.core.errors == [])
        await scene.expectOnly(["a.bin"])
        #expect(await scene.bob.core.refusal(of: "/freceive \(offer.fileID)") == "fileAlreadyReceiving")
        #expect(await scene.bob.core.refusal(of: "/fcancel \(offer.fileID)") == "fileCancel")
        await scene.close()
    }

    @Test(arguments: [1, 15_780, 15_781, 126_240])
    func aFileOfAnySizeUpToEightChunksArrives(_ size: Int) async throws {
        let scene = try await Scene()
        let content = Bytes(Self.content.prefix(size)) + Bytes(repeating: 7, count: max(0, size - Self.content.count))
        _ = try await scene.accepted(content)
        try await scene.send(Scene.chunks(content))
        await scene.expect(.receiveComplete)
        #expect(scene.bob.contents("a.bin") == content)
        await scene.expectOnly(["a.bin"])
        await scene.close()
    }

    @Test func aLargerFileIsAskedForByAnOptionAndNoneIsIfTheOptionSaysSo() async throws {
        let scene = try await Scene()
        let content = Bytes(repeating: 3, count: 15 * 15_780)
        try await scene.send([Scene.offer(content)], id: Scene.id)
        let file = try await scene.offered()
        for option in ["", " inline=off"] { #expect(await scene.bob.core.refusal(of: "/freceive \(file.fileID)\(option)") == "exception") }
        await scene.expect(.receiveInvitation)
        await scene.expectOnly([])
        _ = try await scene.bob.core.run("/freceive \(file.fileID) inline=on")
        try await scene.send(Scene.chunks(content))
        await scene.expect(.receiveComplete)
        #expect(scene.bob.contents("a.bin") == content)
        await scene.close()
    }

    // MARK: Voice messages

    @Test(arguments: [false, true])
    func aShortVoiceMessageIsReceivedAtOnce(isEncrypted: Bool) async throws {
        let scene = try await Scene()
        if isEncrypted { _ = try await scene.bob.core.run("/_files_encrypt on") }
        try await scene.send([Scene.voice(Self.content)], id: Scene.id)
        await scene.expect(.receiveAccepted)
        #expect(scene.bob.fileNames == [], "an offer makes no file")
        try await scene.send(Scene.chunks(Self.content))
        await scene.expect(.receiveComplete)
        let file = try await received(in: scene)
        #expect(file.content == Self.content && file.isEncrypted == isEncrypted)
        #expect(scene.bob.core.errors == [])
        #expect(!scene.alice.core.isReported("x.file.acpt.inv"))
        await scene.expectOnly(["a.bin"])
        await scene.close()
    }

    @Test func anythingElseThatIsSentWithoutBeingAcceptedIsNotStored() async throws {
        let scene = try await Scene()
        try await scene.send([Scene.offer(Self.content, .sent)] + Scene.chunks(Self.content), id: Scene.id)
        try await scene.settle()
        await scene.expect(.receiveInvitation)
        #expect(await scene.storedChunks() == 0)
        #expect(scene.bob.core.errors.count == 1 && scene.bob.core.errors.allSatisfy { $0.contains("inlineFileProhibited") })
        let file = try await scene.offered()
        #expect(await scene.bob.core.refusal(of: "/freceive \(file.fileID)") == "fileAlreadyReceiving")
        await scene.expectOnly([])
        await scene.close()
    }

    // MARK: Chunks

    @Test func chunksBeforeTheAcceptanceAreNotStored() async throws {
        let scene = try await Scene()
        try await scene.send([Scene.offer(Self.content)] + Scene.chunks(Self.content), id: Scene.id)
        try await scene.settle()
        #expect(await scene.storedChunks() == 0)
        #expect(scene.bob.core.errors.count == 1 && scene.bob.core.errors.allSatisfy { $0.contains("inlineFileProhibited") })
        let file = try await scene.offered()
        _ = try await scene.bob.core.run("/freceive \(file.fileID)")
        try await scene.send(Scene.chunks(Self.content))
        await scene.expect(.receiveComplete)
        #expect(scene.bob.contents("a.bin") == Self.content)
        await scene.close()
    }

    @Test func repeatedChunksChangeNothing() async throws {
        let scene = try await Scene()
        _ = try await scene.accepted(Self.content)
        let chunks = Scene.chunks(Self.content), other = Scene.chunk(1, Bytes(repeating: 1, count: 15_780))
        try await scene.send([chunks[0], chunks[0], other, chunks[1], chunks[0], other, chunks[1], chunks[2], chunks[2], other])
        await scene.expect(.receiveComplete)
        try await scene.send(chunks + [Scene.chunk(4, [1])])
        try await scene.settle()
        #expect(scene.bob.contents("a.bin") == Self.content)
        #expect(scene.bob.core.count("rcvFileStart") == 1 && scene.bob.core.count("rcvFileComplete") == 1)
        #expect(scene.bob.core.errors == [])
        await scene.expectOnly(["a.bin"])
        await scene.close()
    }

    enum Fault: String, CaseIterable, Sendable {
        case gap, gapAtTheBeginning, short, long, shortEnd, longEnd

        /// The chunks that come, the last of which is wrong.
        fileprivate func chunks(_ content: Bytes) -> [ChatMessageEvent] {
            let all = Scene.chunks(content), full = Bytes(content.prefix(15_780))
            return switch self {
            case .gap: [all[0], all[2]]
            case .gapAtTheBeginning: [all[1]]
            case .short: [Scene.chunk(1, Bytes(full.dropLast()))]
            case .long: [all[0], Scene.chunk(2, full + [0])]
            case .shortEnd: [all[0], all[1], Scene.chunk(3, [0])]
            case .longEnd: [all[0], all[1], Scene.chunk(3, full)]
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func aFileThatCannotBecomeWholeIsGivenUp(_ fault: Fault) async throws {
        let scene = try await Scene()
        let file = try await scene.accepted(Self.content)
        try await scene.send(fault.chunks(Self.content))
        await scene.expect(.receiveCancelled)
        await scene.bob.eventually("the error") { $0.errors.count == 1 }
        #expect(scene.bob.core.errors.allSatisfy { $0.contains("fileRcvChunk") && $0.contains("incorrect chunk") })
        try await scene.send(Scene.chunks(Self.content))
        try await scene.settle()
        #expect(scene.bob.core.errors.count == 1)
        #expect(await scene.bob.core.refusal(of: "/freceive \(file.fileID)") == "fileCancelled")
        await scene.expectOnly([])
        await scene.close()
    }

    @Test func nobodySendsOrCancelsTheFileOfSomebodyElse() async throws {
        let scene = try await Scene()
        let mallory = try await TestPerson("mallory", scene.world, agent: InlineFileScene.old)
        let (bobAtMallory, malloryAtBob) = try await TestPerson.connect(mallory, scene.bob)
        _ = try await scene.accepted(Self.content)
        let forged = Scene.chunks(Bytes(repeating: 6, count: 40_000)) + [.fileChunk(messageID: Scene.id, .cancel)]
        try await Scene.send(forged + [.newMessage(MessageContainer(content: .text("after it")))], id: nil, from: mallory, to: bobAtMallory)
        await scene.bob.eventually("the message after it") { await $0.received(from: malloryAtBob, count: 1).last == "after it" }
        #expect(await scene.storedChunks() == 0)
        // The first chunk and the cancellation are reported.
        #expect(scene.bob.core.errors.count == 2 && scene.bob.core.errors.allSatisfy { $0.contains("fileIdNotFoundBySharedMsgId") })
        try await scene.send(Scene.chunks(Self.content))
        await scene.expect(.receiveComplete)
        #expect(scene.bob.contents("a.bin") == Self.content)
        await mallory.core.close()
        await scene.close()
    }

    @Test func aChunkTellsNothingOfTheVersionsOfItsSender() async throws {
        let scene = try await Scene()
        let contact = scene.aliceAtBob
        let versions: @Sendable (Database) throws -> ChatVersionRange? = { db in
            let id: ChatConnectionID? = try db.firstID("SELECT connection_id FROM connections WHERE contact_id = ?", [contact])
            return try id.flatMap { try db.connections.find($0) }?.connection.peerChatVersions
        }
        _ = try await scene.accepted(Self.content)
        let before = try await scene.bob.core.native.engine.store.read(versions)
        try await scene.send([Scene.chunks(Self.content)[0]])
        await scene.expect(.receiveTransfer(received: 0, total: 1))
        #expect(try await scene.bob.core.native.engine.store.read(versions) == before)
        await scene.close()
    }

    // MARK: Ends

    @Test(arguments: [true, false])
    func aReceiverWhoCancelsGetsNoMore(afterChunks: Bool) async throws {
        let scene = try await Scene()
        let file = try await scene.accepted(Self.content), chunks = Scene.chunks(Self.content)
        if afterChunks {
            try await scene.send(Array(chunks[..<2]))
            try await scene.settle()
            #expect(await scene.storedChunks() == 2)
        }
        guard case .rcvFileCancelled(_, let shown, _) = try await scene.bob.core.run("/fcancel \(file.fileID)") else { throw UnexpectedAnswer() }
        #expect(shown?.chatItem.file?.status == .receiveCancelled)
        await scene.expectOnly([])
        try await scene.send(chunks)
        try await scene.settle()
        await scene.expectOnly([])
        #expect(scene.bob.core.errors == [])
        #expect(await scene.bob.core.refusal(of: "/freceive \(file.fileID)") == "fileCancelled")
        #expect(await scene.bob.core.refusal(of: "/fcancel \(file.fileID)") == "fileCancel")
        await scene.close()
    }

    @Test(arguments: [ChatMessageEvent.fileChunk(messageID: InlineFileScene.id, .cancel), .cancelFile(messageID: InlineFileScene.id)])
    func aSenderWhoCancelsEndsTheFile(_ event: ChatMessageEvent) async throws {
        let scene = try await Scene()
        let file = try await scene.accepted(Self.content)
        try await scene.send([Scene.chunks(Self.content)[0], event, event])
        await scene.expect(.receiveCancelled)
        try await scene.send(Scene.chunks(Self.content))
        try await scene.settle()
        await scene.expectOnly([])
        #expect(scene.bob.core.count("rcvFileSndCancelled") == 1)
        #expect(scene.bob.core.errors == [])
        #expect(await scene.bob.core.refusal(of: "/freceive \(file.fileID)") == "fileCancelled")
        await scene.close()
    }

    @Test func aFileGoesWithItsMessage() async throws {
        let scene = try await Scene()
        _ = try await scene.accepted(Self.content)
        let chunks = Scene.chunks(Self.content)
        try await scene.send(Array(chunks[..<2]))
        try await scene.settle()
        let item = try #require(await scene.bob.core.messages(with: scene.aliceAtBob).first { $0.file != nil })
        _ = try await scene.bob.core.run("/_delete item @\(scene.aliceAtBob) \(item.meta.itemID) internal")
        await scene.expectOnly([])
        try await scene.send([chunks[2]])
        try await scene.settle()
        await scene.expectOnly([])
        #expect(scene.bob.core.errors == [])
        await scene.close()
    }

    @Test(arguments: [InlineFileMode.offer, .sent])
    func aFileThatCannotBeWrittenIsGivenUp(_ mode: InlineFileMode) async throws {
        let scene = try await Scene()
        if mode == .offer { _ = try await scene.accepted(Self.content) } else { try await scene.send([Scene.voice(Self.content)], id: Scene.id) }
        try await scene.settle()
        try FileManager.default.removeItem(atPath: scene.bob.filesFolder)
        try await scene.send(Scene.chunks(Self.content))
        await scene.bob.eventually("the failure") { $0.count("rcvFileError") == 1 }
        let status = await scene.bob.core.files(with: scene.aliceAtBob).last?.status
        let isFailed = if case .receiveError? = status { true } else { false }
        #expect(isFailed, "\(String(describing: status))")
        #expect(await scene.storedChunks() == 0)
        await scene.close()
    }

    // MARK: Files of this profile

    @Test func nobodyGetsAFileOfThisProfileInsideMessages() async throws {
        let scene = try await Scene()
        try scene.bob.put([1, 2, 3], "own.bin")
        let message: JSONValue = ["fileSource": ["filePath": "own.bin"], "msgContent": ["type": "voice", "text": "", "duration": 1]]
        guard case .newChatItems(_, let items) = try await scene.bob.core.run("/_send @\(scene.aliceAtBob) json \(JSONValue.array([message]).text)"),
            let own = items.first?.chatItem.meta.sharedMessageID
        else { throw UnexpectedAnswer() }
        try await scene.send([.acceptFileInvitation(messageID: own, connectionRequest: nil, name: "own.bin")])
        try await scene.settle()
        #expect(scene.bob.core.errors.count == 1 && scene.bob.core.errors.allSatisfy { $0.contains("fallbackToSMPProhibited") })
        #expect(!scene.bob.core.isReported("x.file.acpt.inv"))
        try await scene.send([.acceptFileInvitation(messageID: Scene.id, connectionRequest: nil, name: "own.bin")])
        try await scene.settle()
        #expect(scene.bob.core.errors.count == 1 && scene.bob.core.isReported("x.file.acpt.inv"))
        await scene.close()
    }
}

extension TestCore {
    /// True if a message of a tag was reported as one of no use.
    fileprivate func isReported(_ tag: String) -> Bool {
        events.contains { if case .messageError(_, _, let text) = $0 { text.hasSuffix(tag) } else { false } }
    }
}
