import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// What follows from messages about members and groups beside what they say: receipts, links, counts and the copies of what came before.
@Suite struct MembershipEventTests {
    private static let group = ChatReference.group(RuleScene.group)
    private static let id = SharedMessageID(Bytes(repeating: 7, count: 12))

    private func text(_ text: String) -> ChatMessageEvent { .newMessage(MessageContainer(content: .text(text))) }

    private func scene(as role: GroupMemberRole = .member) async throws -> (RuleScene, bob: GroupMemberID, admin: GroupMemberID, owner: GroupMemberID) {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(as: role, with: ["bob": .member, "admin": .admin, "owner": .owner])
        try await scene.updateApps()
        let ids = try ["bob", "admin", "owner"].map { name in try #require(members[name]) }
        return (scene, ids[0], ids[1], ids[2])
    }

    @Test func receiptsAreSentInGroupsOfUpToTwentyUnlessThePersonOrTheGroupSaysOtherwise() async throws {
        let (scene, bob, _, _) = try await scene()
        func isConfirmed() async throws -> Bool { try await scene.effects(of: text("hello"), from: .member(bob)).sendsReceipt }
        #expect(try await isConfirmed())
        try await scene.run { transaction in
            for number in 4..<MemberMessages.receiptLimit { _ = try transaction.insertConnectedMember("m\(number)", role: .member, in: RuleScene.group) }
        }
        #expect(try await scene.group().groupSummary.currentMembers == MemberMessages.receiptLimit)
        #expect(try await isConfirmed())
        _ = try await scene.run { try $0.insertConnectedMember("one more", role: .member, in: RuleScene.group) }
        #expect(try await !isConfirmed())
        try await scene.run { try $0.db.run("UPDATE group_members SET status = 'left' WHERE local_display_name = 'one more'") }
        #expect(try await isConfirmed())
        let others = try await scene.effects(of: .info(Profile(displayName: "robert", fullName: "")), from: .member(bob))
        #expect(!others.sendsReceipt, "what is no message is not confirmed")
        try await scene.run { try $0.db.run("UPDATE users SET send_receipts_groups = 0") }
        #expect(try await !isConfirmed())
        try await scene.close()
    }

    @Test func theCopyOfTheAuthorReplacesTheForwardedOneAndTheForwarderIsToldToStop() async throws {
        let (scene, bob, admin, _) = try await scene()
        let bobID = try await scene.run { try #require(try $0.db.members.memberIdentifier(bob)) }
        let forward = MessageForward(sender: .member(bobID, name: "bob"), brokerTimestamp: MemoryStore.now)
        try await scene.receive([.forwardMessage(forward, ChatMessage(messageID: Self.id, event: text("hello")))], from: .member(admin))
        #expect(try await scene.messages(in: Self.group).map(\.meta.forwardedByMember) == [admin])
        let effects = try await scene.effects(of: text("hello"), from: .member(bob), id: Self.id)
        #expect(try await scene.messages(in: Self.group).map(\.meta.forwardedByMember) == [nil])
        let told = try await scene.sent(effects).mapValues { $0.map(\.message.event) }
        #expect(told == ["admin": [.memberConnected(memberID: bobID)]])
        // The other way round, the forwarder is told as well, and nothing changes.
        let late = try await scene.effects(
            of: .forwardMessage(forward, ChatMessage(messageID: Self.id, event: text("hello"))), from: .member(admin))
        #expect(late.sent == [.memberConnected(memberID: bobID)])
        #expect(try await scene.messages(in: Self.group).map(\.meta.forwardedByMember) == [nil])
        try await scene.close()
    }

    @Test(arguments: [true, false])
    func whoIsRemovedLosesTheLinkThatItMadeAndItsMessagesIfTheyGoAlong(_ withMessages: Bool) async throws {
        let (scene, _, admin, _) = try await scene(as: .admin)
        try await scene.addLink()
        try await scene.send("mine", to: Self.group)
        let own = try await scene.group().membership.memberID
        let told = try await scene.receive([.removeMember(memberID: own, withMessages: withMessages)], from: .member(admin)).events
        #expect(told.types == ["newChatItems", "deletedMemberUser"])
        #expect(try await scene.count("group_links") == 0)
        #expect(try await scene.messages(in: Self.group).map { $0.meta.deleted != nil } == [withMessages])
        try await scene.close()
    }

    @Test func aGroupThatIsDeletedLosesItsLinkAndKeepsWhatWasSaid() async throws {
        let (scene, bob, _, owner) = try await scene(as: .admin)
        try await scene.addLink()
        try await scene.receive([text("words")], from: .member(bob))
        #expect(try await scene.receive([.deleteGroup], from: .member(bob)).events.types == ["chatError"])
        #expect(try await scene.count("group_links") == 1)
        #expect(try await scene.receive([.deleteGroup], from: .member(owner)).events.types == ["newChatItems", "groupDeleted"])
        #expect(try await scene.count("group_links") == 0)
        #expect(try await scene.texts(in: Self.group) == ["words"])
        #expect(try await scene.group().membership.status == .groupDeleted)
        try await scene.close()
    }

    @Test func aMemberWhoIsAnnouncedForReviewAsksForAttentionUntilItIsLetIn() async throws {
        let (scene, _, admin, _) = try await scene(as: .moderator)
        let id = MemberID(Bytes(repeating: 9, count: 12))
        let info = MemberInfo(memberID: id, role: .member, versions: ChatVersions.supported, profile: Profile(displayName: "ann", fullName: ""))
        try await scene.receive([.newMember(info, scope: .member(id))], from: .member(admin))
        #expect(try await scene.group().membersRequireAttention == 1)
        let ann = try await scene.run { try #require(try $0.db.members.find(id, group: RuleScene.group)) }
        #expect(ann.status == .pendingReview && ann.supportChat != nil)
        let told = try await scene.receive([.groupLinkAcceptance(.accepted, role: .observer, memberID: id)], from: .member(admin)).events
        #expect(told.types.contains("memberAcceptedByOther"))
        #expect(try await scene.group().membersRequireAttention == 0)
        let accepted = try await scene.member(ann.groupMemberID)
        #expect(accepted.status == .announced && accepted.role == .observer)
        // Once more, nobody waits.
        let again = try await scene.receive([.groupLinkAcceptance(.accepted, role: .member, memberID: id)], from: .member(admin)).events
        #expect(again.messageErrors == ["x.grp.link.acpt for a member who does not wait to be let in"])
        try await scene.close()
    }

    @Test(arguments: [true, false])
    func theLinkShowsTheProfileThatAnotherOwnerGivesTheGroup(_ hasData: Bool) async throws {
        let (scene, _, _, owner) = try await scene(as: .admin)
        try await scene.addLink(hasData: hasData)
        let renamed = GroupProfile(displayName: "crew", fullName: "")
        try await scene.receive([.groupInfo(renamed)], from: .member(owner))
        #expect(try await scene.group().groupProfile.displayName == "crew")
        #expect(try await scene.count("agent_work") == (hasData ? 1 : 0))
        try await scene.close()
    }

    @Test func aMemberWhoIsAConnectedContactIsCalledAsTheContactTellsAndKeepsItsPreferencesOtherwise() async throws {
        for isConnected in [true, false] {
            let (scene, bob, _, _) = try await scene()
            let contact = try await scene.addContact("robert")
            try await scene.run { transaction in
                try transaction.db.run("UPDATE group_members SET contact_id = ? WHERE group_member_id = ?", [contact, bob])
                let user = try transaction.user(), known = try transaction.conversations.contact(contact, of: user)
                var profile = Profile(displayName: "robert", fullName: "")
                profile.preferences = ChatPreferences(voice: SimplePreference(allow: .no))
                try transaction.db.contacts.update(known, user: user.userID, profile: profile, at: transaction.now)
                if !isConnected { try transaction.db.run("UPDATE contacts SET contact_status = 'deleted' WHERE contact_id = ?", [contact]) }
            }
            let told = try await scene.receive([.info(Profile(displayName: "bobby", fullName: ""))], from: .member(bob)).events
            #expect(told.types.contains("groupMemberUpdated") != isConnected)
            let after = try await scene.run { try $0.conversations.contact(contact, of: try $0.user()) }
            #expect(after.profile.displayName == (isConnected ? "robert" : "bobby"))
            #expect(after.profile.preferences?.voice?.allow == .no, "members are told no preferences")
            try await scene.close()
        }
    }
}
