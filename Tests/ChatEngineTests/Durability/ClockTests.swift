import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import Testing

@testable import ChatEngine
@testable import ChatStore

@Suite("The clock of a core's machine is set")
struct ClockTests {
    /// By more than an hour, by more than a month, to about 2100 and to about 1970, in seconds.
    private static let jumps: [Int64] = [4_000, -4_000, 40 * 86_400, -40 * 86_400, 75 * 365 * 86_400, -56 * 365 * 86_400]

    @Test("no message disappears before its time, no command is forgotten, and what is said comes in order", arguments: jumps)
    func jump(_ seconds: Int64) async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world), bob = try await TestPerson("bob", world)
        let (atAlice, atBob) = try await TestPerson.connect(alice, bob)
        _ = try await bob.core.send("1", to: atBob, key: "1")
        let notes = ChatCommand.messages(.createNotes(1, [ComposedMessage(content: .text("note"))]))
        _ = try await alice.core.native.send(notes, as: 1, onceAs: "note")
        let timed = ChatCommand.messages(.send(to: .direct(atBob), [ComposedMessage(content: .text("2"))], live: false, ttl: 86_400))
        _ = try await bob.core.send(timed)
        await alice.eventually("both are there") { await $0.received(from: atAlice) == ["1", "2"] }
        for person in [alice, bob] { person.pass(seconds: seconds) }
        let engine = alice.core.native.engine
        try await engine.transactions.prune(RetentionPeriods(engine.configuration), at: engine.clock.steady)
        let now = engine.clock.steady
        #expect(try await engine.transactions.transaction { try $0.chats.removeExpiredItems(until: now, limit: 100) } == 0)
        // A command that is given again is still known.
        _ = try await alice.core.native.send(notes, as: 1, onceAs: "note")
        let count = try await engine.store.read { try $0.number("SELECT count(*) FROM chat_items WHERE item_text = 'note'") }
        #expect(count == 1)
        _ = try await bob.core.send("3", to: atBob, key: "3")
        await alice.eventually("the third is there") { await $0.received(from: atAlice) == ["1", "2", "3"] }
        for person in [alice, bob] { person.pass(seconds: 60 - seconds) }
        _ = try await bob.core.send("4", to: atBob, key: "4")
        await alice.eventually("the fourth is there") { await $0.received(from: atAlice) == ["1", "2", "3", "4"] }
        await alice.core.close()
        await bob.core.close()
    }
}
