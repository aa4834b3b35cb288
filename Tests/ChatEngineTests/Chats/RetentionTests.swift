import ChatAPI
import ChatProtocol
import ChatRules
import Testing

@testable import ChatEngine

/// How long messages are kept: `/_ttl` of a profile and of a chat.
@Suite struct RetentionTests {
    /// Two people of whom the first has an old message and, 1,000 seconds later, after a restart, a new one.
    private func people(old: Int = 1) async throws -> (alice: TestPerson, bob: ContactID) {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world), bob = try await TestPerson("bob", world)
        let (atAlice, _) = try await TestPerson.connect(alice, bob)
        for _ in 0..<old { _ = try await alice.core.send("old", to: atAlice) }
        await alice.kill()
        alice.pass(seconds: 1_000)
        try await alice.restart()
        _ = try await alice.core.send("new", to: atAlice)
        await bob.core.close()
        return (alice, atAlice)
    }

    private func texts(_ alice: TestPerson, _ contact: ContactID) async -> [String] {
        await alice.core.messages(with: contact, count: 2_000).map(\.meta.text)
    }

    @Test func olderMessagesAreDeletedAtOnceWhenATimeIsSetAndYoungerOnesStay() async throws {
        let (alice, bob) = try await people()
        _ = try await alice.core.run("/_ttl 1 2000")
        #expect(await texts(alice, bob) == ["old", "new"])
        _ = try await alice.core.run("/_ttl 1 500")
        #expect(await texts(alice, bob) == ["new"])
        await alice.core.close()
    }

    @Test func theTimeOfAChatWinsOverThatOfItsProfile() async throws {
        let (alice, bob) = try await people()
        _ = try await alice.core.run("/_ttl 1 @\(bob) 0")
        _ = try await alice.core.run("/_ttl 1 500")
        #expect(await texts(alice, bob) == ["old", "new"], "0 keeps a chat's messages for ever")
        _ = try await alice.core.run("/_ttl 1 @\(bob) 600")
        #expect(await texts(alice, bob) == ["new"])
        await alice.core.close()
    }

    @Test func withoutATimeOfItsOwnAChatFollowsItsProfile() async throws {
        let (alice, bob) = try await people()
        _ = try await alice.core.run("/_ttl 1 @\(bob) 0")
        _ = try await alice.core.run("/_ttl 1 500")
        _ = try await alice.core.run("/_ttl 1 @\(bob) default")
        #expect(await texts(alice, bob) == ["new"])
        await alice.core.close()
    }

    @Test func aCoreThatRunsDeletesWhatHasBecomeTooOld() async throws {
        let (alice, bob) = try await people()
        _ = try await alice.core.run("/_ttl 1 5000")
        await alice.kill()
        alice.pass(seconds: 10_000)
        try await alice.restart()
        await alice.eventually("the chat is empty") { core in await core.messages(with: bob).isEmpty }
        await alice.core.close()
    }

    @Test func moreMessagesThanFitOneBatchAreDeleted() async throws {
        let (alice, bob) = try await people(old: Retention.largestBatch + 20)
        _ = try await alice.core.run("/ttl week")
        #expect(await texts(alice, bob).count == Retention.largestBatch + 21)
        _ = try await alice.core.run("/_ttl 1 500")
        #expect(await texts(alice, bob) == ["new"])
        await alice.core.close()
    }
}
