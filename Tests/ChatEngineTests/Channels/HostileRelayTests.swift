import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPCrypto
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

@Suite("Hostile relays and subscribers")
struct HostileRelayTests {
    /// A body with which a relay passes on a message of the owner.
    private func forwarded(_ element: Bytes, by owner: GroupMember, in scene: ChannelScene) -> Bytes {
        let forward = MessageForward(sender: .member(owner.memberID, name: "owner"), brokerTimestamp: .current())
        return MessageBatching.delivery(of: [forward.element(element)]).body
    }

    /// Waits until a subscriber shows that somebody's signature is missing or wrong.
    private func expectRefusal(at name: String, in scene: ChannelScene, sourceLocation: SourceLocation = #_sourceLocation) async {
        await scene.eventually("the message is refused", at: name, sourceLocation: sourceLocation) {
            await scene.items(at: name).contains { $0.content == .receivedGroupEvent(event: .messageBadSignature) }
        }
    }

    @Test("a relay cannot delete the channel in the owner's name, without a signature or with one of its own")
    func forgedDeletion() async throws {
        let scene = try await ChannelScene(["ann"])
        let owner = try await scene.info(at: "owner").membership
        let body = try ChannelScene.body(.deleteGroup)
        try await scene.send(forwarded(body, by: owner, in: scene), from: "relay", to: "ann")
        await expectRefusal(at: "ann", in: scene)
        let group = try await scene.info(at: "relay")
        let signed = SignedMessage(
            signing: body, in: .group(publicGroupID: try #require(group.groupProfile.publicGroup).publicGroupID.bytes, member: owner.memberID),
            with: Ed25519.generateKeyPair(SystemRandomSource()).privateKey)
        try await scene.send(forwarded(signed.element, by: owner, in: scene), from: "relay", to: "ann")
        try await scene.post("still there")
        await scene.expect("still there", at: "ann")
        #expect(try await scene.info(at: "ann").membership.status == .connected)
        #expect(await scene.items(at: "ann").count { $0.content == .receivedGroupEvent(event: .messageBadSignature) } == 2)
        await scene.close()
    }

    @Test("what the owner has signed in one channel does not count in another")
    func otherChannel() async throws {
        let scene = try await ChannelScene(["ann"])
        let group = try await scene.info(at: "owner")
        let key = try #require(group.groupKeys?.memberSigningKey)
        let signed = SignedMessage(
            signing: try ChannelScene.body(.deleteGroup), in: .group(publicGroupID: Bytes(repeating: 7, count: 32), member: group.membership.memberID),
            with: key)
        try await scene.send(forwarded(signed.element, by: group.membership, in: scene), from: "relay", to: "ann")
        await expectRefusal(at: "ann", in: scene)
        #expect(try await scene.info(at: "ann").membership.status == .connected)
        await scene.close()
    }

    @Test("an owner cannot give a channel another identity")
    func identity() async throws {
        let scene = try await ChannelScene(["ann"])
        let group = try await scene.info(at: "owner")
        var profile = group.groupProfile
        profile.publicGroup?.publicGroupID = Base64URLBytes(Bytes(repeating: 1, count: 32))
        let signer = try #require(ChannelSigner(group))
        let element = try #require(signer.element(of: try ChannelScene.body(.groupInfo(profile)), tag: .groupInfo))
        try await scene.send(MessageBatching.delivery(of: [element]).body, from: "owner", to: "relay")
        await scene.expectError("x.grp.info: publicGroupId mismatch", at: "relay")
        try await scene.send(forwarded(element, by: group.membership, in: scene), from: "relay", to: "ann")
        await scene.expectError("x.grp.info: publicGroupId mismatch", at: "ann")
        #expect(try await scene.info(at: "ann").groupProfile == group.groupProfile)
        await scene.close()
    }

    @Test("an observer cannot post, as itself or as the channel")
    func observer() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        try await scene.attack(.newMessage(MessageContainer(content: .text("from an observer"))), from: "ann", to: "relay")
        await scene.expectError("member is not allowed to send messages", at: "relay")
        var container = MessageContainer(content: .text("as the channel"))
        container.asGroup = true
        try await scene.attack(.newMessage(container), from: "ann", to: "relay")
        await scene.expectError("member is not allowed to send as group", at: "relay")
        try await scene.post("after")
        for name in ["bob", "owner"] { await scene.expect("after", at: name) }
        #expect(await scene.texts(at: "bob") == ["after"])
        #expect(await scene.texts(at: "owner") == ["after"])
        await scene.close()
    }

    @Test("a subscriber cannot pass on messages of others")
    func forwardingSubscriber() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        let owner = try await scene.info(at: "owner").membership
        let body = forwarded(try ChannelScene.body(.newMessage(MessageContainer(content: .text("forged")))), by: owner, in: scene)
        try await scene.send(body, from: "ann", to: "relay")
        await scene.eventually("the relay refuses", at: "relay") {
            scene["relay"].events.contains { if case .chatError(.chat(error: .groupContactRole)) = $0 { true } else { false } }
        }
        try await scene.post("after")
        await scene.expect("after", at: "bob")
        #expect(await scene.texts(at: "bob") == ["after"])
        #expect(await !scene.texts(at: "relay").contains("forged"))
        await scene.close()
    }

    @Test("a relay writes no posts, gives no roles and introduces no owners")
    func relayOversteps() async throws {
        let scene = try await ChannelScene(["ann"])
        let ann = try await scene.info(at: "ann").membership, relay = try await scene.info(at: "relay")
        try await scene.send(
            try ChannelScene.body(.newMessage(MessageContainer(content: .text("from the relay")))), from: "relay", to: "ann")
        let signer = try #require(ChannelSigner(relay))
        let role = try ChannelScene.body(.memberRole(memberID: ann.memberID, .owner))
        let element = try #require(signer.element(of: role, tag: .memberRole))
        try await scene.send(MessageBatching.delivery(of: [element]).body, from: "relay", to: "ann")
        let stranger = MemberInfo(
            memberID: MemberID(Bytes(repeating: 9, count: 12)), role: .owner, versions: ChatVersions.supported,
            profile: Profile(displayName: "stranger", fullName: ""))
        try await scene.send(try ChannelScene.body(.introduceMember(stranger, restrictions: nil)), from: "relay", to: "ann")
        try await scene.post("after")
        await scene.expect("after", at: "ann")
        #expect(await scene.texts(at: "ann") == ["after"])
        #expect(try await scene.info(at: "ann").membership.role == .observer)
        #expect(await scene.members(at: "ann").first { $0.memberID == stranger.memberID }.map(\.role) ?? .observer == .observer)
        await scene.close()
    }

    @Test("a moderator that a relay invents changes nothing of owners, and a relay appoints nobody who is known")
    func inventedModerator() async throws {
        let scene = try await ChannelScene(["ann"])
        let owner = try await scene.info(at: "owner").membership, group = try await scene.info(at: "ann")
        await scene.eventually("the owner is known", at: "ann") { await scene.members(at: "ann").contains { $0.memberID == owner.memberID } }
        let keys = Ed25519.generateKeyPair(SystemRandomSource())
        let id = BoundMemberID.identifier(for: keys.publicKey)
        func introduce(_ id: MemberID, _ role: GroupMemberRole) async throws {
            let info = MemberInfo(
                memberID: id, role: role, versions: ChatVersions.supported, profile: Profile(displayName: "invented", fullName: ""), key: keys.publicKey)
            try await scene.send(try ChannelScene.body(.introduceMember(info, restrictions: nil)), from: "relay", to: "ann")
        }
        try await introduce(id, .observer)
        await scene.eventually("the member is known", at: "ann") { await scene.members(at: "ann").contains { $0.memberID == id } }
        try await introduce(id, .admin)
        let invented = MemberID(Bytes(repeating: 8, count: 12))
        try await introduce(invented, .admin)
        await scene.eventually("the invented member is known, as a subscriber", at: "ann") {
            await scene.members(at: "ann").first { $0.memberID == invented }?.role == .observer
        }
        #expect(await scene.members(at: "ann").first { $0.memberID == id }?.role == .observer)
        // The owner's roster does not list it, and what it signs changes nothing.
        let binding = ChatBinding.group(publicGroupID: try #require(group.groupProfile.publicGroup).publicGroupID.bytes, member: invented)
        for event in [
            ChatMessageEvent.removeMember(memberID: owner.memberID, withMessages: true), .memberRole(memberID: owner.memberID, .observer),
            .restrictMember(memberID: owner.memberID, MemberRestrictions(restriction: .blocked)), .memberRole(memberID: invented, .owner), .deleteGroup,
        ] {
            let signed = SignedMessage(signing: try ChannelScene.body(event), in: binding, with: keys.privateKey)
            let forward = MessageForward(sender: .member(invented, name: "invented"), brokerTimestamp: .current())
            try await scene.send(MessageBatching.delivery(of: [forward.element(signed.element)]).body, from: "relay", to: "ann")
        }
        try await scene.post("after")
        await scene.expect("after", at: "ann")
        let known = try #require(await scene.members(at: "ann").first { $0.memberID == owner.memberID })
        #expect(known.role == .owner && !known.blockedByAdmin && known.status != .removed)
        #expect(await scene.members(at: "ann").first { $0.memberID == invented }?.role == .observer)
        #expect(try await scene.info(at: "ann").membership.status == .connected)
        await scene.close()
    }

    @Test("a relay that announces an owner anew changes neither its role nor its key: what the owner signs next counts")
    func ownerAnnouncedAnew() async throws {
        let scene = try await ChannelScene(["ann"])
        let owner = try await scene.info(at: "owner").membership
        await scene.eventually("the relay has introduced the owner", at: "ann") {
            await scene.members(at: "ann").first { $0.memberID == owner.memberID }?.status == .introduced
        }
        // As the link has told of it, before a relay does.
        let known = try #require(await scene.members(at: "ann").first { $0.memberID == owner.memberID })
        try await scene["ann"].native.engine.transactions.transaction { transaction in
            try transaction.db.members.update(known.groupMemberID, status: .unknown, at: transaction.now)
        }
        let info = MemberInfo(
            memberID: owner.memberID, role: .observer, versions: ChatVersions.supported, profile: Profile(displayName: "owner", fullName: ""),
            key: Ed25519.generateKeyPair(SystemRandomSource()).publicKey)
        try await scene.send(try ChannelScene.body(.newMember(info, scope: nil)), from: "relay", to: "ann")
        await scene.eventually("the relay has announced it", at: "ann") {
            await scene.members(at: "ann").first { $0.memberID == owner.memberID }?.status == .announced
        }
        #expect(await scene.members(at: "ann").first { $0.memberID == owner.memberID }?.role == .owner)
        _ = try await scene.owner.run("/_delete #1 full notify=on")
        await scene.eventually("the channel is deleted", at: "ann") { try await scene.info(at: "ann").membership.status == .groupDeleted }
        await scene.close()
    }

    @Test("a relay that introduces an owner anew does not rename it")
    func ownerRenamed() async throws {
        let scene = try await ChannelScene(["ann"])
        let owner = try await scene.info(at: "owner").membership
        await scene.eventually("the relay has introduced the owner", at: "ann") {
            await scene.members(at: "ann").first { $0.memberID == owner.memberID }?.status == .introduced
        }
        let info = MemberInfo(
            memberID: owner.memberID, role: .owner, versions: ChatVersions.supported, profile: Profile(displayName: "attack", fullName: ""))
        try await scene.attack(.introduceMember(info, restrictions: nil), from: "relay", to: "ann")
        try await scene.post("after")
        await scene.expect("after", at: "ann")
        let known = try #require(await scene.members(at: "ann").first { $0.memberID == owner.memberID })
        #expect(known.profile.displayName == "owner" && known.localDisplayName == "owner")
        await scene.close()
    }

    @Test("nobody joins under the identifier of another")
    func duplicateMember() async throws {
        let scene = try await ChannelScene(["ann"])
        let owner = try await scene.info(at: "owner").membership
        let mallory = try await scene.world.open(agent: .light)
        _ = try await mallory.createUser("mallory")
        try await scene.prepare(mallory)
        try await mallory.native.engine.transactions.transaction { transaction in
            let group = try transaction.conversations.group(1, of: try transaction.user())
            try transaction.db.members.update(group.membership.groupMemberID, memberID: owner.memberID, role: .observer, at: transaction.now)
        }
        _ = await mallory.answer("/_connect group #1")
        await scene.eventually("the relay refuses", at: "relay") {
            scene["relay"].events.contains { if case .chatError(.store(error: .duplicateGroupMember)) = $0 { true } else { false } }
        }
        #expect(await scene.members(at: "relay").count { $0.status == .connected } == 2)
        await mallory.close()
        await scene.close()
    }

    @Test("nobody joins under the identifier of a subscriber whom only another relay knows: the identifier is bound to a key")
    func foreignIdentifierAtAnotherRelay() async throws {
        let scene = try await ChannelScene(["xenia"], relays: 2, preferences: ChannelScene.marked)
        let xenia = try await scene.info(at: "xenia").membership.memberID
        #expect(xenia.bytes.count == BoundMemberID.length)
        // The second relay came after her.
        try await scene.relays[1].native.engine.store.write { db in
            try db.run("DELETE FROM group_members WHERE member_id = ?", [xenia.bytes.blob])
        }
        let mallory = try await scene.world.open(agent: .light)
        _ = try await mallory.createUser("mallory")
        try await scene.prepare(mallory)
        try await mallory.native.engine.transactions.transaction { transaction in
            let group = try transaction.conversations.group(1, of: try transaction.user())
            try transaction.db.members.update(group.membership.groupMemberID, memberID: xenia, role: .commenter, at: transaction.now)
        }
        _ = await mallory.answer("/_connect group #1")
        for relay in ["relay", "relay2"] {
            await scene.eventually("the relay refuses", at: relay) {
                scene[relay].events.contains { if case .chatError(.store(error: .duplicateGroupMember)) = $0 { true } else { false } }
            }
        }
        #expect(await scene.members(at: "relay2").allSatisfy { $0.memberID != xenia })
        await mallory.close()
        await scene.close()
    }

    @Test("an owner drops a second key for the identifier of a subscriber, whichever relay tells of it, and a key that is not the identifier's")
    func secondKey() async throws {
        let scene = try await ChannelScene(["ann"], relays: 2)
        let ann = try await scene.info(at: "ann").membership.memberID
        let known = try await scene.member("ann", at: "owner")
        let key = Ed25519.generateKeyPair(SystemRandomSource()).publicKey
        let stranger = BoundMemberID.identifier(for: Ed25519.generateKeyPair(SystemRandomSource()).publicKey)
        for (relay, id) in [("relay", ann), ("relay2", ann), ("relay2", stranger)] {
            let before = scene["owner"].events.messageErrors.count
            let info = MemberInfo(
                memberID: id, role: .observer, versions: ChatVersions.supported, profile: Profile(displayName: "ann", fullName: ""), key: key)
            try await scene.send(try ChannelScene.body(.newMember(info, scope: nil)), from: relay, to: "owner")
            let isRefused = await scene["owner"].wait { events in
                events.messageErrors.dropFirst(before).contains("x.grp.mem.new: another key for the identifier of a member")
            }
            #expect(isRefused, "\(relay)")
        }
        let now = await scene.members(at: "owner").filter { $0.memberID == ann || $0.memberID == stranger }
        #expect(now.map(\.publicKey) == [known.publicKey])
        await scene.close()
    }

    @Test("an identifier is permitted for its key alone if it is bound, and for any key if it is not")
    func boundIdentifiers() {
        let key = Ed25519.generateKeyPair(SystemRandomSource()).publicKey, other = Ed25519.generateKeyPair(SystemRandomSource()).publicKey
        let id = BoundMemberID.identifier(for: key)
        #expect(BoundMemberID.permits(id, key: key) && !BoundMemberID.permits(id, key: other) && BoundMemberID.permits(id, key: nil))
        #expect(BoundMemberID.permits(MemberID(Bytes(repeating: 1, count: 12)), key: other))
        #expect(!BoundMemberID.permits(MemberID(Bytes(repeating: 1, count: 32)), key: key))
    }

    @Test("an invitation to relay is refused by a profile that is no relay, and by a relay if it does not come from an owner of the channel")
    func invitations() async throws {
        let scene = try await ChannelScene(["ann"])
        let person = try #require(await scene["ann"].answer("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue)
        let ids = try await ChannelScene.add(["name=ann \(person)"], to: scene.owner)
        let last = try #require(ids.split(separator: ",").last)
        _ = await scene.owner.answer("/_public group 1 \(last) {\"displayName\":\"other\",\"fullName\":\"\"}")
        await scene.expectError("x.grp.relay.inv: not a relay", at: "ann")
        await scene.close()
    }
}
