import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import Testing

@testable import ChatEngine
@testable import ChatStore

/// Commands as people type them: chats by name, messages by the beginning of their text.
@Suite struct ConsoleTests {
    private func code(_ answer: JSONValue) -> String? {
        answer["chatError"]?["errorType"]?["message"]?.stringValue ?? answer["chatError"]?["errorType"]?["type"]?.stringValue
            ?? answer["chatError"]?["storeError"]?["type"]?.stringValue
    }

    /// Two who are connected; the first has a group, too.
    private func scene() async throws -> (alice: TestCore, bob: TestCore, atAlice: ContactID, atBob: ContactID) {
        let world = TestWorld(), alice = try await world.open(agent: .light), bob = try await world.open(agent: .light)
        _ = try await alice.createUser("alice")
        _ = try await bob.createUser("bob")
        let (atAlice, atBob) = try await TestWorld.connect(alice, bob)
        _ = try await alice.run("/group #team")
        return (alice, bob, atAlice, atBob)
    }

    private func texts(_ answer: ChatResponse) -> [String] {
        switch answer {
        case .newChatItems(_, let items), .chatItems(_, _, let items): items.filter { $0.chatItem.content.message != nil }.map(\.chatItem.meta.text)
        default: ["\(answer.json["type"]?.stringValue ?? "")"]
        }
    }

    @Test func messagesAreSentAnsweredEditedAndDeletedByTheirTexts() async throws {
        let (alice, bob, atAlice, atBob) = try await scene()
        _ = try await bob.run("@alice a question")
        #expect(await alice.eventually { await alice.received(from: atAlice) == ["a question"] })
        guard case .newChatItems(_, let answers) = try await alice.run("> @bob (a qu) an answer"), let answer = answers.first?.chatItem else {
            throw UnexpectedAnswer()
        }
        #expect(answer.quotedItem?.content == .text("a question") && answer.quotedItem?.direction == .directReceived)
        guard case .chatItemUpdated(_, let edited) = try await alice.run("! @bob (an ans) a better answer") else { throw UnexpectedAnswer() }
        #expect(edited.chatItem.id == answer.id && edited.chatItem.meta.text == "a better answer")
        guard case .chatItemUpdated(_, let last) = try await alice.run("! @bob the best answer") else { throw UnexpectedAnswer() }
        #expect(last.chatItem.id == answer.id, "without a text the last message is meant")
        guard case .chatItemReaction(_, true, let reaction) = try await alice.run("+1 @bob a question") else { throw UnexpectedAnswer() }
        #expect(reaction.chatReaction.chatItem.direction == .directReceived)
        guard case .chatItemsDeleted(_, let deletions, true, false) = try await alice.run(#"\ @bob the best"#) else { throw UnexpectedAnswer() }
        #expect(deletions.map(\.deletedChatItem.chatItem.id) == [answer.id])
        #expect(await bob.eventually { await bob.messages(with: atBob).last?.meta.deleted != nil })
        for core in [alice, bob] { await core.close() }
    }

    @Test(arguments: [
        ("@nobody hello", "contactNotFound"), ("#nothing hello", "groupNotFoundByName"), ("! @nobody (a) b", "contactNotFoundByName"),
        ("! @bob (never said) b", "chatItemNotFoundByText"), (#"\ @bob never said"#, "chatItemNotFoundByText"),
        ("> @bob (never said) b", "chatItemNotFoundByText"), (#"\\ #team nobody never said"#, "groupMemberNameNotFound"),
        ("/item info @bob never said", "chatItemNotFoundByText"), ("/show 9999", "chatItemNotFound"),
        ("/mute @nobody", "contactNotFoundByName"), ("/mute *", "not supported"), ("/ttl * day", "not supported"),
        ("/add #team nobody", "contactNotFoundByName"),
        ("/add #nothing bob", "groupNotFoundByName"), ("/members #nothing", "groupNotFoundByName"), ("/accept nobody", "contactRequestNotFoundByName"),
        ("/reject nobody", "contactRequestNotFoundByName"), ("/groups @nobody", "contactNotFoundByName"), ("/live * text", "not supported"),
        ("@#team nobody hello", "groupMemberNameNotFound"), ("/delete nobody", "contactNotFoundByName"), ("/clear #nothing", "groupNotFoundByName"),
    ])
    func whatIsNotThereIsNamedByTheErrorAndNothingIsSent(_ command: String, _ expected: String) async throws {
        let core = try await TestWorld().core("alice", presets: [Profile(displayName: "bob", fullName: "")])
        _ = try await core.run("/group #team")
        let before = try await core.native.engine.store.read { try $0.number("SELECT count(*) FROM chat_items") }
        let answer = await core.answer(command)
        #expect(code(answer) == expected, "\(answer.text)")
        let after = try await core.native.engine.store.read { try $0.number("SELECT count(*) FROM chat_items") }
        #expect(before == after)
        await core.close()
    }

    @Test func theLastMessagesAreListedOfAllChatsAndOfOneAndByAText() async throws {
        let (alice, bob, _, _) = try await scene()
        for text in ["@bob one", "/* two", "#team three", "@bob four"] { _ = try await alice.run(text) }
        #expect(texts(try await alice.run("/tail 3")) == ["two", "three", "four"])
        #expect(texts(try await alice.run("/tail @bob")) == ["one", "four"])
        #expect(texts(try await alice.run("/tail * 5")) == ["two"])
        #expect(texts(try await alice.run("/search 10 T")) == ["two", "three"], "in any case")
        #expect(texts(try await alice.run("/search @bob 10 FOUR")) == ["four"])
        #expect(texts(try await alice.run("/show")) == ["cmdOk"])
        guard case .chatItemID(_, let last?) = try await alice.run("/last_item_id @bob"),
            case .chatItemID(_, let first?) = try await alice.run("/last_item_id @bob 1")
        else {
            throw UnexpectedAnswer()
        }
        #expect(texts(try await alice.run("/show \(last)")) == ["four"] && last > first)
        guard case .chats(let chats) = try await alice.run("/chats 2") else { throw UnexpectedAnswer() }
        #expect(chats.count == 2)
        for core in [alice, bob] { await core.close() }
    }

    @Test func aMessageToAllGoesToThoseWhoCanBeWrittenToAndIsCounted() async throws {
        let world = TestWorld(), alice = try await world.open(presets: [Profile(displayName: "support", fullName: "")], agent: .light)
        _ = try await alice.createUser("alice")
        var others: [(core: TestCore, alice: ContactID)] = []
        for name in ["bob", "cath"] {
            let core = try await world.open(agent: .light)
            _ = try await core.createUser(name)
            others.append((core, try await TestWorld.connect(alice, core).1))
        }
        guard case .broadcastSent(_, let content, let successes, let failures, _) = try await alice.run("/feed hello all") else { throw UnexpectedAnswer() }
        #expect(content == .text("hello all") && successes == 2 && failures == 0)
        for (core, contact) in others { #expect(await core.eventually { await core.received(from: contact) == ["hello all"] }) }
        for core in others.map(\.core) + [alice] { await core.close() }
    }

    @Test func settingsAreMadeByNameOneByOne() async throws {
        let (alice, bob, atAlice, _) = try await scene()
        func settings() async throws -> ChatSettings {
            guard case .contactInfo(_, let contact, _, _) = try await alice.run("/_info @\(atAlice)") else { throw UnexpectedAnswer() }
            return contact.chatSettings
        }
        _ = try await alice.run("/mute @bob")
        _ = try await alice.run("/receipts @bob off")
        #expect(try await settings() == ChatSettings(notifications: NotificationFilter.none, sendsReceipts: false, isFavorite: false))
        _ = try await alice.run("/unmute mentions @bob")
        _ = try await alice.run("/receipts @bob default")
        #expect(try await settings() == ChatSettings(notifications: .mentions, sendsReceipts: nil, isFavorite: false))
        #expect(await alice.answer("/ttl @bob")["chatItemTTL"] == nil)
        _ = try await alice.run("/ttl @bob week")
        #expect(await alice.answer("/ttl @bob")["chatItemTTL"] == 604_800)
        _ = try await alice.run("/ttl #team none")
        #expect(await alice.answer("/ttl #team")["chatItemTTL"] == 0)
        for core in [alice, bob] { await core.close() }
    }

    @Test func aMessageIsForwardedByNameIntoNotesAndIntoAGroup() async throws {
        let (alice, bob, atAlice, _) = try await scene()
        _ = try await bob.run("@alice news")
        #expect(await alice.eventually { await alice.received(from: atAlice) == ["news"] })
        for target in ["*", "#team"] {
            guard case .newChatItems(_, let items) = try await alice.run("\(target) <- @bob news"), let item = items.first?.chatItem else {
                throw UnexpectedAnswer()
            }
            guard case .contact(let name, .received, atAlice, _)? = item.meta.forwarded else { throw UnexpectedAnswer() }
            #expect(name == "bob" && item.meta.text == "news")
        }
        for core in [alice, bob] { await core.close() }
    }
}
