import ChatAPI
import ChatRules
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// What a relay withholds, reorders, repeats or makes too large, and what owners and subscribers send too much of.
@Suite("Hostile deliveries in channels")
struct HostileDeliveryTests {
    /// A body with which a relay passes on messages.
    private func body(_ elements: [Bytes], from sender: MessageForward.Sender) -> Bytes {
        let forward = MessageForward(sender: sender, brokerTimestamp: .current())
        return MessageBatching.delivery(of: elements.map { forward.element($0) }).body
    }

    private func newID() -> SharedMessageID { SharedMessageID((0..<12).map { _ in UInt8.random(in: 0...255) }) }

    private func post(_ text: String, id: SharedMessageID) throws -> Bytes {
        try ChannelScene.body(.newMessage(MessageContainer(content: .text(text))), id: id)
    }

    private func edit(_ id: SharedMessageID, _ text: String) throws -> Bytes {
        try ChannelScene.body(.updateMessage(MessageUpdate(messageID: id, content: .text(text))))
    }

    /// Waits until a subscriber has all that its relay sent before.
    private func settle(_ scene: ChannelScene, _ text: String = "after", from relay: String = "relay") async throws {
        try await scene.send(body([try post(text, id: newID())], from: .channel), from: relay, to: "ann")
        await scene.expect(text, at: "ann")
    }

    @Test("what one relay withholds another delivers, once")
    func withheld() async throws {
        let scene = try await ChannelScene(["ann"], relays: 2)
        let ann = try await scene.member("ann", at: "relay")
        try await scene["relay"].native.engine.transactions.transaction { try $0.db.members.update(ann.groupMemberID, status: .left, at: $0.now) }
        let edited = try await scene.post("frist")
        try await scene.post("second", asGroup: false)
        _ = try await scene.owner.run(#"/_update item #1 \#(edited.meta.itemID) text first"#)
        await scene.expect("first", at: "ann")
        _ = try await scene.owner.run(
            #"/_group_profile #1 {"displayName":"news","fullName":"","description":"daily",\#(ChannelScene.preferences)}"#)
        await scene.eventually("ann sees the new profile", at: "ann") { try await scene.info(at: "ann").groupProfile.description == "daily" }
        #expect(await scene.texts(at: "ann") == ["first", "second"])
        await scene.close()
    }

    @Test("an edit that a relay sends before its post, and a deletion of what never came, leave each post there once")
    func reordered() async throws {
        let scene = try await ChannelScene(["ann"])
        let id = newID(), other = newID()
        try await scene.send(body([try edit(id, "edited"), try post("original", id: id)], from: .channel), from: "relay", to: "ann")
        let deletion = try ChannelScene.body(.deleteMessage(MessageDeletion(messageID: other)))
        try await scene.send(body([deletion, try post("later", id: other)], from: .channel), from: "relay", to: "ann")
        try await settle(scene)
        #expect(await scene.texts(at: "ann") == ["edited", "later", "after"])
        await scene.close()
    }

    @Test("a post that a relay repeats, with other words or after its deletion, changes nothing")
    func replayedPost() async throws {
        let scene = try await ChannelScene(["ann"])
        let kept = newID(), deleted = newID()
        try await scene.send(body([try post("kept", id: kept), try post("gone", id: deleted)], from: .channel), from: "relay", to: "ann")
        await scene.expect("gone", at: "ann")
        let deletion = try ChannelScene.body(.deleteMessage(MessageDeletion(messageID: deleted)))
        try await scene.send(body([deletion], from: .channel), from: "relay", to: "ann")
        for text in ["kept", "other words"] { try await scene.send(body([try post(text, id: kept)], from: .channel), from: "relay", to: "ann") }
        try await scene.send(body([try post("gone", id: deleted)], from: .channel), from: "relay", to: "ann")
        try await settle(scene)
        #expect(await scene.texts(at: "ann") == ["kept", "gone", "after"])
        #expect(try await scene.item("gone", at: "ann").meta.deleted != nil)
        await scene.close()
    }

    @Test("an action that the owner has signed counts once: a relay cannot repeat it when it no longer holds")
    func replayedAction() async throws {
        let scene = try await ChannelScene(["ann"])
        let owner = try await scene.info(at: "owner"), ann = try await scene.info(at: "ann").membership
        let signer = try #require(ChannelSigner(owner)), author = MessageForward.Sender.member(owner.membership.memberID, name: "owner")
        func role(_ role: GroupMemberRole) throws -> Bytes {
            try #require(signer.element(of: try ChannelScene.body(.memberRole(memberID: ann.memberID, role, rosterVersion: .first)), tag: .memberRole))
        }
        let promotion = try role(.member), demotion = try role(.observer)
        for element in [promotion, demotion, promotion] { try await scene.send(body([element], from: author), from: "relay", to: "ann") }
        try await settle(scene)
        #expect(try await scene.info(at: "ann").membership.role == .observer)
        // The ids of other messages are forgotten after some weeks.
        let engine = scene["ann"].native.engine
        try await engine.transactions.prune(RetentionPeriods(engine.configuration), at: engine.clock.steady.adding(seconds: 90 * 86_400))
        try await scene.send(body([promotion], from: author), from: "relay", to: "ann")
        try await settle(scene, "much later")
        #expect(try await scene.info(at: "ann").membership.role == .observer)
        await scene.close()
    }

    @Test("a forged copy that comes first does not keep out what the owner has signed")
    func forgedFirst() async throws {
        let scene = try await ChannelScene(["ann"])
        let owner = try await scene.info(at: "owner"), ann = try await scene.info(at: "ann").membership
        let signer = try #require(ChannelSigner(owner)), author = MessageForward.Sender.member(owner.membership.memberID, name: "owner")
        let id = newID()
        let forged = try ChannelScene.body(.memberRole(memberID: ann.memberID, .owner, rosterVersion: .first), id: id)
        let genuine = try #require(
            signer.element(of: try ChannelScene.body(.memberRole(memberID: ann.memberID, .member, rosterVersion: .first), id: id), tag: .memberRole))
        for element in [forged, genuine] { try await scene.send(body([element], from: author), from: "relay", to: "ann") }
        await scene.eventually("ann has the role that was signed", at: "ann") { try await scene.info(at: "ann").membership.role == .member }
        #expect(await scene.items(at: "ann").contains { $0.content == .receivedGroupEvent(event: .messageBadSignature) })
        await scene.close()
    }

    @Test("a subscriber who uses the id of a post or of an owner's action before it comes keeps neither out, and the action counts once")
    func usedIDs() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        let owner = try await scene.info(at: "owner"), ann = try await scene.info(at: "ann").membership, bob = try await scene.info(at: "bob").membership
        let signer = try #require(ChannelSigner(owner)), author = MessageForward.Sender.member(owner.membership.memberID, name: "owner")
        let bobs = MessageForward.Sender.member(bob.memberID, name: "bob")
        let action = newID(), postID = newID()
        func role(_ role: GroupMemberRole, id: SharedMessageID) throws -> Bytes {
            try #require(signer.element(of: try ChannelScene.body(.memberRole(memberID: ann.memberID, role, rosterVersion: .first), id: id), tag: .memberRole))
        }
        for id in [action, postID] { try await scene.send(body([try post("mine", id: id)], from: bobs), from: "relay", to: "ann") }
        let promotion = try role(.member, id: action)
        try await scene.send(body([promotion], from: author), from: "relay", to: "ann")
        await scene.eventually("the owner's action counts", at: "ann") { try await scene.info(at: "ann").membership.role == .member }
        for _ in 0..<2 { try await scene.send(body([try post("post", id: postID)], from: .channel), from: "relay", to: "ann") }
        try await scene.send(body([try role(.observer, id: newID()), promotion], from: author), from: "relay", to: "ann")
        try await settle(scene)
        #expect(try await scene.info(at: "ann").membership.role == .observer)
        #expect(await scene.texts(at: "ann").filter { $0 != "mine" } == ["post", "after"])
        await scene.close()
    }

    @Test("a message too large to be passed on is left out, and those beside it are delivered")
    func oversized() async throws {
        let scene = try await ChannelScene(["ann"])
        var container = MessageContainer(content: .text(""))
        container.asGroup = true
        let space = ChatLimits.encodedMessage - (try ChannelScene.body(.newMessage(container)).count)
        // Letters that compression cannot shorten, so that the forwarded message does not fit.
        container.content = .text(String((0..<space).map { _ in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".randomElement() ?? "a" }))
        try await scene.post("before")
        try await scene.attack(.newMessage(container), from: "owner", to: "relay")
        try await scene.post("after")
        await scene.expect("after", at: "ann")
        #expect(await scene.texts(at: "ann") == ["before", "after"])
        await scene.eventually("the relay tells of it", at: "relay") {
            scene["relay"].events.contains { if case .chatError(.store(error: .largeMessage)) = $0 { true } else { false } }
        }
        await scene.close()
    }

    @Test("bodies full of messages are received whole and in order, and elements that cannot be read are left out")
    func crowded() async throws {
        let scene = try await ChannelScene(["ann"])
        let posts = try (0..<100).map { try post("\($0)", id: newID()) }
        try await scene.send(body(posts, from: .channel), from: "relay", to: "ann")
        let broken: [Bytes] = [Bytes("{".utf8), Bytes(#"{"event":"x.msg.new"}"#.utf8), Bytes(repeating: 0xff, count: 40)]
        for element in broken { try await scene.send(body([element, try post("beside", id: newID())], from: .channel), from: "relay", to: "ann") }
        try await settle(scene)
        let texts = await scene.texts(at: "ann")
        #expect(Array(texts.prefix(100)) == (0..<100).map(String.init))
        #expect(texts.suffix(1) == ["after"])
        await scene.close()
    }

    @Test("a writer who floods a channel holds up neither the posts of the owner nor its own removal")
    func flood() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        let ann = try await scene.member("ann", at: "owner")
        _ = try await scene.owner.run("/_member role #1 \(ann.groupMemberID) member")
        await scene.eventually("ann may post", at: "relay") {
            await scene.members(at: "relay").contains { $0.memberID == ann.memberID && $0.role == .member }
        }
        for number in 0..<60 { try await scene.attack(.newMessage(MessageContainer(content: .text("spam \(number)"))), from: "ann", to: "relay") }
        try await scene.post("from the channel")
        await scene.expect("from the channel", at: "bob")
        _ = try await scene.owner.run("/_remove #1 \(ann.groupMemberID) messages=on")
        await scene.eventually("the relay has removed ann", at: "relay") {
            await scene.members(at: "relay").contains { $0.memberID == ann.memberID && $0.status == .removed }
        }
        try await scene.post("quiet again")
        await scene.expect("quiet again", at: "bob")
        let left = await scene.items(at: "bob").filter { $0.content.message != nil && $0.meta.deleted == nil }.map(\.meta.text)
        #expect(left == ["from the channel", "quiet again"])
        await scene.close()
    }

    @Test("of the relays that a link names, a bounded number is joined")
    func manyRelays() async throws {
        let alice = try await TestWorld().core("alice")
        let request = try ConnectionRequestURI(wireString: try await alice.invite())
        await alice.close()
        let key = try Ed25519.PrivateKey(raw: Bytes(repeating: 1, count: 32)), id = Hash.sha256(key.publicKey.raw)
        let relay = try ConnectionShortLink(wireString: "https://smp8.simplex.im/r#lXUjJW5vHYQzoLYgmi8GbxkGP41_kjefFvBrdwg-0Ok")
        var profile = GroupProfile(displayName: "news", fullName: "")
        profile.publicGroup = PublicGroupProfile(groupType: .channel, groupLink: relay.wireString, publicGroupID: Base64URLBytes(id))
        let data = try ShortLinkUserData.encode(GroupShortLinkData(groupProfile: profile, publicGroupData: nil))
        let contents = UserContactData(isDirect: false, relays: Array(repeating: relay, count: 255), userData: UserLinkData(data))
        let channel = try ChannelLink(
            ResolvedLink(
                fixed: FixedLinkData(rootKey: key.publicKey, connectionRequest: request, linkEntityID: id),
                user: ConnectionLinkData(content: .contact(contents))))
        #expect(channel.relays.count == ChannelLink.maximumRelays)
    }
}
