import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// What somebody who joins a group is sent of what was said before.
@Suite struct HistoryTests {
    private static let group = ChatReference.group(RuleScene.group)

    /// A group of this profile with a member who has spoken, a moderator, and one who joins.
    private func scene(
        _ preferences: @escaping @Sendable (inout GroupPreferences) -> Void = { $0.set(.history, .on) }
    ) async throws -> (RuleScene, bob: GroupMemberID, mod: GroupMemberID, ann: GroupMemberID) {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(with: ["bob": .member, "mod": .moderator, "ann": .member], preferences)
        try await scene.updateApps()
        let ids = try ["bob", "mod", "ann"].map { name in try #require(members[name]) }
        // What was sent to her before she joined would be no history.
        try await scene.run { try $0.db.members.update(ids[2], status: .invited, at: $0.now) }
        return (scene, ids[0], ids[1], ids[2])
    }

    private func text(_ text: String, to subject: MemberID? = nil, ttl: Int? = nil) -> ChatMessageEvent {
        .newMessage(MessageContainer(content: .text(text), ttl: ttl, scope: subject.map(MessageScope.member)))
    }

    /// What is sent to the one who joins.
    private func history(of scene: RuleScene, for id: GroupMemberID, after seconds: Int64 = 1_000) async throws -> [ChatMessageEvent] {
        try await scene.memory.run(at: MemoryStore.now.adding(seconds: seconds)) { transaction in
            let group = try transaction.conversations.group(RuleScene.group, of: try transaction.user())
            try transaction.groupHistory.send(to: try transaction.conversations.member(id, in: group), in: group)
        }.1.sent
    }

    /// The texts of a history with their authors.
    private func lines(_ events: [ChatMessageEvent]) -> [String] {
        events.map { event in
            guard case .forwardMessage(let forward, let message) = event, case .newMessage(let container) = message.event else { return "\(event.tag)" }
            guard case .member(_, let name) = forward.sender else { return container.content.text }
            return name + ": " + container.content.text
        }
    }

    @Test func whatNewerClientsPutBesideTheContentIsInTheHistoryUntilAnEdit() async throws {
        let (scene, bob, _, ann) = try await scene()
        let shared = SharedMessageID(Bytes(repeating: 3, count: 12))
        var container = MessageContainer(content: .text("one"))
        container.unknownMembers = ["later": [1, ["x": true]]]
        try await scene.receive([.newMessage(container)], from: .member(bob), id: shared, after: 10)
        func kept() async throws -> JSONObject? {
            guard case .forwardMessage(_, let message)? = try await history(of: scene, for: ann).first, case .newMessage(let found) = message.event else {
                return nil
            }
            return found.unknownMembers
        }
        #expect(try await kept() == ["later": [1, ["x": true]]])
        try await scene.receive([.updateMessage(MessageUpdate(messageID: shared, content: .text("two")))], from: .member(bob), after: 20)
        #expect(try await kept() == [:], "the edit is the whole message")
        try await scene.close()
    }

    @Test func theHistoryIsWhatAllHaveSaidInItsOrderWithAuthorsAndTimes() async throws {
        let (scene, bob, _, ann) = try await scene()
        let shared = SharedMessageID(Bytes(repeating: 3, count: 12))
        try await scene.receive([text("one")], from: .member(bob), id: shared, after: 10)
        try await scene.send("two", to: Self.group, after: 20)
        try await scene.receive([text("three")], from: .member(bob), after: 30)
        let events = try await history(of: scene, for: ann)
        #expect(lines(events) == ["bob: one", "alice: two", "bob: three"])
        let times = events.compactMap { if case .forwardMessage(let forward, _) = $0 { forward.brokerTimestamp } else { nil } }
        #expect(times == [10, 20, 30].map { MemoryStore.now.adding(seconds: $0) })
        guard case .forwardMessage(_, let first)? = events.first else { throw UnexpectedAnswer() }
        #expect(first.messageID == shared, "under its id, so that edits and reactions find it")
        try await scene.close()
    }

    @Test func ofALongHistoryTheNewestHundredMessagesAreSent() async throws {
        let (scene, bob, _, ann) = try await scene()
        for number in 0..<GroupHistory.length + 2 { try await scene.receive([text("\(number)")], from: .member(bob), after: Int64(number)) }
        #expect(lines(try await history(of: scene, for: ann)) == (2..<GroupHistory.length + 2).map { "bob: \($0)" })
        try await scene.close()
    }

    @Test func whatIsNotForAllOrNotThereAnyMoreIsNoHistory() async throws {
        let (scene, bob, mod, ann) = try await scene {
            $0.set(.history, .on)
            $0.set(.reports, .on)
        }
        let bobID = try await scene.run { try #require(try $0.db.members.memberIdentifier(bob)) }
        let deleted = SharedMessageID(Bytes(repeating: 3, count: 12))
        try await scene.receive([text("for the moderators", to: bobID)], from: .member(bob))
        try await scene.receive([.newMessage(MessageContainer(content: .report(text: "look", reason: .spam)))], from: .member(bob))
        try await scene.receive([text("deleted")], from: .member(bob), id: deleted)
        try await scene.receive([.deleteMessage(MessageDeletion(messageID: deleted))], from: .member(bob))
        try await scene.receive([text("of one who is blocked later")], from: .member(mod))
        try await scene.receive([text("kept")], from: .member(bob))
        try await scene.run { try $0.db.members.update(mod, isBlocked: true, at: $0.now) }
        #expect(lines(try await history(of: scene, for: ann)) == ["bob: kept"])
        try await scene.close()
    }

    @Test func whatTheMemberHasGotItIsNotSentAgain() async throws {
        let (scene, bob, _, ann) = try await scene()
        try await scene.receive([text("before")], from: .member(bob), after: 1)
        try await scene.run { try $0.db.members.update(ann, status: .connected, at: $0.now) }
        try await scene.send("with her", to: Self.group, after: 2)
        #expect(lines(try await history(of: scene, for: ann)) == ["bob: before"])
        try await scene.close()
    }

    @Test func aMessageThatDisappearsIsSentWithItsTimeUntilItIsGone() async throws {
        let (scene, bob, _, ann) = try await scene {
            $0.set(.history, .on)
            $0.timedMessages = TimedMessagesGroupPreference(enable: .on, ttl: 600)
        }
        try await scene.send("mine", to: Self.group)
        try await scene.receive([text("his", ttl: 60)], from: .member(bob))
        _ = try await scene.run { try $0.chats.markRead(Self.group) }
        let times = try await history(of: scene, for: ann, after: 30).compactMap { event -> Int? in
            guard case .forwardMessage(_, let message) = event, case .newMessage(let container) = message.event else { return nil }
            return container.ttl
        }
        #expect(times == [600, 60])
        try await scene.close()
    }

    @Test func withoutHistoryNothingIsSentNeitherIsItToAnAppThatReadsNoBatches() async throws {
        let (closed, bob, _, ann) = try await scene { $0.set(.history, .off) }
        try await closed.receive([text("secret")], from: .member(bob))
        #expect(try await history(of: closed, for: ann).isEmpty)
        try await closed.close()
        let (scene, rob, _, old) = try await scene()
        try await scene.receive([text("said")], from: .member(rob))
        for (version, count) in [(ChatVersions.batching - 1, 0), (ChatVersions.batching, 1)] {
            try await scene.setApp(of: old, to: version)
            #expect(try await history(of: scene, for: old).count == count, "version \(version)")
        }
        try await scene.close()
    }

    @Test func theWelcomeMessageFollowsTheHistoryUnlessTheMemberHasSeenIt() async throws {
        let (scene, bob, _, ann) = try await scene()
        try await scene.receive([text("said")], from: .member(bob))
        try await scene.run { transaction in
            let user = try transaction.user()
            let group = try transaction.conversations.group(RuleScene.group, of: user)
            var profile = group.groupProfile
            profile.description = "Welcome!"
            try transaction.db.groups.update(group, user: user.userID, profile: profile, at: transaction.now)
        }
        let events = try await history(of: scene, for: ann)
        #expect(events.last == .newMessage(MessageContainer(content: .text("Welcome!"))) && lines(events).first == "bob: said")
        try await scene.setApp(of: ann, to: ChatVersions.groupHistoryWelcome - 1)
        #expect(lines(try await history(of: scene, for: ann)) == ["bob: said"], "an older app shows the welcome message itself")
        try await scene.updateApps()
        try await scene.run { transaction in
            try transaction.db.run("UPDATE group_members SET welcome_shared_msg_id = x'01' WHERE group_member_id = ?", [ann])
        }
        #expect(lines(try await history(of: scene, for: ann)) == ["bob: said"])
        try await scene.close()
    }

    @Test func aQuoteNamesWhoHasWrittenWhatItQuotes() async throws {
        let (scene, bob, _, ann) = try await scene()
        let own = try await scene.group().membership.memberID
        try await scene.receive([text("question")], from: .member(bob))
        let question = try #require(try await scene.messages(in: Self.group).last)
        try await scene.run { try $0.send(ComposedMessage(content: .text("answer"), quotedItemID: question.meta.itemID), to: Self.group) }
        let answer = try #require(try await scene.messages(in: Self.group).last { $0.meta.text == "answer" })
        let reference = MessageReference(messageID: answer.meta.sharedMessageID, sentAt: answer.meta.itemTimestamp, sent: false, memberID: own)
        try await scene.receive(
            [.newMessage(MessageContainer(content: .text("thanks"), quote: QuotedMessage(reference: reference, content: .text("answer"))))],
            from: .member(bob), after: 1)
        let quotes = try await history(of: scene, for: ann).compactMap { event -> QuotedMessage? in
            guard case .forwardMessage(_, let message) = event, case .newMessage(let container) = message.event else { return nil }
            return container.quote
        }
        let bobID = try await scene.run { try #require(try $0.db.members.memberIdentifier(bob)) }
        #expect(quotes.map(\.reference.memberID) == [bobID, own])
        #expect(quotes.map(\.content.text) == ["question", "answer"])
        try await scene.close()
    }
}
