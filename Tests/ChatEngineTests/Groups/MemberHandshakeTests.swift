import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPAgent
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Connections with members while they are made: who may say what, and that what comes twice counts once.
@Suite struct MemberHandshakeTests {
    private static let stranger = MemberID(Bytes(repeating: 9, count: 12))

    /// A group with one member, whose connection is not complete.
    private func scene(
        _ category: GroupMemberCategory, _ status: GroupMemberStatus, _ connection: ConnectionStatus, as role: GroupMemberRole = .owner
    ) async throws -> (RuleScene, bob: GroupMemberID, id: MemberID) {
        let scene = try await RuleScene()
        let bob = try #require(try await scene.addGroup(as: role, with: ["bob": category == .host ? .admin : .member])["bob"])
        try await scene.updateApps()
        let id = try await scene.run { transaction in
            try transaction.db.members.update(bob, category: category, invitedBy: nil, versions: ChatVersionRange(ChatVersions.supported))
            try transaction.db.members.update(bob, status: status, at: transaction.now)
            let record = try #require(try transaction.db.connections.connections(ofMember: bob).last)
            try transaction.db.connections.update(record.id, status: connection, at: transaction.now)
            return try #require(try transaction.db.members.memberIdentifier(bob))
        }
        return (scene, bob, id)
    }

    private func confirm(_ event: ChatMessageEvent, by bob: GroupMemberID, in scene: RuleScene) async throws -> (errors: [String], isAnswered: Bool) {
        let confirmation = AgentEvent.confirmation(ConfirmationID([1]), pqSupport: false, servers: [], info: ChatMessage(event: event).body)
        let effects = try await scene.report(confirmation, from: .member(bob))
        return (effects.events.messageErrors, effects.jobs.contains { if case .connection(.allow) = $0.task { true } else { false } })
    }

    private static let info = Profile(displayName: "bob", fullName: "")

    @Test(
        arguments: [
            (GroupMemberCategory.invitee, ChatMessageEvent.acceptGroup(memberID: stranger), "x.grp.acpt: memberId is different from expected"),
            (.invitee, .memberInfo(memberID: stranger, info), "CONF from invited member must have x.grp.acpt"),
            (.invitee, .ok, "CONF from invited member must have x.grp.acpt"),
            (.host, .ok, "CONF from host member in prepared group must have x.grp.link.inv or x.grp.link.reject"),
            (.pre, .memberInfo(memberID: stranger, info), "x.grp.mem.info: memberId is different from expected"),
            (.pre, .acceptGroup(memberID: stranger), "CONF from member must have x.grp.mem.info"),
            (.post, .info(info), "CONF from member must have x.grp.mem.info"),
        ])
    func aConfirmationThatIsNotThatOfTheMemberIsReportedAndNotAnswered(_ category: GroupMemberCategory, _ event: ChatMessageEvent, _ error: String) async throws
    {
        let (scene, bob, id) = try await scene(category, category == .invitee ? .invited : .introductionInvited, .new)
        let told = try await confirm(event, by: bob, in: scene)
        #expect(told.errors == [error] && !told.isAnswered)
        #expect(try await scene.member(bob).status != .accepted)
        // The member itself can still be answered.
        guard category != .host else { return try await scene.close() }
        let own: ChatMessageEvent = category == .invitee ? .acceptGroup(memberID: id) : .memberInfo(memberID: id, Self.info)
        let again = try await confirm(own, by: bob, in: scene)
        #expect(again.errors.isEmpty && again.isAnswered)
        #expect(try await scene.member(bob).activeConnection?.status == .accepted)
        // Once it is answered, another one changes nothing.
        let late = try await confirm(own, by: bob, in: scene)
        #expect(late.errors.isEmpty && !late.isAnswered)
        try await scene.close()
    }

    @Test(arguments: [GroupMemberStatus.introduced, .accepted, .announced, .connected, .complete, .pendingApproval, .pendingReview, .unknown])
    func whoWasNotInvitedAcceptsNothing(_ status: GroupMemberStatus) async throws {
        let (scene, bob, id) = try await scene(.invitee, status, .new)
        let told = try await confirm(.acceptGroup(memberID: id), by: bob, in: scene)
        #expect(told.errors == ["x.grp.acpt: the member was not invited"] && !told.isAnswered)
        #expect(try await scene.member(bob).status == status)
        try await scene.close()
    }

    @Test(
        arguments: [GroupMemberStatus.pendingApproval, .pendingReview, .connected, .complete, .creator, .introduced, .invited],
        [GroupMemberRole.observer, .owner])
    func aHostAnswersOnlyWhoWaitsForIt(_ status: GroupMemberStatus, _ role: GroupMemberRole) async throws {
        let (scene, bob, id) = try await scene(.host, .accepted, .new, as: role)
        let (own, profile) = try await scene.run { transaction in
            let group = try transaction.conversations.group(RuleScene.group, of: try transaction.user())
            try transaction.db.members.update(group.membership.groupMemberID, status: status, at: transaction.now)
            return (group.membership, group.groupProfile)
        }
        let host = MemberIDRole(memberID: id, role: .owner), invited = MemberIDRole(memberID: own.memberID, role: .member)
        for event in [
            ChatMessageEvent.groupLinkInvitation(GroupLinkInvitation(fromMember: host, fromMemberName: "x", invitedMember: invited, groupProfile: profile)),
            .groupLinkRejection(GroupLinkRejection(fromMember: host, invitedMember: invited, groupProfile: profile, reason: .longName)),
        ] {
            let told = try await confirm(event, by: bob, in: scene)
            #expect(told.errors == ["an answer to a request to join that this profile did not make"] && !told.isAnswered)
            let membership = try await scene.member(own.groupMemberID)
            #expect(membership.status == status && membership.role == role)
        }
        try await scene.close()
    }

    @Test func theInformationOfTheOtherSideNamesTheMemberThatItIs() async throws {
        for (event, errors) in [
            (ChatMessageEvent.memberInfo(memberID: Self.stranger, Self.info), ["x.grp.mem.info: memberId is different from expected"]),
            (.leaveGroup, ["INFO from member must have x.grp.mem.info, x.info or x.ok"]), (.ok, []), (.info(Self.info), []),
        ] {
            let (scene, bob, _) = try await scene(.post, .introductionInvited, .joined)
            let effects = try await scene.report(.information(pqSupport: false, info: ChatMessage(event: event).body), from: .member(bob))
            #expect(effects.events.messageErrors == errors, "\(event.tag)")
            #expect(try await scene.member(bob).status == .introductionInvited, "\(event.tag) ends no membership")
            try await scene.close()
        }
    }

    @Test func aConnectionIsCompleteOnce() async throws {
        let (scene, bob, _) = try await scene(.invitee, .accepted, .accepted)
        let first = try await scene.report(.connected(pqEncryption: false), from: .member(bob))
        #expect(first.events.types == ["newChatItems", "joinedGroupMember"])
        #expect(try await scene.member(bob).status == .connected)
        let again = try await scene.report(.connected(pqEncryption: false), from: .member(bob))
        #expect(again.events.isEmpty && again.deliveries.isEmpty)
        #expect(try await scene.count("chat_items WHERE group_member_id = \(bob)") == 1)
        try await scene.close()
    }

    @Test func whoIsRefusedIsNoMemberWhenItsConnectionIsComplete() async throws {
        let (scene, bob, _) = try await scene(.invitee, .rejected, .accepted)
        let effects = try await scene.report(.connected(pqEncryption: false), from: .member(bob))
        #expect(effects.events.isEmpty && effects.deliveries.isEmpty)
        #expect(try await scene.member(bob).status == .rejected)
        try await scene.close()
    }

    @Test(arguments: [GroupMemberStatus.removed, .left, .groupDeleted], [GroupMemberCategory.invitee, .pre, .host])
    func nobodyComesBackByAConnectionThatWasBeingMadeAtTheEnd(_ status: GroupMemberStatus, _ category: GroupMemberCategory) async throws {
        for connection in [ConnectionStatus.new, .accepted] {
            let (scene, bob, id) = try await scene(category, status, connection)
            let own: ChatMessageEvent = category == .invitee ? .acceptGroup(memberID: id) : .memberInfo(memberID: id, Self.info)
            #expect(try await !confirm(own, by: bob, in: scene).isAnswered)
            let effects = try await scene.report(.connected(pqEncryption: false), from: .member(bob))
            #expect(effects.deliveries.isEmpty && effects.events.types == ["messageError"])
            #expect(try await scene.member(bob).status == status)
            try await scene.close()
        }
    }

    @Test(arguments: [true, false])
    func whoComesByTheLinkIsToldTheProfileOfTheHostAndAnInvitedContactKnowsIt(_ isByLink: Bool) async throws {
        let (scene, bob, _) = try await scene(.invitee, .accepted, .accepted)
        let link = try await scene.addLink()
        if isByLink {
            try await scene.run { transaction in
                let group = try transaction.conversations.group(RuleScene.group, of: try transaction.user())
                let member = try transaction.conversations.member(bob, in: group)
                try transaction.members.insertConnection([7], with: member, status: .accepted, viaGroupLink: link, user: try transaction.user())
            }
            try await scene.updateApps()
        }
        let sent = try await scene.report(.connected(pqEncryption: false), from: .member(bob)).sent
        #expect(sent.contains { if case .groupLinkMember(let profile) = $0 { profile.displayName == "alice" } else { false } } == isByLink)
        try await scene.close()
    }

    @Test func theOneWhoHasIntroducedTwoMembersIsToldWhenTheyAreConnected() async throws {
        for category in [GroupMemberCategory.pre, .post] {
            let scene = try await RuleScene()
            let members = try await scene.addGroup(as: .member, with: ["bob": .member, "host": .admin, "admin": .admin])
            let ids = try ["bob", "host", "admin"].map { name in try #require(members[name]) }
            try await scene.updateApps()
            let bob = try await scene.run { transaction in
                // Bob was there before this profile, which the host has brought in, or came after it, by another administrator.
                let inviter = category == .pre ? ids[1] : ids[2]
                let own = try transaction.conversations.group(RuleScene.group, of: try transaction.user()).membership.groupMemberID
                try transaction.db.run("UPDATE group_members SET invited_by_member_id = ? WHERE group_member_id = ?", [ids[1], own])
                try transaction.db.members.update(
                    ids[0], category: category, invitedBy: category == .pre ? nil : inviter, versions: ChatVersionRange(ChatVersions.supported))
                let record = try #require(try transaction.db.connections.connections(ofMember: ids[0]).last)
                try transaction.db.connections.update(record.id, status: .accepted, at: transaction.now)
                return try #require(try transaction.db.members.memberIdentifier(ids[0]))
            }
            let effects = try await scene.report(.connected(pqEncryption: false), from: .member(ids[0]))
            #expect(effects.events.types == ["newChatItems", "connectedToGroupMember"])
            let told = try await scene.sent(effects).filter { $0.value.contains { $0.message.event == .memberConnected(memberID: bob) } }
            #expect(Set(told.keys) == [category == .pre ? "host" : "admin"])
            try await scene.close()
        }
    }

    @Test(arguments: [(ConnectionStatus.ready, false), (.joined, false), (.deleted, true)])
    func anInvitationOfAMemberWhoseConnectionIsThereIsNotJoined(_ connection: ConnectionStatus, _ isJoined: Bool) async throws {
        let (scene, bob, id) = try await scene(.post, .connected, connection, as: .member)
        let host = try await scene.run { try $0.insertConnectedMember("host", role: .admin, in: RuleScene.group) }
        let info = MemberInfo(memberID: id, role: .member, versions: ChatVersions.supported, profile: Self.info)
        let invitation = IntroInvitation(groupConnectionRequest: "simplex:/invitation#x")
        try await scene.receive([.forwardMemberInvitation(info, invitation)], from: .member(host))
        #expect(try await scene.count("agent_work") == (isJoined ? 1 : 0))
        #expect(try await scene.member(bob).status == (isJoined ? .introductionInvited : .connected))
        try await scene.close()
    }

    @Test func whoWaitsIsLetInByAModeratorWithNoRoleAboveItsOwnAndSeesTheWelcomeMessageThen() async throws {
        let (scene, host, _) = try await scene(.host, .accepted, .accepted, as: .observer)
        let mod = try await scene.run { transaction in
            let user = try transaction.user(), group = try transaction.conversations.group(RuleScene.group, of: user)
            var profile = group.groupProfile
            profile.description = "Welcome!"
            try transaction.db.groups.update(group, user: user.userID, profile: profile, at: transaction.now)
            try transaction.db.members.update(group.membership.groupMemberID, status: .pendingApproval, at: transaction.now)
            return try transaction.insertConnectedMember("mod", role: .moderator, in: group.groupID)
        }
        let own = try await scene.group().membership.memberID
        let connected = try await scene.report(.connected(pqEncryption: false), from: .member(host))
        #expect(connected.events.types.contains("userJoinedGroup"))
        #expect(try await scene.texts(in: .group(RuleScene.group)).isEmpty)
        #expect(try await scene.group().membership.status == .pendingApproval)
        try await scene.receive([.groupLinkAcceptance(.accepted, role: .owner, memberID: own)], from: .member(mod))
        let membership = try await scene.group().membership
        #expect(membership.status == .connected && membership.role == .moderator)
        #expect(try await scene.texts(in: .group(RuleScene.group)) == ["Welcome!"])
        let again = try await scene.receive([.groupLinkAcceptance(.accepted, role: .observer, memberID: own)], from: .member(mod)).events
        #expect(again.messageErrors == ["x.grp.link.acpt for a member who does not wait to be let in"])
        try await scene.close()
    }

    @Test func aMemberWhoseConnectionIsMadeAfterItHasLeftIsNotInvited() async throws {
        let statuses: [(member: GroupMemberStatus, own: GroupMemberStatus)] = [(.left, .connected), (.removed, .connected), (.introduced, .left)]
        for (member, own) in statuses + [(.introduced, .connected)] {
            let (scene, bob, _) = try await scene(.pre, member, .deleted, as: .member)
            try await scene.run { transaction in
                let user = try transaction.user()
                let membership = try transaction.conversations.group(RuleScene.group, of: user).membership.groupMemberID
                try transaction.db.members.update(membership, status: own, at: transaction.now)
                for record in try transaction.db.connections.connections(ofMember: bob) { try transaction.db.connections.delete(record.id) }
                let host = try transaction.insertConnectedMember("host", role: .admin, in: RuleScene.group)
                try transaction.db.members.update(host, category: .host, invitedBy: nil, versions: ChatVersionRange(ChatVersions.supported))
            }
            let effects = try await scene.memory.run { try $0.members.inviteIntroduced(bob, connection: [8], link: "simplex:/invitation#x", of: try $0.user()) }
                .1
            let isInvited = member == .introduced && own == .connected
            #expect(effects.sent.count == (isInvited ? 1 : 0), "\(member.rawValue), \(own.rawValue)")
            #expect(effects.ended.connections == (isInvited ? 0 : 1), "what was made for nothing is deleted")
            #expect(try await scene.member(bob).status == (isInvited ? .introductionInvited : member))
            try await scene.close()
        }
    }
}
