import ChatAPI
import ChatProtocol
import SMPWire
import Testing

@testable import ChatRules

@Suite("The rules of comments")
struct CommentRuleTests {
    private let channel = RuleFixtures.group(channel: true) { $0.set(.comments, .on) }

    private func refusal(
        on post: StoredItem = RuleFixtures.item(isAsGroup: true), by role: GroupMemberRole = .commenter, in group: GroupInfo? = nil, after seconds: Int64 = 60
    ) -> CommentRefusal? {
        CommentRules.refusal(on: post, by: RuleFixtures.member(2, role), in: group ?? channel, at: RuleFixtures.time.adding(seconds: seconds))
    }

    @Test("those who may comment do so on posts of a channel that takes comments")
    func allowed() {
        for role in [GroupMemberRole.commenter, .author, .member, .moderator, .admin, .owner] { #expect(refusal(by: role) == nil, "\(role)") }
        for role in [GroupMemberRole.observer, .relay, .unknown("x")] { #expect(refusal(by: role) == .role, "\(role)") }
        #expect(refusal(on: RuleFixtures.item(by: RuleFixtures.member(3))) == nil, "a post of a writer")
        #expect(refusal(on: RuleFixtures.item()) == nil, "a post of this profile")
    }

    @Test("groups without relays have no comments, and neither have channels that do not allow them")
    func elsewhere() {
        #expect(refusal(in: RuleFixtures.group { $0.set(.comments, .on) }) == .noChannel)
        #expect(refusal(in: RuleFixtures.group(channel: true) { $0.set(.comments, .off) }) == .notAllowed)
    }

    @Test("only posts that are there take comments: no comment, no support message, nothing deleted")
    func posts() {
        let author = RuleFixtures.member(3)
        #expect(refusal(on: RuleFixtures.item(by: author) { $0.group.parent = 5 }) == .noPost)
        #expect(refusal(on: RuleFixtures.item(by: author, scope: .memberSupport(3))) == .noPost)
        #expect(refusal(on: RuleFixtures.item(by: author, deletion: .deleted)) == .noPost)
        #expect(refusal(on: RuleFixtures.item(by: author) { $0.content = .receivedGroupEvent(event: .memberLeft) }) == .noPost)
    }

    @Test("a post whose comments the owner has disabled takes none, of nobody")
    func disabled() {
        let post = RuleFixtures.item(isAsGroup: true) { $0.group.commentsDisabled = true }
        for role in [GroupMemberRole.commenter, .owner] { #expect(refusal(on: post, by: role) == .disabled) }
    }

    @Test("comments close after the time that the channel gives them, to the second")
    func closing() {
        let brief = RuleFixtures.group(channel: true) {
            $0.set(.comments, .on)
            $0.comments?.duration = 3_600
        }
        #expect(refusal(in: brief, after: 3_600) == nil)
        #expect(refusal(in: brief, after: 3_601) == .closed)
        #expect(refusal(in: brief, after: -5) == nil, "clocks of routers differ")
        #expect(refusal(after: 1_000_000_000) == nil, "without a time they stay open")
    }
}
