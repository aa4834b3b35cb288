import ChatAPI
import ChatProtocol
import ChatRules
import SMPWire
import Testing

@testable import ChatEngine

/// What a group takes, from whom and where.
@Suite struct GroupContentRuleTests {
    private static let roles: [GroupMemberRole] = [.observer, .author, .member, .moderator, .admin, .owner]
    private static let path = "contact#/?v=2-7&smp=smp%3A%2F%2FrarsnwRATKB5LE6boQiLo5bKObzjlLIFCUomY0F4oe0%3D%40smp.example.com"
    private static let queue = "%2FBaisrq6vNNHx0FtqbvvH9UK0UzyU0M7r%23%2F%3Fv%3D1-4"
    private static let key = "%26dh%3DMCowBQYDK2VuAyEAWY6kQ3rhSUamKTUHZFM-WDogXOD5sy4BVUQ8Vg5d6gw%253D%26q%3Dc"
    /// An address as people send it to each other.
    static let link = "https://simplex.chat/\(path)\(queue)\(key)"
    private static let picture = MessageContent.image(text: "", image: ImageData("data:image/png;base64,AA=="))
    private static let report = MessageContent.report(text: "", reason: .spam)

    /// A group, as this profile with a role is in it.
    private func group(as role: GroupMemberRole = .member, _ preferences: (inout GroupPreferences) -> Void = { _ in }) async throws -> GroupInfo {
        let scene = try await RuleScene()
        try await scene.addGroup(as: role)
        var group = try await scene.group(), chosen = GroupPreferences()
        preferences(&chosen)
        group.fullGroupPreferences = FullGroupPreferences(chosen)
        try await scene.close()
        return group
    }

    private func forbidding(
        _ content: MessageContent, hasFile: Bool = false, by author: GroupMember, in group: GroupInfo, scope: GroupChatScopeInfo? = nil, isSent: Bool = false
    ) -> GroupFeature? {
        GroupContentRules.forbidding(content, hasFile: hasFile, by: author, in: GroupConversation(group, scope: scope), isSent: isSent)
    }

    @Test(arguments: [
        (GroupFeature.voice, MessageContent.voice(text: "", duration: 3), true), (.files, .file(""), true), (.files, picture, true),
        (.simplexLinks, .text("join \(link)"), false),
    ])
    func aFeatureThatIsOffIsForbiddenToAllAndOneFromARoleOnToThoseBelow(_ feature: GroupFeature, _ content: MessageContent, _ hasFile: Bool) async throws {
        let open = try await group(), off = try await group { $0.set(feature, .off) }, limited = try await group { $0.set(feature, .on, role: .moderator) }
        for role in Self.roles {
            let author = GroupMember.example(role)
            #expect(forbidding(content, hasFile: hasFile, by: author, in: open) == nil, "\(role)")
            #expect(forbidding(content, hasFile: hasFile, by: author, in: off) == feature, "\(role)")
            #expect(forbidding(content, hasFile: hasFile, by: author, in: limited) == (role < .moderator ? feature : nil), "\(role)")
        }
    }

    @Test func aPictureWithoutAFileIsNoFileAndAVoiceMessageIsJudgedAsOneOnly() async throws {
        let noFiles = try await group { $0.set(.files, .off) }
        #expect(forbidding(Self.picture, by: .example(.member), in: noFiles) == nil)
        #expect(forbidding(.voice(text: "", duration: 1), hasFile: true, by: .example(.member), in: noFiles) == nil)
        let noVoice = try await group { $0.set(.voice, .off) }
        #expect(forbidding(.file("voice"), hasFile: true, by: .example(.member), in: noVoice) == nil)
        // The feature that is named first is that of official clients.
        let nothing = try await group { preferences in [GroupFeature.voice, .files, .simplexLinks].forEach { preferences.set($0, .off) } }
        #expect(forbidding(.voice(text: Self.link, duration: 1), hasFile: true, by: .example(.member), in: nothing) == .voice)
        #expect(forbidding(.file(Self.link), hasFile: true, by: .example(.member), in: nothing) == .files)
        #expect(forbidding(.text(Self.link), by: .example(.member), in: nothing) == .simplexLinks)
    }

    @Test(arguments: [
        (link, true), ("a \(link) b", true),
        ("simplex:/\(path)\(queue)\(key)", true),
        ("https://smp8.simplex.im/a#lXUjJW5vHYQzoLYgmi8GbxkGP41_kjefFvBrdwg-0Ok", true), ("https://example.com", false), ("simplex", false), ("", false),
        // Apps show these as links to the web, which lead there all the same.
        ("join us: \(link).", true), ("(\(link))", true), ("\u{201C}\(link)\u{201D}", true), ("<\(link)>, please", true), ("see:\(link)!", true),
        ("https://example.com/#\(key)", false),
        // Spaces and invisible signs inside, which a person is asked to leave out.
        ("join: h t t p s : / / smp8.simplex.im/a#lXUjJW5vHYQzoLYgmi8GbxkGP41_kjefFvBrdwg-0Ok", true),
        ("https://smp8.simplex.im/a # lXUjJW5vHYQzoLYgmi8G bxkGP41_kjefFvBrdwg-0Ok without the spaces", true),
        ("https://smp8.\u{200B}simplex.im/a#lXUjJW5vHYQzoLYgmi8G\u{2060}bxkGP41_kjefFvBrdwg-0Ok", true),
        ("simplex\n:/ \(path)\(queue)\(key) no spaces", true), (link.replacing("#", with: " #\u{3000}") + " thanks", true),
        // What is no link without them is none with them.
        ("simplex link https://simplex.chat/\(path)%2Fabc%23%2F%3Fv%3D1-4%26dh%3DMCowBQYDK2VuAyEAabc", false), ("x simplex:/\(path)\(queue)", false),
        ("x simplex:/\(path)%2F%23%2F%3Fv%3D1-4\(key)", false), ("x https://a.org/\(path)\(queue)\(key)", true),
        ("x simplex:/contact#/?data=https://a.org/&v=2-7&smp=smp%3A%2F%2FrarsnwRATKB5LE6boQiLo5bKObzjlLIFCUomY0F4oe0%3D%40smp.example.com\(queue)\(key)", true),
        ("https: //example.com/a # lXUjJW5v", false), ("simplex: / contact # / ? v=1", false), ("see https://a.org and #tag", false),
    ])
    func simplexLinksAreFoundInTextsAndOthersAreNot(_ text: String, _ isThere: Bool) async throws {
        #expect(Markdown.hasSimplexLink(text) == isThere)
        let closed = try await group { $0.set(.simplexLinks, .off) }
        #expect(GroupContentRules.forbidsLinks(.text(text), by: .example(.member), in: closed) == isThere)
    }

    @Test func aSharedChatIsALinkWhateverItsText() async throws {
        let closed = try await group { $0.set(.simplexLinks, .off) }
        let chat = MessageContent.chat(
            text: "",
            link: .contact(
                link: "https://smp8.simplex.im/a#lXUjJW5vHYQzoLYgmi8GbxkGP41_kjefFvBrdwg-0Ok", profile: Profile(displayName: "x", fullName: ""), business: false
            ),
            ownerSignature: nil)
        #expect(GroupContentRules.forbidsLinks(chat, by: .example(.owner), in: closed))
        #expect(!GroupContentRules.forbidsLinks(chat, by: .example(.owner), in: try await group()))
    }

    @Test func reportsGoFromThoseWhoDoNotModerateToThoseWhoDo() async throws {
        for role in Self.roles {
            let group = try await group(as: role), isModerator = role >= .moderator
            #expect(forbidding(Self.report, by: group.membership, in: group, isSent: true) == (isModerator ? .reports : nil), "sent by a \(role)")
            #expect(forbidding(Self.report, by: .example(.member), in: group) == (isModerator ? nil : .reports), "received by a \(role)")
        }
        let closed = try await group(as: .moderator) { $0.set(.reports, .off) }
        #expect(forbidding(Self.report, by: .example(.member), in: closed) == .reports)
    }

    @Test func inASupportChatFilesAndLinksAreFreeAndVoiceIsNot() async throws {
        let closed = try await group(as: .moderator) { preferences in [GroupFeature.voice, .files, .simplexLinks].forEach { preferences.set($0, .off) } }
        let subject = GroupMember.example(.member, 5), scope = GroupChatScopeInfo.memberSupport(groupMember: subject)
        #expect(forbidding(.file(""), hasFile: true, by: subject, in: closed, scope: scope) == nil)
        #expect(forbidding(.text(Self.link), by: subject, in: closed, scope: scope) == nil)
        #expect(forbidding(.voice(text: "", duration: 1), hasFile: true, by: subject, in: closed, scope: scope) == .voice)
    }

    @Test func supportThatIsOffIsForbiddenUnlessTheTalkHasBegun() async throws {
        let closed = try await group(as: .moderator) { $0.set(.support, .off) }
        var subject = GroupMember.example(.member, 5)
        #expect(forbidding(.text("x"), by: subject, in: closed, scope: .memberSupport(groupMember: subject)) == .support)
        #expect(
            forbidding(.text("x"), by: closed.membership, in: closed, scope: .memberSupport(groupMember: subject), isSent: true) == nil,
            "a moderator begins it")
        subject.supportChat = GroupSupportChat(chatTimestamp: MemoryStore.now, unread: 0, memberAttention: 0, mentions: 0)
        #expect(forbidding(.text("x"), by: subject, in: closed, scope: .memberSupport(groupMember: subject)) == nil)
        #expect(forbidding(.text("x"), by: closed.membership, in: closed, scope: .memberSupport(groupMember: nil), isSent: true) == .support)
        #expect(forbidding(.text("x"), by: .example(.member), in: closed) == nil, "what all see is no support")
    }

    @Test func theHostAndTheOneWhoWaitsForItsApprovalSpeakToEachOtherWhateverThePreferences() async throws {
        let voice = MessageContent.voice(text: "", duration: 1)
        for role in Self.roles {
            let host = try await group(as: role) { $0.set(.voice, .off) }
            for status in [GroupMemberStatus.pendingApproval, .pendingReview, .connected] {
                let scope = GroupChatScopeInfo.memberSupport(groupMember: .example(.observer, 5, status: status))
                let isAllowed = role >= .admin && status == .pendingApproval
                #expect((forbidding(voice, by: host.membership, in: host, scope: scope, isSent: true) == nil) == isAllowed, "\(role), \(status.rawValue)")
            }
        }
        var joiner = try await group(as: .observer) { $0.set(.voice, .off) }
        for (status, category, isAllowed) in [
            (GroupMemberStatus.pendingApproval, GroupMemberCategory.host, true), (.pendingReview, .host, false), (.pendingApproval, .pre, false),
        ] {
            joiner.membership.status = status
            let author = GroupMember.example(.admin, 2, category: category)
            #expect((forbidding(voice, by: author, in: joiner, scope: .memberSupport(groupMember: nil)) == nil) == isAllowed, "\(status.rawValue)")
        }
    }
}

/// Mentions of members in messages.
@Suite struct MentionRuleTests {
    @Test func aSentMessageMentionsThreeAtMostEachOnceAndOnlyWhomItsTextNames() {
        let text = "@ann @bob @cat @dan"
        func areValid(_ mentions: [String: GroupMemberID]) -> Bool { MentionRules.areValid(mentions, in: text) }
        #expect(areValid([:]) && areValid(["ann": 1]) && areValid(["ann": 1, "bob": 2, "cat": 3]))
        #expect(!areValid(["ann": 1, "bob": 2, "cat": 3, "dan": 4]), "one too many")
        #expect(!areValid(["ann": 1, "bob": 1]), "one member by two names")
        #expect(!areValid(["eve": 1]) && !areValid(["ANN": 1]), "nobody sees that")
    }

    @Test func ofAReceivedMessageTheFirstFiveMentionsCountThatItsTextHas() {
        let names = (1...8).map { "n\($0)" }, text = names.map { "@" + $0 }.joined(separator: " ")
        let all = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, MemberID([UInt8($0)])) })
        #expect(Set(MentionRules.counted(all, in: text).keys) == ["n1", "n2", "n3", "n4", "n5"])
        #expect(MentionRules.counted(all, in: "@n7 and @n8").keys.sorted() == ["n7", "n8"])
        #expect(MentionRules.counted(all, in: "nobody").isEmpty)
        let same = all.mapValues { _ in MemberID([1]) }
        #expect(MentionRules.counted(same, in: text).keys.sorted() == ["n1"], "a member is mentioned once")
        // One that is repeated takes no place of another.
        #expect(MentionRules.counted(all, in: "@n1 @n1 @n1 @n1 @n1 @n6").keys.sorted() == ["n1", "n6"])
    }

    @Test func aForwardedMessageNamesMembersAsTheyAreCalledNow() {
        func mention(_ id: UInt8, _ name: String?) -> ItemMention {
            let member = name.map { MentionedMember(groupMemberID: GroupMemberID(Int64(id)), displayName: $0, role: .member) }
            return ItemMention(memberID: MemberID([id]), member: member)
        }
        func renamed(_ text: String, _ mentions: [String: ItemMention]) -> (String, [String: UInt8]) {
            let (content, members) = MentionRules.renamed(.text(text), mentions: mentions)
            return (content.text, members.mapValues { $0.bytes[0] })
        }
        #expect(renamed("hi @ann!", ["ann": mention(1, "anna")]) == ("hi @anna!", ["anna": 1]))
        #expect(renamed("hi @ann", ["ann": mention(1, "Ann Lee")]) == ("hi @'Ann Lee'", ["Ann Lee": 1]))
        #expect(renamed("hi @ann_1", ["ann_1": mention(1, "ann")]) == ("hi @ann_1", ["ann_1": 1]), "the number tells two of one name apart")
        #expect(renamed("hi @ann", ["ann": mention(1, nil)]) == ("hi @ann", ["ann": 1]), "who is gone keeps the name")
        #expect(renamed("@ann and @bob", ["ann": mention(1, "eve"), "bob": mention(2, "eve")]) == ("@eve and @eve_1", ["eve": 1, "eve_1": 2]))
        #expect(renamed("no mention of ann", ["ann": mention(1, "anna")]).0 == "no mention of ann")
    }
}
