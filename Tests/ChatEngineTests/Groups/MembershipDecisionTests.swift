import ChatAPI
import ChatRules
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol

extension GroupMember {
    /// A member of whom only what is given matters.
    static func example(
        _ role: GroupMemberRole, _ id: UInt8 = 1, status: GroupMemberStatus = .connected, category: GroupMemberCategory = .post
    ) -> GroupMember {
        let profile = LocalProfile(Profile(displayName: "member \(id)", fullName: ""), id: ProfileID(Int64(id)), alias: "")
        return GroupMember(
            groupMemberID: GroupMemberID(Int64(id)), groupID: 1, memberID: MemberID([id]), role: role, category: category, status: status,
            settings: GroupMemberSettings(showsMessages: true), invitedBy: .unknown, localDisplayName: "member \(id)", profile: profile,
            profileID: ProfileID(Int64(id)), chatVersions: ChatVersionRange(ChatVersions.supported), createdAt: MemoryStore.now,
            updatedAt: MemoryStore.now)
    }
}

/// Who may change whom, as members ask for it.
@Suite struct MembershipDecisionTests {
    private static let roles: [GroupMemberRole] = [.relay, .observer, .commenter, .author, .member, .moderator, .admin, .owner]

    /// The targets that a role may act on: all up to its own, from a role on that may act at all.
    private func expectation(_ sender: GroupMemberRole, _ target: GroupMemberRole, from least: [GroupMemberRole]) -> Bool {
        least.contains(sender) && (Self.roles.firstIndex(of: target) ?? 9) <= (Self.roles.firstIndex(of: sender) ?? 0)
    }

    @Test func administratorsChangeRolesUpToTheirOwnAndNobodyElseDoes() {
        for sender in Self.roles {
            for target in Self.roles {
                for new in Self.roles {
                    let isAllowed = expectation(sender, target, from: [.admin, .owner]) && expectation(sender, new, from: [.admin, .owner])
                    let decision = MemberChangeDecision.role(of: .example(target, 2), to: new, by: .example(sender))
                    #expect((decision == .apply) == isAllowed, "\(sender) makes a \(target) a \(new)")
                }
            }
        }
    }

    @Test func moderatorsBlockUpToTheirOwnRoleAndABlockThatHoldsAlreadyIsIgnored() {
        for sender in Self.roles {
            for target in Self.roles {
                var member = GroupMember.example(target, 2)
                let isAllowed = expectation(sender, target, from: [.moderator, .admin, .owner])
                #expect((MemberChangeDecision.block(member, true, by: .example(sender)) == .apply) == isAllowed, "\(sender) blocks a \(target)")
                #expect(MemberChangeDecision.block(member, false, by: .example(sender)) == .ignore)
                member.blockedByAdmin = true
                #expect(MemberChangeDecision.block(member, true, by: .example(sender)) == .ignore)
                #expect((MemberChangeDecision.block(member, false, by: .example(sender)) == .apply) == isAllowed)
            }
        }
    }

    @Test func administratorsRemoveUpToTheirOwnRole() {
        for sender in Self.roles {
            for target in Self.roles {
                let decision = MemberChangeDecision.removal(of: .example(target, 2), by: .example(sender))
                #expect((decision == .apply) == expectation(sender, target, from: [.admin, .owner]), "\(sender) removes a \(target)")
            }
        }
    }

    @Test(arguments: GroupMemberStatus.allCases)
    func onlyThoseWhoWaitAreLetInAndNobodyAboveTheOneWhoDoesIt(_ status: GroupMemberStatus) {
        let waits = status == .pendingApproval || status == .pendingReview
        for sender in Self.roles {
            for role in Self.roles {
                let decision = MemberChangeDecision.acceptance(of: .example(.observer, 2, status: status), as: role, by: .example(sender))
                let isAllowed = waits && expectation(sender, role, from: [.moderator, .admin, .owner])
                #expect((decision == .apply) == isAllowed, "\(sender) lets in a \(role) who is \(status.rawValue)")
            }
        }
    }

    @Test func aRoleThatIsNotKnownHasNoRightsAndEverybodyWithRightsIsAboveIt() {
        let stranger = GroupMember.example(.unknown("emperor"))
        for target in Self.roles {
            #expect(MemberChangeDecision.role(of: .example(target, 2), to: .observer, by: stranger) != .apply)
            #expect(MemberChangeDecision.removal(of: .example(target, 2), by: stranger) != .apply)
            #expect(MemberChangeDecision.block(.example(target, 2), true, by: stranger) != .apply)
        }
        #expect(MemberChangeDecision.role(of: stranger, to: .unknown("emperor"), by: .example(.owner, 2)) == .apply)
        #expect(WritingDecision(of: stranger, in: nil) != .allow)
        #expect(AnnouncementDecision.mayIntroduce(.observer, by: stranger) == false)
    }

    @Test func administratorsAnnounceMembersUpToTheirOwnRole() {
        for host in Self.roles {
            for role in Self.roles {
                let isAllowed = expectation(host, role, from: [.admin, .owner])
                #expect(AnnouncementDecision.mayIntroduce(role, by: .example(host)) == isAllowed, "\(host) announces a \(role)")
            }
        }
    }

    @Test func anAnnouncedMemberIsAddedOrCompletedAndNeverReplacesOneWhoIsKnown() {
        let membership = GroupMember.example(.member, 1), host = GroupMember.example(.owner, 2)
        func decision(_ id: UInt8, known: GroupMember?) -> AnnouncementDecision {
            let info = MemberInfo(memberID: MemberID([id]), role: .member, versions: nil, profile: Profile(displayName: "x", fullName: ""))
            return AnnouncementDecision(of: info, by: host, known: known, membership: membership)
        }
        #expect(decision(3, known: nil) == .add)
        #expect(decision(1, known: membership) == .ignore, "this profile knows itself")
        for status in GroupMemberStatus.allCases {
            let expected: AnnouncementDecision = status == .unknown ? .complete : .refuse("x.grp.mem.new error: member already exists")
            #expect(decision(3, known: .example(.member, 3, status: status)) == expected, "\(status.rawValue)")
        }
    }

    @Test func authorsWriteToAllAndEverybodyToItsOwnSupportChatAndModeratorsToAny() {
        for role in Self.roles {
            let member = GroupMember.example(role, 7)
            #expect((WritingDecision(of: member, in: nil) == .allow) == [.author, .member, .moderator, .admin, .owner].contains(role), "\(role)")
            #expect(WritingDecision(of: member, in: .member(MemberID([7]))) == .allow, "\(role)")
            #expect((WritingDecision(of: member, in: .member(MemberID([8]))) == .allow) == [.moderator, .admin, .owner].contains(role), "\(role)")
        }
        // Who waits to be let in writes to the moderators, whatever its role is to be.
        for status in [GroupMemberStatus.pendingApproval, .pendingReview] {
            #expect(WritingDecision(of: .example(.observer, 7, status: status), in: nil) == .allow)
        }
    }
}
