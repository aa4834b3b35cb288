import ChatAPI
import ChatProtocol
import ChatRules
import SMPAgent
import Testing

@testable import ChatEngine

@Suite("Events of the agent that come again")
struct RepeatedEventTests {
    /// What both sides have in the end: everything in both chats, and every event but those that tell how far messages have come.
    private struct Outcome: Equatable {
        var chats: [[String]] = []
        var events: [[String: Int]] = []
    }

    private func converse(repeatsEvents: Bool) async throws -> Outcome {
        let world = TestWorld()
        var cores: [TestCore] = []
        for name in ["alice", "bob"] {
            let core = try await world.open(agent: .light, reports: { repeatsEvents ? $0.repeated() : $0 })
            _ = try await core.createUser(name)
            cores.append(core)
        }
        let (alice, bob) = (cores[0], cores[1])
        let address = await alice.answer("/_address 1")
        let addressLink = try #require(address["connLinkContact"]?["connFullLink"]?.stringValue)
        // Without a welcome message: whether it comes before the connection is complete is a matter of chance.
        _ = try await alice.run(#"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false}}"#)
        try await bob.join(addressLink)
        try #require(await alice.eventually { await alice.connected().count == 1 })
        try #require(await bob.eventually { await bob.connected().count == 1 })
        let second = try await bob.createUser("second").userID
        try await bob.join(try await alice.invite(), as: second)
        try #require(await alice.eventually { await alice.connected().count == 2 })
        try #require(await bob.eventually { await bob.connected(as: second).count == 1 })
        let atAlice = try #require(await alice.connected().last)
        let atBob = try #require(await bob.connected(as: second).first)

        let sent = try await alice.send("first", to: atAlice)
        try #require(await bob.eventually { await bob.received(from: atBob, as: second) == ["first"] })
        for text in ["one", "two", "three"] { _ = try await bob.send(text, to: atBob, as: second) }
        try #require(await alice.eventually { await alice.received(from: atAlice).count == 3 })
        _ = try await alice.send(.messages(.update(.direct(atAlice), sent.id, UpdatedMessage(content: .text("edited")))))
        _ = try await alice.send(.messages(.react(.direct(atAlice), sent.id, add: true, .emoji(ReactionEmoji.allCases[0]))))
        _ = try await alice.send(.messages(.react(.direct(atAlice), sent.id, add: false, .emoji(ReactionEmoji.allCases[0]))))
        _ = try await alice.run(#"/_profile 1 {"displayName":"alice","fullName":"Alice"}"#)
        let last = try await alice.send("last", to: atAlice)
        _ = try await alice.send(.messages(.delete(.direct(atAlice), [last.id], mode: .broadcast)))
        _ = try await alice.send("end", to: atAlice)
        try #require(await bob.eventually { await bob.received(from: atBob, count: 1, as: second) == ["end"] })

        var outcome = Outcome()
        for (core, contact, user) in [(alice, atAlice, UserID(1)), (bob, atBob, second), (alice, 2, 1), (bob, 2, 1)] {
            guard case .apiChat(_, let chat, _) = try await core.run("/_get chat @\(contact) count=100", as: user) else {
                throw UnexpectedAnswer()
            }
            outcome.chats.append(chat.chatItems.map { "\($0.content.json["type"]?.text ?? "") \($0.meta.text) \($0.meta.isEdited) \($0.meta.deleted != nil)" })
        }
        for core in cores {
            await core.close()
            var counts: [String: Int] = [:]
            for event in core.events {
                let type = event.json["type"]?.stringValue ?? ""
                // These come some time, or never when the core is closed.
                if ["chatItemsStatusesUpdated", "subscriptionStatus", "chatSuspended"].contains(type) { continue }
                counts[type == "chatError" ? event.json.text : type, default: 0] += 1
            }
            outcome.events.append(counts)
        }
        return outcome
    }

    @Test("change nothing: every chat and every event is as if they had come once")
    func repeated() async throws {
        let once = try await converse(repeatsEvents: false)
        let again = try await converse(repeatsEvents: true)
        #expect(once.chats == again.chats)
        #expect(once.events == again.events)
        #expect(once.chats.allSatisfy { $0.count > 3 })
    }
}
