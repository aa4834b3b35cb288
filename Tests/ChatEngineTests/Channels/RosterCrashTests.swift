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

/// Changes a roster again and again and ends the relay at the steps of it: before and after every transaction and every command to a router.
@Suite("A relay that is killed while the roster changes")
struct RosterCrashTests {
    /// Every so manieth step is tried, to save time; with 1 all are.
    private static let stepSize = 7

    @Test("at any step, it has the roster in the end, and subscribers know each change and read each post")
    func changes() async throws {
        let world = TestWorld()
        let person = try await TestPerson("relay", world, isChatRelay: true)
        let scene = try await ChannelScene(["ann", "bob"], relayPerson: person, world: world)
        let ann = try await scene.member("ann", at: "owner")
        var step = 0, changes: Int64 = 0
        var wasKilled = true
        while wasKilled {
            let role = changes % 2 == 0 ? GroupMemberRole.member : .moderator
            let restarting = person.killAndRestart(afterSteps: step)
            _ = try await scene.owner.run("/_member role #1 \(ann.groupMemberID) \(role.code)")
            changes += 1
            await scene.eventually("ann is \(role.code), step \(step)", at: "ann") { try await scene.info(at: "ann").membership.role == role }
            try await scene.post("post \(step)", as: "ann", asGroup: false)
            await scene.expect("post \(step)", at: "bob")
            wasKilled = try await person.crash.settle(restarting)
            let known = try #require(await scene.members(at: "bob").first { $0.memberID == ann.memberID })
            #expect(known.role == role && known.signingKey == ann.signingKey && known.profile.displayName == "ann", "step \(step)")
            let version = changes
            try await TestSupport.eventually("the relay has version \(version)") {
                try await person.core.native.engine.store.read { try $0.rosters.storedVersion(of: ChannelScene.group)?.rawValue } == version
            }
            step += Self.stepSize
        }
        #expect(step > 10)
        #expect(await scene.texts(at: "bob") == stride(from: 0, to: step, by: Self.stepSize).map { "post \($0)" })
        #expect(scene["bob"].events.count { if case .unknownMemberAnnounced = $0 { true } else { false } } == 1)
        #expect(try await person.core.native.engine.store.read { try $0.number("SELECT count(*) FROM roster_transfers") } == 0)
        await scene.close()
        await person.core.close()
    }
}
