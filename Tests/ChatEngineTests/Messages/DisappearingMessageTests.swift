import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Messages that disappear: when their time begins, and what is left of them.
@Suite struct DisappearingMessageTests {
    private static let id = SharedMessageID(Bytes(repeating: 7, count: 12))

    /// A contact with whom messages disappear after a minute.
    private func scene(ttl: Int? = 60) async throws -> (RuleScene, ContactID) {
        let scene = try await RuleScene(), bob = try await scene.addContact("bob")
        let preferences = ChatPreferences(timedMessages: TimedMessagesPreference(allow: .yes, ttl: ttl))
        try await scene.receive([.info(Profile(displayName: "bob", fullName: "", preferences: preferences))], from: .contact(bob))
        _ = try await scene.run { try $0.contacts.setPreferences(preferences, of: bob) }
        return (scene, bob)
    }

    private func timed(_ text: String, ttl: Int? = 60, live: Bool? = nil) -> ChatMessageEvent {
        .newMessage(MessageContainer(content: .text(text), ttl: ttl, live: live))
    }

    private func update(_ text: String, live: Bool? = nil) -> ChatMessageEvent {
        var update = MessageUpdate(messageID: Self.id, content: .text(text))
        update.live = live
        return .updateMessage(update)
    }

    /// Removes what has expired.
    ///
    /// - Returns: The texts that were removed, as subscribers are told.
    private func expire(_ scene: RuleScene, after seconds: Int64) async throws -> [String] {
        let time = MemoryStore.now.adding(seconds: seconds)
        return try await scene.memory.run(at: time) { _ = try $0.chats.removeExpiredItems(until: time, limit: 100) }.1.events.flatMap { event -> [String] in
            guard case .chatItemsDeleted(_, let deletions, true, true) = event else { return [] }
            return deletions.map { $0.toChatItem == nil ? $0.deletedChatItem.chatItem.meta.text : "still there" }
        }
    }

    @Test func aSentMessageDisappearsAfterItsTimeAndNotASecondBefore() async throws {
        let (scene, bob) = try await scene()
        try await scene.send("a minute", to: .direct(bob))
        try await scene.send("ten seconds", to: .direct(bob), ttl: 10)
        #expect(try await expire(scene, after: 9) == [])
        #expect(try await expire(scene, after: 10) == ["ten seconds"])
        #expect(try await expire(scene, after: 59) == [])
        #expect(try await expire(scene, after: 60) == ["a minute"])
        #expect(try await scene.messages(in: .direct(bob)).isEmpty)
        try await scene.close()
    }

    @Test func aReceivedMessageDisappearsAfterItWasReadHoweverLongItWaited() async throws {
        let (scene, bob) = try await scene()
        try await scene.receive([timed("one"), timed("two")], from: .contact(bob))
        #expect(try await expire(scene, after: 1_000_000) == [])
        let first = try await scene.messages(in: .direct(bob))[0].id
        _ = try await scene.run(after: 500) { try $0.chats.markRead(.direct(bob), items: [first]) }
        #expect(try await expire(scene, after: 559) == [])
        #expect(try await expire(scene, after: 560) == ["one"])
        _ = try await scene.run(after: 600) { try $0.chats.markRead(.direct(bob)) }
        // Reading again begins nothing anew.
        _ = try await scene.run(after: 650) { try $0.chats.markRead(.direct(bob)) }
        #expect(try await expire(scene, after: 660) == ["two"])
        try await scene.close()
    }

    @Test func whatIsReadWithAllChatsOfTheProfileDisappearsToo() async throws {
        let (scene, bob) = try await scene()
        let members = try await scene.addGroup(with: ["cath": .member]) { $0.set(.timedMessages, .on) }
        try await scene.receive([timed("direct")], from: .contact(bob))
        try await scene.receive([timed("group")], from: .member(try #require(members["cath"])))
        try await scene.run(after: 100) { try $0.chats.markAllRead(of: try $0.user()) }
        #expect(try await expire(scene, after: 159) == [])
        #expect(Set(try await expire(scene, after: 160)) == ["direct", "group"])
        try await scene.close()
    }

    @Test func inAGroupEachItemThatIsReadBeginsItsTime() async throws {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(with: ["cath": .member]) { $0.set(.timedMessages, .on) }
        try await scene.receive([timed("one"), timed("two"), timed("without", ttl: nil)], from: .member(try #require(members["cath"])))
        let chat = ChatReference.group(RuleScene.group), items = try await scene.messages(in: chat)
        _ = try await scene.run { try $0.chats.markRead(chat, items: [items[1].id, items[2].id]) }
        #expect(try await expire(scene, after: 60) == ["two"])
        _ = try await scene.run(after: 100) { try $0.chats.markRead(chat) }
        #expect(try await expire(scene, after: 160) == ["one"])
        #expect(try await scene.texts(in: chat) == ["without"])
        try await scene.close()
    }

    // MARK: Live messages

    @Test func aSentMessageThatIsTypedLiveBeginsItsTimeWhenItIsFinished() async throws {
        let (scene, bob) = try await scene()
        let chat = ChatReference.direct(bob), item = try await scene.send("typ", to: chat, isLive: true)
        _ = try await scene.run(after: 100) { try $0.sentMessages.edit(item.id, in: chat, to: UpdatedMessage(content: .text("typing")), isLive: true) }
        #expect(try await expire(scene, after: 10_000) == [])
        _ = try await scene.run(after: 200) { try $0.sentMessages.edit(item.id, in: chat, to: UpdatedMessage(content: .text("typed")), isLive: false) }
        #expect(try await expire(scene, after: 259) == [])
        #expect(try await expire(scene, after: 260) == ["typed"])
        try await scene.close()
    }

    @Test func aReceivedMessageThatIsReadWhileItIsTypedBeginsItsTimeWhenItIsFinished() async throws {
        let (scene, bob) = try await scene()
        try await scene.receive([timed("typ", live: true)], from: .contact(bob), id: Self.id)
        _ = try await scene.run(after: 10) { try $0.chats.markRead(.direct(bob)) }
        #expect(try await expire(scene, after: 10_000) == [])
        try await scene.receive([update("typing", live: true)], from: .contact(bob), after: 20)
        #expect(try await expire(scene, after: 10_000) == [])
        try await scene.receive([update("typed")], from: .contact(bob), after: 30)
        // A later edit does not prolong it.
        try await scene.receive([update("edited")], from: .contact(bob), after: 40)
        #expect(try await expire(scene, after: 89) == [])
        #expect(try await expire(scene, after: 90) == ["edited"])
        try await scene.close()
    }

    @Test func aReceivedMessageThatIsFinishedBeforeItIsReadBeginsItsTimeWithTheReading() async throws {
        let (scene, bob) = try await scene()
        try await scene.receive([timed("typ", live: true), update("typed")], from: .contact(bob), id: Self.id)
        #expect(try await expire(scene, after: 10_000) == [])
        _ = try await scene.run(after: 100) { try $0.chats.markRead(.direct(bob)) }
        #expect(try await expire(scene, after: 160) == ["typed"])
        try await scene.close()
    }

    @Test func inAGroupALiveMessageThatWasReadBeginsItsTimeWhenItIsFinished() async throws {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(with: ["cath": .member]) { $0.set(.timedMessages, .on) }, chat = ChatReference.group(RuleScene.group)
        let cath = RuleScene.Sender.member(try #require(members["cath"]))
        try await scene.receive([timed("typ", live: true)], from: cath, id: Self.id)
        let item = try await scene.messages(in: chat)[0].id
        _ = try await scene.run(after: 10) { try $0.chats.markRead(chat, items: [item]) }
        #expect(try await expire(scene, after: 10_000) == [])
        try await scene.receive([update("typed")], from: cath, after: 30)
        #expect(try await expire(scene, after: 90) == ["typed"])
        try await scene.close()
    }

    // MARK: Where they do not

    @Test func nothingDisappearsWhereOneSideDoesNotLetIt() async throws {
        let scene = try await RuleScene(), bob = try await scene.addContact("bob")
        let preferences = ChatPreferences(timedMessages: TimedMessagesPreference(allow: .no, ttl: 60))
        try await scene.receive([.info(Profile(displayName: "bob", fullName: "", preferences: preferences))], from: .contact(bob))
        _ = try await scene.run { try $0.contacts.setPreferences(ChatPreferences(timedMessages: TimedMessagesPreference(allow: .yes, ttl: 60)), of: bob) }
        try await scene.receive([timed("received")], from: .contact(bob))
        try await scene.send("sent", to: .direct(bob), ttl: 5)
        _ = try await scene.run { try $0.chats.markRead(.direct(bob)) }
        #expect(try await expire(scene, after: 1_000_000) == [])
        #expect(try await scene.texts(in: .direct(bob)) == ["received", "sent"])
        try await scene.close()
    }

    @Test func thoseThatWereSentStayTimedWhenThePreferenceChanges() async throws {
        let (scene, bob) = try await scene()
        try await scene.send("timed", to: .direct(bob))
        _ = try await scene.run { try $0.contacts.setPreferences(ChatPreferences(timedMessages: TimedMessagesPreference(allow: .no)), of: bob) }
        try await scene.send("kept", to: .direct(bob))
        #expect(try await expire(scene, after: 60) == ["timed"])
        #expect(try await scene.texts(in: .direct(bob)) == ["kept"])
        try await scene.close()
    }

    @Test func oneStepRemovesNoMoreThanItsLimitTheEarliestFirst() async throws {
        let (scene, bob) = try await scene()
        for ttl in [5, 3, 4, 1, 2] { try await scene.send("\(ttl)", to: .direct(bob), ttl: ttl) }
        let time = MemoryStore.now.adding(seconds: 100)
        let (removed, next) = try await scene.run(after: 100) { (try $0.chats.removeExpiredItems(until: time, limit: 2), try $0.db.items.nextExpiry()) }
        #expect(removed == 2 && next == MemoryStore.now.adding(seconds: 3))
        #expect(try await scene.texts(in: .direct(bob)) == ["5", "3", "4"])
        #expect(try await scene.run(after: 100) { try $0.chats.removeExpiredItems(until: time, limit: 100) } == 3)
        #expect(try await scene.run { try $0.db.items.nextExpiry() } == nil)
        try await scene.close()
    }
}
