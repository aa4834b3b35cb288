import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import SMPSimulation
import Synchronization
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatStore

@Suite("Commands that are given once")
struct OnceTests {
    private func friends() async throws -> (alice: TestPerson, bob: TestPerson, atAlice: ContactID, atBob: ContactID) {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world)
        let bob = try await TestPerson("bob", world)
        let (atAlice, atBob) = try await TestPerson.connect(alice, bob)
        return (alice, bob, atAlice, atBob)
    }

    private func once(_ person: TestPerson, _ command: MessageCommand, _ key: String) async throws -> ChatResponse {
        try await person.core.native.send(.messages(command), as: 1, onceAs: key)
    }

    @Test("a message that is sent twice under one key is sent once, and answered as it is now")
    func sends() async throws {
        let (alice, bob, atAlice, atBob) = try await friends()
        let first = try await alice.core.send("one", to: atAlice, key: "a")
        #expect(first.meta.status == .sendNew)
        await alice.eventually("it is delivered") { core in
            guard case .sent? = await core.messages(with: atAlice).last?.meta.status else {
                if case .sendReceived? = await core.messages(with: atAlice).last?.meta.status { return true }
                return false
            }
            return true
        }
        let again = try await alice.core.send("one", to: atAlice, key: "a")
        #expect(again.id == first.id)
        #expect(again.meta.status != .sendNew)
        // Another text under the same key is the same command: the key says so.
        #expect(try await alice.core.send("other", to: atAlice, key: "a").meta.text == "one")

        await alice.kill()
        try await alice.restart()
        #expect(try await alice.core.send("one", to: atAlice, key: "a").id == first.id)
        #expect(try await alice.core.send("two", to: atAlice, key: "b").id > first.id)
        await bob.eventually("both messages are there") { await $0.received(from: atBob) == ["one", "two"] }
        await alice.core.close()
        await bob.core.close()
    }

    @Test("a process that ends at any step of sending does not send twice when asked again, and never loses what it has answered")
    func crashes() async throws {
        let (alice, bob, atAlice, atBob) = try await friends()
        var expected: [String] = []
        var crashes = 0
        for step in 0..<14 {
            let restarting = alice.killAndRestart(afterSteps: step)
            let text = "message \(step)"
            expected.append(text)
            let before = alice.core
            let answered = try? await before.send(text, to: atAlice, key: text)
            // The steps after the answer: the delivery. A process that ends tells nobody of it.
            if let answered {
                try await eventually("step \(step) was reached, or the message is sent") {
                    if alice.crash.wasTriggered { return true }
                    let status = await before.messages(with: atAlice).first { $0.id == answered.id }?.meta.status
                    return status.map { $0 != .sendNew } ?? false
                }
            }
            if try await alice.crash.settle(restarting) {
                crashes += 1
            } else {
                await alice.kill()
                try await alice.restart()
            }
            let again = try await alice.core.send(text, to: atAlice, key: text)
            if let answered { #expect(again.id == answered.id, "step \(step)") }
            #expect(await alice.core.messages(with: atAlice).count == expected.count, "step \(step)")
        }
        #expect(crashes > 6)
        let all = expected
        await bob.eventually("all messages, once and in order") { await $0.received(from: atBob).count >= all.count }
        #expect(await bob.core.received(from: atBob) == all)
        await alice.core.close()
        await bob.core.close()
    }

    @Test("edits, reactions and deletions are done once, and answered again")
    func changes() async throws {
        let (alice, bob, atAlice, atBob) = try await friends()
        let chat = ChatReference.direct(atAlice)
        let sent = try await alice.core.send("first", to: atAlice)

        let edit = MessageCommand.update(chat, sent.id, UpdatedMessage(content: .text("second")))
        guard case .chatItemUpdated(_, let edited) = try await once(alice, edit, "edit") else { return #expect(Bool(false)) }
        #expect(edited.chatItem.meta.text == "second")
        _ = try await alice.core.run("/_update item @\(atAlice) \(sent.id) json {\"msgContent\":{\"type\":\"text\",\"text\":\"third\"},\"mentions\":{}}")
        guard case .chatItemUpdated(_, let again) = try await once(alice, edit, "edit") else { return #expect(Bool(false)) }
        #expect(again.chatItem.meta.text == "third", "the answer shows the item as it is now")
        // The same text under another key changes nothing, and says so both times.
        let same = MessageCommand.update(chat, sent.id, UpdatedMessage(content: .text("third")))
        for _ in 1...2 {
            guard case .chatItemNotChanged = try await once(alice, same, "same") else { return #expect(Bool(false)) }
        }

        let react = MessageCommand.react(chat, sent.id, add: true, .emoji(ReactionEmoji.allCases[0]))
        for _ in 1...2 {
            guard case .chatItemReaction(_, true, let reaction) = try await once(alice, react, "react") else { return #expect(Bool(false)) }
            #expect(reaction.chatReaction.chatItem.reactions.first?.totalReacted == 1)
        }
        // Without a key the second time is refused.
        await #expect(throws: ChatCoreError.self) { try await alice.core.send(.messages(react), as: 1) }

        let delete = MessageCommand.delete(chat, [sent.id], mode: .broadcast)
        for _ in 1...2 {
            guard case .chatItemsDeleted(_, let deletions, true, false) = try await once(alice, delete, "delete") else {
                return #expect(Bool(false))
            }
            #expect(deletions.first?.toChatItem?.chatItem.meta.deleted != nil)
        }
        await bob.eventually("the message is marked as deleted") { core in
            await core.messages(with: atBob).last?.meta.deleted != nil
        }
        let seen = await bob.core.messages(with: atBob)
        #expect(seen.count == 1)
        #expect(bob.core.events.count { if case .chatItemReaction = $0 { true } else { false } } == 1)
        await alice.core.close()
        await bob.core.close()
    }

    @Test("what was made and deleted since is not made again")
    func deletedSince() async throws {
        let (alice, bob, atAlice, _) = try await friends()
        let sent = try await alice.core.send("gone", to: atAlice, key: "k")
        _ = try await alice.core.send(.messages(.delete(.direct(atAlice), [sent.id], mode: .internal)), as: 1)
        let error = await #expect(throws: ChatCoreError.self) { try await alice.core.send("gone", to: atAlice, key: "k") }
        #expect(error?.chatError == .store(error: .chatItemNotFound(itemID: sent.id)))
        #expect(await alice.core.messages(with: atAlice).isEmpty)
        await alice.core.close()
        await bob.core.close()
    }

    @Test("requests are accepted and rejected once, also by a process that ends in between", arguments: [true, false])
    func requests(isAccepted: Bool) async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world)
        let bob = try await TestPerson("bob", world)
        let address = await alice.core.answer("/_address 1")
        let link = try #require(address["connLinkContact"]?["connFullLink"]?.stringValue)
        try await bob.core.join(link)
        let received = await alice.core.wait { $0.contains { if case .receivedContactRequest = $0 { true } else { false } } }
        try #require(received)
        let id = alice.core.events.compactMap { event -> UserContactRequestID? in
            if case .receivedContactRequest(_, let request, _) = event { request.contactRequestID } else { nil }
        }[0]
        let command = ChatCommand.address(isAccepted ? .accept(id) : .reject(id))
        if isAccepted {
            // From the first step of accepting on, each ends the process once; then it is asked again.
            var crashes = 0
            for step in 0..<12 {
                let restarting = alice.killAndRestart(afterSteps: step)
                _ = try? await alice.core.native.send(command, as: 1, onceAs: "answer")
                if try await alice.crash.settle(restarting) { crashes += 1 }
            }
            #expect(crashes > 4)
        }
        for _ in 1...2 {
            switch try await alice.core.native.send(command, as: 1, onceAs: "answer") {
            case .acceptingContactRequest(_, let contact): #expect(isAccepted && contact.localDisplayName == "bob")
            case .contactRequestRejected(_, let request, _): #expect(!isAccepted && request.contactRequestID == id)
            default: Issue.record("another answer")
            }
        }
        if isAccepted {
            await alice.eventually("connected") { await $0.connected().count == 1 }
            await bob.eventually("connected") { await $0.connected().count == 1 }
            let contact = try #require(await alice.core.connected().first)
            _ = try await alice.core.send("welcome", to: contact)
            await bob.eventually("welcomed") { core in
                guard let alice = await core.connected().first else { return false }
                return await core.received(from: alice) == ["welcome"]
            }
        }
        await alice.core.close()
        await bob.core.close()
    }

    @Test("keys are a profile's own, and a command that was refused leaves none")
    func keys() async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world)
        let core = alice.core.native
        let second = try await alice.core.createUser("second")
        func note(_ text: String, as user: UserID, folder: NoteFolderID) async throws -> ChatItemID {
            let command = ChatCommand.messages(.createNotes(folder, [ComposedMessage(content: .text(text))]))
            guard case .newChatItems(_, let items) = try await core.send(command, as: user, onceAs: "k"), let item = items.first else {
                throw UnexpectedAnswer()
            }
            return item.chatItem.id
        }
        await #expect(throws: ChatCoreError.self) { try await note("nowhere", as: 1, folder: 99) }
        let first = try await note("one", as: 1, folder: 1)
        let other = try await note("two", as: second.userID, folder: 2)
        #expect(first != other)
        #expect(try await note("one", as: 1, folder: 1) == first)
        #expect(try await note("two", as: second.userID, folder: 2) == other)
        await alice.core.close()
    }

    @Test("keys that are too long, and commands that would not be known again, are refused")
    func refusals() async throws {
        let core = try await TestWorld().core("alice")
        let command = ChatCommand.chats(.markUnread(.local(1), true))
        for key in ["", String(repeating: "k", count: 201)] {
            await #expect(throws: ChatCoreError.self) { try await core.native.send(command, as: 1, onceAs: key) }
        }
        _ = try await core.native.send(command, as: 1, onceAs: String(repeating: "k", count: 200))
        let error = await #expect(throws: ChatCoreError.self) {
            try await core.native.send(.address(.create(user: 1)), as: 1, onceAs: "k")
        }
        #expect(error?.code == .unsupported)
        await core.close()
    }

    @Test("a role, a block and a removal that are given twice under one key happen once")
    func membership() async throws {
        let scene = try await GroupScene(["alice", "bob"])
        let bob = try await scene.member("bob", at: "alice").groupMemberID, group = GroupScene.group
        let commands: [GroupCommand] = [
            .setRole(group, [bob], .observer), .blockForAll(group, [bob], true), .remove(group, [bob], withMessages: false),
        ]
        for (number, command) in commands.enumerated() {
            for _ in 1...2 { _ = try await scene["alice"].native.send(.groups(command), as: 1, onceAs: "\(number)") }
        }
        let changes = await scene.items(at: "alice").count { if case .sentGroupEvent = $0.content { true } else { false } }
        #expect(changes == commands.count)
        for name in scene.names { await scene[name].close() }
    }

    @Test("keys are forgotten after their time")
    func forgetting() async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world)
        let command = ChatCommand.messages(.createNotes(1, [ComposedMessage(content: .text("note"))]))
        for key in ["a", "b"] { _ = try await alice.core.native.send(command, as: 1, onceAs: key) }
        func known() async throws -> Int64? {
            try await alice.core.native.engine.store.read { try $0.number("SELECT count(*) FROM performed_commands") }
        }
        #expect(try await known() == 2)
        alice.pass(seconds: 29 * 86_400)
        _ = try await alice.core.native.send(command, as: 1, onceAs: "c")
        try await alice.core.native.engine.transactions.prune(
            RetentionPeriods(alice.core.native.engine.configuration), at: alice.core.native.engine.clock.time.now)
        #expect(try await known() == 3)
        alice.pass(seconds: 2 * 86_400)
        try await alice.core.native.engine.transactions.prune(
            RetentionPeriods(alice.core.native.engine.configuration), at: alice.core.native.engine.clock.time.now)
        #expect(try await known() == 1)
        await alice.core.close()
    }
}
