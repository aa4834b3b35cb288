import ChatAPI
import ChatRules
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

@Suite("Relays of a channel that exists")
struct ChannelRelayTests {
    /// Makes a relay that the owner can name beside those of the channel.
    ///
    /// - Returns: The relay and its id in the owner's list.
    private func newRelay(_ name: String, for scene: ChannelScene) async throws -> (core: TestCore, id: UserChatRelayID) {
        let core = try await scene.world.open(agent: .light)
        _ = try await core.createUser(name, isChatRelay: true)
        let address = try await ChannelScene.address(of: core)
        guard case .userServers(_, let servers) = try await scene.owner.run("/relays") else { throw UnexpectedAnswer() }
        let known = servers.flatMap(\.chatRelays).map { "name=\($0.relayProfile.displayName) \($0.address)" }
        _ = try await ChannelScene.add(known + ["name=\(name) \(address)"], to: scene.owner)
        guard case .userServers(_, let all) = try await scene.owner.run("/relays") else { throw UnexpectedAnswer() }
        return (core, try #require(all.flatMap(\.chatRelays).first { $0.address == address }?.chatRelayID))
    }

    private func relays(of scene: ChannelScene) async throws -> [GroupRelay] {
        guard case .groupRelays(_, _, let relays) = try await scene.owner.run("/_get relays #1") else { throw UnexpectedAnswer() }
        return relays
    }

    @Test("subscribers come to an added relay when the one before is removed, and get every post")
    func handOver() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        try await scene.post("by the first")
        for name in ["ann", "bob"] { await scene.expect("by the first", at: name) }
        let (second, id) = try await newRelay("relay2", for: scene)
        guard case .groupRelaysAdded(_, _, _, let added) = try await scene.owner.run("/_add relays #1 \(id)") else { throw UnexpectedAnswer() }
        #expect(added.count == 2 && added.last?.userChatRelay.chatRelayID == id)
        try await scene.expectRelays(active: 2)
        // The command is answered in the same way again, and invites nobody twice.
        guard case .groupRelaysAdded(_, _, _, let again) = try await scene.owner.run("/_add relays #1 \(id)") else { throw UnexpectedAnswer() }
        #expect(again.map(\.groupRelayID) == added.map(\.groupRelayID))
        try await scene.post("by both")
        for name in ["ann", "bob"] { await scene.expect("by both", at: name) }
        let first = try await scene.member("relay", at: "owner")
        _ = try await scene.owner.run("/_remove #1 \(first.groupMemberID)")
        #expect(try await relays(of: scene).map(\.userChatRelay.chatRelayID) == [id])
        for name in ["ann", "bob"] {
            await scene.eventually("\(name) comes by the second relay", at: name) {
                await scene.members(at: name).contains { $0.localDisplayName == "relay2" && $0.status == .connected }
            }
        }
        try await scene.post("by the second")
        for name in ["ann", "bob"] {
            await scene.expect("by the second", at: name)
            #expect(await scene.texts(at: name) == ["by the first", "by both", "by the second"])
        }
        await second.close()
        await scene.close()
    }

    @Test("a subscriber whose last relay has left finds the one that the owner adds later")
    func lostRelay() async throws {
        let scene = try await ChannelScene(["ann"])
        _ = try await scene["relay"].run("/_leave #1")
        await scene.eventually("ann has no relay", at: "ann") {
            await scene.members(at: "ann").contains { $0.role == .relay && $0.status == .left }
        }
        await scene.eventually("the owner knows", at: "owner") { try await relays(of: scene).map(\.status) == [.inactive] }
        let (second, id) = try await newRelay("relay2", for: scene)
        guard case .groupRelaysAdded = try await scene.owner.run("/_add relays #1 \(id)") else { throw UnexpectedAnswer() }
        try await scene.expectRelays(active: 1)
        await scene.eventually("ann comes by the second relay", at: "ann") {
            await scene.members(at: "ann").contains { $0.localDisplayName == "relay2" && $0.status == .connected }
        }
        try await scene.post("again")
        await scene.expect("again", at: "ann")
        await second.close()
        await scene.close()
    }

    @Test("what the owner posts before it knows that its relay leaves reaches the subscribers, and it knows at once")
    func lastPosts() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        _ = try await scene["relay"].run("/_leave #1")
        try await scene.post("in the last moment")
        for name in ["ann", "bob"] { await scene.expect("in the last moment", at: name) }
        await scene.eventually("the owner knows", at: "owner") { try await relays(of: scene).map(\.status) == [.inactive] }
        for name in ["ann", "bob"] {
            await scene.eventually("\(name) has no relay", at: name) {
                await scene.members(at: name).contains { $0.role == .relay && $0.status == .left }
            }
        }
        await scene.close()
    }

    @Test("what the link of a channel tells brings a subscriber to added relays as well")
    func linkData() async throws {
        let scene = try await ChannelScene(["ann"])
        let (second, id) = try await newRelay("relay2", for: scene)
        _ = try await scene.owner.run("/_add relays #1 \(id)")
        try await scene.expectRelays(active: 2)
        guard case .groupInfo = try await scene["ann"].run("/_get group link data #1") else { throw UnexpectedAnswer() }
        await scene.eventually("ann has two relays", at: "ann") {
            await scene.members(at: "ann").count(where: { $0.role == .relay && $0.status == .connected }) == 2
        }
        try await scene.post("once")
        await scene.expect("once", at: "ann")
        #expect(await scene.texts(at: "ann") == ["once"])
        await second.close()
        await scene.close()
    }

    @Test("a relay that left refuses invitations to the channel, and tells why, until its operator allows it")
    func again() async throws {
        let scene = try await ChannelScene([]), relay = scene["relay"]
        guard case .leftMemberUser(_, let left) = try await relay.run("/_leave #1") else { throw UnexpectedAnswer() }
        #expect(left.relayOwnStatus == .rejected)
        await scene.eventually("the owner knows", at: "owner") { try await relays(of: scene).map(\.status) == [.inactive] }
        for number in 1...2 {
            _ = try await scene.owner.run("/_add relays #1 1")
            await scene.eventually("the owner has refusal \(number)", at: "owner") {
                try await relays(of: scene).map(\.status) == [.inactive] + Array(repeating: .rejected, count: number)
            }
        }
        await scene.expectError("x.grp.relay.reject: the relay does not serve the channel: rejoin_rejected", at: "owner")
        try await TestSupport.eventually("the relay keeps no record of the refused invitations") {
            try await relay.native.engine.store.read { try $0.groups.groups(user: 1).map(\.relayOwnStatus) == [.rejected] && $0.jobs.waiting().isEmpty }
        }
        let allowed = await relay.answer("/_relay allow #1")
        #expect(allowed["type"] == "relayGroupAllowed" && allowed["groupInfo"]?["relayOwnStatus"] == "inactive", "\(allowed.text)")
        // Once more, it changes nothing.
        #expect(await relay.answer("/group allow #news") == allowed)
        _ = try await scene.owner.run("/_add relays #1 1")
        try await scene.expectRelays(active: 1)
        await scene.close()
    }

    @Test("a relay knows the channels that it has left by the link and by the identifier, for each profile")
    func leftChannels() async throws {
        let scene = try await ChannelScene([]), relay = scene["relay"]
        let known = try await scene.info(at: "relay"), link = try #require(known.groupProfile.publicGroup?.groupLink)
        let identifier = try #require(known.groupProfile.publicGroup?.publicGroupID.description)
        func hasLeft(link: String?, identifier: String?, user: UserID = 1) async throws -> Bool {
            try await relay.native.engine.store.read { try $0.groups.hasLeft(link: link, identifier: identifier, user: user) }
        }
        #expect(try await !hasLeft(link: link, identifier: identifier))
        _ = try await relay.run("/_leave #1")
        let other = "https://example.org/g#other"
        #expect(try await hasLeft(link: other, identifier: identifier))
        #expect(try await hasLeft(link: link, identifier: "other"))
        #expect(try await hasLeft(link: link, identifier: nil))
        #expect(try await !hasLeft(link: other, identifier: "other"))
        #expect(try await !hasLeft(link: nil, identifier: nil))
        #expect(try await !hasLeft(link: link, identifier: identifier, user: 2))
        _ = try await relay.run("/_relay allow #1")
        #expect(try await !hasLeft(link: link, identifier: identifier))
        await scene.close()
    }

    @Test("a channel that this profile does not relay has nothing to allow")
    func nothingToAllow() async throws {
        let scene = try await ChannelScene(["ann"])
        for name in ["owner", "relay", "ann"] {
            let before = try await scene.info(at: name)
            guard case .relayGroupAllowed(_, let after) = try await scene[name].run("/_relay allow #1") else { throw UnexpectedAnswer() }
            #expect(after.relayOwnStatus == before.relayOwnStatus && after.membership.status == before.membership.status, "\(name)")
        }
        await scene.close()
    }

    @Test("only an owner adds relays, those of its profile, and one that cannot be reached is left out")
    func refusals() async throws {
        let scene = try await ChannelScene(["ann"])
        let unknown = await scene["owner"].answer("/_add relays #1 99")
        #expect(unknown["chatError"]?["storeError"]?["type"] == "userChatRelayNotFound")
        let stranger = await scene["ann"].answer("/_add relays #1 1")
        #expect(stranger["chatError"]?["errorType"]?["type"] == "groupUserRole")
        let (gone, id) = try await newRelay("gone", for: scene)
        _ = try await gone.run("/_delete_address 1")
        let failed = await scene["owner"].answer("/_add relays #1 \(id)")
        #expect(failed["type"] == "groupRelaysAddFailed", "\(failed.text)")
        #expect(failed["addRelayResults"]?.arrayValue?.first?["relayError"] != nil)
        #expect(try await relays(of: scene).count == 1)
        #expect(await scene.members(at: "owner").count(where: { $0.role == .relay }) == 1)
        await gone.close()
        await scene.close()
    }
}
