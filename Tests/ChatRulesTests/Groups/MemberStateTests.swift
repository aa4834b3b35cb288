import ChatAPI
import ChatProtocol
import SMPWire
import Testing

@testable import ChatRules

@Suite("The states of members")
struct MemberStateTests {
    @Test("a member takes part once it is connected or waits to be let in, and until it has gone")
    func phases() {
        let active: Set<GroupMemberStatus> = [.pendingApproval, .pendingReview, .connected, .complete, .creator]
        let ended: Set<GroupMemberStatus> = [.removed, .left, .groupDeleted]
        let waiting: Set<GroupMemberStatus> = [.unknown, .accepted, .rejected]
        for status in GroupMemberStatus.allCases {
            #expect(status.isActive == active.contains(status), "\(status)")
            #expect(status.hasEnded == ended.contains(status), "\(status)")
            #expect(status.awaitsAdmission == waiting.contains(status), "\(status)")
        }
    }

    @Test(
        "messages go over a connection that both sides have made, unless the member was refused or its queue is gone",
        arguments: [
            (ConnectionStatus.new, false), (.prepared, false), (.joined, false), (.requested, false), (.accepted, false), (.sendReady, true), (.ready, true),
            (.deleted, false), (.failed(connectionError: "x"), false),
        ])
    func openConnection(status: ConnectionStatus, isOpen: Bool) {
        let connection = RuleFixtures.connection(status)
        #expect((RuleFixtures.member(connection: connection).openConnection != nil) == isOpen)
        #expect((RuleFixtures.member(connection: connection).readyConnection != nil) == isOpen)
        #expect(RuleFixtures.member(2, .member, .rejected, connection: connection).openConnection == nil)
    }

    @Test("a connection is given up with the tenth failure, and takes a rest with the fifth refusal of a full queue")
    func errorCounts() {
        func member(auth: Int = 0, quota: Int = 0) -> GroupMember {
            var connection = RuleFixtures.connection()
            (connection.authErrorCounter, connection.quotaErrorCounter) = (auth, quota)
            return RuleFixtures.member(connection: connection)
        }
        #expect(member(auth: 9).readyConnection != nil && member(auth: 10).openConnection == nil)
        #expect(member(quota: 4).readyConnection != nil)
        #expect(member(quota: 5).readyConnection == nil && member(quota: 5).openConnection != nil)
    }

    @Test("what a member understands is what its connection says, else what others say of it")
    func versions() {
        #expect(RuleFixtures.member(version: 4).supports(4) && !RuleFixtures.member(version: 4).supports(5))
        let connected = RuleFixtures.member(connection: RuleFixtures.connection(version: 5), version: 16)
        #expect(connected.supports(5) && !connected.supports(6))
    }

    @Test("messages are hidden if this profile or a moderator has blocked the member")
    func blocked() {
        func isBlocked(here: Bool, byAdmin: Bool) -> Bool {
            var member = RuleFixtures.member()
            member.settings.showsMessages = !here
            member.blockedByAdmin = byAdmin
            return member.isBlocked
        }
        #expect(!isBlocked(here: false, byAdmin: false))
        #expect(isBlocked(here: true, byAdmin: false) && isBlocked(here: false, byAdmin: true) && isBlocked(here: true, byAdmin: true))
    }

    @Test("moderators have something to do for a member who waits to be let in, or has written to them or mentioned this profile since")
    func attention() {
        func requiresAttention(_ status: GroupMemberStatus = .connected, messages: Int = 0, mentions: Int = 0, unread: Int = 0) -> Bool {
            var member = RuleFixtures.member(2, .member, status)
            member.supportChat = GroupSupportChat(
                chatTimestamp: RuleFixtures.time, unread: unread, memberAttention: messages, mentions: mentions)
            return member.requiresAttention
        }
        #expect(!RuleFixtures.member().requiresAttention && !requiresAttention() && !requiresAttention(unread: 3))
        #expect(requiresAttention(messages: 1) && requiresAttention(mentions: 1))
        #expect(requiresAttention(.pendingApproval) && requiresAttention(.pendingReview))
    }

    @Test(
        "a forwarded message names its author with sixteen characters",
        arguments: [
            ("bob", "bob"), ("sixteen letters!", "sixteen letters!"), ("seventeen letters", "seventeen letter…"), ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦"),
        ])
    func shortName(name: String, short: String) {
        var member = RuleFixtures.member()
        member.profile.displayName = name
        #expect(member.shortName == short)
    }

    @Test(
        "a range of versions in the wrong order, or outside of what the protocol writes, is read as far as it goes",
        arguments: [
            (1, 16, 1, 16), (5, 5, 5, 5), (9, 3, 9, 9), (-4, 2, 0, 2), (1, 70_000, 1, 65_535), (Int.min, Int.min, 0, 0), (Int.max, Int.max, 65_535, 65_535),
        ])
    func versionRange(low: Int, high: Int, expectedLow: Int, expectedHigh: Int) {
        let range = VersionRange(ChatVersionRange(minVersion: low, maxVersion: high))
        #expect(ChatVersionRange(range) == ChatVersionRange(minVersion: expectedLow, maxVersion: expectedHigh))
    }

    @Test(
        "administrators pass on messages in a group, and nobody but relays in a channel",
        arguments: [
            (GroupMemberRole.owner, true, false), (.admin, true, false), (.moderator, false, false), (.member, false, false), (.observer, false, false),
            (.relay, false, true),
        ])
    func forwarders(role: GroupMemberRole, inGroup: Bool, inChannel: Bool) {
        #expect(RuleFixtures.group(RuleFixtures.me(role)).isForwarder == inGroup)
        #expect(RuleFixtures.group(RuleFixtures.me(role), channel: true).isForwarder == inChannel)
    }

    @Test("a feature with a role is for those who have at least that role")
    func featureRoles() {
        let group = RuleFixtures.group(RuleFixtures.me(.member)) {
            $0.set(.voice, .on, role: .moderator)
            $0.set(.files, .off)
        }
        #expect(!group.allowsUser(.voice) && group.allows(.voice, RuleFixtures.member(2, .moderator)) && group.allows(.voice, RuleFixtures.member(2, .owner)))
        #expect(!group.allows(.files, RuleFixtures.member(2, .owner)), "what is off is off for owners too")
        let withoutReports = RuleFixtures.group { $0.set(.reports, .off) }
        #expect(group.allows(.reports) && !withoutReports.allows(.reports))
    }

    @Test("the answer to a request counts while this profile waits for it; in a channel another relay may have answered before")
    func answers() {
        func awaitsAnswer(_ status: GroupMemberStatus, _ role: GroupMemberRole = .observer, channel: Bool) -> Bool {
            RuleFixtures.group(RuleFixtures.me(role, status), channel: channel).awaitsAnswer
        }
        for channel in [false, true] {
            for status in [GroupMemberStatus.unknown, .accepted, .rejected] { #expect(awaitsAnswer(status, channel: channel), "\(status)") }
            for status in [GroupMemberStatus.pendingReview, .left, .removed, .creator] { #expect(!awaitsAnswer(status, channel: channel), "\(status)") }
            #expect(awaitsAnswer(.connected, channel: channel) == channel)
        }
        #expect(!awaitsAnswer(.accepted, .relay, channel: true), "a relay has asked nobody")
    }

    @Test("this profile is incognito in a group that knows another profile of it")
    func incognito() {
        var membership = RuleFixtures.me()
        #expect(!RuleFixtures.group(membership).isIncognito)
        membership.profile.profileID = 99
        #expect(RuleFixtures.group(membership).isIncognito)
    }
}
