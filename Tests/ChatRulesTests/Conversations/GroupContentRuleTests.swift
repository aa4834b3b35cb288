import ChatAPI
import ChatProtocol
import Testing

@testable import ChatRules

@Suite("Content that a group does not take")
struct GroupContentRuleTests {
    private static let voice = MessageContent.voice(text: "", duration: 1)
    private static let report = MessageContent.report(text: "", reason: .spam)

    private func forbidding(
        _ content: MessageContent, hasFile: Bool = false,
        by author: GroupMember = RuleFixtures.member(), in group: GroupInfo,
        scope: GroupChatScopeInfo? = nil,
        isSent: Bool = false
    ) -> GroupFeature? {
        GroupContentRules.forbidding(
            content, hasFile: hasFile, by: author, in: GroupConversation(group, scope: scope),
            isSent: isSent)
    }

    @Test("files and voice messages have a preference each")
    func filesAndVoice() {
        let noFiles = RuleFixtures.group { $0.set(.files, .off) }
        let noVoice = RuleFixtures.group { $0.set(.voice, .off) }
        #expect(
            forbidding(.file(""), hasFile: true, in: noFiles) == .files
                && forbidding(.file(""), hasFile: true, in: noVoice) == nil)
        #expect(
            forbidding(Self.voice, hasFile: true, in: noVoice) == .voice
                && forbidding(Self.voice, hasFile: true, in: noFiles) == nil)
        for group in [noFiles, noVoice] { #expect(forbidding(.text("text"), in: group) == nil) }
    }

    @Test("a preference with a role is asked for the author")
    func authors() {
        let group = RuleFixtures.group { $0.set(.files, .on, role: .moderator) }
        #expect(forbidding(.file(""), hasFile: true, in: group) == .files)
        #expect(
            forbidding(.file(""), hasFile: true, by: RuleFixtures.member(2, .moderator), in: group) == nil
        )
    }

    @Test("members report to moderators, and moderators to nobody")
    func reports() {
        let member = RuleFixtures.group(RuleFixtures.me(.member))
        let moderator = RuleFixtures.group(RuleFixtures.me(.moderator))
        #expect(
            forbidding(Self.report, in: member, isSent: true) == nil
                && forbidding(Self.report, in: member, isSent: false) == .reports)
        #expect(
            forbidding(Self.report, in: moderator, isSent: true) == .reports
                && forbidding(Self.report, in: moderator, isSent: false) == nil)
        let without = RuleFixtures.group(RuleFixtures.me(.moderator)) { $0.set(.reports, .off) }
        #expect(forbidding(Self.report, in: without, isSent: false) == .reports)
    }

    // MARK: Support chats

    @Test("without support chats only those that are there go on, and moderators begin new ones")
    func support() {
        let off = RuleFixtures.group { $0.set(.support, .off) }
        var talking = RuleFixtures.member(3)
        talking.supportChat = GroupSupportChat(
            chatTimestamp: RuleFixtures.time, unread: 0, memberAttention: 0, mentions: 0)
        let new = GroupChatScopeInfo.memberSupport(groupMember: RuleFixtures.member(3))
        let old = GroupChatScopeInfo.memberSupport(groupMember: talking)
        #expect(
            forbidding(.text(""), in: off, scope: new) == .support
                && forbidding(.text(""), in: off, scope: old) == nil)
        var moderated = off
        moderated.membership.role = .moderator
        #expect(
            forbidding(.text(""), in: moderated, scope: new, isSent: true) == nil
                && forbidding(.text(""), in: moderated, scope: new) == .support)
        #expect(
            forbidding(.text(""), in: off, scope: new, isSent: true) == .support, "members begin none")
        #expect(
            forbidding(.text(""), in: moderated, scope: .memberSupport(groupMember: nil), isSent: true)
                == .support, "nor a moderator with itself")
        #expect(forbidding(.text(""), in: RuleFixtures.group(), scope: new) == nil)
    }

    @Test("files may be sent in support chats whatever the group allows to all")
    func supportFiles() {
        let group = RuleFixtures.group { $0.set(.files, .off) }
        #expect(
            forbidding(
                .file(""), hasFile: true, in: group,
                scope: .memberSupport(groupMember: RuleFixtures.member(3))) == nil)
    }

    @Test("no preference forbids voice messages between a host and a member who waits for approval")
    func hostVoice() {
        func group(_ me: GroupMember) -> GroupInfo { RuleFixtures.group(me) { $0.set(.voice, .off) } }
        func sent(_ role: GroupMemberRole, to status: GroupMemberStatus) -> GroupFeature? {
            let subject = RuleFixtures.member(3, .observer, status)
            return forbidding(
                Self.voice, in: group(RuleFixtures.me(role)), scope: .memberSupport(groupMember: subject),
                isSent: true)
        }
        #expect(sent(.admin, to: .pendingApproval) == nil)
        #expect(
            sent(.moderator, to: .pendingApproval) == .voice && sent(.admin, to: .pendingReview) == .voice
                && sent(.admin, to: .connected) == .voice)
        func received(_ category: GroupMemberCategory, _ status: GroupMemberStatus) -> GroupFeature? {
            forbidding(
                Self.voice, by: RuleFixtures.member(2, .admin, category: category),
                in: group(RuleFixtures.me(.observer, status)),
                scope: .memberSupport(groupMember: nil))
        }
        #expect(received(.host, .pendingApproval) == nil)
        #expect(
            received(.post, .pendingApproval) == .voice && received(.host, .pendingReview) == .voice)
        #expect(
            forbidding(
                Self.voice, by: RuleFixtures.member(2, .admin, category: .host),
                in: group(RuleFixtures.me(.observer, .pendingApproval))) == .voice)
    }

    @Test("a card of a chat is a link, too")
    func links() {
        let group = RuleFixtures.group { $0.set(.simplexLinks, .on, role: .admin) }
        let card = MessageContent.chat(
            text: "join", link: .unknown(tag: "later", JSONObject()), ownerSignature: nil)
        #expect(
            forbidding(card, in: group) == .simplexLinks
                && forbidding(card, by: RuleFixtures.member(2, .admin), in: group) == nil)
        #expect(forbidding(.text("https://example.com"), in: group) == nil)
    }
}

@Suite("Mentions of members")
struct MentionRuleTests {
    @Test("a message mentions three members at the most, each once and by a name in its text")
    func sent() {
        let text = "@a @b @c @d"
        #expect(
            MentionRules.areValid(["a": 1, "b": 2, "c": 3], in: text)
                && MentionRules.areValid([:], in: text))
        #expect(!MentionRules.areValid(["a": 1, "b": 2, "c": 3, "d": 4], in: text))
        #expect(
            !MentionRules.areValid(["a": 1, "b": 1], in: text)
                && !MentionRules.areValid(["e": 1], in: text))
    }

    @Test(
        "of a received message the first five mentions count, each member once and by a name in the text"
    )
    func received() {
        let names = ["a", "b", "c", "d", "e", "f"]
        let all = Dictionary(
            uniqueKeysWithValues: names.enumerated().map { ($1, MemberID([UInt8($0)])) })
        #expect(Set(MentionRules.counted(all, in: "@a @b @c @d @e @f").keys) == Set(names.prefix(5)))
        #expect(MentionRules.counted(all, in: "@f @x @f").keys.sorted() == ["f"])
        #expect(
            MentionRules.counted(["a": MemberID([1]), "b": MemberID([1])], in: "@b @a") == [
                "b": MemberID([1])
            ])
    }
}
