import ChatAPI
import ChatProtocol
import ParleyRules
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// What rules of bots.yaml do in groups, as commands to the core.
@Suite struct RuleActionTests {
    private let host = HostSessionTests()
    private static let team = ChatReference.group(7)

    private func bot(_ rules: String, _ keys: String = "") throws -> Bot {
        let file = try BotsFile(parsing: "parley: 1\nprofiles:\n  guard:\n\(keys)    rules:\n" + rules)
        return try #require(try file.makeBots().first)
    }

    /// The commands that change something, in order.
    private func commands(to core: ScriptedCore) -> [String] {
        core.groupCommands.filter { !$0.hasPrefix("/_members") && !$0.hasPrefix("/_groups") && !$0.hasPrefix("/_get") }
    }

    @Test func aMemberIsModeratedBlockedRemovedAndGivenARole() async throws {
        let core = ScriptedCore()
        let bot = try bot(
            """
                  - { when: { contains: casino, chat: group }, then: [ { moderate: true }, { remove: with-messages } ] }
                  - { when: { contains: shout, chat: group }, then: [ { block: true }, { role: observer }, { send: "quiet, {{ member.name }} of {{ group.name }}" } ] }
                  - { when: { contains: bye, chat: group }, then: { remove: true } }
            """)
        let (group, bob) = try core.addGroup()
        let spam = try await host.running([bot], on: core) { _ in
            let spam = core.receive("casino!", from: bob, in: group)
            core.receive("I shout", from: bob, in: group)
            await core.waitForSent(1, to: 7)
            core.receive("bye", from: bob, in: group)
            await core.waitForCommand("/_remove #7 4")
            return spam
        }
        #expect(
            commands(to: core) == [
                "/_delete member item #7 \(spam)", "/_remove #7 4 messages=on", "/_block #7 4 blocked=on", "/_member role #7 4 observer", "/_remove #7 4",
            ])
        #expect(core.sent(to: Self.team) == ["quiet, bob of team"])
    }

    @Test(arguments: [GroupMemberRole.moderator, .admin, .owner]) func whoKeepsTheGroupIsNeverActedOn(_ role: GroupMemberRole) async throws {
        let core = ScriptedCore()
        let bot = try bot(
            """
                  - when: { contains: casino, chat: group }
                    then: [ { moderate: true }, { block: true }, { remove: with-messages }, { role: observer }, { warn: true }, { send: moderated } ]
                  - { when: { contains: casino, chat: group }, then: { send: seen } }
            """)
        let (group, bob) = try core.addGroup()
        var changed = bob
        changed.role = role
        let keeper = changed
        core.state.withLock { $0.members[0].role = role }
        _ = try await host.running([bot], on: core) { _ in
            core.receive("casino", from: keeper, in: group)
            await core.waitForSent(1, to: 7)
        }
        #expect(commands(to: core).isEmpty)
        #expect(core.sent(to: Self.team) == ["seen"])
    }

    @Test func aReportedMessageIsModeratedAndItsAuthorNotTheReporterBlocked() async throws {
        let core = ScriptedCore()
        let bot = try bot(
            """
                  - { when: { report: true }, then: [ { moderate: true }, { block: true }, { reply: "thank you, {{ member.name }}" } ] }
            """)
        let (group, bob) = try core.addGroup()
        var ann = bob
        (ann.groupMemberID, ann.localDisplayName, ann.profile.displayName) = (5, "ann", "ann")
        let reporter = ann
        core.state.withLock { $0.members.append(reporter) }
        _ = try await host.running([bot], on: core) { _ in
            core.receive(
                .receivedMessage(content: .report(text: "bad", reason: .spam)), from: reporter,
                in: .group(groupInfo: group, scope: .memberSupport(groupMember: reporter)), text: "bad"
            ) { item in
                item.quotedItem = ItemQuote(
                    direction: .groupReceived(member: bob), itemID: 33, sharedMessageID: nil, sentAt: ScriptedCore.time, content: .text("buy"),
                    formattedText: nil)
            }
            await core.waitForSent(1, to: 7)
        }
        #expect(commands(to: core) == ["/_delete member item #7 33", "/_block #7 4 blocked=on"])
        #expect(core.sent(to: .group(7, scope: .memberSupport(5))) == ["thank you, ann"])
    }

    @Test func aMemberWhoWaitsIsAcceptedOrRefusedAndOneWhoWasAdmittedIsLeftAlone() async throws {
        let core = ScriptedCore()
        let bot = try bot(
            """
                  - { when: { member: pending }, then: { send: "do you agree, {{ member.name }}?" } }
                  - { when: { text: I agree, chat: support }, then: [ { accept: true }, { send: welcome } ] }
                  - { when: { text: no, chat: support }, then: [ { reject: true }, { send: "then not" } ] }
            """)
        let (group, bob) = try core.addGroup()
        var changed = bob
        changed.status = .pendingReview
        let pending = changed
        core.state.withLock { $0.members[0].status = .pendingReview }
        @Sendable func support(_ member: GroupMember) -> ChatInfo { .group(groupInfo: group, scope: .memberSupport(groupMember: member)) }
        _ = try await host.running([bot], on: core) { _ in
            core.receive(.receivedGroupEvent(event: .newMemberPendingReview), from: pending, in: support(pending))
            await core.waitForSent(1, to: 7)
            core.receive(.receivedMessage(content: .text("I agree")), from: pending, in: support(pending), text: "I agree")
            await core.waitForSent(2, to: 7)
            core.receive(.receivedMessage(content: .text("no")), from: pending, in: support(pending), text: "no")
            await core.waitForSent(3, to: 7)
            core.state.withLock { $0.members[0].status = .connected }
            var member = pending
            member.status = .connected
            for text in ["I agree", "no"] { core.receive(.receivedMessage(content: .text(text)), from: member, in: support(member), text: text) }
            await core.waitForSent(5, to: 7)
        }
        #expect(commands(to: core).count == 2, "\(commands(to: core))")
        #expect(commands(to: core).first?.hasPrefix("/_accept member #7 4") == true && commands(to: core).last == "/_remove #7 4")
        #expect(
            core.sent(to: .group(7, scope: .memberSupport(4))) == ["do you agree, bob?", "welcome", "then not", "welcome", "then not"])
    }

    @Test func aMessageIsForwardedToTheChatOfAName() async throws {
        let core = ScriptedCore()
        let bot = try bot(
            """
                  - { when: { contains: important, chat: group }, then: [ { forward: log }, { send: noted } ] }
                  - { when: { contains: nowhere, chat: group }, then: [ { forward: nobody }, { send: never } ] }
            """, "    trusted-contacts: nobody\n    groups: { log: {} }\n")
        let (group, bob) = try core.addGroup()
        _ = try core.addGroup(9, name: "log")
        let item = try await host.running([bot], on: core) { _ in
            core.receive("nowhere", from: bob, in: group)
            let item = core.receive("important", from: bob, in: group)
            await core.waitForSent(1, to: 7)
            return item
        }
        #expect(commands(to: core).contains { $0.hasPrefix("/_forward #9 #7 \(item)") }, "\(commands(to: core))")
        #expect(core.sent(to: Self.team) == ["noted"], "an action that fails ends those after it")
    }

    @Test func anInvitationIsAccepted() async throws {
        let core = ScriptedCore()
        let bot = try bot("      - { when: { invitation: true }, then: { accept: true } }\n")
        let ann = try core.add(contact: 4, name: "ann")
        _ = try await host.running([bot], on: core) { _ in
            let invitation = GroupInvitationItem(
                groupID: 7, groupMemberID: 1, localDisplayName: "team", groupProfile: GroupProfile(displayName: "team"), status: .pending)
            let item = ScriptedCore.item(200, .receivedGroupInvitation(invitation: invitation, memberRole: .member), .directReceived, "invitation")
            core.store(item, of: ann)
            core.publish { .newChatItems(user: $0, chatItems: [ItemInChat(chatInfo: .direct(contact: ann), chatItem: item)]) }
            await core.waitForCommand("/_join #7")
        }
        #expect(commands(to: core) == ["/_join #7"])
    }
}
