import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Members who want to write directly: whose invitations are taken, and what becomes of a contact that is there already.
@Suite struct MemberContactInvitationTests {
    private static let link = "simplex:/invitation#/?v=2-7&smp=x&b"

    private func scene(
        allows: Bool = true, accepts: Bool = false
    ) async throws -> (RuleScene, bob: GroupMemberID) {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(as: .member, with: ["bob": .member]) { if allows { $0.set(.directMessages, .on) } }
        if accepts { try await scene.run { try $0.db.users.updateAutoAcceptMemberContacts(user: MemoryStore.user, enabled: true) } }
        return (scene, try #require(members["bob"]))
    }

    private func invitation(_ link: String = link, _ text: String? = nil) -> ChatMessageEvent {
        .groupDirectInvitation(connectionRequest: link, content: text.map { .text($0) }, scope: nil)
    }

    private func contact(of member: GroupMemberID, in scene: RuleScene) async throws -> Contact? {
        try await scene.run { transaction in
            guard let id = try transaction.db.members.find(member)?.contactID else { return nil }
            return try transaction.db.contacts.find(id, of: try transaction.user())
        }
    }

    @Test func anInvitationMakesAContactThatIsNotConnectedUntilItIsAccepted() async throws {
        let (scene, bob) = try await scene()
        let told = try await scene.receive([invitation(Self.link, "between us")], from: .member(bob))
        #expect(told.events.types.contains("newMemberContactReceivedInv"))
        let contact = try #require(try await contact(of: bob, in: scene))
        #expect(contact.groupDirectInvitation?.link == Self.link && contact.groupDirectInvitation?.startedConnection == false)
        #expect(contact.activeConnection == nil && contact.localDisplayName == "bob")
        #expect(try await scene.texts(in: .direct(contact.contactID)) == ["between us"])
        #expect(try await scene.refusal { try $0.send(ComposedMessage(content: .text("x")), to: .direct(contact.contactID)) } == "contactNotReady")
        // The name is one, of the member and the contact together.
        #expect(try await scene.count("display_names WHERE base = 'bob'") == 1)
        try await scene.close()
    }

    @Test func whoAcceptsMembersByItselfJoinsAtOnce() async throws {
        let (scene, bob) = try await scene(accepts: true)
        try await scene.receive([invitation()], from: .member(bob))
        #expect(try await contact(of: bob, in: scene)?.groupDirectInvitation?.startedConnection == true)
        #expect(try await scene.count("agent_work") == 1)
        try await scene.close()
    }

    @Test func invitationsAreRefusedWhereTheGroupForbidsThemAndFromThoseWhoAreBlocked() async throws {
        let (closed, bob) = try await scene(allows: false)
        #expect(try await closed.receive([invitation()], from: .member(bob)).events.messageErrors == ["x.grp.direct.inv: direct messages not allowed"])
        #expect(try await contact(of: bob, in: closed) == nil)
        try await closed.close()
        for isBlockedHere in [true, false] {
            let (scene, bob) = try await scene()
            try await scene.run { transaction in
                if isBlockedHere {
                    try transaction.db.members.update(bob, showsMessages: false)
                } else {
                    try transaction.db.members.update(bob, isBlocked: true, at: transaction.now)
                }
            }
            #expect(try await scene.receive([invitation()], from: .member(bob)).events.messageErrors == ["x.grp.direct.inv: member is blocked (ignoring)"])
            #expect(try await contact(of: bob, in: scene) == nil)
            try await scene.close()
        }
    }

    @Test func anInvitationThatIsRepeatedIsOneContactWithTheLastLink() async throws {
        let (scene, bob) = try await scene()
        let links = ["a", "b", "c"].map { Self.link + $0 }
        for link in links { try await scene.receive([invitation(link)], from: .member(bob)) }
        #expect(try await contact(of: bob, in: scene)?.groupDirectInvitation?.link == links[2])
        #expect(try await scene.count("contacts WHERE is_user = 0") == 1)
        try await scene.close()
    }

    @Test(arguments: ["a", "z"])
    func ofTwoWhoInviteEachOtherTheOneWithTheSmallerLinkJoins(_ own: String) async throws {
        let (scene, bob) = try await scene()
        let contactID = try await scene.run { transaction in
            let user = try transaction.user(), group = try transaction.conversations.group(RuleScene.group, of: user)
            let contact = try transaction.memberContacts.add(
                try transaction.conversations.member(bob, in: group), connection: [99], link: Self.link + own, in: group, of: user)
            _ = try transaction.memberContacts.invite(contact.contactID, message: nil)
            return contact.contactID
        }
        #expect(try await scene.refusal { try $0.memberContacts.invite(contactID, message: nil) } == "x.grp.direct.inv already sent")
        try await scene.receive([invitation(Self.link + "m")], from: .member(bob))
        let contact = try #require(try await contact(of: bob, in: scene))
        #expect(contact.contactID == contactID)
        if own == "a" {
            #expect(contact.groupDirectInvitation?.link == Self.link + "m" && contact.activeConnection == nil, "the own invitation gives way")
            #expect(contact.contactGroupMemberID == nil && !contact.contactGroupInvitationSent, "the contact is not invited any more")
        } else {
            #expect(contact.groupDirectInvitation == nil && contact.activeConnection != nil, "the other side joins")
        }
        try await scene.close()
    }

    @Test(arguments: [true, false])
    func inAGroupUnderARandomProfileTheContactKnowsThatOneToo(invites: Bool) async throws {
        let (scene, bob) = try await scene()
        let random = try await scene.run { transaction in
            let user = try transaction.user(), profile = RandomProfile.make(transaction.random)
            let random = try transaction.db.profiles.insert(profile, user: user.userID, incognito: true, at: transaction.now)
            let own = try transaction.conversations.group(RuleScene.group, of: user).membership.groupMemberID
            try transaction.db.members.update(own, incognitoProfile: random, name: profile.displayName)
            return random
        }
        if !invites { try await scene.receive([invitation()], from: .member(bob)) }
        let known = try await contact(of: bob, in: scene)
        try await scene.run { transaction in
            let user = try transaction.user(), group = try transaction.conversations.group(RuleScene.group, of: user)
            if invites {
                _ = try transaction.memberContacts.add(
                    try transaction.conversations.member(bob, in: group), connection: [99], link: Self.link, in: group, of: user)
            } else {
                try transaction.memberContacts.insertConnection([99], with: try #require(known), of: user)
            }
        }
        #expect(try await contact(of: bob, in: scene)?.activeConnection?.customUserProfileID == random)
        try await scene.close()
    }

    @Test func whoIsNoMemberContactIsNotInvited() async throws {
        let (scene, _) = try await scene()
        let cath = try await scene.addContact("cath")
        #expect(try await scene.refusal { try $0.memberContacts.invite(cath, message: nil) } == "memberContactGroupMemberNotFound")
        #expect(try await scene.refusal { try $0.memberContacts.invite(99, message: nil) } == "contactNotFound")
        try await scene.close()
    }
}
