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
import XFTPProtocol

@testable import ChatEngine
@testable import ChatStore

/// Files between two contacts.
@Suite struct FileTransferTests {
    private static let content = SeededRandomSource(seed: 1).bytes(100_000)

    @Test func aFileArrivesByteEqualWithTheEventsAndStatusesOfBothSides() async throws {
        let scene = try await FileScene()
        scene.cloud.closeGate()
        let item = try await scene.send(Self.content, "report.pdf", text: "read this")
        #expect(item.file?.status == .sendStored && item.file?.fileSize == 100_000 && item.file?.fileSource?.filePath == "report.pdf")
        let offer = try await scene.offered("report.pdf")
        #expect(offer.status == .receiveInvitation && offer.fileSize == 100_000 && offer.fileProtocol == .xftp && offer.fileSource == nil)
        await scene.atAlice("report.pdf", .sendTransfer(sent: 50_000, total: 100_000))
        scene.cloud.openGate()
        await scene.atAlice("report.pdf", .sendComplete)
        await scene.bob.eventually("the description") { $0.count("rcvFileDescrReady") == 1 }
        scene.cloud.closeGate()
        guard case .rcvFileAccepted(_, let accepted) = try await scene.bob.core.run("/freceive \(offer.fileID)") else { throw UnexpectedAnswer() }
        #expect(accepted.chatItem.file?.status == .receiveAccepted)
        await scene.atBob("report.pdf", .receiveTransfer(received: 50_000, total: 100_000))
        scene.cloud.openGate()
        await scene.atBob("report.pdf", .receiveComplete)
        #expect(scene.bob.contents("report.pdf") == Self.content)
        await scene.bob.eventually("all events") { $0.count("rcvFileComplete") == 1 }
        for type in ["rcvFileDescrReady", "rcvFileStart", "rcvFileComplete"] { #expect(scene.bob.core.count(type) == 1, "\(type)") }
        // The first chunk, and the last, which comes with the outcome.
        #expect(scene.bob.core.count("rcvFileProgressXFTP") == 2)
        #expect(scene.alice.core.count("sndFileCompleteXFTP") == 1)
        #expect(scene.alice.core.count("sndFileProgressXFTP") == 3)
        #expect(scene.alice.core.errors == [] && scene.bob.core.errors == [])
        // The file stays on the routers, and nothing else stays.
        await scene.nothingIsLeft()
        #expect(scene.cloud.keptFiles == 1)
        #expect(await scene.bob.core.refusal(of: "/freceive \(offer.fileID)") == "fileAlreadyReceiving")
        #expect(await scene.bob.core.refusal(of: "/fcancel \(offer.fileID)") == "fileCancel")
        await scene.close()
    }

    @Test func aFileThatIsAcceptedBeforeItsDescriptionIsThereBeginsWithTheDescription() async throws {
        let scene = try await FileScene()
        scene.cloud.closeGate()
        try await scene.send(Self.content, "a.bin")
        let offer = try await scene.offered("a.bin")
        _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
        await scene.atBob("a.bin", .receiveAccepted)
        #expect(await scene.bob.core.refusal(of: "/freceive \(offer.fileID)") == "fileAlreadyReceiving")
        #expect(scene.bob.contents("a.bin") == [], "the name is reserved")
        scene.cloud.openGate()
        await scene.atBob("a.bin", .receiveComplete)
        #expect(scene.bob.contents("a.bin") == Self.content)
        #expect(scene.bob.core.count("rcvFileStart") == 1)
        await scene.nothingIsLeft()
        await scene.close()
    }

    @Test func aLongDescriptionComesInSeveralParts() async throws {
        let scene = try await FileScene()
        // As many as a file of that size can have.
        scene.cloud.chunks = 125
        try await scene.send(Self.content, "large.bin")
        let offer = try await scene.offered("large.bin")
        await scene.bob.eventually("the description") { $0.count("rcvFileDescrReady") == 1 }
        let part = try await scene.bob.core.native.engine.store.read { try $0.files.find(offer.fileID)?.description?.part }
        #expect((part ?? 0) > 1)
        _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
        await scene.atBob("large.bin", .receiveComplete)
        #expect(scene.bob.contents("large.bin") == Self.content)
        #expect(scene.alice.core.count("sndFileCompleteXFTP") == 1)
        await scene.close()
    }

    @Test func severalFilesInOneCommandArriveEachWithItsOwnMessage() async throws {
        let scene = try await FileScene()
        var messages: [JSONValue] = []
        for number in 1...4 {
            try scene.alice.put(Bytes(repeating: UInt8(number), count: number), "\(number).bin")
            messages.append(["fileSource": ["filePath": .string("\(number).bin")], "msgContent": ["type": "file", "text": .string("\(number)")]])
        }
        _ = try await scene.alice.core.run("/_send @\(scene.bobAtAlice) json \(JSONValue.array(messages).text)")
        for number in 1...4 {
            let offer = try await scene.offered("\(number).bin")
            _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
            await scene.atBob("\(number).bin", .receiveComplete)
            #expect(scene.bob.contents("\(number).bin") == Bytes(repeating: UInt8(number), count: number))
        }
        #expect(await scene.bob.core.received(from: scene.aliceAtBob) == ["1", "2", "3", "4"])
        await scene.close()
    }

    @Test func filesOfTheSameNameAreKeptBesideEachOther() async throws {
        let scene = try await FileScene()
        for number in 1...3 {
            let content = Bytes(repeating: UInt8(number), count: 10)
            try scene.alice.put(content, "a.tar.gz")
            _ = try await scene.sendStored("a.tar.gz", text: "\(number)")
            let contact = scene.aliceAtBob
            let offer = try await scene.bob.eventual("offer \(number)") { core in
                let files = await core.files(with: contact)
                return files.count == number ? files.last : nil
            }
            _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
            await scene.atBob("a.tar.gz", .receiveComplete)
            #expect(scene.bob.contents(number == 1 ? "a.tar.gz" : "a_\(number - 1).tar.gz") == content)
        }
        await scene.close()
    }

    @Test func encryptedFilesOfThisMachineAreSentPlainAndReceivedEncrypted() async throws {
        let scene = try await FileScene()
        let key = LocalFile.Key.random(SystemRandomSource())
        try LocalFile(scene.alice.filesFolder + "/secret", key: key).write(Self.content)
        let item = try await scene.sendStored("secret", key: CryptoFileArguments(key))
        #expect(item.file?.fileSize == 100_000)
        _ = try await scene.bob.core.run("/_files_encrypt on")
        let offer = try await scene.offered("secret")
        _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
        await scene.atBob("secret", .receiveComplete)
        let received = try #require(await scene.bob.core.files(with: scene.aliceAtBob).last?.fileSource)
        let local = LocalFile(scene.bob.filesFolder + "/" + received.filePath, key: try #require(received.cryptoArguments).localKey)
        #expect(try local.contents(upTo: 1 << 20) == Self.content)
        #expect(scene.bob.contents("secret") != Self.content)
        // Asked not to be, the next is plain.
        try await scene.send(Self.content, "plain")
        let next = try await scene.offered("plain")
        _ = try await scene.bob.core.run("/freceive \(next.fileID) encrypt=off")
        await scene.atBob("plain", .receiveComplete)
        #expect(scene.bob.contents("plain") == Self.content)
        await scene.close()
    }

    @Test func aFileIsReceivedAtThePathThatIsAskedFor() async throws {
        let scene = try await FileScene()
        let other = try TemporaryFolder()
        try await scene.send(Self.content, "a.bin")
        let offer = try await scene.offered("a.bin")
        try Data([1]).write(to: URL(fileURLWithPath: other("taken")))
        #expect(await scene.bob.core.refusal(of: "/freceive \(offer.fileID) \(other("taken"))") == "fileAlreadyExists")
        #expect(await scene.bob.core.refusal(of: "/freceive \(offer.fileID) ../outside") == "fileNotFound")
        #expect(await scene.bob.core.refusal(of: "/freceive \(offer.fileID) \(other("none/b"))") == "fileWrite")
        // A folder: the name in it is reserved.
        _ = try await scene.bob.core.run("/freceive \(offer.fileID) \(other.path)")
        await scene.atBob("a.bin", .receiveComplete)
        #expect(Bytes(try Data(contentsOf: URL(fileURLWithPath: other("a.bin")))) == Self.content)
        // A path that is relative is in the folder for files, where it is found again.
        try await scene.send(Self.content, "b.bin")
        let next = try await scene.offered("b.bin")
        _ = try await scene.bob.core.run("/freceive \(next.fileID) other.bin")
        await scene.atBob("b.bin", .receiveComplete)
        #expect(scene.bob.contents("other.bin") == Self.content)
        // What the person has chosen a place for outside stays when the message goes.
        _ = try await scene.bob.core.run("/_clear chat @\(scene.aliceAtBob)")
        await scene.bob.expectFiles([])
        #expect(FileManager.default.fileExists(atPath: other("a.bin")))
        await scene.close()
    }

    @Test func whatCannotBeSentIsRefused() async throws {
        let scene = try await FileScene()
        try FileManager.default.createDirectory(atPath: scene.alice.filesFolder + "/folder", withIntermediateDirectories: true)
        for name in ["none", "folder", "../core_chat.db", ""] {
            let message: JSONValue = ["fileSource": ["filePath": .string(name)], "msgContent": ["type": "file", "text": ""]]
            #expect(await scene.alice.core.refusal(of: "/_send @\(scene.bobAtAlice) json \(JSONValue.array([message]).text)") == "fileNotFound", "\(name)")
        }
        // A sparse file of more than 1 GiB.
        let path = scene.alice.filesFolder + "/huge"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: (1 << 30) + 1)
        try handle.close()
        let message: JSONValue = ["fileSource": ["filePath": "huge"], "msgContent": ["type": "file", "text": ""]]
        #expect(await scene.alice.core.refusal(of: "/_send @\(scene.bobAtAlice) json \(JSONValue.array([message]).text)") == "fileSize")
        #expect(await scene.alice.core.files(with: scene.bobAtAlice).isEmpty)
        await scene.close()
    }

    @Test func aTransferThatFailsIsForgottenAndReleasesItsName() async throws {
        let scene = try await FileScene()
        try await scene.send(Self.content, "a.bin")
        let offer = try await scene.offered("a.bin")
        await scene.bob.eventually("the description") { $0.count("rcvFileDescrReady") == 1 }
        scene.bob.files?.fail(FileTransferError(.noFile, "gone", router: .auth))
        _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
        await scene.atBob("a.bin", .receiveError(error: .noFile))
        await scene.bob.expectFiles([])
        #expect(scene.bob.core.count("rcvFileError") == 1)
        scene.alice.files?.fail(FileTransferError(.network, "no router"))
        try await scene.send(Self.content, "b.bin")
        await scene.alice.eventually("the failure") { $0.count("sndFileError") == 1 }
        await scene.nothingIsLeft()
        // A name that is free again may be somebody else's: it does not go with the message.
        try scene.bob.put([1], "a.bin")
        _ = try await scene.bob.core.run("/_clear chat @\(scene.aliceAtBob)")
        await scene.nothingIsLeft()
        #expect(scene.bob.contents("a.bin") == [1])
        await scene.close()
    }

    @Test func anOutcomeThatIsAnnouncedAgainChangesNothing() async throws {
        let scene = try await FileScene()
        for person in [scene.alice, scene.bob] { person.files?.repeatOutcomes(3) }
        try await scene.send(Self.content, "a.bin")
        let offer = try await scene.offered("a.bin")
        _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
        await scene.atBob("a.bin", .receiveComplete)
        try await scene.settle()
        await scene.nothingIsLeft()
        #expect(scene.bob.core.count("rcvFileDescrReady") == 1 && scene.bob.core.count("rcvFileComplete") == 1)
        #expect(scene.alice.core.count("sndFileCompleteXFTP") == 1)
        #expect(scene.cloud.keptFiles == 1)
        await scene.close()
    }

    @Test func aMarkedFileIsReceivedAtTheNextStart() async throws {
        let scene = try await FileScene()
        try await scene.send(Self.content, "a.bin")
        let offer = try await scene.offered("a.bin")
        _ = try await scene.bob.core.run("/_set_file_to_receive \(offer.fileID) encrypt=on")
        await scene.bob.core.close()
        try await scene.bob.restart()
        await scene.atBob("a.bin", .receiveComplete)
        await scene.bob.eventually("the event") { $0.count("rcvFileAccepted") == 1 }
        let received = try #require(await scene.bob.core.files(with: scene.aliceAtBob).last?.fileSource)
        let local = LocalFile(scene.bob.filesFolder + "/" + received.filePath, key: try #require(received.cryptoArguments).localKey)
        #expect(try local.contents(upTo: 1 << 20) == Self.content)
        await scene.close()
    }

    @Test func aFileOnUnknownRoutersIsOfferedAgainUntilItIsApproved() async throws {
        let scene = try await FileScene()
        scene.cloud.server = "xftp://AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=@other.example"
        try await scene.send(Self.content, "a.bin")
        let offer = try await scene.offered("a.bin")
        await scene.bob.eventually("the description") { $0.count("rcvFileDescrReady") == 1 }
        let refused = await scene.bob.core.answer("/freceive \(offer.fileID)")
        #expect(refused["chatError"]?["errorType"]?["type"] == "fileNotApproved")
        #expect(refused["chatError"]?["errorType"]?["unknownServers"]?.arrayValue?.count == 1)
        await scene.atBob("a.bin", .receiveInvitation)
        await scene.bob.expectFiles([])
        #expect(scene.bob.files?.calls.contains { $0.name == "download" } == false)
        _ = try await scene.bob.core.run("/freceive \(offer.fileID) approved_relays=on")
        await scene.atBob("a.bin", .receiveComplete)
        #expect(scene.bob.files?.calls.last { $0.name == "download" }?.approvesServers == true)
        // The approval was for that time: of a known router, the service checks where a redirect leads.
        scene.cloud.server = SimulatedFileStorage.address
        try await scene.send(Self.content, "b.bin")
        let next = try await scene.offered("b.bin")
        _ = try await scene.bob.core.run("/freceive \(next.fileID)")
        await scene.atBob("b.bin", .receiveComplete)
        #expect(scene.bob.files?.calls.last { $0.name == "download" }?.approvesServers == false)
        await scene.close()
    }

    @Test func throughAProxyAFileOnUnknownRoutersNeedsNoApproval() async throws {
        let scene = try await FileScene()
        scene.cloud.server = "xftp://AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=@other.example"
        var network = NetworkConfig.standard
        network.socksProxy = "127.0.0.1:9050"
        _ = try await scene.bob.core.run("/_network \(network.json.text)")
        try await scene.send(Self.content, "a.bin")
        var offer = try await scene.offered("a.bin")
        _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
        await scene.atBob("a.bin", .receiveComplete)
        // The proxy may be switched off before all has come: the service is not told that the routers are approved.
        #expect(scene.bob.files?.calls.last { $0.name == "download" }?.approvesServers == false)
        // Where only onion hosts are reached through the proxy, the router would see the address.
        network.socksMode = "onion"
        _ = try await scene.bob.core.run("/_network \(network.json.text)")
        try await scene.send(Self.content, "b.bin")
        offer = try await scene.offered("b.bin")
        await scene.bob.eventually("the description") { $0.count("rcvFileDescrReady") == 2 }
        #expect(await scene.bob.core.refusal(of: "/freceive \(offer.fileID)") == "fileNotApproved")
        await scene.close()
    }

    @Test func aRedirectToUnknownRoutersHasTheFileOfferedAgain() async throws {
        let scene = try await FileScene()
        try await scene.send(Self.content, "a.bin")
        let offer = try await scene.offered("a.bin")
        await scene.bob.eventually("the description") { $0.count("rcvFileDescrReady") == 1 }
        scene.bob.files?.fail(FileTransferError(.notApproved, "unknown", servers: ["xftp://x"]))
        _ = try await scene.bob.core.run("/freceive \(offer.fileID)")
        await scene.atBob("a.bin", .receiveAborted)
        await scene.bob.expectFiles([])
        await scene.nothingIsLeft()
        scene.bob.files?.fail(nil)
        _ = try await scene.bob.core.run("/freceive \(offer.fileID) approved_relays=on")
        await scene.atBob("a.bin", .receiveComplete)
        await scene.close()
    }

    @Test func aFileForAContactThatHasLeftFailsAndIsTakenFromTheRouters() async throws {
        let scene = try await FileScene()
        scene.cloud.closeGate()
        try await scene.send(Self.content, "a.bin")
        _ = try await scene.bob.core.run("/_delete @\(scene.aliceAtBob) full notify=on")
        await scene.alice.eventually("bob has left") { $0.count("contactDeletedByContact") == 1 }
        scene.cloud.openGate()
        await scene.alice.eventually("the failure") { $0.count("sndFileError") == 1 }
        await scene.nothingIsLeft()
        #expect(scene.cloud.keptFiles == 0)
        await scene.close()
    }

    @Test func notesKeepFilesThatAreNotTransferred() async throws {
        let scene = try await FileScene()
        try scene.alice.put(Self.content, "note.bin")
        guard
            case .newChatItems(_, let items) = try await scene.alice.core.run(
                #"/_create *1 json [{"fileSource":{"filePath":"note.bin"},"msgContent":{"type":"file","text":""}}]"#),
            let file = items.first?.chatItem.file
        else { throw UnexpectedAnswer() }
        #expect(file.fileProtocol == .local && file.status == .sendStored)
        #expect(await scene.alice.core.refusal(of: "/fcancel \(file.fileID)") == "localFileNoTransfer")
        #expect(await scene.alice.core.refusal(of: "/freceive \(file.fileID)") == "localFileNoTransfer")
        #expect(scene.alice.files?.calls.isEmpty == true)
        _ = try await scene.alice.core.run("/_delete item *1 \(items[0].chatItem.meta.itemID) internal")
        await scene.alice.expectFiles([])
        await scene.close()
    }
}
