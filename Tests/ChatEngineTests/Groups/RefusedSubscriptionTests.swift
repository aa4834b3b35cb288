import ChatAPI
import ChatRules
import SMPAgent
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// What a host tells a joiner whom it refuses, by hosts that do not keep to the rules.
@Suite("Refusals by hostile hosts")
struct RefusedSubscriptionTests {
    /// Has the only relay of a channel refuse a subscriber.
    private func refuse(_ core: TestCore, as status: GroupMemberStatus) async throws -> (before: GroupInfo, after: GroupInfo) {
        try await core.native.engine.transactions.transaction { transaction in
            let user = try transaction.user()
            let before = try transaction.conversations.group(GroupScene.group, of: user)
            try transaction.db.members.update(before.membership.groupMemberID, status: status, at: transaction.now)
            let group = try transaction.conversations.group(GroupScene.group, of: user)
            let relay = try #require(try transaction.db.members.relayMembers(of: group.groupID).first)
            var profile = group.groupProfile
            profile.displayName = "mallory's"
            let rejection = GroupLinkRejection(
                fromMember: MemberIDRole(memberID: MemberID([1]), role: .owner), invitedMember: MemberIDRole(memberID: MemberID([2]), role: .owner),
                groupProfile: profile, reason: .unknown("go away"))
            _ = try transaction.groupInvitations.completePrepared(group, host: relay, rejection, of: user)
            return (group, try transaction.conversations.group(GroupScene.group, of: user))
        }
    }

    @Test("a relay that refuses changes nothing of a channel but the membership", arguments: [GroupMemberStatus.accepted, .connected])
    func relay(status: GroupMemberStatus) async throws {
        let scene = try await ChannelScene(["ann"])
        let (before, after) = try await refuse(scene["ann"], as: status)
        #expect(after.groupProfile == before.groupProfile)
        #expect(after.membership.memberID == before.membership.memberID && after.membership.role == before.membership.role)
        // Another relay may have taken the subscriber.
        #expect(after.membership.status == (status == .connected ? .connected : .rejected))
        await scene.close()
    }
}
