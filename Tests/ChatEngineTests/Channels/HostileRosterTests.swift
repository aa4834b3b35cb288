import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPAgent
import SMPCrypto
import SMPSimulation
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Rosters that a relay forges, repeats, cuts or makes up, as a subscriber gets them.
@Suite("Hostile rosters")
struct HostileRosterTests {
    private static let stranger = MemberID(Bytes(repeating: 9, count: 12))
    private static let key = Ed25519.generateKeyPair(SystemRandomSource()).publicKey

    private static func list(_ role: GroupMemberRole = .admin) -> Bytes {
        RosterList([RosterMember(memberID: stranger, key: key, role: role)]).wireBytes
    }

    /// The bodies of a roster, as a relay passes it on.
    ///
    /// - Parameters:
    ///   - content: The list that follows; nil for the one that is signed.
    ///   - signer: The one who signs it; the owner if it is not given.
    private func bodies(
        version: Int64, list: Bytes = Self.list(), content: Bytes? = nil, size: Int64? = nil, signer: ChannelSigner? = nil, in scene: ChannelScene
    ) async throws -> [Bytes] {
        let owner = try await scene.info(at: "owner"), id = SharedMessageID(SystemRandomSource().bytes(12))
        var invitation = InlineFileInvitation(of: list)
        if let size { invitation.size = size }
        let roster = GroupRoster(version: try #require(RosterVersion(rawValue: version)), list: invitation)
        let body = try ChannelScene.body(.groupRoster(roster), id: id)
        let signer = try #require(signer ?? ChannelSigner(owner))
        let forward = MessageForward(sender: .member(owner.membership.memberID, name: "owner"), brokerTimestamp: .current())
        return RosterBodies.rosterBodies(header: forward.element(signer.proof(of: body)), messageID: id, list: content ?? list)
    }

    private func knows(_ name: String, in scene: ChannelScene) async -> GroupMember? {
        await scene.members(at: name).first { $0.memberID == Self.stranger }
    }

    /// Sends what the relay has made up, and checks that the subscriber knows nobody by it, and hears the owner as before.
    private func attack(_ bodies: [Bytes], told text: String?, in scene: ChannelScene) async throws {
        for body in bodies { try await scene.send(body, from: "relay", to: "ann") }
        if let text { await scene.expectError(text, at: "ann") }
        try await scene.post("after \(text ?? "")")
        await scene.expect("after \(text ?? "")", at: "ann")
        #expect(await knows("ann", in: scene) == nil)
        #expect(try await scene.info(at: "ann").rosterVersion == .first)
        #expect(try await scene["ann"].native.engine.store.read { try $0.number("SELECT count(*) FROM roster_transfers") } == 0)
    }

    @Test("what an owner has signed is accepted: the attacks below fail for what they change of it")
    func genuine() async throws {
        let scene = try await ChannelScene(["ann"])
        for body in try await bodies(version: 1, in: scene) { try await scene.send(body, from: "relay", to: "ann") }
        await scene.eventually("the roster counts", at: "ann") { await knows("ann", in: scene)?.role == .admin }
        #expect(await knows("ann", in: scene)?.signingKey == Self.key)
        #expect(try await scene.info(at: "ann").rosterVersion?.rawValue == 1)
        await scene.close()
    }

    @Test("a roster that a relay signs itself, changes, cuts or makes too large changes nothing")
    func forged() async throws {
        let scene = try await ChannelScene(["ann"])
        let relay = try #require(ChannelSigner(try await scene.info(at: "relay")))
        try await attack(try await bodies(version: 1, signer: relay, in: scene), told: nil, in: scene)
        await scene.eventually("the signature is shown to be wrong", at: "ann") {
            await scene.items(at: "ann").contains { $0.content == .receivedGroupEvent(event: .messageBadSignature) }
        }
        var changed = Self.list()
        changed[4] ^= 1
        try await attack(try await bodies(version: 1, content: changed, in: scene), told: "x.grp.roster: could not verify the roster", in: scene)
        try await attack(
            try await bodies(version: 1, content: Bytes(Self.list().dropLast()), in: scene), told: "x.grp.roster: could not receive the roster", in: scene)
        try await attack(
            try await bodies(version: 1, size: Int64(ChatLimits.rosterBytes) + 1, in: scene),
            told: "x.grp.roster: the size of the list is not within limits", in: scene)
        try await attack(try await bodies(version: 1, list: [1, 1], in: scene), told: "x.grp.roster: could not parse the roster", in: scene)
        await scene.close()
    }

    @Test("a roster and a signed change of an earlier version are repeated for nothing")
    func replayed() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        let old = try await bodies(version: 1, in: scene)
        for body in old { try await scene.send(body, from: "relay", to: "ann") }
        await scene.eventually("the roster counts", at: "ann") { await knows("ann", in: scene)?.role == .admin }
        for body in try await bodies(version: 2, list: RosterList([]).wireBytes, in: scene) { try await scene.send(body, from: "relay", to: "ann") }
        await scene.eventually("the next one counts", at: "ann") { await knows("ann", in: scene)?.role == .observer }
        for body in old { try await scene.send(body, from: "relay", to: "ann") }
        await scene.expectError("x.grp.roster: version not newer than current", at: "ann")
        let owner = try await scene.info(at: "owner"), signer = try #require(ChannelSigner(owner))
        let change = ChatMessageEvent.memberRole(memberID: Self.stranger, .moderator, key: Self.key, rosterVersion: .first.next)
        let removal = ChatMessageEvent.removeMember(memberID: try await scene.info(at: "ann").membership.memberID, withMessages: false, rosterVersion: .first)
        for event in [change, removal] {
            let forward = MessageForward(sender: .member(owner.membership.memberID, name: "owner"), brokerTimestamp: .current())
            let element = forward.element(signer.proof(of: try ChannelScene.body(event)))
            try await scene.send(MessageBatching.binaryBatch(of: [element]), from: "relay", to: "ann")
            await scene.expectError("\(event.tag.rawValue): roster version not newer than current", at: "ann")
        }
        #expect(await knows("ann", in: scene)?.role == .observer)
        #expect(try await scene.info(at: "ann").membership.status == .connected)
        await scene.close()
    }

    @Test("an owner's roster of another channel, and one by a member who is no owner, change nothing")
    func otherAuthors() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        let owner = try await scene.info(at: "owner"), bob = try await scene.member("bob", at: "owner")
        _ = try await scene.owner.run("/_member role #1 \(bob.groupMemberID) admin")
        await scene.eventually("ann knows bob", at: "ann") { await scene.members(at: "ann").contains { $0.memberID == bob.memberID && $0.role == .admin } }
        let roster = GroupRoster(version: .first.next.next, list: InlineFileInvitation(of: Self.list()))
        let body = try ChannelScene.body(.groupRoster(roster))
        let signer = try #require(ChannelSigner(try await scene.info(at: "bob")))
        let forward = MessageForward(sender: .member(bob.memberID, name: "bob"), brokerTimestamp: .current())
        try await scene.send(MessageBatching.binaryBatch(of: [forward.element(signer.proof(of: body))]), from: "relay", to: "ann")
        await scene.expectError("x.grp.roster: not signed by an owner", at: "ann")
        let key = try #require(owner.groupKeys?.memberSigningKey)
        let signed = SignedMessage(signing: body, in: .group(publicGroupID: Bytes(repeating: 7, count: 32), member: owner.membership.memberID), with: key)
        let byOwner = MessageForward(sender: .member(owner.membership.memberID, name: "owner"), brokerTimestamp: .current())
        try await scene.send(MessageBatching.binaryBatch(of: [byOwner.element(signed.element)]), from: "relay", to: "ann")
        await scene.eventually("the signature is shown to be wrong", at: "ann") {
            await scene.items(at: "ann").contains { $0.content == .receivedGroupEvent(event: .messageBadSignature) }
        }
        #expect(await knows("ann", in: scene) == nil)
        await scene.close()
    }

    @Test("a relay makes nobody a member, moderator or administrator, whichever way it tells of them", arguments: [GroupMemberRole.member, .moderator, .admin])
    func conjured(_ role: GroupMemberRole) async throws {
        let scene = try await ChannelScene(["ann"])
        let keys = Ed25519.generateKeyPair(SystemRandomSource())
        func info(_ id: UInt8) -> MemberInfo {
            MemberInfo(
                memberID: MemberID(Bytes(repeating: id, count: 12)), role: role, versions: ChatVersions.supported,
                profile: Profile(displayName: "conjured", fullName: ""), key: keys.publicKey)
        }
        try await scene.attack(.newMember(info(1), scope: nil), from: "relay", to: "ann")
        try await scene.attack(.introduceMember(info(2), restrictions: nil), from: "relay", to: "ann")
        let post = try ChannelScene.body(.newMessage(MessageContainer(content: .text("conjured"))))
        for id in [UInt8(1), 2, 3] {
            let forward = MessageForward(sender: .member(MemberID(Bytes(repeating: id, count: 12)), name: "conjured"), brokerTimestamp: .current())
            try await scene.send(MessageBatching.binaryBatch(of: [forward.element(post)]), from: "relay", to: "ann")
        }
        try await scene.post("after")
        await scene.expect("after", at: "ann")
        #expect(await scene.texts(at: "ann") == ["after"])
        for member in await scene.members(at: "ann") where member.memberID.bytes.count == 12 && member.role != .owner && !member.isRelay {
            #expect(member.role == .observer && (member.memberID.bytes.first == 1 || member.signingKey == nil), "\(member.memberID.bytes)")
        }
        await scene.close()
    }

    @Test("nobody comes to a relay in the name of a moderator: without a proof, with one for another relay, or with another key")
    func impersonation() async throws {
        let scene = try await ChannelScene(["ann"])
        let ann = try await scene.member("ann", at: "owner")
        _ = try await scene.owner.run("/_member role #1 \(ann.groupMemberID) moderator")
        await scene.eventually("ann is a moderator", at: "ann") { try await scene.info(at: "ann").membership.role == .moderator }
        let group = try await scene.info(at: "relay"), own = try await scene.info(at: "ann")
        let known = try #require(await scene.members(at: "relay").first { $0.memberID == ann.memberID })
        let key = try #require(ann.signingKey), signer = try #require(ChannelSigner(own))
        func proof(relay: MemberID, key: Ed25519.PublicKey, signer: ChannelSigner) throws -> Bool {
            let event = ChatMessageEvent.member(profile: Profile(displayName: "x", fullName: ""), memberID: ann.memberID, key: key, relay: relay)
            let signed = try #require(try ReceivedChatMessage.parseElement(signer.proof(of: ChannelScene.body(event))).get().signed)
            return JoinProof.isValid(signed, key: key, relay: relay, of: known, in: group)
        }
        #expect(try proof(relay: group.membership.memberID, key: key, signer: signer))
        #expect(!(try proof(relay: MemberID([1]), key: key, signer: signer)))
        let owner = try #require(ChannelSigner(try await scene.info(at: "owner")))
        #expect(!(try proof(relay: group.membership.memberID, key: key, signer: owner)))
        #expect(!(try proof(relay: group.membership.memberID, key: Self.key, signer: signer)))
        #expect(!JoinProof.isValid(nil, key: key, relay: group.membership.memberID, of: known, in: group))
        var removed = known
        removed.status = .removed
        let event = ChatMessageEvent.member(
            profile: Profile(displayName: "x", fullName: ""), memberID: ann.memberID, key: key, relay: group.membership.memberID)
        let signed = try ReceivedChatMessage.parseElement(signer.proof(of: ChannelScene.body(event))).get().signed
        #expect(!JoinProof.isValid(signed, key: key, relay: group.membership.memberID, of: removed, in: group))
        await scene.close()
    }

    /// Another relay has her, so that this one does not know her identifier.
    @Test("nobody takes the place of a subscriber with its public key, which others know", arguments: [1, 19] as [UInt16])
    func borrowedKey(_ version: UInt16) async throws {
        let scene = try await ChannelScene(["ann"])
        let ann = try await scene.member("ann", at: "owner"), key = try #require(ann.signingKey)
        try await scene["relay"].native.engine.store.write { db in
            try db.run("DELETE FROM group_members WHERE member_id = ?", [ann.memberID.bytes.blob])
        }
        let relay = try await scene.info(at: "relay").membership.memberID
        let event = ChatMessageEvent.member(profile: Profile(displayName: "x", fullName: ""), memberID: ann.memberID, key: key, relay: relay)
        try await scene["relay"].native.engine.transactions.transaction { transaction in
            let user = try transaction.user()
            let link = try #require(try transaction.db.groupLinks.find(group: ChannelScene.group)).userContactLinkID
            let record = try #require(try transaction.db.connections.find(ofGroupLink: link))
            let message = ChatMessage(versions: VersionRange(1...max(version, ChatVersions.groupFastLinkJoin)), event: event)
            try transaction.joinRequests.receive(
                InvitationID([1, 2, 3]), message, forLink: link, in: try transaction.connectionEvents.context(of: record, user: user))
        }
        await scene.expectError("a request to join a channel without a proof of its key", at: "relay")
        #expect(await scene.members(at: "relay").allSatisfy { $0.memberID != ann.memberID })
        await scene.close()
    }

    @Test("a relay gives its key to nobody by a promotion of before the roster, nor by one without a key")
    func oldPromotions() async throws {
        let scene = try await ChannelScene(["ann"])
        for body in try await bodies(version: 5, list: RosterList([]).wireBytes, in: scene) { try await scene.send(body, from: "relay", to: "ann") }
        await scene.eventually("the roster counts", at: "ann") { try await scene.info(at: "ann").rosterVersion?.rawValue == 5 }
        let owner = try await scene.info(at: "owner"), signer = try #require(ChannelSigner(owner))
        func promote(version: RosterVersion?) async throws {
            let change = ChatMessageEvent.memberRole(memberID: Self.stranger, .moderator, key: nil, rosterVersion: version)
            let forward = MessageForward(sender: .member(owner.membership.memberID, name: "owner"), brokerTimestamp: .current())
            let element = forward.element(signer.proof(of: try ChannelScene.body(change)))
            try await scene.send(MessageBatching.binaryBatch(of: [element]), from: "relay", to: "ann")
        }
        func announce() async throws {
            let info = MemberInfo(
                memberID: Self.stranger, role: .observer, versions: ChatVersions.supported, profile: Profile(displayName: "conjured", fullName: ""),
                key: Self.key)
            try await scene.attack(.newMember(info, scope: nil), from: "relay", to: "ann")
        }
        try await promote(version: nil)
        await scene.expectError("x.grp.mem.role: roster version not newer than current", at: "ann")
        #expect(await knows("ann", in: scene) == nil)
        try await announce()
        await scene.eventually("ann knows the observer", at: "ann") { await knows("ann", in: scene)?.signingKey == Self.key }
        try await promote(version: RosterVersion(rawValue: 6))
        await scene.eventually("the promotion counts", at: "ann") { await knows("ann", in: scene)?.role == .moderator }
        #expect(await knows("ann", in: scene)?.signingKey == nil)
        try await announce()
        try await scene.post("after")
        await scene.expect("after", at: "ann")
        #expect(await knows("ann", in: scene)?.signingKey == nil)
        await scene.close()
    }

    @Test("a relay whose versions go up and down gets a roster once")
    func wavering() async throws {
        let scene = try await ChannelScene(["ann"])
        let relay = try await scene.member("relay", at: "owner")
        func rosters() async throws -> Int64 {
            try await scene.owner.native.engine.store.read { try $0.number("SELECT count(*) FROM sent_rosters") } ?? 0
        }
        try await scene.owner.native.engine.transactions.transaction { transaction in
            try transaction.db.run("UPDATE group_members SET roster_served_version = NULL")
            try transaction.db.run("CREATE TABLE sent_rosters (version INTEGER)")
            try transaction.db.run(
                """
                CREATE TRIGGER count_sent_rosters AFTER UPDATE OF roster_served_version ON group_members BEGIN
                    INSERT INTO sent_rosters VALUES (new.roster_served_version);
                END
                """)
        }
        let old = ChatVersionRange(minVersion: 1, maxVersion: 18)
        for _ in 0..<20 {
            try await scene.owner.native.engine.transactions.transaction { transaction in
                let group = try transaction.conversations.group(ChannelScene.group, of: try transaction.user())
                try transaction.channels.noteVersions(of: relay, before: old, in: group)
            }
        }
        #expect(try await rosters() == 1)
        await scene.close()
    }

    @Test("a subscriber that asks again and again gets the roster once for each version")
    func repeatedRequests() async throws {
        let scene = try await ChannelScene(["ann"])
        // The relay delivers other things meanwhile, so only the rosters that it serves count.
        try await scene["relay"].native.engine.transactions.transaction { transaction in
            try transaction.db.run("UPDATE group_members SET roster_served_version = NULL")
            try transaction.db.run("CREATE TABLE served_rosters (version INTEGER)")
            try transaction.db.run(
                """
                CREATE TRIGGER count_served_rosters AFTER UPDATE OF roster_served_version ON group_members BEGIN
                    INSERT INTO served_rosters VALUES (new.roster_served_version);
                END
                """)
        }
        for _ in 0..<20 { try await scene.attack(.requestRoster(nil), from: "ann", to: "relay") }
        try await scene.attack(.acknowledgeRoster(.first, error: "x"), from: "ann", to: "relay")
        await scene.expectError("x.grp.roster.ack", at: "relay")
        #expect(try await scene["relay"].native.engine.store.read { try $0.number("SELECT count(*) FROM served_rosters") } == 1)
        await scene.close()
    }
}
