import ChatAPI
import ChatProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Parley

@Suite("The pace of sending", .timeLimit(.minutes(5))) struct SendingPaceTests {
    private static let rate = SendingPace.Rate(burst: 3, perSecond: 2)

    @Test("lets a number through at once, and then so many a second") func bucket() {
        var bucket = TokenBucket(Self.rate, at: 100)
        #expect((1...6).map { _ in bucket.take(1, Self.rate) } == [0, 0, 0, 0.5, 1, 1.5])
        bucket.refill(Self.rate, at: 101)
        #expect(bucket.tokens == -1)
        // A clock that goes back gives nothing, and takes nothing.
        bucket.refill(Self.rate, at: 50)
        #expect(bucket.tokens == -1)
        bucket.refill(Self.rate, at: 1_000)
        #expect(bucket.isFull(Self.rate))
        #expect(bucket.tokens == 3)
    }

    @Test("holds back each chat on its own, and all together, in the order of the calls") func pacer() async throws {
        let clock = ManualClock()
        let pacer = SendingPacer(SendingPace(perChat: Self.rate, perProfile: SendingPace.Rate(burst: 5, perSecond: 10)), clock: clock)
        let sent = Numbers()
        for number in 1...3 {
            try await pacer.wait(for: 1, in: "@4")
            sent.add(number)
        }
        // Another chat is not behind the first.
        try await pacer.wait(for: 2, in: "@5")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 4...6 {
                group.addTask {
                    try await pacer.wait(for: 1, in: "@4")
                    sent.add(number)
                }
                await clock.waitForSleeper(.milliseconds(500 * (number - 3)) ... .milliseconds(500 * (number - 3)))
            }
            // A third chat waits for the profile only.
            group.addTask { try await pacer.wait(for: 1, in: "@6") }
            await clock.waitForSleeper(.milliseconds(400) ... .milliseconds(400))
            clock.advance(by: .seconds(2))
            try await group.waitForAll()
        }
        #expect(sent.all.prefix(3) == [1, 2, 3])
        #expect(Set(sent.all) == [1, 2, 3, 4, 5, 6])
        #expect(pacer.waitingCount == 0)
    }

    @Test("refuses calls beyond its queue, and gives the turn of a cancelled call back") func bounds() async throws {
        let clock = ManualClock()
        let pacer = SendingPacer(SendingPace(perChat: SendingPace.Rate(burst: 1, perSecond: 1), perProfile: nil), clock: clock)
        try await pacer.wait(for: 1, in: "@4")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...SendingPacer.longestQueue { group.addTask { try await pacer.wait(for: 1, in: "@4") } }
            try await eventually("all calls wait") { pacer.waitingCount == SendingPacer.longestQueue }
            let refused = await #expect(throws: ChatCoreError.self) { try await pacer.wait(for: 1, in: "@4") }
            #expect(refused?.code == .tooManyMessages)
            group.cancelAll()
            while let result = await group.nextResult() { #expect(throws: ChatCoreError.self) { try result.get() } }
        }
        #expect(pacer.waitingCount == 0)
        pacer.received(in: "@4", at: UTCTimestamp(seconds: 1), from: nil)
        try await pacer.wait(for: 1, in: "@4")
    }

    @Test("counts the messages of one body as one, for each author in it") func bodies() async throws {
        let clock = ManualClock(), pacer = SendingPacer(SendingPace(perChat: SendingPace.Rate(burst: 5, perSecond: 1), perProfile: nil), clock: clock)
        let body = UTCTimestamp(seconds: 1, nanoseconds: 7)
        for author in [1, 2] as [GroupMemberID] {
            // Many messages of a body give one turn: the six that can be sent are the burst, and that one.
            pacer.received(in: "#4", at: body, from: author)
        }
        for _ in 1...5 { try await pacer.wait(for: 1, in: "#4") }
        for author in [1, 2, 3, 1, 2, 3, 3, 3] as [GroupMemberID] { pacer.received(in: "#4", at: body, from: author) }
        try await pacer.wait(for: 1, in: "#4")
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pacer.wait(for: 1, in: "#4") }
            await clock.waitForSleeper(.seconds(1) ... .seconds(1))
            // The next body counts again.
            clock.advance(by: .seconds(1))
            try await group.waitForAll()
        }
        pacer.received(in: "#4", at: UTCTimestamp(seconds: 1, nanoseconds: 8), from: 1)
        try await pacer.wait(for: 1, in: "#4")
    }

    @Test("slows the answers to a body full of messages, and not those to as many bodies") func batches() async throws {
        let clock = ManualClock(), core = ScriptedCore(), store = try BotStateStore(path: nil, logger: HostSessionTests.logger)
        var bot = Bot("Echo") { On(.text) { try await $0.send("re: \($0.text)") } }
        bot.pace = SendingPace(perChat: Self.rate, perProfile: nil)
        let ann = try core.add(contact: 4, name: "ann"), echo = bot
        let session = HostSession(core: core, bots: [echo], store: store, maxConcurrentHandlers: 8, logger: HostSessionTests.logger, clock: clock)
        try await session.running { _ in
            for number in 1...10 { core.receive("\(number)", from: ann) }
            await core.waitForSent(10, to: 4)
            let body = UTCTimestamp(seconds: 1_800_000_000)
            for number in 11...20 { core.receive("\(number)", from: ann, at: body) }
            await core.waitForSent(13, to: 4)
            await clock.waitForSleeper(.milliseconds(500) ... .milliseconds(500))
            #expect(core.sent(to: 4).count < 15)
            while core.sent(to: 4).count < 20 {
                clock.advance(by: .milliseconds(500))
                await Task.yield()
            }
            await session.settle()
            core.finish()
        }
        #expect(core.sent(to: 4) == (1...20).map { "re: \($0)" })
    }

    @Test("slows what a handler sends unasked, and answers never") func bot() async throws {
        let clock = ManualClock(), core = ScriptedCore(), store = try BotStateStore(path: nil, logger: HostSessionTests.logger)
        var bot = Bot("Speaker") {
            On(.text("count")) { message in for number in 1...5 { try await message.send("\(number)") } }
            On(.text) { try await $0.send("re: \($0.text)") }
        }
        bot.pace = SendingPace(perChat: Self.rate, perProfile: nil)
        let ann = try core.add(contact: 4, name: "ann"), ben = try core.add(contact: 5, name: "ben"), speaker = bot
        let session = HostSession(core: core, bots: [speaker], store: store, maxConcurrentHandlers: 8, logger: HostSessionTests.logger, clock: clock)
        try await session.running { _ in
            for number in 1...50 { core.receive("\(number)", from: ben) }
            await core.waitForSent(50, to: 5)
            core.receive("count", from: ann)
            await core.waitForSent(3, to: 4)
            await clock.waitForSleeper(.milliseconds(500) ... .milliseconds(500))
            #expect(core.sent(to: 4) == ["1", "2", "3"])
            // Others are not behind it.
            core.receive("51", from: ben)
            await core.waitForSent(51, to: 5)
            clock.advance(by: .milliseconds(500))
            await core.waitForSent(4, to: 4)
            await clock.waitForSleeper(.milliseconds(500) ... .milliseconds(500))
            clock.advance(by: .milliseconds(500))
            await core.waitForSent(5, to: 4)
            await session.settle()
            core.finish()
        }
        #expect(core.sent(to: 4) == ["1", "2", "3", "4", "5"])
    }

    @Test("permits a plain member no more than its number in any minute, hour and day") func windows() {
        let limits = SendingPace.MemberLimits(perMinute: 3, perHour: 5, perDay: 7)
        var windows = MemberWindows()
        // Twenty calls at once wait for their turns.
        let turns = (0..<20).map { _ in windows.take(1, in: 4, limits, at: 0) }
        #expect(turns.prefix(9) == [0, 0, 0, 60, 60, 3_600, 3_600, 86_400, 86_400])
        for (number, period) in [(3, 60.0), (5, 3_600), (7, 86_400)] {
            for turn in turns { #expect(turns.count { $0 >= turn && $0 < turn + period } <= number, "\(number) in \(period) s from \(turn)") }
        }
        // Another group has its own turns, and several messages of one call take as many.
        #expect(windows.take(4, in: 5, limits, at: 0) == 60)
        #expect(windows.take(1, in: 5, limits, at: 30) == 30)
        #expect(windows.take(1, in: 5, limits, at: 100_000) == 0)
        #expect(SendingPace.MemberLimits(perMinute: 0, perHour: -1, perDay: .max) == SendingPace.MemberLimits(perMinute: 1, perHour: 1, perDay: 10_000))
    }

    @Test("forgets the group that was idle longest, and keeps no more than so many") func manyGroups() {
        let limits = SendingPace.MemberLimits(perMinute: 1, perHour: 300, perDay: 1_500)
        var windows = MemberWindows()
        for number in 0...MemberWindows.maximumGroups { #expect(windows.take(1, in: GroupID(Int64(number)), limits, at: Double(number) / 1_000) == 0) }
        #expect(windows.take(1, in: 0, limits, at: 2) == 0)
        #expect(windows.take(1, in: GroupID(Int64(MemberWindows.maximumGroups)), limits, at: 2) > 50)
    }

    @Test("holds a plain member back in its group, also when it answers, and neither a moderator nor other chats") func member() async throws {
        let clock = ManualClock()
        let pacer = SendingPacer(SendingPace(perChat: nil, perProfile: nil, asMember: SendingPace.MemberLimits(perMinute: 2)), clock: clock)
        for _ in 1...5 { try await pacer.wait(for: 1, in: "#4") }
        for _ in 1...2 { try await pacer.wait(for: 1, in: "#4", asMemberOf: 4) }
        pacer.received(in: "#4", at: UTCTimestamp(seconds: 1), from: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pacer.wait(for: 1, in: "#4", asMemberOf: 4) }
            await clock.waitForSleeper(.seconds(60) ... .seconds(60))
            try await pacer.wait(for: 1, in: "#5", asMemberOf: 5)
            clock.advance(by: .seconds(60))
            try await group.waitForAll()
        }
        #expect(pacer.waitingCount == 0 && pacer.limitsMembers)
        #expect(!SendingPacer(SendingPace(), clock: clock).limitsMembers)
    }

    @Test("loses nothing of a handler that is interrupted while it waits") func interruption() async throws {
        let core = ScriptedCore(), store = try BotStateStore(path: nil, logger: HostSessionTests.logger)
        var bot = Bot("Speaker") { On(.text("count")) { message in for number in 1...5 { try await message.send("\(number)") } } }
        bot.pace = SendingPace(perChat: Self.rate, perProfile: nil)
        let ann = try core.add(contact: 4, name: "ann"), speaker = bot, clock = ManualClock()
        func run(_ core: ScriptedCore, _ clock: any Clock<Duration>, _ body: @Sendable (HostSession) async -> Void) async throws {
            let session = HostSession(core: core, bots: [speaker], store: store, maxConcurrentHandlers: 8, logger: HostSessionTests.logger, clock: clock)
            try await session.running { _ in
                await body(session)
                core.finish()
            }
            try await store.flush()
        }
        try await run(core, clock) { session in
            core.receive("count", from: ann)
            await clock.waitForSleeper(.milliseconds(500) ... .milliseconds(500))
            await session.drain(within: .zero)
        }
        #expect(core.sent(to: 4) == ["1", "2", "3"])
        let again = core.restarted()
        try await run(again, ImpatientClock()) { session in
            await again.waitForSent(5, to: 4)
            await session.settle()
        }
        #expect(again.sent(to: 4) == ["1", "2", "3", "4", "5"])
    }
}

private final class Numbers: Sendable {
    private let numbers = Mutex<[Int]>([])
    var all: [Int] { numbers.withLock(\.self) }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}

@Suite("A live message", .timeLimit(.minutes(5))) struct LiveMessageTests {
    @Test("is edited once in an interval, with the newest text, and ends with the whole") func edits() async throws {
        let runner = try BotSessionRunner(), core = runner.core
        try core.add(contact: 4, name: "ann")
        try await runner.run(Bot("Writer") { On(.text) { _ in } }) { profiles, _ in
            let client = try #require(profiles.first?.client), chat = try #require(await client.chat(.direct(4)))
            let sent = try await chat.sendLive("…"), clock = ManualClock()
            let live = LiveMessage(sent.sent, text: "…", every: .seconds(1), clock: clock)
            for text in ["a", "ab"] { try await live.update(text) }
            clock.advance(by: .seconds(1))
            for text in ["abc", "abcd"] { try await live.update(text) }
            clock.advance(by: .seconds(1))
            try await live.update("abc")
            try await live.finish("abcde")
            try await live.finish("never")
            clock.advance(by: .seconds(60))
            try await live.update("never")
        }
        let commands = core.state.withLock { $0.commands.map(\.commandString) }
        #expect(commands.filter { $0.hasPrefix("/_send") }.map { $0.contains("live=on") } == [true])
        let updates = commands.filter { $0.hasPrefix("/_update item") }
        #expect(updates.count == 2)
        #expect(updates.first?.contains("live=on") == true)
        #expect(updates.first?.contains("\"abc\"") == true)
        #expect(updates.last?.contains("live=on") == false)
        #expect(updates.last?.contains("\"abcde\"") == true)
    }
}
