import ChatAPI
import ChatProtocol
import SMPWire
import Testing

@testable import ChatRules

@Suite("Decisions about messages of members")
struct GroupMessageDecisionTests {
    private static let id = SharedMessageID(Bytes(repeating: 1, count: 12))
    private static let bob = RuleFixtures.member(2)

    // MARK: Audiences

    @Test(
        "messages go to where they are written: the group, a support chat, or those who know comments")
    func audiences() {
        let group = RuleFixtures.group()
        #expect(ForwardAudience(GroupConversation(group)) == .group(includesPending: false))
        #expect(
            ForwardAudience(GroupConversation(group, scope: .memberSupport(groupMember: Self.bob)))
                == .support(2))
        #expect(
            ForwardAudience(GroupConversation(group, scope: .memberSupport(groupMember: nil)))
                == .support(1), "that of this profile")
        #expect(
            ForwardAudience(GroupConversation(group, post: RuleFixtures.item(by: Self.bob)))
                == .comments(asChannel: false))
    }

    @Test(
        "nobody hears of a member who waits for approval, moderators of one under review, and those who wait of what moderators do"
    )
    func eventAudiences() {
        func audience(_ status: GroupMemberStatus, _ role: GroupMemberRole = .member)
            -> ForwardAudience?
        {
            ForwardAudience(eventsOf: RuleFixtures.member(2, role, status))
        }
        #expect(audience(.pendingApproval) == nil && audience(.pendingReview) == .support(2))
        #expect(audience(.connected) == .group(includesPending: false))
        for role in [GroupMemberRole.moderator, .admin, .owner] {
            #expect(audience(.connected, role) == .group(includesPending: true))
        }
    }

    // MARK: Edits

    @Test("a member edits its own messages, and finishes its live ones without a mark")
    func edits() {
        func decision(_ text: String, live: Bool? = nil, of stored: StoredItem?) -> GroupEditDecision {
            var update = MessageUpdate(messageID: Self.id, content: .text(text))
            update.live = live
            return GroupEditDecision(update, by: Self.bob, of: stored)
        }
        func isRefused(_ decision: GroupEditDecision) -> Bool {
            if case .refuse = decision { true } else { false }
        }
        let own = RuleFixtures.item(by: Self.bob)
        let live = RuleFixtures.item(by: Self.bob) { $0.isLive = true }
        #expect(decision("new", of: nil) == .insert && decision("text", of: own) == .unchanged)
        #expect(decision("new", of: own) == .replace(isEdited: true, isLive: false))
        #expect(decision("text", of: live) == .replace(isEdited: false, isLive: false))
        #expect(decision("more", live: true, of: live) == .replace(isEdited: false, isLive: true))
        #expect(isRefused(decision("new", of: RuleFixtures.item(by: RuleFixtures.member(3)))))
        #expect(
            isRefused(decision("new", of: RuleFixtures.item()))
                && isRefused(decision("new", of: RuleFixtures.item(isAsGroup: true))))
    }

    // MARK: Deletions

    private func deletion(
        by role: GroupMemberRole = .member, naming author: UInt8? = nil, of stored: StoredItem?,
        after seconds: Int64 = 0, channel: Bool = false
    ) -> GroupDeletionDecision {
        let deletion = MessageDeletion(messageID: Self.id, memberID: author.map { MemberID([$0]) })
        return GroupDeletionDecision(
            deletion, by: RuleFixtures.member(2, role), of: stored,
            in: RuleFixtures.group(channel: channel), at: RuleFixtures.time.adding(seconds: seconds))
    }

    private func isRefused(_ decision: GroupDeletionDecision) -> Bool {
        if case .refuse = decision { true } else { false }
    }

    @Test("a member takes its own words back for 78 hours; a moderator who names itself, for ever")
    func ownDeletions() {
        let own = RuleFixtures.item(by: RuleFixtures.member(2))
        let late: Int64 = 78 * 3600
        #expect(
            deletion(of: own, after: late - 1) == .delete && isRefused(deletion(of: own, after: late)))
        #expect(
            deletion(naming: 2, of: own) == .delete
                && isRefused(deletion(naming: 2, of: own, after: late)))
        #expect(
            deletion(
                by: .moderator, naming: 2, of: RuleFixtures.item(by: RuleFixtures.member(2, .moderator)),
                after: late) == .moderate)
    }

    @Test("moderators delete messages of those who are not above them, whom they name")
    func moderation() {
        let member = RuleFixtures.item(by: RuleFixtures.member(3))
        let admin = RuleFixtures.item(by: RuleFixtures.member(3, .admin))
        #expect(
            deletion(by: .moderator, naming: 3, of: member) == .moderate
                && deletion(by: .admin, naming: 3, of: admin) == .moderate)
        #expect(
            isRefused(deletion(by: .member, naming: 3, of: member))
                && isRefused(deletion(by: .moderator, naming: 3, of: admin)))
        #expect(
            isRefused(deletion(by: .moderator, of: member))
                && isRefused(deletion(by: .moderator, naming: 4, of: member)))
        #expect(
            deletion(by: .moderator, naming: 1, of: RuleFixtures.item()) == .moderate,
            "a message of this profile")
        #expect(
            isRefused(deletion(by: .owner, naming: 3, of: RuleFixtures.item(isAsGroup: true))),
            "nobody is the author")
    }

    @Test(
        "a moderator's deletion waits for a message that comes later; others have nothing to delete")
    func unknownMessages() {
        #expect(deletion(by: .moderator, naming: 3, of: nil) == .wait(author: MemberID([3])))
        #expect(isRefused(deletion(by: .member, naming: 3, of: nil)))
        for role in [GroupMemberRole.member, .moderator] {
            #expect(
                isRefused(deletion(by: role, of: nil)) && isRefused(deletion(by: role, naming: 2, of: nil)))
        }
    }

    @Test("changes of members and deletions by moderators govern, and what members write does not")
    func governing() {
        #expect(
            ChatMessageEvent.deleteMessage(MessageDeletion(messageID: Self.id, memberID: MemberID([3])))
                .governsMembers)
        #expect(
            ChatMessageEvent.deleteGroup.governsMembers && ChatMessageEvent.leaveGroup.governsMembers)
        #expect(!ChatMessageEvent.deleteMessage(MessageDeletion(messageID: Self.id)).governsMembers)
        #expect(
            !ChatMessageEvent.updateMessage(MessageUpdate(messageID: Self.id, content: .text("")))
                .governsMembers)
    }
}
