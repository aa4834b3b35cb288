import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Members who leave or are removed, and what becomes of their messages, their connections and their rows.
@Suite struct LeavingTests {
    private static let group = ChatReference.group(RuleScene.group)

    private func scene(
        as role: GroupMemberRole = .owner, _ preferences: @escaping @Sendable (inout GroupPreferences) -> Void = { _ in }
    ) async throws -> (RuleScene, bob: GroupMemberID, cath: GroupMemberID, admin: GroupMemberID) {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(as: role, with: ["bob": .member, "cath": .member, "admin": .admin], preferences)
        let ids = try ["bob", "cath", "admin"].map { name in try #require(members[name]) }
        return (scene, ids[0], ids[1], ids[2])
    }

    private func text(_ text: String) -> ChatMessageEvent { .newMessage(MessageContainer(content: .text(text))) }

    private func identifier(_ id: GroupMemberID, in scene: RuleScene) async throws -> MemberID {
        try await scene.run { try #require(try $0.db.members.memberIdentifier(id)) }
    }

    @Test func whoLeavesTellsAllWhoAreInOrWaitAndEndsItsConnectionsAfterThat() async throws {
        let (scene, bob, cath, _) = try await scene(as: .member)
        try await scene.run { transaction in
            try transaction.db.members.update(bob, status: .pendingReview, at: transaction.now)
            try transaction.db.members.update(cath, status: .removed, at: transaction.now)
        }
        let (response, effects) = try await scene.memory.run { try $0.groups.leave(RuleScene.group) }
        guard case .leftMemberUser(_, let group) = response else { throw UnexpectedAnswer() }
        #expect(group.membership.status == .left)
        let (connections, last) = effects.ended
        #expect(connections == 3 && last.filter { $0 == .leaveGroup }.count == 2, "the removed one is told nothing")
        #expect(try await scene.count("connections") == 0)
        for command: @Sendable (ChatTransaction) throws -> ChatResponse in [
            { try $0.sentMessages.delete([], of: Self.group, .broadcast) },
            { try $0.sentMessages.send([Composition(ComposedMessage(content: .text("x")))], to: Self.group, isLive: false, ttl: nil, of: try $0.user()) },
        ] { #expect(try await scene.refusal(command) == "not current member") }
        #expect(try await scene.group().membership.status == .left)
        try await scene.close()
    }

    @Test func aMemberWhoseQueueIsFullIsToldOfTheLeaveAfterWhatWaits() async throws {
        let (scene, bob, cath, _) = try await scene(as: .member)
        try await scene.fillQueue(of: bob)
        try await scene.run { transaction in
            let record = try #require(try transaction.db.connections.connections(ofMember: cath).last)
            try transaction.db.connections.update(record.id, status: .accepted, at: transaction.now)
        }
        try await scene.send("bye", to: Self.group)
        let effects = try await scene.memory.run { try $0.groups.leave(RuleScene.group) }.1
        let (connections, last) = effects.ended
        #expect(connections == 3)
        #expect(last.map { $0 == .leaveGroup } == [false, true, false, true], "the administrator and Bob have both, in order")
        #expect(try await scene.count("pending_member_messages") == 0, "nothing is kept for a connection that ends before it is made")
        try await scene.close()
    }

    @Test func whoIsRemovedByAnAdministratorIsOutAndItsChatStays() async throws {
        let (scene, bob, _, admin) = try await scene(as: .member)
        try await scene.send("mine", to: Self.group)
        let own = try await scene.group().membership.memberID
        let refused = try await scene.receive([.removeMember(memberID: own, withMessages: true)], from: .member(bob))
        #expect(refused.events.messageErrors == ["x.grp.mem.del with insufficient member permissions"])
        let told = try await scene.receive([.removeMember(memberID: own, withMessages: false)], from: .member(admin))
        #expect(told.events.types == ["newChatItems", "deletedMemberUser"])
        #expect(try await scene.group().membership.status == .removed)
        #expect(try await scene.texts(in: Self.group) == ["mine"])
        #expect(try await scene.messages(in: Self.group).allSatisfy { $0.meta.deleted == nil })
        #expect(try await scene.count("connections") == 0)
        #expect(try await scene.refusal { try $0.send(ComposedMessage(content: .text("x")), to: Self.group) } == "not current member")
        try await scene.close()
    }

    @Test(arguments: [true, false])
    func whoIsRemovedWithItsMessagesLosesThoseAndNobodyElseDoes(_ removes: Bool) async throws {
        let (scene, bob, cath, admin) = try await scene(as: .member) { if removes { $0.set(.fullDelete, .on) } }
        for (id, text) in [(bob, "bob's"), (cath, "cath's")] { try await scene.receive([self.text(text)], from: .member(id)) }
        try await scene.send("own", to: Self.group)
        let bobID = try await identifier(bob, in: scene)
        let told = try await scene.receive([.removeMember(memberID: bobID, withMessages: true)], from: .member(admin))
        #expect(told.events.types == ["newChatItems", "deletedMember"])
        let items = try await scene.messages(in: Self.group)
        #expect(items.map(\.meta.text) == (removes ? ["cath's", "own"] : ["bob's", "cath's", "own"]))
        #expect(items.map { $0.meta.deleted != nil } == (removes ? [false, false] : [true, false, false]))
        #expect(try await scene.count("chat_items WHERE content_kind = 'rcvModerated'") == (removes ? 1 : 0))
        #expect(try await scene.count("chat_items WHERE content_json LIKE '%bob''s%'") == (removes ? 0 : 1))
        #expect(try await scene.member(bob).status == .removed)
        // Once more, it is told but not shown again.
        let again = try await scene.receive([.removeMember(memberID: bobID, withMessages: true)], from: .member(admin))
        #expect(!again.events.types.contains("newChatItems"))
        try await scene.close()
    }

    @Test func aMemberWhoIsRemovedHereIsToldBeforeItsConnectionEndsAndItsRowGoesIfNothingNamesIt() async throws {
        let (scene, bob, cath, _) = try await scene()
        try await scene.receive([text("cath's")], from: .member(cath))
        for (id, stays) in [(bob, false), (cath, true)] {
            let member = try await identifier(id, in: scene)
            let (response, effects) = try await scene.memory.run { try $0.members.remove([id], from: RuleScene.group, withMessages: false) }
            guard case .userDeletedMembers(_, _, let removed, false, _) = response else { throw UnexpectedAnswer() }
            #expect(removed.map(\.status) == [.removed])
            #expect(effects.ended.connections == 1 && effects.ended.last.last == .removeMember(memberID: member, withMessages: false))
            #expect(effects.sent.filter { $0 == .removeMember(memberID: member, withMessages: false) }.count >= 1, "the others are told, too")
            #expect(try await scene.count("group_members WHERE group_member_id = \(id)") == (stays ? 1 : 0))
        }
        // The author of a message goes with the message.
        _ = try await scene.run { try $0.chats.clear(Self.group) }
        #expect(try await scene.count("group_members WHERE group_member_id = \(cath)") == 0)
        #expect(try await scene.count("display_names WHERE base = 'cath'") == 0)
        try await scene.close()
    }

    @Test func aMemberWhoWasOnlyInvitedIsForgottenWithoutAWord() async throws {
        let (scene, bob, _, _) = try await scene()
        try await scene.run { try $0.db.members.update(bob, status: .invited, at: $0.now) }
        let effects = try await scene.memory.run { try $0.members.remove([bob], from: RuleScene.group, withMessages: false) }.1
        #expect(effects.sent.isEmpty && effects.ended == (1, []))
        #expect(try await scene.count("group_members WHERE group_member_id = \(bob)") == 0)
        try await scene.close()
    }

    @Test func theNumberOfMembersFollowsWhoComesAndGoes() async throws {
        let (scene, bob, cath, admin) = try await scene()
        func members() async throws -> Int64 { try await scene.group().groupSummary.currentMembers }
        #expect(try await members() == 4)
        try await scene.receive([.leaveGroup], from: .member(bob))
        #expect(try await members() == 3)
        let cathID = try await identifier(cath, in: scene)
        try await scene.receive([.removeMember(memberID: cathID, withMessages: false)], from: .member(admin))
        #expect(try await members() == 2)
        _ = try await scene.run { try $0.members.remove([admin], from: RuleScene.group, withMessages: false) }
        #expect(try await members() == 1)
        try await scene.close()
    }

    @Test func anOwnerWhoDeletesTheGroupTellsThoseWhoAreInAndNothingIsLeft() async throws {
        let (scene, bob, _, _) = try await scene()
        try await scene.run { try $0.db.members.update(bob, status: .left, at: $0.now) }
        try await scene.receive([text("words")], from: .member(bob))
        let (response, effects) = try await scene.memory.run { try $0.groups.delete(RuleScene.group) }
        guard case .groupDeletedUser(_, let group, false) = response else { throw UnexpectedAnswer() }
        #expect(group.groupID == RuleScene.group)
        #expect(effects.ended.connections == 3 && effects.ended.last == [.deleteGroup, .deleteGroup])
        for table in [
            "groups", "group_members", "connections", "chat_items", "received_group_messages", "group_item_statuses", "display_names WHERE base <> 'alice'",
        ] {
            #expect(try await scene.count(table) == 0, "\(table)")
        }
        #expect(try await scene.count("profiles") == 1)
        #expect(try await scene.refusal { try $0.groups.delete(RuleScene.group) } == "groupNotFound")
        try await scene.close()
    }
}
