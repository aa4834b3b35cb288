import ChatAPI
import SMPWire
import Testing

@testable import ChatProtocol
@testable import ChatRules

/// The table of rights, whole: every action from every role, standing and origin, blocked or not, in groups and channels.
@Suite("The table of rights")
struct RightsTableTests {
    private static let roles: [GroupMemberRole] = [.unknown("x"), .relay, .observer, .commenter, .author, .member, .moderator, .admin, .owner]

    private struct Situation: Hashable {
        var action: GroupAction
        var member: ActingMember
        var isHidden: Bool
        var inChannel: Bool

        var decision: RightDecision { RightDecision(action, by: member, isHidden: isHidden, inChannel: inChannel) }
        var isRefused: Bool { if case .refuse = decision { true } else { false } }
    }

    private static let all: [Situation] = GroupAction.allCases.flatMap { action in
        roles.flatMap { role in
            MemberStanding.allCases.flatMap { standing in
                [(false, false), (true, false), (false, true)].flatMap { isHost, isInvitee in
                    (0..<8).map { bits in
                        Situation(
                            action: action,
                            member: ActingMember(role: role, standing: standing, isBlocked: bits & 1 != 0, isHost: isHost, isInvitee: isInvitee),
                            isHidden: bits & 2 != 0, inChannel: bits & 4 != 0)
                    }
                }
            }
        }
    }

    @Test("who was refused, removed, has left or has not accepted its invitation may do nothing at all")
    func outsiders() {
        for situation in Self.all where [.rejected, .ended, .invited].contains(situation.member.standing) {
            #expect(situation.isRefused, "\(situation)")
        }
    }

    @Test("who waits to be let in writes to the moderators, changes what it has written there and its profile, and leaves; nothing else")
    func waiting() {
        let own: Set<GroupAction> = [
            .write(.ownSupport), .edit(.ownSupport), .delete(.ownSupport), .react(.ownSupport), .sendFile(.ownSupport), .cancelFile(.ownSupport),
            .changeProfile, .leave, .probe,
        ]
        for situation in Self.all {
            switch situation.member.standing {
            case .awaitingApproval: #expect(situation.isRefused || own.contains(situation.action), "\(situation)")
            case .underReview:
                #expect(situation.isRefused || own.union([.inviteMember, .reportConnection]).contains(situation.action), "\(situation)")
            default: continue
            }
            if own.contains(situation.action), !situation.member.isBlocked { #expect(!situation.isRefused, "\(situation)") }
        }
    }

    @Test("who is blocked for all writes out of sight, changes nothing that is in sight, and governs nobody")
    func blocked() {
        let unchanged: Set<GroupAction> = [
            .acknowledgeRoster, .requestRoster, .showRelayCapabilities, .leave, .probe, .inviteMember, .reportConnection, .showHostProfile,
        ]
        for situation in Self.all where situation.member.isBlocked && !situation.isRefused {
            switch situation.action {
            case .write, .writeAsGroup: #expect(situation.decision == .hide, "\(situation)")
            case .edit, .delete, .sendFile, .cancelFile: #expect(situation.isHidden, "\(situation)")
            default: #expect(unchanged.contains(situation.action), "\(situation)")
            }
        }
    }

    @Test("nothing is hidden that nobody has blocked, and an item out of sight gives no right")
    func hiding() {
        for situation in Self.all where !situation.member.isBlocked {
            #expect(situation.decision != .hide, "\(situation)")
            var other = situation
            other.isHidden.toggle()
            #expect(other.decision == situation.decision, "\(situation)")
        }
    }

    @Test("a higher role has every right of a lower one, but that of relays")
    func order() {
        for situation in Self.all where situation.member.role != .relay && !situation.isRefused {
            for role in Self.roles where role > situation.member.role {
                var higher = situation
                higher.member.role = role
                #expect(!higher.isRefused, "\(higher)")
            }
        }
    }

    @Test("the least role of each action is what it is in the official apps")
    func leastRoles() {
        let expected: [(GroupMemberRole?, [GroupAction])] = [
            (
                .unknown("x"),
                [
                    .write(.ownSupport), .edit(.ownSupport), .delete(.group), .delete(.ownSupport), .delete(.othersSupport), .react(.group),
                    .react(.ownSupport), .sendFile(.ownSupport), .cancelFile(.group), .cancelFile(.ownSupport), .cancelFile(.othersSupport), .changeProfile,
                    .leave, .probe,
                    .inviteAsContact(.ownSupport), .inviteMember, .reportConnection,
                    .showHostProfile,
                ]
            ), (.author, [.write(.group), .edit(.group), .sendFile(.group), .inviteAsContact(.group)]),
            (
                .moderator,
                [
                    .write(.othersSupport), .edit(.othersSupport), .sendFile(.othersSupport), .react(.othersSupport), .inviteAsContact(.othersSupport),
                    .moderate, .block, .letIn,
                ]
            ),
            (.admin, [.setRole, .remove, .announceMember, .introduceMember, .passInvitation, .forward]),
            (.owner, [.writeAsGroup, .editAsGroup, .deleteAsGroup, .changeGroup, .deleteGroup]),
            (
                nil,
                [
                    .write(.comments), .edit(.comments), .delete(.comments), .react(.comments), .sendFile(.comments), .cancelFile(.comments), .editForeign,
                    .sendForeignFile,
                    .closeComments, .publishRoster, .acknowledgeRoster, .requestRoster, .announceRelay, .showRelayCapabilities,
                    .nothing,
                ]
            ),
        ]
        for (least, actions) in expected {
            for action in actions {
                let member = { ActingMember(role: $0, isHost: action.right.origin == .host, isInvitee: action.right.origin == .invitee) }
                let first = Self.roles.first { role in RightDecision(action, by: member(role)) == .allow }
                #expect(first == least, "\(action)")
            }
        }
        #expect(Set(expected.flatMap(\.1)) == Set(GroupAction.allCases), "no action is left out")
    }

    @Test("in channels only relays introduce and pass on, nobody invites members, and comments have their own role")
    func channels() {
        for role in Self.roles {
            let member = ActingMember(role: role, isHost: true)
            #expect((RightDecision(.introduceMember, by: member, inChannel: true) == .allow) == (role == .relay), "\(role)")
            #expect((RightDecision(.forward, by: member, inChannel: true) == .allow) == (role == .relay), "\(role)")
            #expect((RightDecision(.write(.comments), by: member, inChannel: true) == .allow) == (role >= .commenter), "\(role)")
            #expect((RightDecision(.closeComments, by: member, inChannel: true) == .allow) == (role >= .moderator), "\(role)")
            let invitee = ActingMember(role: role, isInvitee: true)
            #expect(RightDecision(.inviteMember, by: invitee, inChannel: true) != .allow)
            #expect(RightDecision(.passInvitation, by: member, inChannel: true) != .allow)
            for action in [GroupAction.publishRoster, .announceRelay] {
                #expect((RightDecision(action, by: member, inChannel: true) == .allow) == (role == .owner), "\(action) by \(role)")
            }
            for action in [GroupAction.acknowledgeRoster, .showRelayCapabilities] {
                #expect((RightDecision(action, by: member, inChannel: true) == .allow) == (role == .relay), "\(action) by \(role)")
            }
            #expect(RightDecision(.requestRoster, by: member, inChannel: true) == .allow, "\(role)")
        }
        // A relay brings in subscribers, and nobody who decides about others.
        let relay = ActingMember(role: .relay)
        for role in Self.roles {
            let mayBring = [.unknown("x"), .observer, .commenter, .author].contains(role)
            #expect((RightDecision(.announceMember, by: relay, over: [role], inChannel: true) == .allow) == mayBring, "\(role)")
            #expect(RightDecision(.announceMember, by: relay, over: [role]) != .allow, "\(role)")
        }
    }

    @Test("nobody decides about members above itself, or gives a role above its own")
    func bounds() {
        for action in [GroupAction.moderate, .setRole, .block, .remove, .letIn, .announceMember, .passInvitation] {
            for role in Self.roles {
                for other in Self.roles where RightDecision(action, by: ActingMember(role: role), over: [other]) == .allow {
                    #expect(role >= other && role >= .moderator, "\(action) by \(role) over \(other)")
                }
            }
        }
    }

    @Test("in channels only owners give and take the roles of the roster")
    func roster() {
        for role in [GroupMemberRole.admin, .moderator, .member, .relay] {
            for other in [GroupMemberRole.member, .moderator, .admin] {
                #expect(RightDecision(.setRole, by: ActingMember(role: role), over: [other, .observer], inChannel: true) != .allow, "\(role) over \(other)")
                #expect(RightDecision(.setRole, by: ActingMember(role: .owner), over: [other, .observer], inChannel: true) == .allow)
            }
        }
        let admin = ActingMember(role: .admin)
        #expect(RightDecision(.setRole, by: admin, over: [.observer, .commenter], inChannel: true) == .allow)
        #expect(RightDecision(.setRole, by: admin, over: [.observer, .member]) == .allow, "in a group without relays")
    }

    @Test("each status is one standing, and what a member wrote before it left counts when it is passed on")
    func standings() {
        let expected: [(MemberStanding, [GroupMemberStatus])] = [
            (.member, [.introduced, .introductionInvited, .accepted, .announced, .connected, .complete, .creator, .unknown]),
            (.underReview, [.pendingReview]), (.awaitingApproval, [.pendingApproval]), (.invited, [.invited]), (.rejected, [.rejected]),
            (.ended, [.removed, .left, .groupDeleted, GroupMemberStatus(rawValue: "of a later version")]),
        ]
        for (standing, statuses) in expected {
            for status in statuses { #expect(MemberStanding(status, category: .post, isForwarded: false) == standing, "\(status.rawValue)") }
        }
        #expect(Set(GroupMemberStatus.allCases).isSubset(of: Set(expected.flatMap(\.1))))
        #expect(MemberStanding(.left, category: .post, isForwarded: true) == .member)
        #expect(MemberStanding(.removed, category: .post, isForwarded: true) == .ended)
        #expect(MemberStanding(.invited, category: .host, isForwarded: false) == .member)
    }
}
