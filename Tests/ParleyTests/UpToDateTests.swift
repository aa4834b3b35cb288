import ChatAPI
import ChatProtocol
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// When handlers were given everything that came.
@Suite(.timeLimit(.minutes(5))) struct UpToDateTests {
    @Test func anItemThatIsOlderThanTheOneBeforeItHasToBeHandledToo() async throws {
        let core = ScriptedCore(), seen = EventLog<String>(), store = try BotStateStore(path: nil, logger: HostSessionTests.logger)
        let bot = Bot("Echo") { On(.text, in: .all) { seen.add($0.text) } }
        let (group, ann) = try core.addGroup()
        core.receive("before", from: ann, in: group, announcing: false)
        let session = HostSession(core: core, bots: [bot], store: store, maxConcurrentHandlers: 8, logger: HostSessionTests.logger, clock: ImpatientClock())
        try await session.run { _ in
            // The bots have started, and no event is taken yet.
            var events = session.core.events().makeAsyncIterator()
            core.receive("late", from: ann, in: group) { $0.meta.itemTimestamp = UTCTimestamp(seconds: 1) }
            _ = try? await events.next()
            #expect(await !session.isUpToDate(1))
            core.finish()
        }
        #expect(await session.isUpToDate(1))
        await session.settle()
        #expect(seen.all == ["before", "late"])
    }

    @Test func anAnswerBehindMessagesThatAreStillToBeFetchedIsNotTheEnd() async throws {
        try await withFullQueue { core, session, handled, gate in
            _ = try await session.core.send(.messages(.send(to: .direct(4), [ComposedMessage(content: .text("answer"))])), as: 1)
            #expect(await !session.isUpToDate(1))
            gate.open()
            try await eventually("all are handled") { await session.isUpToDate(1) }
            await session.settle()
            #expect(handled.all.count == 258)
        }
    }

    @Test func nothingIsFetchedOfAChatThatIsGone() async throws {
        try await withFullQueue { core, session, _, gate in
            core.state.withLock { $0.contacts = [] }
            _ = try await session.core.send(.chats(.list(user: 1)), as: 1)
            gate.open()
            try await eventually("nothing is to be fetched") { await session.isUpToDate(1) }
        }
    }

    /// Runs a bot whose handler of the first message of a contact waits for a gate. One message more has come than fit into the queue of the chat behind it.
    private func withFullQueue(
        _ body: @escaping @Sendable (ScriptedCore, HostSession, _ handled: EventLog<String>, _ gate: Gate) async throws -> Void
    ) async throws {
        let runner = try BotSessionRunner(), core = runner.core, handled = EventLog<String>()
        let entered = Gate(), gate = Gate(), pinged = Gate()
        let bot = Bot("Slow") {
            On(.text("ping")) { _ in pinged.open() }
            On(.text) { message in
                handled.add(message.text)
                entered.open()
                await gate.wait()
            }
        }
        let ann = try core.add(contact: 4, name: "ann")
        try await runner.run(bot) { _, session in
            core.receive("0", from: ann)
            await entered.wait()
            for number in 1...257 { core.receive("\(number)", from: ann) }
            // When a message behind them is handled, all are taken.
            core.receive("ping", from: try core.add(contact: 5, name: "bob"))
            await pinged.wait()
            try await body(core, session, handled, gate)
        }
    }
}
