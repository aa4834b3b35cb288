import ChatAPI
import ChatProtocol
import SMPWire
import Testing

@testable import ChatRules

@Suite("The rules of channels")
struct ChannelRuleTests {
    private static let roles: [GroupMemberRole] = [.unknown("x"), .relay, .observer, .commenter, .author, .member, .moderator, .admin, .owner]

    @Test("a channel is served by its relays, subscribed by its members, and sent for by its owners", arguments: roles)
    func positions(role: GroupMemberRole) {
        let channel = RuleFixtures.group(RuleFixtures.me(role), channel: true), group = RuleFixtures.group(RuleFixtures.me(role))
        #expect(channel.isServedHere == (role == .relay) && !group.isServedHere)
        #expect(channel.isSubscribed == (role != .relay && role != .owner) && !group.isSubscribed)
        #expect(channel.sendsAsGroup == (role == .owner) && !group.sendsAsGroup)
    }

    @Test("who has left a channel is no subscriber")
    func formerSubscriber() {
        for status in [GroupMemberStatus.left, .removed, .groupDeleted] {
            #expect(!RuleFixtures.group(RuleFixtures.me(.observer, status), channel: true).isSubscribed)
        }
    }

    @Test("subscribers do not see other subscribers come and go; moderators do, and everybody sees moderators and relays")
    func mutedEvents() {
        func mutes(_ member: GroupMemberRole, for me: GroupMemberRole, channel: Bool = true) -> Bool {
            RuleFixtures.group(RuleFixtures.me(me), channel: channel).mutesEvents(of: RuleFixtures.member(2, member))
        }
        for role in [GroupMemberRole.observer, .commenter, .author, .member] {
            #expect(mutes(role, for: .observer) && mutes(.observer, for: role))
            for me in [GroupMemberRole.moderator, .admin, .owner, .relay] { #expect(!mutes(role, for: me)) }
            #expect(!mutes(role, for: .observer, channel: false))
        }
        for role in [GroupMemberRole.moderator, .admin, .owner, .relay] { #expect(!mutes(role, for: .observer)) }
    }

    @Test("those who join a channel may comment if it takes comments and their client knows them")
    func joiners() {
        let quiet = RuleFixtures.group(channel: true), open = RuleFixtures.group(channel: true) { $0.set(.comments, .on) }
        #expect(ChannelRules.subscriberRole(in: quiet) == .observer && ChannelRules.subscriberRole(in: open) == .commenter)
        #expect(ChannelRules.subscriberRole(in: open, knowComments: false) == .observer)
        #expect(quiet.unknownMemberRole == .observer && open.unknownMemberRole == .commenter)
        #expect(RuleFixtures.group().unknownMemberRole == .author)
    }

    @Test("relays tell of subscribers, and of nobody who is on the roster", arguments: roles)
    func announcements(role: GroupMemberRole) {
        let subscribers: [GroupMemberRole] = [.unknown("x"), .observer, .commenter, .author]
        #expect(ChannelRules.mayAnnounce(role) == subscribers.contains(role))
    }

    @Test("the word of a relay gives nobody a role that owners give, and changes nobody who is known")
    func introducedRoles() {
        for role in [GroupMemberRole.owner, .relay, .admin, .moderator, .member] { #expect(ChannelRules.role(introduced: role, known: nil) == .observer) }
        for role in [GroupMemberRole.observer, .commenter] { #expect(ChannelRules.role(introduced: role, known: nil) == role) }
        for status in [GroupMemberStatus.connected, .announced, .left] {
            #expect(ChannelRules.role(introduced: .member, known: RuleFixtures.member(2, .moderator, status)) == .moderator)
        }
        #expect(ChannelRules.role(introduced: .commenter, known: RuleFixtures.member(2, .observer, .unknown)) == .commenter)
        #expect(ChannelRules.role(introduced: .member, known: RuleFixtures.member(2, .observer, .unknown)) == .observer)
        #expect(ChannelRules.role(introduced: .owner, known: RuleFixtures.member(2, .member, .unknown)) == .member, "members are known from the roster")
        #expect(ChannelRules.role(introduced: .observer, known: RuleFixtures.member(2, .owner, .unknown)) == .owner, "owners are known from the link")
    }

    @Test("a channel says that it is not encrypted from end to end, a group that it is")
    func encryption() {
        #expect(RuleFixtures.group(channel: true).encryption.isPublic == true)
        // The encryption of groups is not the one against quantum computers.
        #expect(RuleFixtures.group().encryption == EncryptionInfo(isPublic: nil, pqEnabled: false))
    }

    @Test("messages can be sent in the name of a channel, and neither reactions nor changes of members")
    func anonymousContent() {
        let id = SharedMessageID(Bytes(repeating: 1, count: 12))
        let content: [ChatMessageEvent] = [
            .newMessage(MessageContainer(content: .text("news"))), .updateMessage(MessageUpdate(messageID: id, content: .text("new"))),
            .deleteMessage(MessageDeletion(messageID: id)), .cancelFile(messageID: id),
        ]
        for event in content { #expect(event.hasNoAuthorInChannels, "\(event.tag)") }
        for event in [ChatMessageEvent.leaveGroup, .deleteGroup, .memberRole(memberID: MemberID([2]), .owner), .info(Profile(displayName: "a", fullName: ""))] {
            #expect(!event.hasNoAuthorInChannels, "\(event.tag)")
        }
    }
}
