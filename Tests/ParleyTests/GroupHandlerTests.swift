import ChatAPI
import ChatProtocol
import Synchronization
import TestSupport
import Testing

@testable import Hosting
@testable import Parley

/// Handlers of bots that are members of groups.
@Suite struct GroupHandlerTests {
    private let host = HostSessionTests()
    private static let team = ChatReference.group(7)

    @Test func aHandlerAnswersInGroupsOnlyIfItSaysSo() async throws {
        let core = ScriptedCore()
        let bot = Bot("Echo") {
            On(.command("help", "Help"), in: [.contacts, .groups]) { try await $0.reply("helping \($0.senderName)") }
            On(.command("rules", "Rules"), in: .groups) { try await $0.reply("be kind") }
            On(.text) { try await $0.send("echo \($0.text)") }
        }
        let (group, bob) = try core.addGroup(), ann = try core.add(contact: 4, name: "ann")
        _ = try await host.running([bot], on: core) { _ in
            for text in ["/help", "hello", "/rules"] { core.receive(text, from: bob, in: group) }
            for text in ["/help", "/rules"] { core.receive(text, from: ann) }
            await core.waitForSent(2, to: 7)
            await core.waitForSent(2, to: 4)
        }
        #expect(core.sent(to: Self.team) == ["helping bob", "be kind"])
        #expect(core.sent(to: ContactID(4)) == ["helping ann", "echo /rules"])
        #expect(bot.menu.map(\.keyword) == ["help"] && bot.groupMenu.map(\.keyword) == ["help", "rules"])
    }

    /// Each update starts from the group as it is, not as the handler was given it.
    @Test func updatesOfAGroupThatRunAtOnceKeepEachOther() async throws {
        let core = ScriptedCore()
        let bot = Bot("Guard") {
            On(.command("set", "Set"), in: .groups) { message in
                let group = try #require(message.group)
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    tasks.addTask { try await group.update { $0.description = "welcome" } }
                    tasks.addTask { try await group.update { $0.shortDescription = "short" } }
                    tasks.addTask { try await group.update { $0.memberAdmission = GroupMemberAdmission(review: .all) } }
                    try await tasks.waitForAll()
                }
                // What is so already is no change, however old the record.
                let same = try await group.update { $0.description = "welcome" }
                #expect(same.info.groupProfile.shortDescription == "short")
                try await message.send("done")
            }
        }
        let (group, bob) = try core.addGroup()
        _ = try await host.running([bot], on: core) { _ in
            core.receive("/set", from: bob, in: group)
            await core.waitForSent(1, to: 7)
        }
        let profile = try #require(core.state.withLock(\.groups).first { $0.groupID == 7 }).groupProfile
        #expect(profile.description == "welcome" && profile.shortDescription == "short" && profile.memberAdmission?.review == .all)
        #expect(core.groupCommands.count { $0.hasPrefix("/_group_profile ") } == 3, "\(core.groupCommands)")
    }

    @Test func historyAndMessagesOfOtherBotsAreNotAnswered() async throws {
        let core = ScriptedCore()
        let bot = Bot("Echo") { On(.text, in: .groups) { try await $0.send("re: \($0.text)") } }
        let (group, bob) = try core.addGroup { $0.membership.status = .connected }
        var robot = bob
        robot.profile.peerType = .bot
        let other = robot
        _ = try await host.running([bot], on: core) { _ in
            core.receive("written before the bot joined", from: bob, in: group) { item in
                item.meta.forwardedByMember = 9
                item.meta.itemTimestamp = UTCTimestamp(seconds: 1_767_225_599)
            }
            core.receive("passed on by a member", from: bob, in: group) { $0.meta.forwardedByMember = 9 }
            core.receive("of a bot", from: other, in: group)
            core.receive("new", from: bob, in: group)
            await core.waitForSent(2, to: 7)
        }
        #expect(core.sent(to: Self.team) == ["re: passed on by a member", "re: new"])
    }

    /// The ways into the group of a bot that writes too much, and one into another chat.
    @Test func aBotThatWritesTooMuchIsAnsweredInNoWayThere() async throws {
        let core = ScriptedCore(), codes = EventLog<[String]>()
        @Sendable func code(_ body: () async throws -> Void) async -> String {
            do {
                try await body()
                return "none"
            } catch {
                return ErrorCode.of(error) ?? "\(error)"
            }
        }
        let bot = Bot("Guard") {
            On(.text, in: .groups) { message in
                codes.add([
                    await code { try await message.send("no") }, await code { try await message.reply("no") },
                    await code { try await message.send(.file("a caption")) }, await code { try await message.forward(to: Self.team) },
                    await code { _ = try await message.chat.sendLive("no") }, await code { try await message.forward(to: .direct(4)) },
                    await code { try await message.moderate() },
                ])
            }.includingBots()
        }
        try core.add(contact: 4, name: "ann")
        let (group, bob) = try core.addGroup { $0.membership.status = .connected }
        var robot = bob
        robot.profile.peerType = .bot
        let other = robot
        _ = try await host.running([bot], on: core) { _ in
            for number in 1...21 { core.receive("spam \(number)", from: other, in: group) }
            try await eventually("all are handled") { codes.all.count == 21 }
        }
        #expect(codes.all.dropLast().allSatisfy { $0 == Array(repeating: "none", count: 7) })
        #expect(codes.all.last == Array(repeating: "handler.botLoop", count: 5) + ["none", "none"])
    }

    @Test func aHandlerThatIncludesBotsModeratesThemHoweverMuchTheyWrite() async throws {
        let core = ScriptedCore(), answered = EventLog<String>(), codes = EventLog<String>()
        let bot = Bot("Guard") {
            On(.text, in: .groups) { message in
                try await message.moderate()
                do {
                    try await message.send("no")
                    answered.add(message.text)
                } catch let error as ChatCoreError {
                    codes.add("\(error.code)")
                    throw error
                }
            }.includingBots()
            On(.anyMessage, in: .groups) { try await $0.send("not for bots") }
        }
        let (group, bob) = try core.addGroup { $0.membership.status = .connected }
        var robot = bob
        robot.profile.peerType = .bot
        let other = robot
        _ = try await host.running([bot], on: core) { _ in
            for number in 1...25 { core.receive("spam \(number)", from: other, in: group) }
            core.receive(.receivedMessage(content: .file("")), from: other, in: .group(groupInfo: group, scope: nil), text: "")
            try await eventually("all are handled") { codes.all.count == 5 }
        }
        // It answers 20 in a minute, and deletes all of them.
        #expect(answered.all.count == 20 && codes.all == Array(repeating: "handler.botLoop", count: 5))
        #expect(core.groupCommands.count { $0.hasPrefix("/_delete member item #7") } == 25)
        #expect(!core.sent(to: Self.team).contains("not for bots"))
    }

    @Test func aPostIsHandledThatWasWrittenWhileTheBotConnectedWithItsRelays() async throws {
        let core = ScriptedCore(), posts = EventLog<String>()
        let reader = Bot("Reader") { On(.text, in: .groups) { posts.add($0.text) } }
        let (channel, relay) = try core.addChannel(subscribed: 1_767_225_590, connected: 1_767_225_600)
        _ = try await host.running([reader], on: core) { _ in
            for (text, time) in [("before", 1_767_225_589), ("between", 1_767_225_595), ("after", 1_767_225_601)] as [(String, Int64)] {
                core.receive(text, from: relay, in: channel) { item in
                    item.direction = .channelReceived
                    item.meta.forwardedByMember = relay.groupMemberID
                    item.meta.itemTimestamp = UTCTimestamp(seconds: time)
                }
            }
            try await eventually("the posts are handled") { posts.all.count == 2 }
        }
        #expect(posts.all == ["between", "after"])
    }

    @Test(arguments: [false, true]) func whoHasMadeAGroupOrChannelGetsNoHistoryAlsoIfTheClockOfARouterIsBehind(isChannel: Bool) async throws {
        let core = ScriptedCore(), seen = EventLog<String>()
        let owner = Bot("Owner") { On(.text, in: .groups) { seen.add($0.text) } }
        let (group, ann) = try core.addGroup { group in
            if isChannel {
                group.groupProfile.publicGroup = PublicGroupProfile(
                    groupType: .channel, groupLink: "https://simplex.chat/c#own", publicGroupID: Base64URLBytes([7]))
            }
            group.membership.status = .creator
            group.membership.createdAt = UTCTimestamp(seconds: 1_767_225_600)
        }
        _ = try await host.running([owner], on: core) { _ in
            core.receive("passed on", from: ann, in: group) { item in
                item.meta.forwardedByMember = 9
                item.meta.itemTimestamp = UTCTimestamp(seconds: 1_767_225_500)
            }
            core.receive("after it", from: ann, in: group)
            try await eventually("the last is handled") { seen.all.last == "after it" }
        }
        #expect(seen.all == ["passed on", "after it"])
    }

    @Test func commentsAreHandledThatWereStoredBeforeTheStart() async throws {
        let core = ScriptedCore(), seen = EventLog<String>()
        let bot = Bot("Moderator") {
            On(.comment) { seen.add("comment \($0.text) on \($0.commentedPost ?? 0)") }
            On(.post) { seen.add("post \($0.text)") }
        }
        let (channel, ann) = try core.addChannel(subscribed: 1_767_225_590, connected: 1_767_225_600)
        let first = core.receive("first", from: ann, in: channel, announcing: false) { $0.direction = .channelReceived }
        core.receive("nice", from: ann, in: channel, announcing: false) { $0.meta.parentItemID = first }
        core.receive("second", from: ann, in: channel, announcing: false) { $0.direction = .channelReceived }
        _ = try await host.running([bot], on: core) { _ in
            core.receive("late", from: ann, in: channel) { $0.meta.parentItemID = first }
            try await eventually("all are handled") { seen.all.count == 4 }
        }
        #expect(seen.all == ["post first", "comment nice on \(first)", "post second", "comment late on \(first)"])
    }

    /// The pages of the team that a bot reads to handle so many messages that came before its start.
    private func pagesRead(for count: Int) async throws -> Int {
        let core = ScriptedCore(), seen = EventLog<String>(), texts = (1...count).map { "\($0)" }
        let bot = Bot("Reader") { On(.text, in: .groups) { seen.add($0.text) } }
        let (group, bob) = try core.addGroup { $0.membership.status = .connected }
        for text in texts { core.receive(text, from: bob, in: group, announcing: false) }
        _ = try await host.running([bot], on: core) { _ in try await eventually("all are handled") { seen.all.count >= count } }
        #expect(seen.all == texts)
        return core.state.withLock { $0.commands.count { if case .chats(.page(Self.team, _, _, _, _)) = $0 { true } else { false } } }
    }

    /// All pages were read again for each 256 messages.
    @Test func aBacklogThreeTimesAsLongTakesThreeTimesAsManyPages() async throws {
        let few = try await pagesRead(for: 600), many = try await pagesRead(for: 1_800)
        #expect(many <= 4 * few, "\(few) and \(many)")
    }

    @Test func whatIsDeletedOrEditedOrComesLateWhileABacklogIsHandledIsHandledAsItIsThen() async throws {
        let core = ScriptedCore(), seen = EventLog<String>(), (gate, opening) = AsyncStream<Never>.makeStream()
        let (group, bob) = try core.addGroup { $0.membership.status = .connected }
        let bot = Bot("Reader") {
            On(.text, in: .groups) { message in
                seen.add(message.text)
                guard message.text == "1" else { return }
                // Until the bots are ready: by then as much of the backlog is taken as fits.
                for await _ in gate {}
                core.state.withLock { state in
                    state.groupItems[Self.team]?.removeAll { ["350", "400"].contains($0.meta.text) }
                    guard let index = state.groupItems[Self.team]?.firstIndex(where: { $0.meta.text == "401" }) else { return }
                    state.groupItems[Self.team]?[index].content = .receivedMessage(content: .text("edited"))
                    state.groupItems[Self.team]?[index].meta.text = "edited"
                }
                core.receive("last", from: bob, in: group)
            }
        }
        for number in 1...600 {
            core.receive("\(number)", from: bob, in: group, announcing: false) { item in
                // Passed on by a member: it was written before the others.
                if number.isMultiple(of: 7) { item.meta.itemTimestamp = UTCTimestamp(seconds: 1_767_225_600 - Int64(number)) }
            }
        }
        _ = try await host.running([bot], on: core) { _ in
            opening.finish()
            try await eventually("all are handled") { seen.all.last == "last" }
        }
        let expected = (1...600).filter { ![350, 400].contains($0) }.map { $0 == 401 ? "edited" : "\($0)" } + ["last"]
        #expect(seen.all == expected)
    }

    @Test func whatComesWhileABacklogIsReadIsNotLeftOutBecauseOfALaterItemOnAnOlderPage() async throws {
        let core = ScriptedCore(), seen = EventLog<String>()
        let bot = Bot("Reader") { On(.text, in: .groups) { seen.add($0.text) } }
        let (group, bob) = try core.addGroup { $0.membership.status = .connected }
        for number in 1...150 { core.receive("\(number)", from: bob, in: group, announcing: false) }
        core.state.withLock { state in
            state.beforeOlderPage = { state in
                for (text, time) in [("newest", 1_767_225_601), ("late", 1_767_225_500)] as [(String, Int64)] {
                    state.lastID += 1
                    var item = ScriptedCore.item(
                        ChatItemID(state.lastID), .receivedMessage(content: .text(text)), .groupReceived(member: bob), text)
                    item.meta.itemTimestamp = UTCTimestamp(seconds: time)
                    state.groupItems[Self.team, default: []].append(item)
                }
            }
        }
        _ = try await host.running([bot], on: core) { _ in try await eventually("all are handled") { seen.all.last == "late" } }
        #expect(seen.all.suffix(2) == ["newest", "late"] && seen.all.count == 152)
    }

    @Test func aBotThatIsLetInAndNotYetConnectedIsNoMember() async throws {
        let core = ScriptedCore(), reader = Bot("Reader") {}
        let (accepted, _) = try core.addGroup(7, name: "accepted") { $0.membership.status = .accepted }
        let (connected, _) = try core.addGroup(8, name: "connected") { $0.membership.status = .connected }
        _ = try await host.running([reader], on: core) { profiles in
            let groups = await profiles[0].groups.all
            #expect(groups.first { $0.id == accepted.groupID }?.isMember == false)
            #expect(groups.first { $0.id == connected.groupID }?.isMember == true)
        }
    }

    @Test func aMessageOfASupportChatIsAnsweredThere() async throws {
        let core = ScriptedCore()
        let bot = Bot("Helper") {
            On(.text, in: .supportChats) { message in
                try await message.reply("in private")
                try await message.member?.setRole(.observer)
            }
            On(.text, in: .groups) { try await $0.reply("to all") }
        }
        let (group, bob) = try core.addGroup()
        _ = try await host.running([bot], on: core) { _ in
            core.receive(
                .receivedMessage(content: .text("help")), from: bob, in: .group(groupInfo: group, scope: .memberSupport(groupMember: bob)), text: "help")
            await core.waitForSent(1, to: 7)
        }
        #expect(core.sent(to: .group(7, scope: .memberSupport(4))) == ["in private"])
        #expect(core.sent(to: Self.team).isEmpty)
        #expect(core.groupCommands.contains("/_member role #7 4 observer"))
    }

    @Test func aModeratorDeletesBlocksAndRemoves() async throws {
        let core = ScriptedCore()
        let bot = Bot("Guard") {
            On(.text, in: .groups, where: { $0.text.contains("spam") && $0.member?.isModerator == false }) { message in
                try await message.moderate()
                try await message.member?.block()
                try await message.member?.remove(withMessages: true)
                try await message.member?.supportChat.send("do not")
            }
        }
        let (group, bob) = try core.addGroup()
        let spam = try await host.running([bot], on: core) { _ in
            let spam = core.receive("spam", from: bob, in: group)
            await core.waitForSent(1, to: 7)
            return spam
        }
        #expect(
            core.groupCommands.filter { !$0.hasPrefix("/_members") } == [
                "/_delete member item #7 \(spam)", "/_block #7 4 blocked=on", "/_remove #7 4 messages=on",
            ])
        #expect(core.sent(to: .group(7, scope: .memberSupport(4))) == ["do not"])
    }

    @Test func mentionsAndReportsHaveHandlersOfTheirOwn() async throws {
        let core = ScriptedCore()
        let bot = Bot("Guard") {
            On(.report) { report in
                try await report.moderate()
                try await report.reply("thank you for reporting \(report.reason.code)")
            }
            On(.mention) { try await $0.reply("you called") }
            On(.anyMessage, in: .all) { try await $0.send("else") }
        }
        let (group, bob) = try core.addGroup()
        _ = try await host.running([bot], on: core) { _ in
            core.receive("@Guard hello", from: bob, in: group) { $0.meta.userMention = true }
            core.receive(
                .receivedMessage(content: .report(text: "bad", reason: .spam)), from: bob,
                in: .group(groupInfo: group, scope: .memberSupport(groupMember: bob)), text: "bad"
            ) { item in
                item.quotedItem = ItemQuote(
                    direction: .groupReceived(member: bob), itemID: 33, sharedMessageID: nil, sentAt: ScriptedCore.time, content: .text("buy"),
                    formattedText: nil)
            }
            await core.waitForSent(2, to: 7)
        }
        #expect(core.sent(to: Self.team) == ["you called"])
        #expect(core.sent(to: .group(7, scope: .memberSupport(4))) == ["thank you for reporting spam"])
        #expect(core.groupCommands.contains("/_delete member item #7 33"))
    }

    @Test func whatHappensToMembersAndToTheGroupIsTold() async throws {
        let core = ScriptedCore(), log = Mutex<[String]>([]), gate = Gate()
        let bot = Bot("Guard") {
            On(.memberJoined) { member in log.withLock { $0.append("joined \(member.name)") } }
            On(.memberPending) { member in
                try await member.send("who are you?")
                try await member.member.accept(as: .observer)
            }
            On(.memberRoleChanged) { member in log.withLock { $0.append("\(member.change) by \(member.actor?.localDisplayName ?? "")") } }
            On(.memberBlocked) { member in log.withLock { $0.append("\(member.change)") } }
            On(.memberRemoved) { member in log.withLock { $0.append("\(member.change)") } }
            On(.memberLeft) { member in log.withLock { $0.append("\(member.change)") } }
            On(.groupUpdated) { context in log.withLock { $0.append("now \(context.group?.displayName ?? "")") } }
            On(.groupEnded) { context in
                log.withLock { $0.append("\(context.change)") }
                gate.open()
            }
        }
        let (group, bob) = try core.addGroup()
        _ = try await host.running([bot], on: core) { _ in
            let all = ChatInfo.group(groupInfo: group, scope: nil), support = ChatInfo.group(groupInfo: group, scope: .memberSupport(groupMember: bob))
            core.receive(.receivedGroupEvent(event: .newMemberPendingReview), from: bob, in: support)
            await core.waitForSent(1, to: 7)
            core.receive(.receivedGroupEvent(event: .memberConnected), from: bob, in: support)
            core.receive(.receivedGroupEvent(event: .memberConnected), from: bob, in: all)
            var old = bob
            old.category = .pre
            core.receive(.receivedGroupEvent(event: .memberConnected), from: old, in: all)
            var renamed = group
            renamed.groupProfile.displayName = "crew"
            let changed = renamed, admin = bob
            core.publish { .memberRole(user: $0, groupInfo: group, byMember: admin, member: bob, fromRole: .member, toRole: .observer, signature: nil) }
            core.publish { .memberBlockedForAll(user: $0, groupInfo: group, byMember: admin, member: bob, blocked: true, signature: nil) }
            core.publish { .deletedMember(user: $0, groupInfo: group, byMember: admin, deletedMember: bob, withMessages: true, signature: nil) }
            core.publish { .leftMember(user: $0, groupInfo: group, member: bob, signature: nil) }
            core.publish { .groupUpdated(user: $0, fromGroup: group, toGroup: changed, member: bob, signature: nil) }
            core.publish { .groupDeleted(user: $0, groupInfo: group, member: bob, signature: nil) }
            await gate.wait()
        }
        #expect(
            log.withLock(\.self) == [
                "joined bob", "role(from: ChatProtocol.GroupMemberRole.member, to: ChatProtocol.GroupMemberRole.observer) by bob", "blocked",
                "removed(withMessages: true)", "left", "now crew", "deleted",
            ])
        #expect(core.sent(to: .group(7, scope: .memberSupport(4))) == ["who are you?"])
        #expect(core.groupCommands.contains("/_accept member #7 4 observer"))
    }

    @Test func anInvitationIsAcceptedByAHandler() async throws {
        let core = ScriptedCore()
        let bot = Bot("Guest") {
            On(.groupInvitation, where: { $0.inviter == "ann" }) { invitation in
                try await invitation.join()
                try await invitation.send("coming to \(invitation.groupName)")
            }
        }
        let ann = try core.add(contact: 4, name: "ann")
        _ = try await host.running([bot], on: core) { _ in
            let invitation = GroupInvitationItem(
                groupID: 7, groupMemberID: 1, localDisplayName: "team", groupProfile: GroupProfile(displayName: "team"), status: .pending)
            let item = ScriptedCore.item(200, .receivedGroupInvitation(invitation: invitation, memberRole: .member), .directReceived, "invitation")
            core.store(item, of: ann)
            core.publish { .newChatItems(user: $0, chatItems: [ItemInChat(chatInfo: .direct(contact: ann), chatItem: item)]) }
            await core.waitForSent(1, to: 4)
        }
        #expect(core.groupCommands == ["/_join #7"])
        #expect(core.sent(to: ContactID(4)) == ["coming to team"])
    }

    @Test(arguments: [3, 250]) func messagesOfGroupsAndWaitingMembersAreHandledAfterACrash(_ count: Int) async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: HostSessionTests.logger)
        let bot = Bot("Echo", id: "echo") {
            On(.text, in: .groups) { try await $0.send("re: \($0.text)") }
            On(.memberPending) { try await $0.send("welcome") }
        }
        let (group, bob) = try core.addGroup()
        _ = try await host.running([bot], on: core, store: store) { _ in
            core.receive("first", from: bob, in: group)
            await core.waitForSent(1, to: 7)
        }
        let again = core.restarted()
        again.state.withLock { state in
            state.groups[0].membersRequireAttention = 1
            state.members[0].supportChat = GroupSupportChat(chatTimestamp: ScriptedCore.time, unread: 1, memberAttention: 1, mentions: 0)
        }
        // The one that came last was passed on, and is older than the others.
        for number in 1...count {
            again.receive("\(number)", from: bob, in: group, announcing: false) { item in
                item.meta.itemTimestamp = UTCTimestamp(seconds: 1_767_225_600 + Int64(number == count ? 1 : number + 10))
            }
        }
        again.receive(
            .receivedGroupEvent(event: .newMemberPendingReview), from: bob, in: .group(groupInfo: group, scope: .memberSupport(groupMember: bob)),
            announcing: false)
        _ = try await host.running([bot], on: again, store: store) { _ in await again.waitForSent(count + 2, to: 7) }
        #expect(again.sent(to: Self.team) == ["re: first"] + (1...count).map { "re: \($0)" })
        #expect(again.sent(to: .group(7, scope: .memberSupport(4))) == ["welcome"])
    }
}
