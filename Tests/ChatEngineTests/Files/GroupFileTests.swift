import ChatAPI
import ChatProtocol
import ChatRules
import ChatSimulation
import EncryptedSQLite
import Foundation
import GRDB
import SMPCrypto
import SMPSimulation
import SMPWire
import TestSupport
import Testing
import XFTPAgent
import XFTPProtocol

@testable import ChatEngine
@testable import ChatStore

/// Files in groups.
@Suite struct GroupFileTests {
    private static let content = SeededRandomSource(seed: 4).bytes(20_000)

    /// Sends a file to the group.
    @discardableResult
    private func send(_ name: String, text: String = "", as sender: String, in scene: GroupScene) async throws -> ChatItem {
        let folder = try #require(scene.files[sender]).folder
        try Data(Self.content).write(to: URL(fileURLWithPath: folder(name)))
        let message: JSONValue = ["fileSource": ["filePath": .string(name)], "msgContent": ["type": "file", "text": .string(text)]]
        guard case .newChatItems(_, let items) = try await scene[sender].run("/_send #1 json \(JSONValue.array([message]).text)"), let item = items.first else {
            throw UnexpectedAnswer()
        }
        return item.chatItem
    }

    private func file(_ name: String, at core: TestCore) async -> ItemFile? {
        guard case .apiChat(_, let chat, _)? = try? await core.run("/_get chat #1 count=200") else { return nil }
        return chat.chatItems.compactMap(\.file).last { $0.fileName == name }
    }

    /// Receives a file that was offered, and waits until it is there.
    private func receive(_ name: String, at core: TestCore, _ folder: TemporaryFolder, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let isOffered = await core.eventually { await file(name, at: core) != nil }
        try #require(isOffered, "\(name) was not offered: \(core.errors)", sourceLocation: sourceLocation)
        let id = try #require(await file(name, at: core)).fileID
        _ = try await core.run("/freceive \(id)")
        let isComplete = await core.eventually { await file(name, at: core)?.status == .receiveComplete }
        let status = await file(name, at: core)?.status
        #expect(isComplete, "\(String(describing: status)) \(core.errors)", sourceLocation: sourceLocation)
        #expect(try Bytes(Data(contentsOf: URL(fileURLWithPath: folder(name)))) == Self.content, sourceLocation: sourceLocation)
    }

    @Test func aFileIsUploadedOnceWithADescriptionForEachMember() async throws {
        let cloud = SimulatedFileStorage()
        let scene = try await GroupScene(["alice", "bob", "carol"], cloud: cloud)
        for sender in ["alice", "bob"] {
            try await send("\(sender).bin", as: sender, in: scene)
            #expect(await scene[sender].eventually { await file("\(sender).bin", at: scene[sender])?.status == .sendComplete })
            for receiver in scene.names where receiver != sender {
                try await receive("\(sender).bin", at: scene[receiver], try #require(scene.files[receiver]).folder)
            }
            #expect(scene.files[sender]?.service.calls.filter { $0.name == "upload" }.count == 1)
            #expect(scene[sender].count("sndFileCompleteXFTP") == 1)
        }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for receiver in ["bob", "carol"] {
                group.addTask {
                    let id = try #require(await file("alice.bin", at: scene[receiver])).fileID
                    return try await scene[receiver].native.engine.store.read { try $0.files.find(id)?.description?.text ?? "" }
                }
            }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(Set(texts).count == 2, "each member has a description of its own")
        #expect(cloud.keptFiles == 2)
        for name in scene.names { await scene[name].close() }
    }

    @Test func aMemberWhoseQueueIsFullGetsTheFileWhenThereIsRoomAgain() async throws {
        let scene = try await GroupScene(["alice", "bob", "carol"], cloud: SimulatedFileStorage(), world: TestWorld(quota: 4))
        let alice = scene["alice"]
        @Sendable func bob() async throws -> GroupMember { try #require(await scene.members(at: "alice").first { $0.localDisplayName == "bob" }) }
        scene["bob"].network.disconnect(scene.world.router.address)
        for number in 1...6 { _ = try await alice.run(#"/_send #1 json [{"msgContent":{"type":"text","text":"\#(number)"}}]"#) }
        #expect(await alice.eventually { (try? await bob().activeConnection?.quotaErrorCounter) == 1 })
        try await alice.setInactive(try await bob())
        try await send("late.bin", as: "alice", in: scene)
        #expect(await alice.eventually { await file("late.bin", at: alice)?.status == .sendComplete })
        try await receive("late.bin", at: scene["carol"], try #require(scene.files["carol"]).folder)
        scene["bob"].network.reconnect(scene.world.router.address)
        try await receive("late.bin", at: scene["bob"], try #require(scene.files["bob"]).folder)
        for name in scene.names { await scene[name].close() }
    }

    @Test func theHistoryOfAJoinerHasTheFilesThatRoutersStillHave() async throws {
        let cloud = SimulatedFileStorage()
        let scene = try await GroupScene(
            ["alice", "bob"], profile: #""displayName":"team","fullName":"","groupPreferences":{"history":{"enable":"on"}}"#, cloud: cloud)
        try await send("own.bin", as: "alice", in: scene)
        try await send("bobs.bin", text: "from bob", as: "bob", in: scene)
        #expect(await scene["alice"].eventually { scene["alice"].count("sndFileCompleteXFTP") == 1 && scene["alice"].count("rcvFileDescrReady") == 1 })
        let item = try await send("cancelled.bin", text: "only this", as: "alice", in: scene)
        #expect(await scene["alice"].eventually { scene["alice"].count("sndFileCompleteXFTP") == 2 })
        _ = try await scene["alice"].run("/fcancel \(try #require(item.file).fileID)")
        // The owner's own download leaves the description usable for others.
        try await receive("bobs.bin", at: scene["alice"], try #require(scene.files["alice"]).folder)

        // The simulated router stamps messages with a time of 2023; routers would not have a file of that time any more.
        try await scene["alice"].native.engine.store.write { try $0.run("UPDATE chat_items SET item_ts = created_at", []) }

        let files = (service: SimulatedFileService(cloud), folder: try TemporaryFolder())
        let carol = try await GroupScene.core("carol", scene.world, files)
        try await scene.join(carol)
        try await receive("own.bin", at: carol, files.folder)
        try await receive("bobs.bin", at: carol, files.folder)
        #expect(carol.count("rcvFileDescrReady") == 2)
        guard case .apiChat(_, let chat, _) = try await carol.run("/_get chat #1 count=200") else { throw UnexpectedAnswer() }
        let messages = chat.chatItems.filter { $0.content.message != nil }
        #expect(messages.map(\.meta.text) == ["", "from bob", "only this"])
        #expect(messages.last?.file == nil)
        // Two days later another joiner gets the texts only.
        try await scene["alice"].native.engine.store.write { db in
            try db.run("UPDATE chat_items SET item_ts = created_at - ?", [FileLimits.routerPeriod * 1_000_000_000])
        }
        let late = (service: SimulatedFileService(cloud), folder: try TemporaryFolder())
        let dave = try await GroupScene.core("dave", scene.world, late)
        try await scene.join(dave)
        #expect(
            await dave.eventually {
                guard case .apiChat(_, let chat, _)? = try? await dave.run("/_get chat #1 count=200") else { return false }
                return chat.chatItems.filter { $0.content.message != nil }.map(\.meta.text) == ["from bob", "only this"]
            })
        #expect(await file("bobs.bin", at: dave) == nil)
        await dave.close()
        for name in scene.names { await scene[name].close() }
        await carol.close()
    }

    @Test func anotherMemberNeitherDescribesNorCancelsAFile() async throws {
        let cloud = SimulatedFileStorage()
        let scene = try await GroupScene(["alice", "bob", "mallory"], cloud: cloud)
        cloud.closeGate()
        let item = try await send("a.bin", as: "alice", in: scene)
        #expect(await scene["bob"].eventually { await file("a.bin", at: scene["bob"]) != nil })
        let id = try #require(item.meta.sharedMessageID)
        let forged = try cloud.put([6], recipients: 1).recipients[0]
        try await scene.attack(
            FileDescriptionPart.parts(of: forged.text).map { .fileDescription(messageID: id, $0) } + [.cancelFile(messageID: id)], from: "mallory", to: "bob")
        try await scene.attack([.cancelFile(messageID: id)], from: "mallory", to: "alice")
        try await scene.send("after it", as: "mallory")
        await scene.expect("after it", at: "bob")
        await scene.expect("after it", at: "alice")
        cloud.openGate()
        try await receive("a.bin", at: scene["bob"], try #require(scene.files["bob"]).folder)
        #expect(await scene["alice"].eventually { await file("a.bin", at: scene["alice"])?.status == .sendComplete })
        for name in scene.names { await scene[name].close() }
    }

    @Test func aFileInsideMessagesComesFromTheMemberThatHasOfferedIt() async throws {
        let scene = try await GroupScene(["alice", "bob", "mallory"], cloud: SimulatedFileStorage())
        let content = Bytes(Self.content.prefix(10_000)), id = InlineFileScene.id, bob = scene["bob"]
        try await scene.attack([InlineFileScene.offer(content)], from: "alice", to: "bob", id: id)
        #expect(await bob.eventually { await file("a.bin", at: bob) != nil })
        _ = try await bob.run("/freceive \(try #require(await file("a.bin", at: bob)).fileID)")
        // She knows nothing of the message that was made by hand in her name.
        let isAsked = await scene["alice"].wait { events in
            events.contains { if case .messageError(_, _, let text) = $0 { text.hasSuffix("x.file.acpt.inv") } else { false } }
        }
        #expect(isAsked)
        let forged = [InlineFileScene.chunk(1, Bytes(repeating: 6, count: 10_000)), .fileChunk(messageID: id, .cancel)]
        try await scene.attack(forged, from: "mallory", to: "bob")
        try await scene.send("after it", as: "mallory")
        await scene.expect("after it", at: "bob")
        #expect(bob.errors.count { $0.contains("fileIdNotFoundBySharedMsgId") } == 2)
        try await scene.attack(InlineFileScene.chunks(content), from: "alice", to: "bob")
        #expect(await bob.eventually { await file("a.bin", at: bob)?.status == .receiveComplete })
        let folder = try #require(scene.files["bob"]).folder
        #expect(try Bytes(Data(contentsOf: URL(fileURLWithPath: folder("a.bin")))) == content)
        for name in scene.names { await scene[name].close() }
    }

    @Test func whoLeavesGoesOnWithNoTransferAndKeepsWhatHasArrived() async throws {
        let cloud = SimulatedFileStorage()
        let scene = try await GroupScene(["alice", "bob"], cloud: cloud)
        let bob = try #require(scene.files["bob"])
        try await send("done.bin", as: "alice", in: scene)
        try await receive("done.bin", at: scene["bob"], bob.folder)
        cloud.closeGate()
        for name in ["offered.bin", "received.bin"] {
            try await send(name, as: "alice", in: scene)
            #expect(await scene["bob"].eventually { await file(name, at: scene["bob"]) != nil })
        }
        _ = try await scene["bob"].run("/freceive \(try #require(await file("received.bin", at: scene["bob"])).fileID)")
        try await send("sent.bin", as: "bob", in: scene)
        #expect(await scene["alice"].eventually { await file("sent.bin", at: scene["alice"]) != nil })
        _ = try await scene["bob"].run("/_leave #1")
        #expect(await file("done.bin", at: scene["bob"])?.status == .receiveComplete)
        for name in ["offered.bin", "received.bin"] { #expect(await file(name, at: scene["bob"])?.status == .receiveCancelled, "\(name)") }
        #expect(await file("sent.bin", at: scene["bob"])?.status == .sendCancelled)
        cloud.openGate()
        #expect(
            await scene["bob"].eventually {
                guard bob.service.count == 0 else { return false }
                return await scene["bob"].leftovers() == 0
            })
        // The original stays, and so does what has arrived; nothing else does.
        #expect(try FileManager.default.contentsOfDirectory(atPath: bob.folder.path).sorted() == ["done.bin", "sent.bin"])
        // Only Bob's transfers are over.
        #expect(await scene["alice"].eventually { await file("received.bin", at: scene["alice"])?.status == .sendComplete })
        #expect(await file("sent.bin", at: scene["alice"])?.status == .receiveInvitation)
        for name in scene.names { await scene[name].close() }
    }

    @Test func aDeletedGroupLeavesNoFiles() async throws {
        let cloud = SimulatedFileStorage()
        let scene = try await GroupScene(["alice", "bob"], cloud: cloud)
        let bob = try #require(scene.files["bob"])
        try await send("a.bin", as: "alice", in: scene)
        try await receive("a.bin", at: scene["bob"], bob.folder)
        cloud.closeGate()
        try await send("b.bin", as: "alice", in: scene)
        #expect(await scene["bob"].eventually { await file("b.bin", at: scene["bob"]) != nil })
        _ = try await scene["bob"].run("/freceive \(try #require(await file("b.bin", at: scene["bob"])).fileID)")
        #expect(FileManager.default.fileExists(atPath: bob.folder("b.bin")))
        _ = try await scene["bob"].run("/_leave #1")
        _ = try await scene["bob"].run("/_delete #1 full notify=off")
        cloud.openGate()
        #expect(
            await scene["bob"].eventually {
                guard bob.service.count == 0 else { return false }
                return await scene["bob"].leftovers() == 0
            })
        #expect(try FileManager.default.contentsOfDirectory(atPath: bob.folder.path).isEmpty)
        for name in scene.names { await scene[name].close() }
    }
}
