import ChatAPI
import ChatRules
import Testing

@testable import ChatEngine

/// What is still to be sent, for tests that wait until everything has arrived.
@Suite(.timeLimit(.minutes(5))) struct UnfinishedMessageTests {
    @Test func messagesEditsReactionsAndDeletionsThatWaitAreCounted() async throws {
        let world = TestWorld(), alice = try await TestPerson("alice", world), bob = try await TestPerson("bob", world)
        let (contact, back) = try await TestPerson.connect(alice, bob)
        let core = alice.core, native = core.native
        _ = try await core.send("first", to: contact)
        let item = try #require(await core.messages(with: contact).last).meta.itemID
        await bob.eventually("the message") { await $0.received(from: back, count: 1).last == "first" }
        await alice.eventually("nothing waits") { (try? await $0.native.unfinishedMessages()) == 0 }
        for command in [
            "/_send @\(contact) text second", "/_update item @\(contact) \(item) text changed",
            #"/_reaction @\#(contact) \#(item) on {"type":"emoji","emoji":"👍"}"#,
            "/_delete item @\(contact) \(item) broadcast",
        ] {
            await native.stop()
            _ = try await core.run(command)
            #expect(try await native.unfinishedMessages() == 1, "\(command)")
            try await native.start()
            await alice.eventually("it is sent") { (try? await $0.native.unfinishedMessages()) == 0 }
        }
        await alice.core.close()
        await bob.core.close()
    }
}
