import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Members who are made known to each other: by whom, and that nothing comes of what is repeated, too old or not asked for.
@Suite struct IntroductionTests {
    private static let stranger = MemberID(Bytes(repeating: 9, count: 12))

    /// A group that this profile has joined by an administrator, with another one and a member.
    private func scene() async throws -> (RuleScene, host: GroupMemberID, admin: GroupMemberID, bob: GroupMemberID) {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(as: .member, with: ["host": .admin, "admin": .admin, "bob": .member])
        let ids = try ["host", "admin", "bob"].map { name in try #require(members[name]) }
        try await scene.run { transaction in
            for (id, category) in [(ids[0], GroupMemberCategory.host), (ids[1], .pre), (ids[2], .pre)] {
                try transaction.db.members.update(id, category: category, invitedBy: nil, versions: ChatVersionRange(ChatVersions.supported))
            }
        }
        return (scene, ids[0], ids[1], ids[2])
    }

    private func info(_ id: MemberID = stranger, _ role: GroupMemberRole = .member, versions: VersionRange? = ChatVersions.supported) -> MemberInfo {
        MemberInfo(memberID: id, role: role, versions: versions, profile: Profile(displayName: "stranger", fullName: ""))
    }

    private func member(_ id: MemberID, in scene: RuleScene) async throws -> GroupMember? {
        try await scene.run { try $0.db.members.find(id, group: RuleScene.group) }
    }

    private func codes(_ events: [ChatEvent]) -> [String] {
        events.compactMap { event in
            switch event {
            case .chatError(let error): Refusal(error).code
            case .messageError(_, _, let text): text
            default: nil
            }
        }
    }

    @Test func theHostIntroducesAMemberWhoIsThenConnectedTo() async throws {
        let (scene, host, _, _) = try await scene()
        try await scene.receive([.introduceMember(info(), restrictions: MemberRestrictions(restriction: .blocked))], from: .member(host))
        let member = try #require(try await member(Self.stranger, in: scene))
        #expect(member.status == .introduced && member.category == .pre && member.blockedByAdmin, "what holds for it is known from the beginning")
        #expect(try await scene.count("agent_work") == 1)
        let again = try await scene.receive([.introduceMember(info(), restrictions: nil)], from: .member(host)).events
        #expect(codes(again) == ["x.grp.mem.intro ignored: member already exists"])
        #expect(try await scene.count("agent_work") == 1)
        try await scene.close()
    }

    @Test(arguments: [(GroupMemberRole.owner, true), (.admin, false), (.moderator, false), (.member, false)])
    func aRoleAboveThatOfTheIntroducerIsAClaimUntilAMemberWithoutOneSetsIt(_ role: GroupMemberRole, _ isClaim: Bool) async throws {
        let (scene, host, admin, bob) = try await scene()
        try await scene.receive([.introduceMember(info(Self.stranger, role), restrictions: nil)], from: .member(host))
        let member = try #require(try await member(Self.stranger, in: scene))
        #expect(member.role == role && member.isRoleClaimed == (isClaim ? true : nil), "it is stored and enforced")
        #expect(member.provenRole == (isClaim ? .member : role), "it gives no rights to bots")
        #expect(member.json["roleClaimed"] == (isClaim ? true : nil))
        guard isClaim else { return try await scene.close() }
        // One whose own role is a claim makes nobody more than that.
        try await scene.run { try $0.db.run("UPDATE group_members SET role = 'owner', role_claimed = 1 WHERE group_member_id = ?", [admin]) }
        let bobID = try await scene.member(bob).memberID
        try await scene.receive([.memberRole(memberID: bobID, .owner)], from: .member(admin))
        let promoted = try await scene.member(bob)
        #expect(promoted.role == .owner && promoted.provenRole == .member)
        try await scene.run { try $0.db.run("UPDATE group_members SET role_claimed = 0 WHERE group_member_id = ?", [admin]) }
        try await scene.receive([.memberRole(memberID: bobID, .moderator), .memberRole(memberID: Self.stranger, .owner)], from: .member(admin))
        #expect(try await scene.member(bob).provenRole == .moderator)
        #expect(try await self.member(Self.stranger, in: scene)?.provenRole == .owner)
        try await scene.close()
    }

    @Test func nobodyButTheHostIntroducesAndNotThoseWhoAreTooOldOrThisProfileItself() async throws {
        let (scene, host, admin, bob) = try await scene()
        let own = try await scene.group().membership.memberID
        for sender in [admin, bob] {
            #expect(
                codes(try await scene.receive([.introduceMember(info(), restrictions: nil)], from: .member(sender)).events) == [
                    "x.grp.mem.intro can be only sent by host member"
                ])
        }
        let refused: [(MemberInfo, String)] = [
            (info(own), "x.grp.mem.intro ignored: member already exists"), (info(versions: nil), "x.grp.mem.intro: member chat version range incompatible"),
            (info(versions: ChatVersions.initial), "x.grp.mem.intro: member chat version range incompatible"),
        ]
        for (info, text) in refused {
            #expect(codes(try await scene.receive([.introduceMember(info, restrictions: nil)], from: .member(host)).events) == [text])
        }
        // A host who is no administrator any more introduces nobody.
        try await scene.run { try $0.db.members.update(host, role: .member, at: $0.now) }
        #expect(codes(try await scene.receive([.introduceMember(info(), restrictions: nil)], from: .member(host)).events) == ["groupContactRole"])
        #expect(try await member(Self.stranger, in: scene) == nil)
        #expect(try await scene.count("agent_work") == 0)
        try await scene.close()
    }

    @Test(arguments: [GroupMemberRole.admin, .moderator, .member])
    func anAdministratorAnnouncesAMemberUpToItsOwnRole(_ role: GroupMemberRole) async throws {
        let (scene, _, admin, bob) = try await scene()
        #expect(codes(try await scene.receive([.newMember(info(Self.stranger, role), scope: nil)], from: .member(bob)).events) == ["groupContactRole"])
        #expect(codes(try await scene.receive([.newMember(info(Self.stranger, .owner), scope: nil)], from: .member(admin)).events) == ["groupContactRole"])
        let told = try await scene.receive([.newMember(info(Self.stranger, role), scope: nil)], from: .member(admin)).events
        #expect(told.types == ["newChatItems", "joinedGroupMemberConnecting"])
        let member = try #require(try await member(Self.stranger, in: scene))
        #expect(member.role == role && member.status == .announced && member.category == .post)
        let again = try await scene.receive([.newMember(info(Self.stranger, .observer), scope: nil)], from: .member(admin)).events
        #expect(codes(again) == ["x.grp.mem.new error: member already exists"])
        #expect(try await self.member(Self.stranger, in: scene)?.role == role)
        try await scene.close()
    }

    @Test func aMemberWhoWasKnownByItsMessagesOnlyIsCompletedByItsAnnouncement() async throws {
        let (scene, _, admin, _) = try await scene()
        let message = ChatMessage(messageID: .random(), event: .newMessage(MessageContainer(content: .text("early"))))
        let forward = ChatMessageEvent.forwardMessage(MessageForward(sender: .member(Self.stranger, name: "who"), brokerTimestamp: MemoryStore.now), message)
        #expect(try await scene.receive([forward], from: .member(admin)).events.types == ["unknownMemberCreated", "newChatItems"])
        var known = try #require(try await member(Self.stranger, in: scene))
        #expect(known.status == .unknown && known.profile.displayName == "who")
        let told = try await scene.receive([.newMember(info(), scope: nil)], from: .member(admin)).events
        #expect(told.types.first == "unknownMemberAnnounced")
        known = try #require(try await member(Self.stranger, in: scene))
        #expect(known.status == .announced && known.profile.displayName == "stranger")
        #expect(try await scene.count("group_members WHERE member_id = x'\(String(repeating: "09", count: 12))'") == 1)
        try await scene.close()
    }

    @Test func aForwardedInvitationOfAMemberWhomTheHostHasNotAnnouncedIsNotJoinedAndOneThatItHasAnnouncedIsJoined() async throws {
        let (scene, host, admin, bob) = try await scene()
        let invitation = IntroInvitation(groupConnectionRequest: "simplex:/invitation#x")
        #expect(codes(try await scene.receive([.forwardMemberInvitation(info(), invitation)], from: .member(bob)).events) == ["groupContactRole"])
        // Hosts of other programs pass on what anybody sends who came by their link.
        let early = try await scene.receive([.forwardMemberInvitation(info(), invitation)], from: .member(admin)).events
        #expect(codes(early) == ["x.grp.mem.fwd: the host has not announced the member"])
        #expect(try await member(Self.stranger, in: scene) == nil)
        try await scene.receive([.newMember(info(), scope: nil)], from: .member(admin))
        // Another administrator has not brought the member in.
        try await scene.receive([.forwardMemberInvitation(info(), invitation)], from: .member(host))
        #expect(try await scene.count("agent_work") == 0)
        try await scene.receive([.forwardMemberInvitation(info(), invitation)], from: .member(admin))
        #expect(try await member(Self.stranger, in: scene)?.status == .introductionInvited)
        #expect(try await scene.count("agent_work") == 1)
        // This profile does not join itself.
        let own = try await scene.group().membership.memberID
        try await scene.receive([.forwardMemberInvitation(info(own), invitation)], from: .member(admin))
        #expect(try await scene.count("agent_work") == 1)
        try await scene.close()
    }

    @Test(arguments: [GroupMemberStatus.unknown, .invited, .pendingApproval, .rejected, .removed, .left, .groupDeleted])
    func aForwardedInvitationOfAMemberWhoIsNotInTheGroupIsNotJoined(_ status: GroupMemberStatus) async throws {
        let (scene, _, admin, _) = try await scene()
        try await scene.receive([.newMember(info(), scope: nil)], from: .member(admin))
        let id = try #require(try await member(Self.stranger, in: scene)).groupMemberID
        try await scene.run { try $0.db.members.update(id, status: status, at: $0.now) }
        try await scene.receive([.forwardMemberInvitation(info(), IntroInvitation(groupConnectionRequest: "simplex:/invitation#x"))], from: .member(admin))
        #expect(try await scene.count("agent_work") == 0)
        #expect(try await scene.member(id).status == status)
        try await scene.close()
    }

    /// A host with members whom it has brought in, the first of whom is introduced to the others.
    private func hostScene(_ joiner: GroupMemberStatus = .connected) async throws -> (RuleScene, joiner: GroupMemberID, ids: [String: MemberID]) {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(with: ["eve": .member, "rita": .member, "mod": .moderator])
        try await scene.updateApps()
        let eve = try #require(members["eve"])
        let ids = try await scene.run { transaction in
            try transaction.db.members.update(eve, status: joiner, at: transaction.now)
            let group = try transaction.conversations.group(RuleScene.group, of: try transaction.user()),
                member = try transaction.conversations.member(eve, in: group)
            switch joiner {
            case .pendingApproval: break
            case .pendingReview: try transaction.members.introduceToModerators(member, in: group)
            default: try transaction.members.introduce(member, in: group)
            }
            return try members.mapValues { try #require(try transaction.db.members.memberIdentifier($0)) }
        }
        return (scene, eve, ids)
    }

    private func receivers(of name: String, from joiner: GroupMemberID, _ scene: RuleScene, _ ids: [String: MemberID]) async throws -> Set<String> {
        let invitation = IntroInvitation(groupConnectionRequest: "simplex:/invitation#x")
        let effects = try await scene.effects(of: .inviteMember(memberID: try #require(ids[name]), invitation), from: .member(joiner))
        return Set(
            try await scene.sent(effects).filter { $0.value.contains { if case .forwardMemberInvitation = $0.message.event { true } else { false } } }.keys)
    }

    @Test func aMemberIsInvitedByWayOfThisProfileOnceAndOnlyByOneWhoWasIntroducedToIt() async throws {
        let (scene, eve, ids) = try await hostScene()
        #expect(try await receivers(of: "rita", from: eve, scene, ids) == ["rita"])
        #expect(try await receivers(of: "rita", from: eve, scene, ids).isEmpty, "it is passed on once")
        #expect(try await receivers(of: "mod", from: eve, scene, ids) == ["mod"])
        let members = try await scene.run { try $0.db.members.members(of: RuleScene.group) }
        let rita = try #require(members.first { $0.localDisplayName == "rita" }).groupMemberID
        #expect(try await receivers(of: "eve", from: rita, scene, ids).isEmpty, "rita was not told of eve by an introduction: eve invites her")
        #expect(try await receivers(of: "mod", from: rita, scene, ids).isEmpty, "the two are not introduced")
        try await scene.close()
    }

    @Test(arguments: [
        (GroupMemberStatus.pendingApproval, []), (.pendingReview, ["mod"]), (.rejected, []), (.removed, []), (.left, []), (.invited, []),
        (.connected, ["mod", "rita"]),
    ])
    func whoIsNotLetInInvitesNobodyButThoseWhoReviewIt(_ status: GroupMemberStatus, _ expected: [String]) async throws {
        let (scene, eve, ids) = try await hostScene(status.isPending ? status : .connected)
        try await scene.run { try $0.db.members.update(eve, status: status, at: $0.now) }
        var found: Set<String> = []
        for name in ["mod", "rita"] { found.formUnion((try? await receivers(of: name, from: eve, scene, ids)) ?? []) }
        #expect(found == Set(expected))
        try await scene.close()
    }

    @Test func theRemovalOfOneWhoWaitsIsToldToThoseWhomItWasIntroducedTo() async throws {
        for (status, expected) in [(GroupMemberStatus.pendingReview, ["eve", "mod"]), (.pendingApproval, ["eve"])] {
            let (scene, eve, _) = try await hostScene(status)
            let effects = try await scene.memory.run { try $0.members.remove([eve], from: RuleScene.group, withMessages: false) }.1
            let told = try await scene.sent(effects).filter { $0.value.contains { $0.message.tag == .removeMember } }
            // The connection of the removed one is ended with its last message.
            let last = effects.ended.last.contains { $0.tag == .removeMember } ? ["eve"] : []
            #expect(Set(told.keys).union(last) == Set(expected), "\(status.rawValue)")
            try await scene.close()
        }
        // One who was let in by an earlier host, and whom members know by an introduction, waits again.
        let (scene, eve, _) = try await hostScene()
        try await scene.run { try $0.db.members.update(eve, status: .pendingReview, at: $0.now) }
        let effects = try await scene.memory.run { try $0.members.remove([eve], from: RuleScene.group, withMessages: false) }.1
        #expect(Set(try await scene.sent(effects).keys).isSuperset(of: ["mod", "rita"]))
        try await scene.close()
    }

    @Test func whoWaitsForAReviewIsToldOfTheRemovalTheRoleAndTheBlockOfAModerator() async throws {
        for change in ["removal", "role", "block"] {
            let (scene, _, _) = try await hostScene(.pendingReview)
            let members = try await scene.run { try $0.db.members.members(of: RuleScene.group) }
            func id(_ name: String) throws -> GroupMemberID { try #require(members.first { $0.localDisplayName == name }).groupMemberID }
            let mod = try id("mod"), rita = try id("rita")
            func told(_ member: GroupMemberID) async throws -> Set<String> {
                let effects = try await scene.memory.run { transaction in
                    switch change {
                    case "removal": _ = try transaction.members.remove([member], from: RuleScene.group, withMessages: false)
                    case "role": _ = try transaction.members.setRole(.observer, of: [member], in: RuleScene.group)
                    default: _ = try transaction.members.block([member], true, in: RuleScene.group)
                    }
                }.1
                return Set(try await scene.sent(effects).keys)
            }
            #expect(try await !told(rita).contains("eve"), "\(change): who waits does not know the members")
            #expect(try await told(mod).contains("eve"), "\(change)")
            try await scene.close()
        }
    }
}
