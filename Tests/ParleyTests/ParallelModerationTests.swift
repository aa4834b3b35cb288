import ChatAPI
import ChatProtocol
import TestSupport
import Testing

@testable import Parley

private struct Offences: StoredState { var count = 0 }

/// Cases of handlers that run side by side, and of those that fail behind their action.
@Suite(.timeLimit(.minutes(5))) struct ParallelModerationTests {
    private struct Problem: Error {}

    @Test func warningsOfTwoHandlersAtOnceHaveNumbersOfTheirOwn() async throws {
        let numbers = EventLog<Int>(), both = Gate()
        let bot = Bot("Guard") {
            On(.text, in: [.groups, .supportChats]) { message in
                let points = message.chat.reference == .group(7) ? 1 : 10
                if let opened = try await message.member?.warn(points: points) { numbers.add(opened.number) }
                await both.wait()
            }
        }
        let runner = try BotSessionRunner(), core = runner.core, (group, bob) = try core.addGroup()
        try await runner.run(bot) { profiles, session in
            core.receive("spam", from: bob, in: group)
            try await eventually("the first is warned") { numbers.all.count == 1 }
            core.receiveInSupport("spam", from: bob, in: group)
            try await eventually("both are warned") { numbers.all.count == 2 }
            both.open()
            await session.settle()
            let team = try #require(await profiles.first?.client.groups.group(7)), member = try await team.member(4)
            #expect(try await team.cases().map(\.number) == [1, 2])
            #expect(try await member.warningPoints() == 11)
            try await team.undoCase(1, by: "Ben")
            #expect(try await member.warningPoints() == 10)
        }
        #expect(numbers.all == [1, 2], "a handler is told the number that its case has")
    }

    /// What was done to a member stays done; a warning is nothing but what is stored.
    @Test(
        arguments: [
            (.block, ["block"], "/_block #7 4 blocked=off"), (.role(.observer), ["role"], "/_member role #7 4 member"), (.remove(), ["remove"], nil),
            (.warn(), [], nil),
        ] as [(ModerationAction, [String], String?)])
    func anActionHasItsCaseAndItsEndAlsoIfItsHandlerFails(_ action: ModerationAction, _ cases: [String], _ ending: String?) async throws {
        let bot = Bot("Guard") {
            On(.text, in: .groups) { message in
                try await message.update(Offences.self, of: .bot) { $0.count += 1 }
                try await message.member?.moderate(action, expiresAfter: .seconds(3_600))
                throw Problem()
            }
        }
        let runner = try BotSessionRunner(), (group, bob) = try runner.core.addGroup()
        try await runner.run(bot) { _, _ in runner.core.receive("spam", from: bob, in: group) }
        let later = try runner.restarted(after: .seconds(3_601))
        try await later.run(bot) { profiles, session in
            await session.settleTimers()
            let client = try #require(profiles.first).client, opened = try await client.groups.group(7)?.cases()
            #expect(opened?.map(\.action) == cases && opened?.map(\.undoneBy) == cases.map { _ in ending == nil ? nil : "expiry" })
            #expect(try await client.state(Offences.self).count == 0)
        }
        if let ending { #expect(later.core.groupCommands.contains(ending)) }
        #expect(try await runner.store.timers(.once, of: 1).isEmpty)
    }

    /// In the group a handler forgives, and has not ended when the member is warned in its chat with the moderators.
    @Test func aWarningThatIsGivenWhileAnotherHandlerForgivesCounts() async throws {
        let forgiven = Gate(), warned = Gate()
        let bot = Bot("Guard") {
            On(.text("pardon"), in: .groups) { message in
                try await message.member?.forgive()
                forgiven.open()
                await warned.wait()
            }
            On(.text, in: [.groups, .supportChats]) { message in try await message.member?.warn(points: message.chat.reference == .group(7) ? 1 : 10) }
        }
        let runner = try BotSessionRunner(), core = runner.core, (group, bob) = try core.addGroup()
        try await runner.run(bot) { profiles, session in
            let team = try #require(await profiles.first?.client.groups.group(7)), member = try await team.member(4)
            core.receive("spam", from: bob, in: group)
            core.receive("pardon", from: bob, in: group)
            await forgiven.wait()
            core.receiveInSupport("spam", from: bob, in: group)
            try await eventually("both warnings are stored") { try await member.warningPoints() == 11 }
            warned.open()
            try await eventually("the first is forgiven") { try await member.warningPoints() != 11 }
            #expect(try await member.warningPoints() == 10)
        }
    }

    /// A change that cannot be made again on what another has stored meanwhile takes the other changes of its handler along.
    @Test func aBlockHasItsCaseAlsoIfTheRestCannotBeStored() async throws {
        let blocked = Gate(), changed = Gate()
        let bot = Bot("Guard") {
            On(.text, in: .groups) { message in
                try await message.update(Offences.self, of: .bot) { offences in
                    guard offences.count == 0 else { throw Problem() }
                    offences.count = 1
                }
                try await message.member?.moderate(.block)
                blocked.open()
                await changed.wait()
            }
        }
        let runner = try BotSessionRunner(), (group, bob) = try runner.core.addGroup()
        try await runner.run(bot) { profiles, session in
            let client = try #require(profiles.first).client
            runner.core.receive("spam", from: bob, in: group)
            await blocked.wait()
            try await client.update(Offences.self) { $0.count = 5 }
            changed.open()
            await session.settle()
            #expect(try await client.groups.group(7)?.cases().map(\.action) == ["block"])
            #expect(try await client.state(Offences.self).count == 5)
        }
    }
}
