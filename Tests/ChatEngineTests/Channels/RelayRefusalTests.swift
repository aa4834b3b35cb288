import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPClient
import SMPProtocol
import SMPSimulation
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Invitations that relays refuse: what they leave behind at both sides.
@Suite("Refused invitations to relay")
struct RelayRefusalTests {
    /// A channel that fills its relay.
    private func fullRelay(_ names: [String] = []) async throws -> ChannelScene {
        var policy = RelayPolicy()
        policy.maximumChannels = 1
        return try await ChannelScene(names, policy: policy)
    }

    /// Makes a second channel, whose invitation the relay refuses.
    private func inviteAgain(in scene: ChannelScene) async throws -> GroupID {
        guard case .publicGroupCreated(_, let group, _, _) = try await scene.owner.run("/_public group 1 1 {\"displayName\":\"more\",\"fullName\":\"\"}")
        else { throw UnexpectedAnswer() }
        return group.groupID
    }

    private func relayStatuses(of group: GroupID, in scene: ChannelScene) async throws -> [RelayStatus] {
        guard case .groupRelays(_, _, let relays) = try await scene.owner.run("/_get relays #\(group)") else { throw UnexpectedAnswer() }
        return relays.map(\.status)
    }

    private func memberConnections(at core: TestCore, of group: GroupID) async throws -> Int64? {
        try await core.native.engine.store.read { db in
            try db.number("SELECT count(*) FROM connections cn JOIN group_members m USING (group_member_id) WHERE m.group_id = ?", [group])
        }
    }

    private func prune(_ core: TestCore, days: Int64) async throws {
        let engine = core.native.engine
        try await engine.transactions.prune(RetentionPeriods(engine.configuration), at: engine.transactions.clock.steady.adding(seconds: days * 86_400))
        try await TestSupport.eventually("nothing is left to do") { try await engine.store.read { try $0.jobs.waiting().isEmpty } }
    }

    @Test("a relay keeps the connection of a refusal that the owner does not take for a day")
    func untaken() async throws {
        let scene = try await fullRelay(), relay = scene["relay"]
        // The owner cannot secure the queue of the relay, and so does not answer.
        scene.owner.network.setFault { request, _ in if case .skey = request.command { .lostRequest } else { nil } }
        _ = try await inviteAgain(in: scene)
        try await TestSupport.eventually("the relay has refused") {
            try await relay.native.engine.store.read { try $0.groups.openRefusals(user: 1, limit: 10) } == 1
        }
        try await prune(relay, days: 0)
        #expect(try await memberConnections(at: relay, of: 2) == 1)
        try await prune(relay, days: 2)
        #expect(try await memberConnections(at: relay, of: 2) == 0)
        #expect(try await relay.native.engine.store.read { try $0.groups.openRefusals(user: 1, limit: 10) } == 0)
        scene.owner.network.setFault { _, _ in nil }
        await scene.close()
    }

    @Test("a relay answers no invitation while a hundred owners have not taken the answer, and keeps the records of the newest thousand")
    func tooMany() async throws {
        let scene = try await fullRelay(), relay = scene["relay"]
        try await relay.native.engine.transactions.transaction { transaction in
            let db = transaction.db, user = try transaction.user()
            for number in 1...RelayInvitationRules.keptRefusals {
                let group = try db.groups.insert(
                    NewGroupRecord(profile: GroupProfile(displayName: "request \(number)", fullName: "")), user: user.userID, at: transaction.now)
                try db.groups.update(group, usesRelays: true, ownStatus: .rejected, publicMemberCount: nil)
                try db.groups.update(group, relayRequestError: RelayRefusal.full.rawValue)
                let owner = try db.members.insert(
                    NewMemberRecord(
                        groupID: group, memberID: MemberID([1, UInt8(number % 256)]), role: .owner, category: .host, status: .accepted,
                        profile: Profile(displayName: "mallory \(number)", fullName: ""), versions: ChatVersionRange(ChatVersions.supported)),
                    user: user.userID, at: transaction.now)
                try transaction.members.insertMembership(
                    group, memberID: MemberID([2, UInt8(number % 256)]), role: .relay, status: .accepted, host: owner, of: user)
                guard number <= RelayInvitationRules.openRefusals else { continue }
                let member = try #require(try db.members.find(owner))
                try transaction.members.insertConnection(Bytes([1, UInt8(number)]), with: member, status: .new, user: user)
            }
            #expect(try transaction.relayRequests.hasTooManyOpenRefusals(of: user))
        }
        let refused = try await inviteAgain(in: scene), oldest = GroupID(2), newest = GroupID(Int64(RelayInvitationRules.keptRefusals) + 2)
        try await TestSupport.eventually("the relay has given the invitation up") {
            try await relay.native.engine.store.read { try $0.groups.find(newest, user: 1)?.relayOwnStatus == .rejected }
        }
        #expect(try await memberConnections(at: relay, of: newest) == 0)
        #expect(try await relayStatuses(of: refused, in: scene) == [.invited])
        #expect(try await relay.native.engine.store.read { try $0.groups.find(oldest, user: 1) } == nil)
        #expect(try await relay.native.engine.store.read { try $0.groups.find(GroupID(3), user: 1) } != nil)
        // The place of the oldest one is free.
        #expect(try await relay.native.engine.store.read { try $0.groups.openRefusals(user: 1, limit: 200) } == RelayInvitationRules.openRefusals - 1)
        await scene.close()
    }

    @Test("an owner keeps the connection with a relay that has refused for a day")
    func ownersSide() async throws {
        let scene = try await fullRelay(), refused = try await inviteAgain(in: scene)
        await scene.eventually("the relay has refused", at: "owner") { try await relayStatuses(of: refused, in: scene) == [.rejected] }
        try await prune(scene.owner, days: 2)
        #expect(try await memberConnections(at: scene.owner, of: refused) == 0)
        #expect(try await relayStatuses(of: refused, in: scene) == [.rejected])
        await scene.close()
    }

    @Test("a relay that has refused a channel does not serve it by connecting all the same")
    func connects() async throws {
        let scene = try await fullRelay(), relay = scene["relay"]
        // A changed program: it refuses, and forgets that at once.
        try await relay.native.engine.store.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER changed AFTER UPDATE OF relay_own_status ON groups WHEN NEW.relay_own_status = 'rejected'
                    BEGIN UPDATE groups SET relay_own_status = 'accepted', relay_request_error = NULL WHERE group_id = NEW.group_id; END
                    """)
        }
        let refused = try await inviteAgain(in: scene)
        await scene.eventually("the owner knows, and has ended the connection", at: "owner") {
            let statuses = try await relayStatuses(of: refused, in: scene)
            let connections = try await memberConnections(at: scene.owner, of: refused)
            return statuses == [.rejected] && connections == 0
        }
        guard case .groupMembers(_, let group) = try await scene.owner.run("/_members #\(refused)") else { throw UnexpectedAnswer() }
        #expect(group.members.filter { $0.role == .relay }.map(\.status) == [.left])
        await scene.close()
    }

    @Test("a subscriber that a drained relay serves may connect anew, with a proof of its key")
    func readmitted() async throws {
        let scene = try await ChannelScene(["ann"]), ann = scene["ann"].native.engine
        try await scene["relay"].native.engine.store.write { try $0.relayUsage.setDrained(true) }
        let before = try #require(try await scene.member("relay", at: "ann").activeConnection).connectionID
        try await ann.transactions.transaction { transaction in
            let relay = try #require(try transaction.db.members.relayMembers(of: ChannelScene.group).first)
            try transaction.members.deleteConnections(of: [relay], afterDelivery: false, keepsRows: false, user: try transaction.user())
            try transaction.enqueue(.channel(.joinRelay(member: relay.groupMemberID)), user: try transaction.user())
        }
        await scene.eventually("ann is connected again", at: "ann") {
            let connection = try await scene.member("relay", at: "ann").activeConnection
            return connection?.status == .ready && connection?.connectionID != before
        }
        try await scene.post("after")
        await scene.expect("after", at: "ann")
        #expect(await scene.members(at: "relay").map(\.localDisplayName).sorted() == ["ann", "owner"])
        await scene.close()
    }
}
