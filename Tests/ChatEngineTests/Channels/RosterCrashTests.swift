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

    @Test("at any step of a roster that comes in several bodies, it has the whole roster in the end")
    func largeRoster() async throws {
        let world = TestWorld()
        let person = try await TestPerson("relay", world, isChatRelay: true)
        let scene = try await ChannelScene(["ann"], relayPerson: person, world: world)
        try await scene.owner.native.engine.transactions.transaction { transaction in
            let user = try transaction.user(), group = try transaction.conversations.group(ChannelScene.group, of: user)
            guard let own = group.membership.signingKey else { throw UnexpectedAnswer() }
            for number in 0..<255 {
                let info = MemberInfo(
                    memberID: MemberID(Bytes([UInt8(number)]) + Bytes(repeating: 7, count: 30)), role: .moderator, versions: ChatVersions.supported,
                    profile: Profile(displayName: "m\(number)", fullName: ""), key: own)
                _ = try transaction.members.add(info, category: .post, status: .announced, invitedBy: nil, in: group, of: user)
            }
        }
        let ann = try await scene.member("ann", at: "owner")
        var step = 0, changes: Int64 = 0
        var wasKilled = true
        while wasKilled {
            let role = changes % 2 == 0 ? GroupMemberRole.member : .moderator
            let restarting = person.killAndRestart(afterSteps: step)
            _ = try await scene.owner.run("/_member role #1 \(ann.groupMemberID) \(role.code)")
            changes += 1
            await scene.eventually("ann is \(role.code), step \(step)", at: "ann") { try await scene.info(at: "ann").membership.role == role }
            wasKilled = try await person.crash.settle(restarting)
            let version = changes
            try await TestSupport.eventually("the relay has version \(version), step \(step)") {
                try await person.core.native.engine.store.read {
                    guard let stored = try $0.rosters.stored(of: ChannelScene.group) else { return false }
                    return try stored.version.rawValue == version && RosterList(wireBytes: stored.list).members.count == 256
                }
            }
            step += 4
        }
        #expect(step > 10)
        #expect(try await person.core.native.engine.store.read { try $0.number("SELECT count(*) FROM roster_transfers") } == 0)
        await scene.close()
        await person.core.close()
    }
}

/// Promotes a subscriber again and again and ends the owner at the steps of it.
@Suite("An owner that is killed while it promotes somebody")
struct PromotionCrashTests {
    /// Every so manieth step is tried, to save time; with 1 all are.
    private static let stepSize = 3

    @Test("at any step, everybody knows the role and the roster that the owner knows, and the promotion can be given again")
    func promotions() async throws {
        let world = TestWorld()
        let person = try await TestPerson("owner", world)
        let scene = try await ChannelScene(["ann", "bob"], ownerPerson: person, world: world)
        let ann = try await scene.member("ann", at: "owner")
        var step = 0, roles: [GroupMemberRole] = [.member, .moderator]
        var wasKilled = true
        while wasKilled {
            let role = roles[0]
            roles.swapAt(0, 1)
            let restarting = person.killAndRestart(afterSteps: step)
            let command = "/_member role #1 \(ann.groupMemberID) \(role.code)"
            // The process may end before it answers: the person sees the role then, and gives the command again.
            _ = try? await scene.owner.run(command)
            wasKilled = try await person.crash.settle(restarting)
            if try await scene.member("ann", at: "owner").role != role { _ = try await scene.owner.run(command) }
            for name in ["ann", "bob", "relay"] {
                await scene.eventually("\(name) knows that ann is \(role.code), step \(step)", at: name) {
                    let group = try await scene.info(at: name), owners = try await scene.info(at: "owner")
                    let known = name == "ann" ? group.membership : await scene.members(at: name).first { $0.memberID == ann.memberID }
                    return known?.role == role && group.rosterVersion == owners.rosterVersion && group.rosterVersion != nil
                }
            }
            try await scene.post("post \(step)", as: "ann", asGroup: false)
            await scene.expect("post \(step)", at: "bob")
            step += Self.stepSize
        }
        #expect(step > 5)
        // No version was given twice: the relay has what the owner has signed last.
        let (owners, relays) = (
            try await scene.info(at: "owner").rosterVersion,
            try await scene["relay"].native.engine.store.read { try $0.rosters.storedVersion(of: ChannelScene.group) }
        )
        #expect(owners == relays)
        await scene.close()
    }
}
