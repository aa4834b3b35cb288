import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// What commands about members tell, and whom: those whom it concerns, and nobody of what is not new.
@Suite struct MemberCommandTests {
    private static let main = ChatReference.group(RuleScene.group)

    private struct Team {
        let scene: RuleScene
        let members: [String: GroupMemberID]

        /// A group with members of all kinds, and of them some who wait or are out.
        init(_ statuses: [String: GroupMemberStatus] = [:], review: Bool = false) async throws {
            scene = try await RuleScene()
            members = try await scene.addGroup(with: ["bob": .member, "cath": .member, "mod": .moderator, "old": .moderator, "ann": .observer])
            try await scene.updateApps()
            let ids = members
            try await scene.run { transaction in
                for (name, status) in statuses { try transaction.db.members.update(try #require(ids[name]), status: status, at: transaction.now) }
                guard review else { return }
                let user = try transaction.user(), group = try transaction.conversations.group(RuleScene.group, of: user)
                var profile = group.groupProfile
                profile.memberAdmission = GroupMemberAdmission(review: .all)
                try transaction.db.groups.update(group, user: user.userID, profile: profile, at: transaction.now)
            }
            try await scene.setApp(of: try #require(members["old"]), to: ChatVersions.groupKnocking - 1)
        }

        func id(_ name: String) throws -> GroupMemberID { try #require(members[name]) }

        func memberID(_ name: String) async throws -> MemberID {
            let id = try id(name)
            return try await scene.run { try #require(try $0.db.members.memberIdentifier(id)) }
        }

        /// What a command sends to each member.
        func sent(_ command: @escaping @Sendable (ChatTransaction) throws -> some Sendable) async throws -> [String: [ChatMessageEvent]] {
            let effects = try await scene.memory.run { _ = try command($0) }.1
            return try await scene.sent(effects).mapValues { $0.map(\.message.event) }
        }
    }

    @Test func aRoleIsToldToAllWhoAreInAndOneThatAMemberHasToNobody() async throws {
        let team = try await Team(["cath": .left])
        let bob = try team.id("bob")
        let sent = try await team.sent { try $0.members.setRole(.observer, of: [bob], in: RuleScene.group) }
        let event = ChatMessageEvent.memberRole(memberID: try await team.memberID("bob"), .observer)
        #expect(Set(sent.keys) == ["bob", "mod", "old", "ann"] && sent.values.allSatisfy { $0 == [event] })
        let (response, effects) = try await team.scene.memory.run { try $0.members.setRole(.observer, of: [bob], in: RuleScene.group) }
        guard case .membersRoleUser(_, _, let changed, _, _) = response else { throw UnexpectedAnswer() }
        #expect(changed.isEmpty && effects.deliveries.isEmpty && effects.events.isEmpty)
        #expect(try await team.scene.count("chat_items WHERE content_kind = 'sndGroupEvent'") == 1)
        try await team.scene.close()
    }

    @Test func whoIsBlockedIsNotToldNorAreThoseWhoAreOut() async throws {
        let team = try await Team(["cath": .left, "ann": .pendingApproval])
        let bob = try team.id("bob"), id = try await team.memberID("bob")
        for isBlocked in [true, false] {
            let sent = try await team.sent { try $0.members.block([bob], isBlocked, in: RuleScene.group) }
            let restrictions = MemberRestrictions(restriction: isBlocked ? .blocked : .unrestricted)
            #expect(Set(sent.keys) == ["mod", "old"] && sent.values.allSatisfy { $0 == [.restrictMember(memberID: id, restrictions)] })
            #expect(try await team.scene.member(bob).blockedByAdmin == isBlocked)
        }
        try await team.scene.close()
    }

    @Test func whoWaitedForApprovalIsIntroducedWithTheRoleThatItIsGiven() async throws {
        let team = try await Team(["ann": .pendingApproval])
        let ann = try team.id("ann")
        let sent = try await team.sent { try $0.members.accept(ann, in: RuleScene.group, as: .member) }
        #expect(sent["ann"]?.first == .groupLinkAcceptance(.accepted, role: .member, memberID: try await team.memberID("ann")))
        for name in ["bob", "cath", "mod", "old"] {
            guard case .newMember(let info, nil)? = sent[name]?.first else { throw UnexpectedAnswer() }
            #expect(info.role == .member, "\(name)")
        }
        let known = try await team.scene.member(ann)
        #expect(known.role == .member && known.status == .connected)
        try await team.scene.close()
    }

    @Test func whereModeratorsReviewTheHostsApprovalAsksThemFirst() async throws {
        let team = try await Team(["ann": .pendingApproval], review: true)
        let ann = try team.id("ann"), id = try await team.memberID("ann")
        let asked = try await team.sent { try $0.members.accept(ann, in: RuleScene.group, as: .member) }
        #expect(asked["ann"]?.first == .groupLinkAcceptance(.pendingReview, role: .observer, memberID: id))
        // The app of the other moderator knows no reviews: it would show her to all.
        #expect(Set(asked.keys) == ["ann", "mod"])
        guard case .newMember(_, .member(id)?)? = asked["mod"]?.first else { throw UnexpectedAnswer() }
        #expect(try await team.scene.member(ann).status == .pendingReview)
        let accepted = try await team.sent { try $0.members.accept(ann, in: RuleScene.group, as: .member) }
        #expect(accepted["mod"]?.first == .groupLinkAcceptance(.accepted, role: .member, memberID: id))
        #expect(try await team.scene.member(ann).status == .connected)
        guard case .newMember(let info, nil)? = accepted["bob"]?.first else { throw UnexpectedAnswer() }
        #expect(info.memberID == id && info.role == .member)
        try await team.scene.close()
    }

    @Test(arguments: [(.pendingReview, ["ann", "mod", "old"]), (.pendingApproval, ["ann"])] as [(GroupMemberStatus, Set<String>)])
    func whoWaitsAndIsRemovedIsToldAndSoAreThoseWhoKnowIt(_ status: GroupMemberStatus, _ names: Set<String>) async throws {
        let team = try await Team(["ann": status])
        let ann = try team.id("ann")
        let effects = try await team.scene.memory.run { try $0.members.remove([ann], from: RuleScene.group, withMessages: false) }.1
        let removal = ChatMessageEvent.removeMember(memberID: try await removed(effects), withMessages: false)
        #expect(effects.ended.connections == 1 && effects.ended.last == [removal])
        #expect(Set(try await team.scene.sent(effects).keys).union(["ann"]) == names)
        #expect(try await team.scene.group().membersRequireAttention == 0)
        try await team.scene.close()
    }

    private func removed(_ effects: Effects) async throws -> MemberID {
        guard case .removeMember(let id, _, _)? = effects.ended.last.last else { throw UnexpectedAnswer() }
        return id
    }

    @Test func aSupportChatIsHeardByTheMemberAndTheModeratorsWhoKnowThatThereAreSuch() async throws {
        let team = try await Team()
        let ann = try team.id("ann"), text = ComposedMessage(content: .text("hello"))
        let chat = ChatReference.group(RuleScene.group, scope: .memberSupport(ann))
        let receivers: [(GroupMemberStatus, Set<String>)] = [
            (.connected, ["ann", "mod"]), (.pendingReview, ["ann", "mod"]), (.pendingApproval, ["ann"]), (.left, []), (.removed, []),
        ]
        for (status, names) in receivers {
            try await team.scene.run { try $0.db.members.update(ann, status: status, at: $0.now) }
            if names.isEmpty {
                #expect(try await team.scene.refusal { try $0.send(text, to: chat) } == "support member not current or pending", "\(status.rawValue)")
            } else {
                #expect(Set(try await team.sent { try $0.send(text, to: chat) }.keys) == names, "\(status.rawValue)")
            }
        }
        try await team.scene.close()
    }

    @Test func aMemberIsWrittenToAsAContactOnceAndOnlyWithAConnection() async throws {
        let team = try await Team()
        let bob = try team.id("bob")
        let contact = try await team.scene.run { transaction in
            let user = try transaction.user(), group = try transaction.conversations.group(RuleScene.group, of: user)
            return try transaction.memberContacts.add(
                try transaction.conversations.member(bob, in: group), connection: [9], link: "simplex:/invitation#y", in: group, of: user
            ).contactID
        }
        let sent = try await team.sent { try $0.memberContacts.invite(contact, message: .text("hello")) }
        #expect(sent == ["bob": [.groupDirectInvitation(connectionRequest: "simplex:/invitation#y", content: .text("hello"), scope: nil)]])
        #expect(try await team.scene.refusal { try $0.memberContacts.invite(contact, message: nil) } == "x.grp.direct.inv already sent")
        #expect(try await team.scene.texts(in: .direct(contact)) == ["hello"])
        try await team.scene.close()
    }
}
