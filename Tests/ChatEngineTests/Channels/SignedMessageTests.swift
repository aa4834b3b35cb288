import ChatAPI
import ChatRules
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol

/// Messages that members of channels sign.
@Suite("Signed messages of channels")
struct SignedMessageTests {
    /// A channel in which Ann writes.
    private func scene(signMessages: Bool = false) async throws -> ChannelScene {
        let more = signMessages ? #","signMessages":{"enable":"on"}"# : ""
        let scene = try await ChannelScene(
            ["ann", "bob"], preferences: #""groupPreferences":{"history":{"enable":"on"},"support":{"enable":"off"}\#(more)}"#)
        let ann = try await scene.member("ann", at: "owner")
        _ = try await scene.owner.run("/_member role #1 \(ann.groupMemberID) member")
        for name in ["ann", "bob", "relay"] {
            await scene.eventually("ann may write", at: name) {
                if name == "ann" { return try await scene.info(at: name).membership.role == .member }
                return await scene.members(at: name).contains { $0.memberID == ann.memberID && $0.role == .member && $0.signingKey == ann.signingKey }
            }
        }
        return scene
    }

    private func verification(of text: String, at name: String, in scene: ChannelScene) async throws -> MessageVerification {
        try await scene.item(text, at: name).meta.verification
    }

    private func send(_ text: String, _ options: String, in scene: ChannelScene) async -> JSONValue {
        await scene["ann"].answer("/_send #1\(options) json [{\"msgContent\":{\"type\":\"text\",\"text\":\"\(text)\"}}]")
    }

    @Test("a signed message is verified at its author, the relay, the owner and subscribers, and so is its edit")
    func signed() async throws {
        let scene = try await scene()
        #expect(await send("mine", " sign=on", in: scene)["type"] == "newChatItems")
        for name in ["ann", "relay", "owner", "bob"] { #expect(try await verification(of: "mine", at: name, in: scene) == .signed(.verified), "\(name)") }
        let id = try await scene.item("mine", at: "ann").meta.itemID
        _ = try await scene["ann"].run(#"/_update item #1 \#(id) json {"msgContent":{"type":"text","text":"mine again"},"mentions":{}}"#)
        for name in ["ann", "relay", "owner", "bob"] {
            #expect(try await verification(of: "mine again", at: name, in: scene) == .signed(.verified), "\(name)")
        }
        #expect(await send("plain", "", in: scene)["type"] == "newChatItems")
        for name in ["ann", "bob"] { #expect(try await verification(of: "plain", at: name, in: scene) == .unsigned, "\(name)") }
        await scene.close()
    }

    @Test("an edit that a relay makes up takes the signature away")
    func forgedEdit() async throws {
        let scene = try await scene()
        _ = await send("mine", " sign=on", in: scene)
        let item = try await scene.item("mine", at: "bob")
        #expect(item.meta.verification == .signed(.verified))
        let update = MessageUpdate(messageID: try #require(item.meta.sharedMessageID), content: .text("forged"))
        let forward = MessageForward(
            sender: .member(try await scene.member("ann", at: "relay").memberID, name: "ann"), brokerTimestamp: .current())
        try await scene.send(
            MessageBatching.binaryBatch(of: [forward.element(try ChannelScene.body(.updateMessage(update)))]), from: "relay", to: "bob")
        #expect(try await verification(of: "forged", at: "bob", in: scene) == .unsigned)
        await scene.close()
    }

    @Test("a message whose signature is another's is not shown")
    func foreignSignature() async throws {
        let scene = try await scene()
        let signer = try #require(ChannelSigner(try await scene.info(at: "bob")))
        let body = try ChannelScene.body(.newMessage(MessageContainer(content: .text("forged"))))
        let forward = MessageForward(
            sender: .member(try await scene.member("ann", at: "relay").memberID, name: "ann"), brokerTimestamp: .current())
        try await scene.send(MessageBatching.binaryBatch(of: [forward.element(signer.proof(of: body))]), from: "relay", to: "bob")
        _ = await send("after", "", in: scene)
        await scene.expect("after", at: "bob")
        #expect(await !scene.texts(at: "bob").contains("forged"))
        await scene.close()
    }

    @Test("where a channel wants signatures, messages have one by themselves, and one without is shown as that, to programs of 7.0")
    func wanted() async throws {
        let scene = try await scene(signMessages: true)
        _ = await send("mine", "", in: scene)
        for name in ["ann", "relay", "owner", "bob"] { #expect(try await verification(of: "mine", at: name, in: scene) == .signed(.verified), "\(name)") }
        try await scene.attack(.newMessage(MessageContainer(content: .text("bare"))), from: "ann", to: "relay")
        #expect(try await verification(of: "bare", at: "bob", in: scene) == .signatureMissing)
        // A post does not say who of the owners has written it.
        try await scene.post("in the name of the channel")
        #expect(try await verification(of: "in the name of the channel", at: "bob", in: scene) == .unsigned)
        await scene.close()
    }

    @Test("a message that leaves no room for a signature is refused if it was asked for, and goes without where a channel only wants it")
    func noRoom() async throws {
        let scene = try await scene(signMessages: true)
        let frame = try ChannelScene.body(.newMessage(MessageContainer(content: .text("")))).count
        let long = String(repeating: "x", count: ChatLimits.encodedMessage - frame)
        #expect(await send(long, " sign=on", in: scene)["chatError"]?["storeError"]?["type"] == "largeMsg")
        #expect(await send(String(long.dropLast(40)), "", in: scene)["type"] == "newChatItems")
        #expect(try await verification(of: String(long.dropLast(40)), at: "ann", in: scene) == .unsigned)
        await scene.close()
    }

    @Test("a signature is for messages of members in channels")
    func refusals() async throws {
        let scene = try await scene()
        let asGroup = await scene.owner.answer(#"/_send #1(as_group=on) sign=on json [{"msgContent":{"type":"text","text":"a"}}]"#)
        #expect(asGroup["chatError"]?["errorType"]?["message"] == "a message in the name of the channel cannot be signed by a member")
        let one = try await scene.world.core("one"), two = try await scene.world.core("two")
        let (contact, _) = try await TestWorld.connect(one, two)
        let direct = await one.answer(#"/_send @\#(contact) sign=on json [{"msgContent":{"type":"text","text":"a"}}]"#)
        #expect(direct["chatError"]?["errorType"]?["message"] == "messages are signed in channels only", "\(direct.text)")
        await one.close()
        await two.close()
        await scene.close()
    }
}
