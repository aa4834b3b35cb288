import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPSimulation
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Relays that were away until their queues were full.
@Suite("Absent relays")
struct AbsentRelayTests {
    @Test("a relay that comes back gets the roster, posts, a removal and the profile of the meantime, and its subscribers do")
    func comesBack() async throws {
        let scene = try await ChannelScene(["ann", "bob"], world: TestWorld(quota: 4))
        let ann = try await scene.member("ann", at: "owner"), bob = try await scene.member("bob", at: "owner")
        scene["relay"].network.disconnect(scene.world.router.address)
        for number in 1...8 { try await scene.post("\(number)") }
        await scene.eventually("the queue is full", at: "owner") {
            try #require(try await scene.member("relay", at: "owner").activeConnection).quotaErrorCounter == 1
        }
        try await scene.owner.setInactive(try await scene.member("relay", at: "owner"))
        try await scene.post("missed")
        _ = try await scene.owner.run("/_member role #1 \(ann.groupMemberID) moderator")
        _ = try await scene.owner.run("/_remove #1 \(bob.groupMemberID)")
        _ = try await scene.owner.run(#"/_group_profile #1 {"displayName":"news","fullName":"the latest","groupPreferences":{"history":{"enable":"on"}}}"#)
        try await scene.post("after")
        let waiting = try await scene.owner.native.engine.store.read { try $0.number("SELECT count(*) FROM pending_member_messages") }
        #expect(waiting == 5)
        scene["relay"].network.reconnect(scene.world.router.address)
        await scene.expect("after", at: "ann")
        #expect(await scene.texts(at: "ann") == (1...8).map(String.init) + ["missed", "after"])
        await scene.eventually("ann is a moderator", at: "ann") { try await scene.info(at: "ann").membership.role == .moderator }
        await scene.eventually("the relay knows her key", at: "relay") {
            await scene.members(at: "relay").contains { $0.memberID == ann.memberID && $0.role == .moderator && $0.signingKey == ann.signingKey }
        }
        await scene.eventually("bob is removed", at: "bob") { try await scene.info(at: "bob").membership.status == .removed }
        await scene.eventually("the profile has come", at: "ann") { try await scene.info(at: "ann").groupProfile.fullName == "the latest" }
        #expect(try await scene.owner.native.engine.store.read { try $0.number("SELECT count(*) FROM pending_member_messages") } == 0)
        await scene.close()
    }
}
