import ChatAPI
import ChatProtocol
import ChatRules
import GRDB
import Synchronization
import Testing

@testable import ChatEngine
@testable import ChatStore

@Suite("A store that fails")
struct StoreFaultTests {
    /// Makes transactions fail, as many as it is told to.
    private final class Faults: ChatStoreInterceptor {
        private let pending = Mutex<[ResultCode]>([])

        func fail(_ count: Int, with code: ResultCode) { pending.withLock { $0 = Array(repeating: code, count: count) } }

        var isSpent: Bool { pending.withLock { $0.isEmpty } }

        func willWrite() throws {
            let code = pending.withLock { $0.popLast() }
            if let code { throw DatabaseError(resultCode: code, message: "as the test wants it") }
        }

        func didWrite() throws {}
    }

    /// A clock on which all waiting is short.
    private struct ImpatientClock: Clock {
        typealias Instant = ContinuousClock.Instant
        var now: Instant { ContinuousClock.now }
        var minimumResolution: Duration { .zero }
        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            try await ContinuousClock().sleep(until: min(deadline, now + .milliseconds(1)))
        }
    }

    /// - Parameter waits: Whether what is tried again later takes its time; who cleans up then rests as well.
    private func friends(waits: Bool = false) async throws -> (alice: TestCore, bob: TestCore, faults: Faults, atAlice: ContactID, atBob: ContactID) {
        let world = TestWorld()
        let faults = Faults()
        let alice = try await world.open(agent: .light)
        let bob = try await world.open(agent: .light, storeFaults: faults, clock: waits ? ContinuousClock() : ImpatientClock())
        for (core, name) in [(alice, "alice"), (bob, "bob")] { _ = try await core.createUser(name) }
        let (atAlice, atBob) = try await TestWorld.connect(alice, bob)
        return (alice, bob, faults, atAlice, atBob)
    }

    @Test("for a while: what was received is acknowledged and shown once it can be stored", arguments: [ResultCode.SQLITE_FULL, .SQLITE_IOERR_WRITE])
    func passing(_ code: ResultCode) async throws {
        let (alice, bob, faults, atAlice, atBob) = try await friends()
        faults.fail(20, with: code)
        for text in ["one", "two", "three"] { _ = try await alice.send(text, to: atAlice) }
        try #require(await bob.eventually { await bob.received(from: atBob).count == 3 })
        #expect(await bob.received(from: atBob) == ["one", "two", "three"])
        #expect(faults.isSpent)
        await alice.close()
        await bob.close()
    }

    @Test("for good, on one message: it is set aside, its chat says so, and what follows is received")
    func lasting() async throws {
        let (alice, bob, faults, atAlice, atBob) = try await friends(waits: true)
        // What is left to write of the handshake must not take the fault.
        _ = try await alice.send("before", to: atAlice)
        try #require(await bob.eventually { await bob.received(from: atBob) == ["before"] })
        try await bob.native.engine.store.write { _ in }
        faults.fail(1, with: .SQLITE_CONSTRAINT)
        _ = try await alice.send("cursed", to: atAlice)
        let isReported = await bob.wait { events in events.contains { if case .chatError = $0 { true } else { false } } }
        #expect(isReported)
        _ = try await alice.send("after", to: atAlice)
        try #require(await bob.eventually { await bob.received(from: atBob).last == "after" })
        #expect(await bob.received(from: atBob) == ["before", "after"])
        guard case .apiChat(_, let chat, _) = try await bob.run("/_get chat @\(atBob) count=10") else { throw UnexpectedAnswer() }
        #expect(chat.chatItems.contains { if case .receivedMessageError = $0.content { true } else { false } })
        await alice.close()
        await bob.close()
    }

    @Test("while a command is carried out: it is refused, and leaves nothing behind")
    func commands() async throws {
        let (alice, bob, faults, _, atBob) = try await friends(waits: true)
        try await bob.native.engine.store.write { _ in }
        faults.fail(1, with: .SQLITE_FULL)
        let error = await #expect(throws: ChatCoreError.self) { try await bob.send("refused", to: atBob, key: "k") }
        #expect(error?.code.rawValue.contains("errorStore") == true, "\(String(describing: error))")
        _ = try await bob.send("taken", to: atBob, key: "k")
        #expect(await bob.messages(with: atBob).map(\.meta.text) == ["taken"])
        await alice.close()
        await bob.close()
    }
}
