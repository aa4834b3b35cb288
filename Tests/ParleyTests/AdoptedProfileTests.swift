import ChatAPI
import ChatProtocol
import Foundation
import Synchronization
import Testing

@testable import Parley

/// A bot that is given a profile which is older than what is known of the bot.
@Suite(.timeLimit(.minutes(5))) struct AdoptedProfileTests {
    private static func bot(_ seen: EventLog<String>) -> Bot {
        Bot("Echo") {
            On(.connected) { event in seen.add("connected \(event.contact.profile.displayName)") }
            On(.anyMessage) { message in try await message.send("re: \(message.text)") }
            On(.text, in: .groups) { message in try await message.send("re: \(message.text)") }
        }
    }

    /// A core in which somebody has used a profile of the bot's name before.
    private func runner() throws -> (runner: BotSessionRunner, ann: Contact) {
        let runner = try BotSessionRunner(), core = runner.core
        core.state.withLock { $0.users = [ScriptedCore.user(1, Profile(displayName: "Echo"))] }
        let ann = try core.add(contact: 4, name: "ann")
        core.receive("from before", from: ann, announcing: false)
        return (runner, ann)
    }

    @Test func whatHasHappenedInItBeforeIsTakenAsHandled() async throws {
        let (runner, ann) = try runner(), seen = EventLog<String>()
        let (group, bob) = try runner.core.addGroup()
        runner.core.receive("in the group before", from: bob, in: group, announcing: false)
        try await runner.run(Self.bot(seen)) { _, session in
            await session.settle()
            #expect(seen.all.isEmpty)
            runner.core.receive("new", from: ann)
            runner.core.receive("new there", from: bob, in: group)
            await runner.core.waitForSent(1, to: 4)
        }
        #expect(runner.core.sent(to: 4) == ["re: new"])
        #expect(runner.core.sent(to: .group(7)) == ["re: new there"])
        #expect(runner.core.state.withLock(\.users).count == 1)
    }

    @Test func whoConnectsLaterIsNew() async throws {
        let (runner, _) = try runner(), seen = EventLog<String>()
        try await runner.run(Self.bot(seen)) { _, session in await session.settle() }
        // While the bot does not run.
        let later = try runner.restarted(), ben = try later.core.add(contact: 5, name: "ben")
        later.core.receive("hello", from: ben, announcing: false)
        try await later.run(Self.bot(seen)) { _, session in
            await later.core.waitForSent(1, to: 5)
            await session.settle()
        }
        #expect(seen.all == ["connected ben"])
        #expect(later.core.sent(to: 5) == ["re: hello"] && later.core.sent(to: 4) == [])
    }

    /// The other way round: a profile that the bot has made, whose first contacts came before the first handler ran.
    @Test func nothingIsTakenAsHandledInAProfileOfTheBot() async throws {
        let runner = try BotSessionRunner(), seen = EventLog<String>(), ann = try runner.core.add(contact: 4, name: "ann")
        runner.core.receive("at once", from: ann, announcing: false)
        try await runner.run(Self.bot(seen)) { _, session in
            await runner.core.waitForSent(1, to: 4)
            await session.settle()
        }
        #expect(seen.all == ["connected ann"] && runner.core.sent(to: 4) == ["re: at once"])
    }
}
