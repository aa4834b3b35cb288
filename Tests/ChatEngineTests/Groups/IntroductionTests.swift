import ChatAPI
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol

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
                try transaction.db.updateMember(id, category: category, invitedBy: nil, versions: ChatVersionRange(ChatVersions.supported))
            }
        }
        return (scene, ids[0], ids[1], ids[2])
    }

    private func info(_ id: MemberID = stranger, _ role: GroupMemberRole = .member, versions: VersionRange? = ChatVersions.supported) -> MemberInfo {
        MemberInfo(memberID: id, role: role, versions: versions, profile: Profile(displayName: "stranger", fullName: ""))
    }

    private func member(_ id: MemberID, in scene: RuleScene) async throws -> GroupMember? {
        try await scene.run { try $0.db.member(id, group: RuleScene.group) }
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
        try await scene.run { try $0.db.updateMember(host, role: .member, at: $0.now) }
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

    @Test func aForwardedInvitationMayComeBeforeTheAnnouncementAndIsJoinedOnce() async throws {
        let (scene, _, admin, bob) = try await scene()
        let invitation = IntroInvitation(groupConnectionRequest: "simplex:/invitation#x")
        #expect(codes(try await scene.receive([.forwardMemberInvitation(info(), invitation)], from: .member(bob)).events) == ["groupContactRole"])
        try await scene.receive([.forwardMemberInvitation(info(), invitation)], from: .member(admin))
        #expect(try await member(Self.stranger, in: scene)?.status == .introductionInvited)
        #expect(try await scene.count("agent_work") == 1)
        let late = try await scene.receive([.newMember(info(), scope: nil)], from: .member(admin)).events
        #expect(codes(late) == ["x.grp.mem.new error: member already exists"])
        // This profile does not join itself.
        let own = try await scene.group().membership.memberID
        try await scene.receive([.forwardMemberInvitation(info(own), invitation)], from: .member(admin))
        #expect(try await scene.count("agent_work") == 1)
        try await scene.close()
    }

    @Test func aMemberIsInvitedByWayOfThisProfileOnlyIfItHasBroughtInTheOneWhoInvites() async throws {
        let (scene, host, _, bob) = try await scene()
        let bobID = try await scene.run { try #require(try $0.db.memberIdentifier(bob)) }
        let invitation = IntroInvitation(groupConnectionRequest: "simplex:/invitation#x")
        let told = try await scene.receive([.inviteMember(memberID: bobID, invitation)], from: .member(host))
        #expect(codes(told.events) == ["x.grp.mem.inv can be only sent by invitee member"] && told.sent.isEmpty)
        try await scene.run { try $0.db.updateMember(host, category: .invitee, invitedBy: nil, versions: ChatVersionRange(ChatVersions.supported)) }
        let sent = try await scene.receive([.inviteMember(memberID: bobID, invitation)], from: .member(host)).sent
        guard case .forwardMemberInvitation(let info, invitation)? = sent.first, sent.count == 1 else { throw UnexpectedAnswer() }
        #expect(info.profile.displayName == "host")
        try await scene.close()
    }
}
