import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPCrypto
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Contacts who are invited to a group: whom this profile may invite, and again, and what an invitation shows after it was answered.
@Suite struct GroupInvitationTests {
    private static let link = "simplex:/invitation#x"

    private func scene(as role: GroupMemberRole = .owner) async throws -> (RuleScene, bob: ContactID) {
        let scene = try await RuleScene()
        try await scene.addGroup(as: role)
        return (scene, try await scene.addContact("bob"))
    }

    /// Invites as the command does, without an agent.
    private func invite(_ contact: ContactID, as role: GroupMemberRole, in scene: RuleScene) async throws -> (GroupMember, isFirst: Bool) {
        try await scene.run { transaction in
            let known = try transaction.groups.repeatInvitation(of: contact, to: RuleScene.group, as: role)
            let response =
                try known ?? transaction.groups.invite(contact, to: RuleScene.group, as: role, connection: transaction.random.bytes(8), link: Self.link)
            guard case .sentGroupInvitation(_, _, _, let member) = response else { throw UnexpectedAnswer() }
            return (member, known == nil)
        }
    }

    @Test func anAdministratorInvitesUpToItsOwnRole() async throws {
        for (own, role, code) in [
            (GroupMemberRole.member, GroupMemberRole.observer, "groupUserRole"), (.moderator, .member, "groupUserRole"), (.admin, .owner, "groupUserRole"),
            (.admin, .admin, nil), (.owner, .owner, nil),
        ] as [(GroupMemberRole, GroupMemberRole, String?)] {
            let (scene, bob) = try await scene(as: own)
            #expect(try await scene.refusal { try $0.groups.repeatInvitation(of: bob, to: RuleScene.group, as: role) } == code, "\(own) invites as \(role)")
            try await scene.close()
        }
    }

    @Test func whoWouldSeeTwoProfilesIsNotInvitedNorAnybodyToAGroupThatIsJoinedUnderARandomName() async throws {
        let (scene, bob) = try await scene()
        try await scene.run { transaction in
            let random = try transaction.db.profiles.insert(
                Profile(displayName: "random", fullName: ""), user: MemoryStore.user, incognito: true, at: transaction.now)
            try transaction.db.run("UPDATE connections SET incognito_profile_id = ? WHERE contact_id = ?", [random, bob])
        }
        #expect(try await scene.refusal { try $0.groups.repeatInvitation(of: bob, to: RuleScene.group, as: .member) } == "contactIncognitoCantInvite")
        let cath = try await scene.addContact("cath")
        let group = try await scene.run { transaction in
            guard
                case .groupCreated(_, let group) = try transaction.groups.create(
                    GroupProfile(displayName: "secret", fullName: ""), incognito: true, user: MemoryStore.user)
            else { throw UnexpectedAnswer() }
            return group.groupID
        }
        #expect(try await scene.refusal { try $0.groups.repeatInvitation(of: cath, to: group, as: .member) } == "groupIncognitoCantInvite")
        try await scene.close()
    }

    @Test func aContactIsInvitedOnceMoreUnderTheSameLinkAndPerhapsAnotherRoleUntilItIsIn() async throws {
        let (scene, bob) = try await scene()
        let (first, isFirst) = try await invite(bob, as: .member, in: scene)
        #expect(isFirst && first.status == .invited && first.role == .member)
        let (second, isAgain) = try await invite(bob, as: .admin, in: scene)
        #expect(!isAgain && second.groupMemberID == first.groupMemberID && second.role == .admin)
        #expect(try await scene.member(first.groupMemberID).role == .admin)
        #expect(try await scene.count("group_members WHERE category <> 'user'") == 1)
        #expect(try await scene.count("chat_items WHERE content_kind = 'sndGroupInvitation'") == 2, "the contact gets it twice, and so it is shown")
        try await scene.run { try $0.db.members.update(first.groupMemberID, status: .connected, at: $0.now) }
        #expect(try await scene.refusal { try $0.groups.repeatInvitation(of: bob, to: RuleScene.group, as: .member) } == "groupDuplicateMember")
        #expect(try await scene.member(first.groupMemberID).role == .admin)
        try await scene.close()
    }

    @Test(arguments: [GroupMemberStatus.left, .removed, .rejected])
    func whoIsOutIsInvitedAsANewMember(_ status: GroupMemberStatus) async throws {
        let (scene, bob) = try await scene()
        let (first, _) = try await invite(bob, as: .admin, in: scene)
        try await scene.run { try $0.db.members.update(first.groupMemberID, status: status, at: $0.now) }
        let (second, isFirst) = try await invite(bob, as: .member, in: scene)
        #expect(isFirst && second.groupMemberID != first.groupMemberID && second.memberID != first.memberID)
        #expect(try await scene.member(first.groupMemberID).role == .admin, "what it was stays as it was")
        try await scene.close()
    }

    @Test func aRoleThatIsGivenToOneWhoIsInvitedIsSentAsAnotherInvitation() async throws {
        let (scene, bob) = try await scene()
        let (member, _) = try await invite(bob, as: .member, in: scene)
        for (role, count) in [(GroupMemberRole.observer, 1), (.observer, 0)] {
            let effects = try await scene.memory.run { try $0.members.setRole(role, of: [member.groupMemberID], in: RuleScene.group) }.1
            let roles = effects.sent.compactMap { if case .groupInvitation(let invitation) = $0 { invitation.invitedMember.role } else { nil } }
            #expect(roles == Array(repeating: role, count: count) && effects.sent.count == count, "the role that a member has is no news")
        }
        // Without the contact there is nobody to tell.
        try await scene.run { try $0.db.run("UPDATE group_members SET contact_id = NULL WHERE group_member_id = ?", [member.groupMemberID]) }
        let effects = try await scene.memory.run { try $0.members.setRole(.admin, of: [member.groupMemberID], in: RuleScene.group) }.1
        #expect(effects.sent.isEmpty && effects.events.types == ["chatErrors"])
        #expect(try await scene.member(member.groupMemberID).role == .observer)
        try await scene.close()
    }

    // MARK: As the one who is invited

    private func invited() async throws -> (RuleScene, bob: ContactID) {
        let scene = try await RuleScene()
        let bob = try await scene.addContact("bob")
        let invitation = GroupInvitation(
            fromMember: MemberIDRole(memberID: MemberID([1]), role: .owner), invitedMember: MemberIDRole(memberID: MemberID([2]), role: .member),
            connectionRequest: Self.link, groupProfile: GroupProfile(displayName: "team", fullName: ""))
        try await scene.receive([.groupInvitation(invitation)], from: .contact(bob))
        return (scene, bob)
    }

    private func shown(in scene: RuleScene, _ bob: ContactID) async throws -> [GroupInvitationStatus] {
        try await scene.run { transaction in
            guard case .apiChat(_, let chat, _) = try transaction.chats.page(of: .direct(bob), content: nil, .last(100), search: nil) else {
                throw UnexpectedAnswer()
            }
            return chat.chatItems.compactMap { if case .receivedGroupInvitation(let invitation, _) = $0.content { invitation.status } else { nil } }
        }
    }

    @Test func anInvitationIsJoinedOnce() async throws {
        let (scene, bob) = try await invited()
        #expect(try await shown(in: scene, bob) == [.pending])
        #expect(try await scene.refusal { try $0.groups.invitation(to: RuleScene.group, of: try $0.user()) } == nil)
        for status in [GroupMemberStatus.accepted, .connected, .left, .removed] {
            try await scene.run { transaction in
                let own = try transaction.conversations.group(RuleScene.group, of: try transaction.user()).membership.groupMemberID
                try transaction.db.members.update(own, status: status, at: transaction.now)
            }
            #expect(try await scene.refusal { try $0.groups.invitation(to: RuleScene.group, of: try $0.user()) } == "groupAlreadyJoined", "\(status.rawValue)")
        }
        try await scene.close()
    }

    @Test func anInvitationThatComesAgainAfterJoiningChangesNothingOfTheMembership() async throws {
        let (scene, bob) = try await invited()
        try await scene.run { transaction in
            let own = try transaction.conversations.group(RuleScene.group, of: try transaction.user()).membership.groupMemberID
            try transaction.db.members.update(own, status: .connected, at: transaction.now)
        }
        let again = GroupInvitation(
            fromMember: MemberIDRole(memberID: MemberID([1]), role: .owner), invitedMember: MemberIDRole(memberID: MemberID([3]), role: .admin),
            connectionRequest: Self.link, groupProfile: GroupProfile(displayName: "crew", fullName: ""))
        try await scene.receive([.groupInvitation(again)], from: .contact(bob))
        let group = try await scene.group()
        #expect(group.membership.memberID == MemberID([2]) && group.membership.role == .member && group.membership.status == .connected)
        #expect(group.groupProfile.displayName == "team")
        try await scene.close()
    }

    @Test func whoDeletesTheGroupRejectsItsInvitationUnlessItWasAccepted() async throws {
        for isAccepted in [false, true] {
            let (scene, bob) = try await invited()
            if isAccepted {
                try await scene.run { transaction in
                    let user = try transaction.user()
                    let group = try transaction.conversations.group(RuleScene.group, of: user)
                    try transaction.groupInvitations.update(to: group, .accepted, of: user)
                    try transaction.db.members.update(group.membership.groupMemberID, status: .left, at: transaction.now)
                }
                #expect(try await shown(in: scene, bob) == [.accepted])
            }
            let effects = try await scene.memory.run { try $0.groups.delete(RuleScene.group) }.1
            #expect(try await shown(in: scene, bob) == [isAccepted ? .accepted : .rejected])
            #expect(effects.events.types == (isAccepted ? [] : ["chatItemUpdated"]) && effects.sent.isEmpty)
            #expect(try await scene.count("group_members") == 0)
            try await scene.close()
        }
    }

    @Test func anInvitationToAChannelOrFromOneWhoNamesItselfIsNone() async throws {
        let (scene, bob) = try await scene()
        let published = PublicGroupProfile(groupType: .channel, groupLink: "https://x", publicGroupID: Base64URLBytes([1]))
        let channel = GroupInvitation(
            fromMember: MemberIDRole(memberID: MemberID([1]), role: .owner), invitedMember: MemberIDRole(memberID: MemberID([2]), role: .member),
            connectionRequest: Self.link, groupProfile: GroupProfile(displayName: "news", fullName: "", publicGroup: published))
        #expect(try await scene.receive([.groupInvitation(channel)], from: .contact(bob)).events.messageErrors == ["x.grp.inv: can't invite to channel"])
        #expect(try await scene.count("groups") == 1)
        try await scene.close()
    }

    @Test func aGroupOfMembersIsMadeWithoutTheIdentityOfAChannel() async throws {
        let (scene, _) = try await scene()
        let published = PublicGroupProfile(groupType: .channel, groupLink: "https://x", publicGroupID: Base64URLBytes([1]))
        let profile = GroupProfile(displayName: "news", fullName: "", publicGroup: published)
        let code = try await scene.refusal { try $0.groups.create(profile, incognito: false, user: MemoryStore.user) }
        #expect(code == "a group without relays cannot be public: use /_public group")
        #expect(try await scene.count("groups") == 1)
        try await scene.close()
    }
}
