import ChatAPI
import ChatProtocol
import SMPWire
import Testing

@testable import ChatRules

@Suite("Decisions about members")
struct MembershipDecisionTests {
    private static let roles: [GroupMemberRole] = [.observer, .author, .member, .moderator, .admin, .owner]

    private func isApplied(_ decision: MemberChangeDecision) -> Bool { decision == .apply }

    @Test("administrators change roles up to their own, of members up to their own")
    func roleChanges() {
        for sender in Self.roles {
            for old in Self.roles {
                for new in Self.roles {
                    let decision = MemberChangeDecision.role(of: RuleFixtures.member(3, old), to: new, by: RuleFixtures.member(2, sender))
                    #expect(isApplied(decision) == (sender >= .admin && old <= sender && new <= sender), "\(sender): \(old) → \(new)")
                }
            }
        }
    }

    @Test("administrators remove, and moderators block, whom they are not below")
    func removalsAndBlocks() {
        for sender in Self.roles {
            for role in Self.roles {
                let member = RuleFixtures.member(3, role), actor = RuleFixtures.member(2, sender)
                #expect(isApplied(.removal(of: member, by: actor)) == (sender >= .admin && role <= sender), "\(sender) removes \(role)")
                #expect(isApplied(.block(member, true, by: actor)) == (sender >= .moderator && role <= sender), "\(sender) blocks \(role)")
            }
        }
    }

    @Test("a block that is there already, and the end of one that is not, change nothing, whoever asks")
    func repeatedBlocks() {
        var member = RuleFixtures.member(3)
        for role in Self.roles { #expect(MemberChangeDecision.block(member, false, by: RuleFixtures.member(2, role)) == .ignore) }
        member.blockedByAdmin = true
        for role in Self.roles { #expect(MemberChangeDecision.block(member, true, by: RuleFixtures.member(2, role)) == .ignore) }
        #expect(MemberChangeDecision.block(member, false, by: RuleFixtures.member(2, .moderator)) == .apply)
    }

    @Test("moderators let in those who wait, with roles up to their own")
    func acceptances() {
        for sender in Self.roles {
            for role in Self.roles {
                for status in GroupMemberStatus.allCases {
                    let decision = MemberChangeDecision.acceptance(of: RuleFixtures.member(3, .observer, status), as: role, by: RuleFixtures.member(2, sender))
                    let waits = status == .pendingApproval || status == .pendingReview
                    #expect(isApplied(decision) == (waits && sender >= .moderator && role <= sender), "\(sender), \(role), \(status)")
                }
            }
        }
    }

    // MARK: Announcements

    private func announcement(_ number: UInt8, known: GroupMember? = nil) -> AnnouncementDecision {
        let info = MemberInfo(memberID: MemberID([number]), role: .member, profile: Profile(displayName: "new", fullName: ""))
        return AnnouncementDecision(of: info, by: RuleFixtures.member(2, .admin), known: known, membership: RuleFixtures.me())
    }

    @Test("an announced member is new, or completes one who was known by forwarded messages")
    func announcements() {
        #expect(announcement(5) == .add)
        #expect(announcement(5, known: RuleFixtures.member(5, .member, .unknown)) == .complete)
        #expect(announcement(1) == .ignore, "this profile knows itself")
    }

    @Test("nobody announces itself, a member who is there, or the profile of a contact")
    func refusedAnnouncements() {
        func isRefused(_ decision: AnnouncementDecision) -> Bool { if case .refuse = decision { true } else { false } }
        #expect(isRefused(announcement(2)))
        for status in GroupMemberStatus.allCases where status != .unknown {
            #expect(isRefused(announcement(5, known: RuleFixtures.member(5, .member, status))), "\(status)")
        }
        var contact = RuleFixtures.member(5, .member, .unknown)
        contact.contactID = 4
        #expect(isRefused(announcement(5, known: contact)))
    }

    @Test("administrators of a group bring in members up to their own role; relays of a channel bring in subscribers")
    func introductions() {
        for host in Self.roles {
            for role in Self.roles {
                let isAllowed = host >= .admin && role <= host
                #expect(AnnouncementDecision.mayIntroduce(role, by: RuleFixtures.member(2, host)) == isAllowed, "\(host) brings in \(role)")
            }
        }
        let relay = RuleFixtures.member(2, .relay)
        for role in Self.roles {
            #expect(AnnouncementDecision.mayIntroduce(role, by: relay, inChannel: true) == (role < .member), "a relay brings in \(role)")
            #expect(!AnnouncementDecision.mayIntroduce(role, by: relay))
        }
    }

    // MARK: Invitations that are passed on

    @Test("an invitation counts from a member whom the host has announced, and who is not connected yet")
    func passedInvitations() {
        let host = RuleFixtures.member(2, .admin)
        func decision(_ status: GroupMemberStatus = .introduced, _ connection: Connection? = nil, invitedBy: GroupMemberID? = nil) -> PassedInvitationDecision {
            var member = RuleFixtures.member(5, .member, status, connection: connection)
            member.invitedByGroupMemberID = invitedBy
            return PassedInvitationDecision(from: member, by: host)
        }
        func isRefused(_ decision: PassedInvitationDecision) -> Bool { if case .refuse = decision { true } else { false } }
        #expect(decision() == .join && decision(invitedBy: host.groupMemberID) == .join && decision(.pendingReview) == .join)
        #expect(decision(.introduced, RuleFixtures.connection(.deleted)) == .join, "a connection that was deleted is none")
        for status in [ConnectionStatus.new, .joined, .ready] { #expect(decision(.introduced, RuleFixtures.connection(status)) == .ignore) }
        #expect(isRefused(PassedInvitationDecision(from: nil, by: host)) && isRefused(decision(.unknown)))
        #expect(isRefused(decision(invitedBy: 9)), "another host has announced the member")
        for status in [GroupMemberStatus.left, .removed, .rejected, .invited, .pendingApproval, .groupDeleted] {
            #expect(isRefused(decision(status)), "\(status)")
        }
    }
}
