import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPSimulation
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

@Suite("Rosters of channels")
struct RosterChannelTests {
    /// Gives somebody a role, and waits until everybody named knows.
    private func promote(_ name: String, to role: GroupMemberRole, in scene: ChannelScene, knownTo others: [String]) async throws {
        let member = try await scene.member(name, at: "owner")
        _ = try await scene.owner.run("/_member role #1 \(member.groupMemberID) \(role.code)")
        await scene.eventually("\(name) is \(role.code)", at: name) { try await scene.info(at: name).membership.role == role }
        for other in others {
            await scene.eventually("\(other) knows that \(name) is \(role.code)", at: other) {
                await scene.members(at: other).contains { $0.memberID == member.memberID && $0.role == role && $0.signingKey == member.signingKey }
            }
        }
    }

    private func version(at name: String, in scene: ChannelScene) async throws -> Int64? { try await scene.info(at: name).rosterVersion?.rawValue }

    @Test("a relay takes subscribers once it has acknowledged the roster")
    func handshake() async throws {
        let scene = try await ChannelScene([])
        #expect(try await version(at: "owner", in: scene) == 0)
        #expect(try await version(at: "relay", in: scene) == 0)
        #expect(try await scene.info(at: "relay").relayOwnStatus == .acknowledgedRoster)
        let statuses = scene.owner.events.compactMap { if case .groupRelayUpdated(_, _, _, let relay) = $0 { relay.status } else { nil } }
        #expect(statuses == [.accepted, .acknowledgedRoster])
        await scene.close()
    }

    @Test("a moderator whom the owner promotes moderates at subscribers, those of before and those who come later")
    func moderator() async throws {
        let scene = try await ChannelScene(["ann", "bob", "carl"])
        try await promote("ann", to: .member, in: scene, knownTo: ["bob", "carl", "relay"])
        try await promote("bob", to: .moderator, in: scene, knownTo: ["ann", "carl", "relay"])
        let dora = try await scene.world.open(agent: .light)
        _ = try await dora.createUser("dora")
        try await scene.subscribe(dora)
        try await scene.post("rude", as: "ann", asGroup: false)
        for name in ["bob", "carl", "owner"] { await scene.expect("rude", at: name) }
        #expect(await dora.eventually { await scene.texts(in: dora).contains("rude") })
        let ann = try await scene.member("ann", at: "owner").memberID
        let known = try #require(await scene.members(at: "bob").first { $0.memberID == ann })
        _ = try await scene["bob"].run("/_block #1 \(known.groupMemberID) blocked=on")
        for core in [scene["carl"], dora] {
            let isBlocked = await core.eventually { await scene.members(in: core).contains { $0.memberID == ann && $0.blockedByAdmin } }
            #expect(isBlocked)
        }
        #expect(try await version(at: "owner", in: scene) == 2)
        #expect(try await version(at: "carl", in: scene) == 2)
        await dora.close()
        await scene.close()
    }

    @Test("a writer is introduced to each subscriber before its first post, once, with its whole profile")
    func introduction() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        try await promote("ann", to: .member, in: scene, knownTo: ["bob"])
        let ann = try await scene.member("ann", at: "owner").memberID
        // As the signed change has told of her.
        #expect(await scene.members(at: "bob").first { $0.memberID == ann }?.status == .unknown)
        for text in ["first", "second"] {
            try await scene.post(text, as: "ann", asGroup: false)
            await scene.expect(text, at: "bob")
        }
        let known = try #require(await scene.members(at: "bob").first { $0.memberID == ann })
        #expect(known.status == .announced && known.profile.displayName == "ann" && known.role == .member)
        let announcements = scene["bob"].events.count { if case .unknownMemberAnnounced = $0 { true } else { false } }
        #expect(announcements == 1)
        #expect(await scene.texts(at: "bob") == ["first", "second"])
        let item = try await scene.item("second", at: "bob")
        #expect(item.direction.author?.memberID == ann)
        await scene.close()
    }

    @Test("an administrator's client changes no role of the roster and removes nobody who is on it, and a changed one gives no role")
    func administrator() async throws {
        let scene = try await ChannelScene(["ann", "bob", "carl"])
        try await promote("ann", to: .admin, in: scene, knownTo: ["relay"])
        try await promote("bob", to: .member, in: scene, knownTo: ["ann", "relay"])
        let bob = try await scene.member("bob", at: "owner").memberID
        let known = try #require(await scene.members(at: "ann").first { $0.memberID == bob })
        for command in [
            "/_member role #1 \(known.groupMemberID) moderator", "/_member role #1 \(known.groupMemberID) observer", "/_remove #1 \(known.groupMemberID)",
        ] {
            #expect(await scene["ann"].answer(command)["chatError"]?["errorType"]?["message"]?.stringValue?.hasPrefix("only the group owner") == true)
        }
        // Nor does it count when a changed program sends it.
        let signer = try #require(ChannelSigner(try await scene.info(at: "ann")))
        let body = try ChannelScene.body(.memberRole(memberID: bob, .moderator))
        try await scene.send(try #require(signer.element(of: body, tag: .memberRole)), from: "ann", to: "relay")
        await scene.expectError("x.grp.mem.role with insufficient member permissions", at: "relay")
        #expect(await scene.members(at: "relay").first { $0.memberID == bob }?.role == .member)
        await scene.close()
    }

    @Test("a subscriber that was away for changes asks for the roster when the next one comes")
    func gap() async throws {
        let scene = try await ChannelScene(["ann", "bob", "carl"])
        try await promote("ann", to: .moderator, in: scene, knownTo: ["bob", "carl"])
        let ann = try await scene.member("ann", at: "owner").memberID
        // As it is when the change has not come.
        try await scene["carl"].native.engine.transactions.transaction { transaction in
            let member = try #require(try transaction.db.members.find(ann, group: ChannelScene.group))
            try transaction.db.members.update(member.groupMemberID, role: .observer, at: transaction.now)
            try transaction.db.rosters.update(RosterState().applying(.first), of: ChannelScene.group)
        }
        try await promote("bob", to: .member, in: scene, knownTo: ["carl"])
        await scene.eventually("carl has the roster", at: "carl") { await scene.members(at: "carl").first { $0.memberID == ann }?.role == .moderator }
        #expect(try await version(at: "carl", in: scene) == 2)
        #expect(try await scene["carl"].native.engine.store.read { try $0.rosters.state(of: ChannelScene.group).complete?.rawValue } == 2)
        await scene.close()
    }

    @Test("subscribers of a channel that gets its first roster late have it before the first post of a writer")
    func laterRoster() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        let ann = try await scene.member("ann", at: "owner")
        // As an earlier version has left everybody: the owner has made Ann a writer, and nobody knows a roster.
        for core in [scene.owner, scene["relay"], scene["ann"], scene["bob"]] {
            try await core.native.engine.transactions.transaction { transaction in
                try transaction.db.rosters.update(RosterState(), of: ChannelScene.group)
                try transaction.db.run("DELETE FROM stored_rosters")
                try transaction.db.run("UPDATE group_members SET roster_served_version = NULL")
                try transaction.db.run("UPDATE group_members SET role = 'member' WHERE member_id = ?", [ann.memberID.bytes.blob])
            }
        }
        try await scene.owner.native.engine.transactions.transaction { try $0.rosters.publishMissing(of: ChannelScene.group, user: 1) }
        await scene.eventually("the relay has the roster", at: "relay") { try await version(at: "relay", in: scene) == 0 }
        try await scene.post("by ann", as: "ann", asGroup: false)
        await scene.expect("by ann", at: "bob")
        let known = try #require(await scene.members(at: "bob").first { $0.memberID == ann.memberID })
        #expect(known.role == .member && known.signingKey == ann.signingKey && known.profile.displayName == "ann")
        await scene.close()
    }

    @Test("a subscriber that knows no roster, as an earlier version has left it, asks its relay once")
    func missingRoster() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        try await promote("ann", to: .moderator, in: scene, knownTo: ["bob"])
        let ann = try await scene.member("ann", at: "owner").memberID
        try await scene["relay"].native.engine.transactions.transaction { transaction in
            try transaction.db.run("UPDATE group_members SET roster_served_version = NULL")
        }
        try await scene["bob"].native.engine.transactions.transaction { transaction in
            try transaction.db.rosters.update(RosterState(), of: ChannelScene.group)
            try transaction.db.run("UPDATE group_members SET role = 'observer' WHERE member_id = ?", [ann.bytes.blob])
            try transaction.rosters.requestMissing(of: ChannelScene.group, user: 1)
            #expect(transaction.effects.deliveries.count == 1)
            try transaction.rosters.requestMissing(of: ChannelScene.group, user: 1)
            #expect(transaction.effects.deliveries.count == 1)
        }
        await scene.eventually("bob has the roster", at: "bob") { await scene.members(at: "bob").first { $0.memberID == ann }?.role == .moderator }
        await scene.close()
    }

    @Test("who is demoted or removed is on the roster no more")
    func demotion() async throws {
        let scene = try await ChannelScene(["ann", "bob", "carl"])
        try await promote("ann", to: .moderator, in: scene, knownTo: ["carl"])
        try await promote("bob", to: .member, in: scene, knownTo: ["carl"])
        try await promote("ann", to: .observer, in: scene, knownTo: ["carl", "relay"])
        let bob = try await scene.member("bob", at: "owner")
        _ = try await scene.owner.run("/_remove #1 \(bob.groupMemberID)")
        await scene.eventually("bob is removed", at: "bob") { try await scene.info(at: "bob").membership.status == .removed }
        await scene.eventually("carl knows", at: "carl") {
            await !scene.members(at: "carl").contains { $0.memberID == bob.memberID && $0.status.isCurrent }
        }
        let stored = try await scene["relay"].native.engine.store.read { try $0.rosters.stored(of: ChannelScene.group) }
        #expect(stored?.version.rawValue == 4)
        #expect(try stored.map { try RosterList(wireBytes: $0.list).members } == [])
        await scene.close()
    }

    @Test("who leaves, or is removed by an administrator, is on the roster no more")
    func endedMembership() async throws {
        let scene = try await ChannelScene(["ann", "bob", "carl"])
        try await promote("ann", to: .admin, in: scene, knownTo: ["relay"])
        try await promote("bob", to: .moderator, in: scene, knownTo: ["relay"])
        try await promote("carl", to: .member, in: scene, knownTo: ["relay"])
        let bob = try await scene.member("bob", at: "owner").memberID, ann = try await scene.member("ann", at: "owner").memberID
        @Sendable func stored() async throws -> (Int64, Set<MemberID>) {
            let stored = try #require(try await scene["relay"].native.engine.store.read { try $0.rosters.stored(of: ChannelScene.group) })
            return (stored.version.rawValue, Set(try RosterList(wireBytes: stored.list).members.map(\.memberID)))
        }
        #expect(try await stored() == (3, [ann, bob, try await scene.member("carl", at: "owner").memberID]))
        _ = try await scene["carl"].run("/_leave #1")
        await scene.eventually("carl is off the roster", at: "relay") { try await stored() == (4, [ann, bob]) }
        // The client of an administrator refuses this command.
        let signer = try #require(ChannelSigner(try await scene.info(at: "ann")))
        let body = try ChannelScene.body(.removeMember(memberID: bob, withMessages: false))
        try await scene.send(try #require(signer.element(of: body, tag: .removeMember)), from: "ann", to: "relay")
        await scene.eventually("bob is off the roster", at: "relay") { try await stored() == (5, [ann]) }
        await scene.close()
    }

    @Test("a roster with more members than fit in one body comes whole")
    func largeRoster() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        try await scene.owner.native.engine.transactions.transaction { transaction in
            let user = try transaction.user(), group = try transaction.conversations.group(ChannelScene.group, of: user)
            guard let own = group.membership.signingKey else { throw UnexpectedAnswer() }
            for number in 0..<255 {
                let id = MemberID(Bytes([UInt8(number)]) + Bytes(repeating: 7, count: 31))
                let info = MemberInfo(
                    memberID: MemberID(Bytes(id.bytes.prefix(31))), role: .moderator, versions: ChatVersions.supported,
                    profile: Profile(displayName: "m\(number)", fullName: ""), key: own)
                _ = try transaction.members.add(info, category: .post, status: .announced, invitedBy: nil, in: group, of: user)
            }
        }
        try await promote("ann", to: .member, in: scene, knownTo: ["relay"])
        let stored = try await scene["relay"].native.engine.store.read { try $0.rosters.stored(of: ChannelScene.group) }
        #expect(try stored.map { try RosterList(wireBytes: $0.list).members.count } == 256)
        let bob = try await scene.member("bob", at: "owner")
        let refused = await scene.owner.answer("/_member role #1 \(bob.groupMemberID) member")
        #expect(refused["chatError"]?["errorType"]?["message"]?.stringValue?.contains("limit of 256") == true)
        let dora = try await scene.world.open(agent: .light)
        _ = try await dora.createUser("dora")
        try await scene.subscribe(dora)
        #expect(await dora.eventually { await scene.members(in: dora).count { $0.role == .moderator } == 255 })
        await dora.close()
        await scene.close()
    }

    @Test("a relay that comes to a running channel takes its moderator with a proof of the key, and subscribers come at once")
    func addedRelay() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        try await promote("ann", to: .moderator, in: scene, knownTo: ["bob"])
        let core = try await scene.world.open(agent: .light)
        _ = try await core.createUser("relay2", isChatRelay: true)
        let address = try await ChannelScene.address(of: core)
        guard case .userServers(_, let servers) = try await scene.owner.run("/relays") else { throw UnexpectedAnswer() }
        let known = servers.flatMap(\.chatRelays).map { "name=\($0.relayProfile.displayName) \($0.address)" }
        _ = try await ChannelScene.add(known + ["name=relay2 \(address)"], to: scene.owner)
        guard case .userServers(_, let all) = try await scene.owner.run("/relays") else { throw UnexpectedAnswer() }
        let id = try #require(all.flatMap(\.chatRelays).first { $0.address == address }?.chatRelayID)
        guard case .groupRelaysAdded = try await scene.owner.run("/_add relays #1 \(id)") else { throw UnexpectedAnswer() }
        try await scene.expectRelays(active: 2)
        for name in ["ann", "bob"] {
            await scene.eventually("\(name) has come to the second relay", at: name) {
                await scene.members(at: name).contains { $0.localDisplayName == "relay2" && $0.status == .connected }
            }
        }
        let ann = try await scene.member("ann", at: "owner").memberID
        #expect(
            await core.eventually { await scene.members(in: core).contains { $0.memberID == ann && $0.role == .moderator && $0.status == .connected } })
        await core.close()
        await scene.close()
    }

    @Test("an owner learns why a relay does not serve its channel")
    func rejection() async throws {
        var policy = RelayPolicy()
        policy.maximumChannels = 1
        let scene = try await ChannelScene([], policy: policy)
        guard case .publicGroupCreated(_, let group, _, _) = try await scene.owner.run("/_public group 1 1 {\"displayName\":\"more\",\"fullName\":\"\"}")
        else { throw UnexpectedAnswer() }
        await scene.eventually("the relay has refused", at: "owner") {
            guard case .groupRelays(_, _, let relays) = try await scene.owner.run("/_get relays #\(group.groupID)") else { return false }
            return relays.map(\.status) == [.rejected]
        }
        await scene.expectError("x.grp.relay.reject: the relay does not serve the channel: full", at: "owner")
        try await TestSupport.eventually("the relay has forgotten the connection") {
            try await scene["relay"].native.engine.store.read { db in
                try db.number("SELECT count(*) FROM connections cn JOIN group_members m USING (group_member_id) WHERE m.group_id = 2") == 0
            }
        }
        await scene.close()
    }
}

extension ChannelScene {
    func members(in core: TestCore) async -> [GroupMember] {
        guard case .groupMembers(_, let group)? = try? await core.run("/_members #1") else { return [] }
        return group.members
    }

    func texts(in core: TestCore) async -> [String] {
        guard case .apiChat(_, let chat, _)? = try? await core.run("/_get chat #1 count=200") else { return [] }
        return chat.chatItems.filter { $0.content.message != nil }.map(\.meta.text)
    }
}
